"""Runs a script through the command, in a process of its own: the import hook must not touch this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Outcome(NamedTuple):
    """How a script ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


RunCommand = Callable[..., Outcome]
RunScript = Callable[..., Outcome]


@pytest.fixture
def run_command(tmp_path: Path) -> RunCommand:
    """`python -m studio.autogen` with these arguments, in an empty folder."""

    def run(*arguments: str) -> Outcome:
        command = [sys.executable, "-m", "studio.autogen", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def run_script(tmp_path: Path, run_command: RunCommand) -> RunScript:
    """A script, written out and run; it must succeed."""

    def run(source: str, *arguments: str) -> Outcome:
        (tmp_path / "script.py").write_text(dedent(source))
        outcome = run_command("script.py", *arguments)
        assert outcome.code == 0, outcome.err
        return outcome

    return run
