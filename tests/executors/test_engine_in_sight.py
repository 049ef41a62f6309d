"""A start asks the `docker` command for containers that were left only where it knows an engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from studio.executors import docker_engine
from studio.executors.docker_engine import remove_left_containers


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a `docker` command writes that is the only program there; no engine is in sight."""
    told = tmp_path / "asked"
    command = tmp_path / "bin" / "docker"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\necho \"$@\" >> '{told}'\n")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent), prepend=":")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(docker_engine, "SOCKET", tmp_path / "docker.sock")
    for name in ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG"):
        monkeypatch.delenv(name, raising=False)
    return told


def test_without_an_engine_nothing_is_started(asked: Path) -> None:
    asyncio.run(remove_left_containers())
    assert not asked.exists()


@pytest.mark.parametrize("where", ["a socket", "own settings", "a variable"])
def test_an_engine_in_sight_is_asked(asked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    if where == "a socket":
        (tmp_path / "docker.sock").touch()
    elif where == "own settings":
        (tmp_path / ".docker").mkdir()
        (tmp_path / ".docker/config.json").write_text("{}")
    else:
        monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    asyncio.run(remove_left_containers())
    assert asked.read_text().startswith("ps --all")
