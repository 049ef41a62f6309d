"""Runs exported scripts in the framework that they are for, and writes down what their models were asked.

`AUTOGEN_PYTHON=PYTHON python -m tests.exporters.record autogen`, with a Python that has autogen-agentchat and
autogen-ext 0.7.5, or `AGENT_FRAMEWORK_PYTHON=PYTHON python -m tests.exporters.record agent-framework`, with one that
has agent-framework 1.23; writes autogen_originals.json or agent_framework_originals.json.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from studio.components import load_component
from studio.exporters import TARGETS, CannotExport, Exported, TargetKey, export_team
from tests.exporters.originals import digest, sample_team, shipped, their_turns, write_record
from tests.exporters.samples import SAMPLES, Sample
from tests.fakes.openai_server import OpenAIServer


def exported_samples(target: TargetKey) -> Iterator[tuple[Sample, Exported]]:
    """The samples that the target can have."""
    for sample in SAMPLES:
        try:
            yield sample, export_team(sample_team(sample), target)
        except CannotExport as refusal:
            print(f"{sample.name}: {refusal}")


def exported_shipped(target: TargetKey) -> Iterator[tuple[str, Exported]]:
    """What comes with the studio and what the target can have."""
    for name, document in shipped().items():
        try:
            yield name, export_team(load_component(document), target)
        except CannotExport as refusal:
            print(f"{name}: {refusal}")


if __name__ == "__main__":
    wanted = cast("TargetKey", sys.argv[1])
    assert wanted in TARGETS
    os.environ["OPENAI_API_KEY"] = "none"
    with OpenAIServer() as server, tempfile.TemporaryDirectory() as folder:
        samples = {
            sample.name: {
                "script": digest(exported),
                "turns": their_turns(sample, wanted, server, Path(folder)),
            }
            for sample, exported in exported_samples(wanted)
        }
    built = {name: digest(exported) for name, exported in exported_shipped(wanted)}
    write_record(wanted, {"samples": samples, "shipped": built})
    print(f"{len(samples)} runs recorded")
