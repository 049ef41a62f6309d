"""Runs exported scripts with AutoGen and writes down what their models were asked.

`AUTOGEN_PYTHON=PYTHON python -m tests.exporters.record_autogen`, with a Python that has autogen-agentchat and
autogen-ext 0.7.5; writes autogen_originals.json.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from studio.components import load_component
from studio.exporters import export_team
from tests.exporters.originals import digest, sample_team, shipped, their_turns, write_record
from tests.exporters.samples import SAMPLES
from tests.fakes.openai_server import OpenAIServer

if __name__ == "__main__":
    os.environ["OPENAI_API_KEY"] = "none"
    with OpenAIServer() as server, tempfile.TemporaryDirectory() as folder:
        samples = {
            sample.name: {
                "script": digest(export_team(sample_team(sample), "autogen")),
                "turns": their_turns(sample, "autogen", server, Path(folder)),
            }
            for sample in SAMPLES
        }
    built = {name: digest(export_team(load_component(each), "autogen")) for name, each in shipped().items()}
    write_record("autogen", {"samples": samples, "shipped": built})
    print(f"{len(samples)} runs recorded")
