"""Runs the samples of Agent Framework's YAML with it and writes down what their models were asked.

`python -m tests.importers.record_agent_framework` where agent-framework-openai and agent-framework-declarative are
installed; writes agent_framework_originals.json. Conditions need .NET, which the package powerfx calls.
"""

from __future__ import annotations

import asyncio
import json
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.fakes.openai_server import OpenAIServer
from tests.importers.agent_framework_samples import FRAMEWORK_SAMPLES, FrameworkSample
from tests.importers.transcripts import ScriptedModels, Turn

RECORDED = Path(__file__).with_name("agent_framework_originals.json")


def original(sample: FrameworkSample) -> list[Turn]:
    """What the models of the original were asked."""
    models = ScriptedModels(sample.answers)
    with OpenAIServer() as server:
        server.always(models)
        clients: Any = import_module("agent_framework.openai")
        declared: Any = import_module("agent_framework.declarative")

        def agent(text: str) -> Any:
            client = clients.OpenAIChatCompletionClient(model="gpt-4.1", api_key="none", base_url=server.url)
            return declared.AgentFactory(client=client).create_agent_from_yaml(text)

        agents = {name: agent(text) for name, text in sample.agents.items()}
        whole = declared.WorkflowFactory(agents=agents).create_workflow_from_yaml(sample.workflow)
        asyncio.run(_run(whole, sample.task))
    return models.turns


async def _run(workflow: Any, task: str) -> None:
    await workflow.run(task)


if __name__ == "__main__":
    found = {sample.name: original(sample) for sample in FRAMEWORK_SAMPLES}
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} recorded")
