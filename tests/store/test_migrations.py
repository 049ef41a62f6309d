from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, make_url, text
from sqlalchemy.ext.asyncio import create_async_engine

from studio.errors import SetupError
from studio.store import open_store
from studio.store.database import database_url
from studio.store.form import MIGRATIONS, all_forms
from studio.store.migrate import differences, migrated_schema, newest_schema, schema_of, upgrade
from studio.store.sqlite import plain_connection
from tests.store.stores import OpenStore, postgres_only

OLD_RUN = """
    INSERT INTO run (id, team_name, component, task, task_text, state, reason, detail, prompt_tokens, completion_tokens,
                     epoch, last_seq, created_at)
    VALUES (:id, 'Pair', '{"provider": "x"}', :task, 'Task', 'finished', 'end', '', 1, 2, 1, 1, '2026-11-21 10:00:00')
"""
OLD_ENTRY = """
    INSERT INTO run_event (run_id, seq, epoch, at, kind, body)
    VALUES (:id, 1, 1, '2026-11-21 10:00:00', 'message', '{"content": "kept"}')
"""


Result = TypeVar("Result")


async def outside(folder: Path, url: str, work: Callable[[Connection], Result]) -> Result:
    """Work on the database while no store has it open."""
    engine = create_async_engine(database_url(folder, url))
    async with engine.begin() as connection:
        result = await connection.run_sync(work)
    await engine.dispose()
    return result


def test_the_forms_are_those_of_the_migrations_in_their_order() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    scripts = ScriptDirectory.from_config(config).walk_revisions()
    assert list(all_forms()) == [script.revision for script in scripts][::-1]


async def test_the_migrations_make_the_tables(database: str, tmp_path: Path) -> None:
    def migrate(connection: Connection) -> list[object]:
        upgrade(connection)
        return differences(connection)

    assert await outside(tmp_path, database, migrate) == []


def test_a_new_database_begins_with_what_the_migrations_make() -> None:
    """Migrations put rows into no table of an empty database, so the statements are all there is."""
    assert list(newest_schema()) == migrated_schema(), "Run `python -m studio.store.migrate --schema`."
    with create_engine("sqlite://").connect() as connection:
        upgrade(connection)
        plain = plain_connection(connection)
        assert plain is not None
        assert list(schema_of(plain)) == list(newest_schema())


async def test_what_runs_were_started_with_moves_to_its_own_table(
    open_it: OpenStore, database: str, tmp_path: Path
) -> None:
    def work(connection: Connection) -> None:
        upgrade(connection, "0001")
        for number in range(3):
            connection.execute(text(OLD_RUN), {"id": f"r{number}", "task": f'"Task {number}"'})
            connection.execute(text(OLD_ENTRY), {"id": f"r{number}"})

    await outside(tmp_path, database, work)
    async with open_it() as store:
        run = await store.runs.get("r1")
        assert (run.component, run.task, run.last_seq) == ({"provider": "x"}, "Task 1", 1)
        assert [entry.body for entry in await store.runs.read("r2")] == [{"content": "kept"}]
        await store.runs.delete("r0")
        assert {summary.id for summary in await store.runs.list()} == {"r1", "r2"}


async def test_old_approvals_go_on_to_hold_everywhere(open_it: OpenStore, database: str, tmp_path: Path) -> None:
    def work(connection: Connection) -> None:
        upgrade(connection, "0006")
        told = "('h', 'python', 'Runs it.', 'def f(): ...', 'ann', '2026-11-21 10:00:00')"
        connection.execute(text(f"INSERT INTO approval (hash, kind, text, detail, by, at) VALUES {told}"))

    await outside(tmp_path, database, work)
    async with open_it() as store:
        (approval,) = await store.approvals.list()
        assert (approval.hash, approval.scope, approval.hosts, approval.by) == ("h", "", [], "ann")
        assert await store.approvals.active_for(["h"]) == {"h": ()}


