"""Programs for what AutoGen's Core guide shows, with scripted models: each asserts what comes out, and prints it.

Where AutoGen is installed, it prints the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.exporters.originals import python_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]

SAMPLES = Path(__file__).parent / "core_samples"
FRAMEWORKS = {"langgraph_agent": "langgraph", "llama_index_agent": "llama_index.core"}
"""Programs whose agents are of another framework: `pip install langgraph llama-index-core`."""
NAMES = sorted({path.stem for path in SAMPLES.glob("*.py")} - FRAMEWORKS.keys())


def played(folder: Path, *command: str, names: Sequence[str] = NAMES) -> dict[str, dict[str, str]]:
    """What all programs print, and how they fail, in one new process."""
    player = Path(__file__).with_name("play_samples.py")
    places = (str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}
    done = subprocess.run(
        [*command, str(player), str(SAMPLES), *names], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_programs_of_the_guide_run(tmp_path: Path):
    reports = played(tmp_path, sys.executable, "-m", "studio.autogen")
    assert {name: report["failure"] for name, report in reports.items() if report["failure"]} == {}
    assert len(reports) >= 34


@pytest.mark.skipif(not python_of("autogen"), reason="needs AUTOGEN_PYTHON, a Python that has autogen-core 0.7.5")
def test_autogen_prints_the_same(tmp_path: Path):
    ours, theirs = (
        {name: report["printed"] for name, report in played(tmp_path, *command).items()}
        for command in ((sys.executable, "-m", "studio.autogen"), (python_of("autogen"),))
    )
    assert ours == theirs


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # not even what is around it
        return False


@pytest.mark.parametrize("name", sorted(FRAMEWORKS))
def test_agents_of_other_frameworks_run(tmp_path: Path, name: str):
    if not _is_installed(FRAMEWORKS[name]):
        pytest.skip(f"needs {FRAMEWORKS[name]}")
    ours = played(tmp_path, sys.executable, "-m", "studio.autogen", names=[name])[name]
    assert (ours["failure"], bool(ours["printed"])) == ("", True)
    if python := python_of("autogen"):
        assert played(tmp_path, python, names=[name])[name]["printed"] == ours["printed"]
