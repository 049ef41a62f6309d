"""Runs the samples with the OpenAI Agents SDK itself and writes down what their models were asked.

`python -m tests.importers.record_originals` where the package openai-agents is installed; writes originals.json.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.fakes.openai_server import OpenAIServer
from tests.importers.samples import SAMPLES, Sample
from tests.importers.transcripts import ScriptedModels, Turn

RECORDED = Path(__file__).with_name("originals.json")


def original(sample: Sample) -> list[Turn]:
    """What the models of the original were asked."""
    models = ScriptedModels(sample.answers)
    with OpenAIServer() as server:
        server.always(models)
        os.environ |= {
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": f"{server.url}",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
        }
        agents: Any = import_module("agents")
        agents.set_default_openai_client(_client(server.url), use_for_tracing=False)
        agents.set_default_openai_api("chat_completions")
        agents.set_tracing_disabled(True)
        module = ModuleType(f"sample_{sample.name.replace('-', '_')}")
        sys.modules[module.__name__] = module
        exec(compile(_runnable(sample.code), sample.name, "exec"), module.__dict__)
        asyncio.run(_run(module, sample.task))
    return models.turns


def _client(url: str) -> Any:
    from openai import AsyncOpenAI

    return AsyncOpenAI(api_key="none", base_url=url)


def _runnable(code: str) -> str:
    """The text with `pass` where an export leaves a branch empty."""
    return code.replace("else:\n    \n", "else:\n      pass\n").replace("else:\n\n", "else:\n      pass\n")


async def _run(module: Any, task: str) -> None:
    if hasattr(module, "run_workflow"):
        await module.run_workflow(module.WorkflowInput(input_as_text=task))
    else:
        await module.main(task)


if __name__ == "__main__":
    found = {sample.name: original(sample) for sample in SAMPLES}
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} recorded")
