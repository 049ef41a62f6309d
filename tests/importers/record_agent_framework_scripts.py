"""Runs the sample scripts of Agent Framework with it and writes down what their models were asked.

`python -m tests.importers.record_agent_framework_scripts` where agent-framework-openai and
agent-framework-orchestrations are installed; writes agent_framework_script_originals.json.
"""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.fakes.openai_server import OpenAIServer
from tests.importers.agent_framework_scripts import SCRIPT_SAMPLES, ScriptSample
from tests.importers.transcripts import ScriptedModels, Turn

RECORDED = Path(__file__).with_name("agent_framework_script_originals.json")


def original(sample: ScriptSample) -> list[Turn]:
    """What the models of the original were asked."""
    models = ScriptedModels(sample.answers)
    with OpenAIServer() as server:
        server.always(models)
        with patch.dict(os.environ, {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none"}):
            names: dict[str, Any] = {}
            exec(compile(sample.code, sample.name, "exec"), names)
            asyncio.run(_run(names["workflow"], sample.task))
    return models.turns


async def _run(workflow: Any, task: str) -> None:
    await workflow.run(task)


if __name__ == "__main__":
    found = {sample.name: original(sample) for sample in SCRIPT_SAMPLES}
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} recorded")
