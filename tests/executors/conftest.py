"""A `docker` command for tests: a script that keeps a diary and runs the code on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("fake_docker.py")


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a `docker` command that comes first on the search path."""
    folder = tmp_path / "docker"
    folder.mkdir()
    command = folder / "docker"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} {SCRIPT} {folder} "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def diary(folder: Path) -> list[list[str]]:
    """What the command was told, call by call."""
    return [line.split() for line in (folder / "diary").read_text().splitlines()]
