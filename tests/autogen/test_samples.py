"""Scripts for what AgentChat's guide shows run under the command, and again once their import lines are changed.

Each script asserts what must come out, and prints a transcript. Both ways must print the same.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from tests.autogen.moving import moved
from tests.extended import sample

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

SAMPLES = Path(__file__).parent / "samples"
SHARED = "scripting"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.py") if path.stem != SHARED)
ONLY_UNDER_THE_COMMAND = {
    "logging_switched_on": "a run has a log of its own, and no loggers",
    "own_runtime": "teams take no runtime",
}
NATIVE = [name for name in NAMES if name not in ONLY_UNDER_THE_COMMAND]
MOVED = sample(NATIVE, 20)
Reports = dict[str, dict[str, str]]
_REPORTS = TypeAdapter(Reports)


def play(folder: Path, names: list[str], cwd: Path, *command: str) -> Reports:
    """Run the scripts of a folder in one new process."""
    player = Path(__file__).with_name("play_samples.py")
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONWARNINGS": "error", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *command, str(player), str(folder), *names],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return _REPORTS.validate_python(json.loads(done.stdout))


@pytest.fixture(scope="module")
def under_the_command(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return play(SAMPLES, NAMES, tmp_path_factory.mktemp("command"), "-m", "studio.autogen")


@pytest.fixture(scope="module")
def with_our_imports(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    folder, cwd = tmp_path_factory.mktemp("moved"), tmp_path_factory.mktemp("native")
    texts = {name: moved((SAMPLES / f"{name}.py").read_text()) for name in [SHARED, *MOVED]}
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    # Classes of `studio.autogen` stand in for the engine's when components are loaded, in the whole process.
    with_bases = [name for name in MOVED if "from studio.autogen" in texts[name]]
    return play(folder, [name for name in MOVED if name not in with_bases], cwd) | play(folder, with_bases, cwd)


@pytest.mark.parametrize("name", NAMES)
def test_a_script_for_agentchat_runs_unchanged(under_the_command: Reports, name: str):
    report = under_the_command[name]
    assert report["failure"] == "", report["printed"]
    assert report["printed"]


@pytest.mark.parametrize("name", MOVED)
def test_it_prints_the_same_once_its_import_lines_are_changed(
    under_the_command: Reports, with_our_imports: Reports, name: str
):
    report = with_our_imports[name]
    assert report["failure"] == "", report["printed"]
    assert report["printed"] == under_the_command[name]["printed"]


def test_no_import_of_autogen_is_left_in_a_script_that_was_moved():
    for name in [SHARED, *NATIVE]:
        assert "import autogen" not in (text := moved((SAMPLES / f"{name}.py").read_text()))
        assert "from autogen" not in text, name
