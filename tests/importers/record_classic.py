"""Runs the samples of AutoGen 0.2 with AutoGen itself and writes down what their models were asked.

`python -m tests.importers.record_classic` where the package autogen-agentchat 0.2 is installed; writes
classic_originals.json.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import ModuleType

from tests.fakes.openai_server import OpenAIServer
from tests.importers.classic_samples import RECORDED_SAMPLES
from tests.importers.samples import Sample
from tests.importers.transcripts import ScriptedModels, Turn

RECORDED = Path(__file__).with_name("classic_originals.json")


def original(sample: Sample) -> list[Turn]:
    """What the models of the original were asked."""
    models = ScriptedModels(sample.answers)
    with OpenAIServer() as server:
        server.always(models)
        os.environ |= {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url}
        module = ModuleType(f"sample_{sample.name.replace('-', '_')}")
        exec(compile(sample.code, sample.name, "exec"), module.__dict__)
        module.main(sample.task)
    return models.turns


if __name__ == "__main__":
    found = {sample.name: original(sample) for sample in RECORDED_SAMPLES}
    RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} recorded")