OLD_DOCUMENT = (
    "INSERT INTO file (sha256, upload_id, size, media_type, at) VALUES ('s', 'u', 9, 'text/plain', '2026-11-21')",
    """INSERT INTO knowledge_base
       (id, name, "key", description, embedding_connection, embedding_model, "by", created_at, updated_at)
       VALUES ('b', 'Handbook', 'handbook', '', '', '', 'ann', '2026-11-21', '2026-11-21')""",
    """INSERT INTO knowledge_document
       (id, base_id, name, sha256, media_type, size, url, characters, passages, "by", added_at, read_at)
       VALUES ('d', 'b', 'pets.txt', 's', 'text/plain', 9, '', 9, 2, 'ann', '2026-11-21', '2026-11-21')""",
    """INSERT INTO knowledge_passage (document_id, base_id, number, heading, start, "end", text)
       VALUES ('d', 'b', 1, '', 0, 6, '小さな子犬。'), ('d', 'b', 2, 'Flights', 6, 9, 'Booked by the office.')""",
)


async def test_documents_of_before_are_found_by_pairs_of_characters(
    open_it: OpenStore, database: str, tmp_path: Path
) -> None:
    def work(connection: Connection) -> None:
        upgrade(connection, "0033")
        for statement in OLD_DOCUMENT:
            connection.execute(text(statement))

    await outside(tmp_path, database, work)
    async with open_it() as store:
        for query in ("子犬", "booking flights"):
            [hit] = await store.knowledge.search("b", query, 5)
            assert hit.file == "pets.txt"
        await store.knowledge.remove("b", "d")
        assert await store.knowledge.search("b", "子犬", 5) == []


async def test_opening_again_changes_nothing(open_it: OpenStore) -> None:
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
    for _ in range(2):
        async with open_it() as store:
            assert (await store.teams.get(team.id)).revision == 1


async def test_a_database_of_a_newer_studio_is_left_alone(open_it: OpenStore, database: str, tmp_path: Path) -> None:
    def work(connection: Connection) -> None:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    async with open_it():
        pass
    await outside(tmp_path, database, work)
    with pytest.raises(SetupError, match="newer version of the studio"):
        async with open_it():
            pass


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "mystery://x/y",
        "sqlite:////no/such/folder/x.db",
        "postgresql://nobody:pass-word@127.0.0.1:1/x",
        "postgresql://nobody:pass-word@127.0.0.1:no-port/x",
    ],
)
async def test_a_database_that_cannot_be_opened_is_told_in_one_line(tmp_path: Path, url: str) -> None:
    with pytest.raises(SetupError) as told:
        async with open_store(tmp_path, url):
            pass
    assert told.value.fix
    assert "\n" not in str(told.value)
    assert "pass-word" not in str(told.value)


@postgres_only
@pytest.mark.parametrize("change", [{"database": "no_such"}, {"query": {"host": "/", "unknown": "x"}}])
async def test_what_a_server_or_its_driver_refuses_is_told_in_one_line(
    tmp_path: Path, database: str, change: dict[str, Any]
) -> None:
    with pytest.raises(SetupError) as told:
        async with open_store(tmp_path, make_url(database).set(**change).render_as_string()):
            pass
    assert "\n" not in str(told.value)


async def test_a_driver_that_is_not_there_is_told_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(SetupError) as told:
        async with open_store(tmp_path, "postgresql://127.0.0.1:1/x"):
            pass
    assert told.value.fix == 'Run `pip install "team-studio[postgres]"`.'


@pytest.mark.parametrize("start", ["postgres", "postgresql", "postgresql+asyncpg"])
def test_a_url_as_hosts_give_it_is_put_in_the_words_of_the_driver(tmp_path: Path, start: str) -> None:
    url = database_url(tmp_path, f"{start}://ann:x@db.test/studio?sslmode=require&application_name=y")
    assert (url.drivername, dict(url.query)) == ("postgresql+asyncpg", {"ssl": "require", "application_name": "y"})


async def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError):
        async with open_store(tmp_path / "file" / "data"):
            pass


async def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "studio.db"
    file.write_text("A letter to my aunt. " * 100)
    with pytest.raises(SetupError):
        async with open_store(tmp_path):
            pass
    assert file.read_text().startswith("A letter")
