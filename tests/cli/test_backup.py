"""`studio backup` and `studio restore`, from a terminal."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.store import open_store, write_backup
from tests.cli.conftest import Studio
from tests.extended import times
from tests.processes import StudioProcess, run
from tests.store.full_tables import all_rows, fill

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def test_a_studio_moves_by_its_backup(studio: Studio, tmp_path: Path):
    """Into an empty data folder only, and into a new file only."""
    old, new, file = tmp_path / "old", tmp_path / "new", tmp_path / "studio.backup"
    assert studio("users", "add", "Ada", "--role", "admin", "--without-password", "--data-dir", old).code == 0
    made = studio("backup", file, "--data-dir", old)
    assert (made.code, "1 users" in made.out, "Secrets are in it" in made.out) == (0, True, False)
    assert studio("restore", file, "--data-dir", new).code == 0
    assert "Ada" in studio("users", "list", "--json", "--data-dir", new).out
    again = studio("restore", file, "--data-dir", new)
    assert (again.code, "not empty" in again.err) == (2, True)
    twice = studio("backup", file, "--data-dir", old)
    assert (twice.code, "already" in twice.err) == (2, True)


async def test_secrets_need_their_key(tmp_path: Path):
    file, old, new = tmp_path / "studio.backup", tmp_path / "old", tmp_path / "new"
    async with open_store(old) as store:
        await store.secrets.set("openai", "hunter2-hunter2")
    made = _studio("backup", file, "--data-dir", old)
    assert str(old / "secret.key") in made
    assert b"hunter2" not in file.read_bytes()
    assert str(new / "secret.key") in _studio("restore", file, "--data-dir", new)
    shutil.copy(old / "secret.key", new / "secret.key")
    async with open_store(new) as store:
        resolve = await store.secrets.source()
        assert resolve("secret:openai") == "hunter2-hunter2"


async def test_a_killed_command_leaves_nothing_half(tmp_path: Path):
    """Whenever it is killed, there is the whole file or none, and all rows or none."""
    old, file = tmp_path / "old", tmp_path / "studio.backup"
    await fill_much(old)
    before = await all_rows(old, "")
    for number in range(times(2, 4)):
        made = tmp_path / f"{number}.backup"
        _kill_after("backup", made, "--data-dir", old, began=lambda: any(tmp_path.glob("*.part")), wait_s=number * 0.1)
        _remove_parts(tmp_path)
        if made.exists():
            _studio("restore", made, "--data-dir", tmp_path / f"from{number}")
    await write_backup(old, "", file)
    for number in range(times(2, 4)):
        new = tmp_path / f"new{number}"
        _kill_after("restore", file, "--data-dir", new, began=(new / "studio.db-wal").exists, wait_s=number * 0.2)
        if "not empty" not in _studio("restore", file, "--data-dir", new, is_checked=False):
            assert len((await all_rows(new, ""))["audit_entry"]) == len(before["audit_entry"])


async def fill_much(folder: Path) -> None:
    async with open_store(folder):
        pass
    await fill(folder, "")
    async with open_store(folder) as store:
        for number in range(300):
            await store.teams.create({"provider": "x", "config": {"n": number, "noise": os.urandom(20_000).hex()}})


def _remove_parts(folder: Path) -> None:
    for part in folder.glob("*.part"):
        part.unlink()


def _studio(*arguments: object, is_checked: bool = True) -> str:
    done = run(*arguments)
    assert done.code == 0 or not is_checked, done.err
    return done.out + done.err


def _kill_after(*arguments: object, began: Callable[[], bool], wait_s: float) -> None:
    with StudioProcess.start(*arguments) as process:
        while process.is_running and not began():
            time.sleep(0.005)
        time.sleep(wait_s)
