"""A backup holds all that a database held, goes into either kind of database, and is refused when it is not whole."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, inspect, text

from studio.errors import Conflict, SetupError
from studio.store import open_store, restore_backup, write_backup
from studio.store.backup_file import BackupDamaged
from studio.store.form import newest_form
from studio.store.migrate import upgrade
from studio.store.tables import Table
from tests.store.full_tables import all_rows, fill, outside
from tests.store.postgres import PostgresServer
from tests.store.stores import OpenStore, sqlite_only

LEFT_OUT = {"run_live", "open_window", "worker", "run_driver", "wrong_guess", "used_state"}
Lines = list[Any]


async def test_all_rows_of_all_tables_come_back(tmp_path: Path, database: str, postgres: PostgresServer) -> None:
    """From each kind of database to each."""
    source, file = tmp_path / "source", tmp_path / "studio.backup"
    source.mkdir()
    await fill(source, database)
    summary = await write_backup(source, database, file)
    before = await all_rows(source, database)
    assert summary.rows == {name: 2 for name in Table.metadata.tables if name not in LEFT_OUT}
    async with postgres.database() as other:
        for number, target in enumerate(("", other)):
            folder = tmp_path / f"target{number}"
            assert (await restore_backup(folder, target, file)).rows == summary.rows
            after = await all_rows(folder, target)
            assert after == before | {name: [] for name in LEFT_OUT}
            async with open_store(folder, target) as store:  # numbers go on, rather than to be handed out again
                await store.audit.add("ann", "see", outcome="ok")
            assert len((await all_rows(folder, target))["audit_entry"]) == 3


async def test_a_backup_is_made_while_the_studio_writes(open_it: OpenStore, database: str, tmp_path: Path) -> None:
    """It holds a moment: no entry without its run, no version without its team."""
    async with open_it() as store:

        async def create() -> None:
            for _ in range(40):
                await store.teams.create({"provider": "x"})

        writing = asyncio.create_task(create())
        for number in range(3):
            summary = await write_backup(tmp_path, database, tmp_path / f"{number}.backup")
            assert summary.rows.get("team", 0) == summary.rows.get("team_version", 0)
        await writing
        await write_backup(tmp_path, database, tmp_path / "last.backup")
    await restore_backup(tmp_path / "target", "", tmp_path / "last.backup")
    assert len((await all_rows(tmp_path / "target", ""))["team"]) == 40


async def test_a_backup_of_an_older_form_becomes_one_of_the_newest(database: str, tmp_path: Path) -> None:
    def make_old(connection: Connection) -> None:
        upgrade(connection, "0006")
        told = "('h', 'python', 'Runs it.', 'def f(): ...', 'ann', '2026-11-21 10:00:00')"
        connection.execute(text(f"INSERT INTO approval (hash, kind, text, detail, by, at) VALUES {told}"))

    await outside(tmp_path, database, make_old)
    file = tmp_path / "old.backup"
    assert (await write_backup(tmp_path, database, file)).header.form == "0006"
    await restore_backup(tmp_path / "target", "", file)
    async with open_store(tmp_path / "target", migrates=True) as store:
        assert [approval.hash for approval in await store.approvals.list()] == ["h"]


async def test_the_file_is_the_owners_alone_and_replaces_nothing(tmp_path: Path) -> None:
    await fill(tmp_path, "")
    file = tmp_path / "studio.backup"
    await write_backup(tmp_path, "", file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    kept = file.read_bytes()
    with pytest.raises(Conflict, match="already"):
        await write_backup(tmp_path, "", file)
    assert file.read_bytes() == kept
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


async def test_a_database_with_rows_is_left_alone(open_it: OpenStore, database: str, tmp_path: Path) -> None:
    async with open_it() as store:
        await store.teams.create({"provider": "x"})
    file = tmp_path / "studio.backup"
    await write_backup(tmp_path, database, file)
    before = await all_rows(tmp_path, database)
    with pytest.raises(Conflict, match="not empty"):
        await restore_backup(tmp_path, database, file)
    assert await all_rows(tmp_path, database) == before


async def test_a_migrated_database_without_rows_is_filled(database: str, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    await fill(tmp_path / "x", "")
    await write_backup(tmp_path / "x", "", tmp_path / "studio.backup")
    await outside(tmp_path, database, upgrade)
    assert (await restore_backup(tmp_path, database, tmp_path / "studio.backup")).rows["team"] == 2


@sqlite_only
async def test_broken_json_of_sqlite_becomes_readable_on_postgresql(
    open_it: OpenStore, tmp_path: Path, postgres: PostgresServer
) -> None:
    async with open_it() as store:
        for name in ("broken", "nan"):
            await store.teams.create({"provider": name})
    broken = {"broken": '{"provider": ', "nan": '{"provider": NaN}'}

    def damage(connection: Connection) -> None:
        for name, written in broken.items():
            change = text("UPDATE team SET component = :written WHERE component LIKE :name")
            connection.execute(change, {"written": written, "name": f"%{name}%"})

    await outside(tmp_path, "", damage)
    await write_backup(tmp_path, "", tmp_path / "studio.backup")
    async with postgres.database() as url:
        await restore_backup(tmp_path / "target", url, tmp_path / "studio.backup")
        teams = (await all_rows(tmp_path / "target", url))["team"]
        assert "This cannot be read: it is not JSON." in str(teams)
        assert "{'provider': 'NaN'}" in str(teams) or "{'provider': 'nan'}" in str(teams)


async def test_a_restored_file_gives_back_space(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    await fill(tmp_path / "source", "")
    await write_backup(tmp_path / "source", "", tmp_path / "studio.backup")
    await restore_backup(tmp_path / "target", "", tmp_path / "studio.backup")

    def read(connection: Connection) -> object:
        return connection.execute(text("PRAGMA auto_vacuum")).scalar()

    assert await outside(tmp_path / "target", "", read) == 2


async def test_there_is_nothing_to_back_up_where_no_studio_was(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no database"):
        await write_backup(tmp_path, "", tmp_path / "studio.backup")
    assert os.listdir(tmp_path) == []


def _signed(lines: Lines) -> bytes:
    """The file of a person who can work out the checksum as well."""
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    rows: dict[str, int] = {}
    for line in lines[1:]:
        rows[line[0]] = rows.get(line[0], 0) + 1
    trailer = {"rows": rows, "sha256": hashlib.sha256(body).hexdigest()}
    return gzip.compress(body + json.dumps(trailer).encode() + b"\n")


def _header(**changes: object) -> dict[str, object]:
    tables = {"tag": ["kind", "name", "object_id"]}
    told = {"format": "team-studio-backup", "version": 1, "form": newest_form(), "studio": "1", "made_at": "now"}
    return {**told, "tables": tables, **changes}


TAG = ["tag", "team", "a", "1"]
HOSTILE: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "no gzip": lambda: b"PK\x03\x04 something else",
    "no backup": lambda: gzip.compress(b"[]\n"),
    "only a header": lambda: gzip.compress(json.dumps(_header()).encode() + b"\n"),
    "another format": lambda: _signed([_header(format="zip"), TAG]),
    "another version": lambda: _signed([_header(version=2), TAG]),
    "a newer form": lambda: _signed([_header(form="9999"), TAG]),
    "an unknown form": lambda: _signed([_header(form="0000"), TAG]),
    "an unknown table": lambda: _signed([_header(tables={"sqlite_master": ["sql"]}), ["sqlite_master", "x"]]),
    "a table of moments": lambda: _signed([_header(tables={"run_live": ["run_id"]})]),
    "a name that is SQL": lambda: _signed([_header(tables={'tag"; --': ["kind"]})]),
    "an unknown column": lambda: _signed([_header(tables={"tag": ["kind", "name", "sql"]}), TAG]),
    "a missing column": lambda: _signed([_header(tables={"tag": ["kind", "name"]}), TAG[:3]]),
    "a row of another table": lambda: _signed([_header(), ["team"]]),
    "too few values": lambda: _signed([_header(), TAG[:3]]),
    "a list as a value": lambda: _signed([_header(), ["tag", "team", ["a"], "1"]]),
    "no value": lambda: _signed([_header(), ["tag", None, "a", "1"]]),
    "half a character": lambda: _signed([_header(), ["tag", "team", "\ud800", "1"]]),
    "the same row twice": lambda: _signed([_header(), TAG, TAG]),
    "deep lists": lambda: gzip.compress(json.dumps(_header()).encode() + b"\n" + b"[" * 200_000 + b"\n"),
    "a header without an end": lambda: gzip.compress(b" " * 50_000_000),
    "too large": lambda: _signed([_header(), *(["tag", "team", "a" * 10**6, str(n)] for n in range(20))]),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_what_is_no_backup_is_refused_and_leaves_nothing(name: str, database: str, tmp_path: Path) -> None:
    file = tmp_path / "studio.backup"
    file.write_bytes(HOSTILE[name]())
    with pytest.raises(SetupError) as refused:
        await restore_backup(tmp_path, database, file, max_gb=0.01)
    assert "\n" not in str(refused.value)

    def tables(connection: Connection) -> list[object]:
        return list(inspect(connection).get_table_names())

    assert await outside(tmp_path, database, tables) == []


async def test_each_damaged_byte_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    await fill(tmp_path / "source", "")
    await write_backup(tmp_path / "source", "", tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    file = tmp_path / "studio.backup"
    for place in range(10, len(whole), max(1, len(whole) // 40)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :])
        with pytest.raises(BackupDamaged):
            await restore_backup(tmp_path / "target", "", file)
        file.write_bytes(whole[:place])
        with pytest.raises(BackupDamaged):
            await restore_backup(tmp_path / "target", "", file)
    assert not (tmp_path / "target").exists()
