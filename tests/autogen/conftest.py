"""Runs a script through the command, in a process of its own: the import hook must not touch this one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from tests.processes import Outcome, run

ROOT = Path(__file__).resolve().parents[2]

RunCommand = Callable[..., Outcome]
RunScript = Callable[..., Outcome]


@pytest.fixture
def run_command(tmp_path: Path) -> RunCommand:
    """`python -m studio.autogen` with these arguments, in an empty folder."""

    def in_process(*arguments: str) -> Outcome:
        environment = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return run(*arguments, environment=environment, module="studio.autogen", folder=tmp_path)

    return in_process


@pytest.fixture
def run_script(tmp_path: Path, run_command: RunCommand) -> RunScript:
    """A script, written out and run; it must succeed."""

    def in_process(source: str, *arguments: str) -> Outcome:
        (tmp_path / "script.py").write_text(dedent(source))
        outcome = run_command("script.py", *arguments)
        assert outcome.code == 0, outcome.err
        return outcome

    return in_process
