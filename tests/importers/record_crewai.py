"""Runs the samples of CrewAI with it and writes down what their models were asked.

`python -m tests.importers.record_crewai` where the package crewai is installed; writes crewai_originals.json.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from unittest.mock import patch

from tests.fakes.openai_server import OpenAIServer
from tests.importers.crewai_samples import CREW_SAMPLES, CrewSample
from tests.importers.transcripts import ScriptedModels, Turn

RECORDED = Path(__file__).with_name("crewai_originals.json")
QUIET = {"CREWAI_DISABLE_TELEMETRY": "true", "CREWAI_DISABLE_TRACKING": "true", "OTEL_SDK_DISABLED": "true"}
"""Nothing of a run is sent anywhere."""


def original(sample: CrewSample) -> list[Turn]:
    """What the models of the original were asked."""
    models = ScriptedModels(sample.answers)
    with OpenAIServer() as server, TemporaryDirectory() as place:
        server.always(models)
        environment = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": server.url, "CREWAI_STORAGE_DIR": place, **QUIET}
        os.environ |= environment
        for name, text in sample.files.items():
            path = Path(place) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        module = ModuleType(f"sample_{sample.name.replace('-', '_')}")
        module.__file__ = str(Path(place) / "crew.py")
        sys.modules[module.__name__] = module
        before = Path.cwd()
        os.chdir(place)
        try:
            left = list(sample.feedback)
            with patch("builtins.input", side_effect=left):
                exec(compile(sample.code, module.__file__, "exec", dont_inherit=True), module.__dict__)
                module.main(dict(sample.inputs))
        finally:
            os.chdir(before)
    return models.turns


if __name__ == "__main__":
    wanted = sys.argv[1:]
    chosen = [each for each in CREW_SAMPLES if each.name in wanted or not wanted]
    earlier: dict[str, list[Turn]] = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() and wanted else {}
    found = {sample.name: original(sample) for sample in chosen}
    RECORDED.write_text(json.dumps(earlier | found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found)} recorded")
