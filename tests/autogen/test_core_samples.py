"""Programs for what AutoGen's Core guide shows, with scripted models: each asserts what comes out, and prints it.

Where AutoGen is installed, it prints the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.exporters.originals import python_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SAMPLES = Path(__file__).parent / "core_samples"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.py"))


def played(folder: Path, *command: str) -> dict[str, dict[str, str]]:
    """What all programs print, and how they fail, in one new process."""
    player = Path(__file__).with_name("play_samples.py")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        [*command, str(player), str(SAMPLES), *NAMES], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_programs_of_the_guide_run(tmp_path: Path):
    reports = played(tmp_path, sys.executable, "-m", "studio.autogen")
    assert {name: report["failure"] for name, report in reports.items() if report["failure"]} == {}
    assert len(reports) >= 30


@pytest.mark.skipif(not python_of("autogen"), reason="needs AUTOGEN_PYTHON, a Python that has autogen-core 0.7.5")
def test_autogen_prints_the_same(tmp_path: Path):
    ours, theirs = (
        {name: report["printed"] for name, report in played(tmp_path, *command).items()}
        for command in ((sys.executable, "-m", "studio.autogen"), (python_of("autogen"),))
    )
    assert ours == theirs
