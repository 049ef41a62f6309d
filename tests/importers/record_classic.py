"""Runs the samples of AutoGen 0.2 and AG2 with these themselves and writes down what their models were asked.

`python -m tests.importers.record_classic` where the package autogen-agentchat 0.2 is installed, or ag2 before 1.0;
writes its part of classic_originals.json.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from types import ModuleType

from tests.fakes.openai_server import OpenAIServer
from tests.importers.classic_samples import AG2_SAMPLES, AUTOGEN_SAMPLES
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
        exec(compile(sample.code, sample.name, "exec", dont_inherit=True), module.__dict__)
        module.main(sample.task)
    return models.turns


def installed_samples() -> Sequence[Sample]:
    """The samples of what is installed here."""
    if any(distributions(name="ag2")):
        return AG2_SAMPLES
    packages = [each for name in ("autogen-agentchat", "pyautogen") for each in distributions(name=name)]
    return AUTOGEN_SAMPLES if any(each.version.startswith("0.2.") for each in packages) else ()


if __name__ == "__main__":
    earlier: dict[str, list[Turn]] = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    found = {sample.name: original(sample) for sample in installed_samples()}
    RECORDED.write_text(json.dumps(earlier | found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} recorded")
