from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from studio.errors import SetupError
from studio.store import open_store
from studio.store.migrate import differences, upgrade
from tests.store.opening import OpenStore

OLD_RUN = """
    INSERT INTO run (id, team_name, component, task, task_text, state, reason, detail, prompt_tokens, completion_tokens,
                     epoch, last_seq, created_at)
    VALUES (:id, 'Pair', '{"provider": "x"}', :task, 'Task', 'finished', 'end', '', 1, 2, 1, 1, '2026-11-21 10:00:00')
"""
OLD_ENTRY = """
    INSERT INTO run_event (run_id, seq, epoch, at, kind, body)
    VALUES (:id, 1, 1, '2026-11-21 10:00:00', 'message', '{"content": "kept"}')
"""


def test_the_migrations_make_the_tables() -> None:
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        upgrade(connection)
        assert differences(connection) == []
    engine.dispose()


async def test_what_runs_were_started_with_moves_to_its_own_table(open_it: OpenStore, tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'studio.db'}")
    with engine.begin() as connection:
        upgrade(connection, "0001")
        for number in range(3):
            connection.execute(text(OLD_RUN), {"id": f"r{number}", "task": f'"Task {number}"'})
            connection.execute(text(OLD_ENTRY), {"id": f"r{number}"})
    engine.dispose()
    async with open_it() as store:
        run = await store.runs.get("r1")
        assert (run.component, run.task, run.last_seq) == ({"provider": "x"}, "Task 1", 1)
        assert [entry.body for entry in await store.runs.read("r2")] == [{"content": "kept"}]
        await store.runs.delete("r0")
        assert [summary.id for summary in await store.runs.list()] == ["r1", "r2"]


async def test_old_approvals_go_on_to_hold_everywhere(open_it: OpenStore, tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'studio.db'}")
    with engine.begin() as connection:
        upgrade(connection, "0006")
        told = "('h', 'python', 'Runs it.', 'def f(): ...', 'ann', '2026-11-21 10:00:00')"
        connection.execute(text(f"INSERT INTO approval (hash, kind, text, detail, by, at) VALUES {told}"))
    engine.dispose()
    async with open_it() as store:
        (approval,) = await store.approvals.list()
        assert (approval.hash, approval.scope, approval.hosts, approval.by) == ("h", "", [], "ann")
        assert await store.approvals.in_force(["h"]) == {"h": ()}


async def test_opening_again_changes_nothing(open_it: OpenStore) -> None:
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
    for _ in range(2):
        async with open_it() as store:
            assert (await store.teams.get(team.id)).revision == 1


async def test_a_database_of_a_newer_studio_is_left_alone(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it():
        pass
    engine = create_engine(f"sqlite:///{tmp_path / 'studio.db'}")
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(SetupError, match="newer studio"):
        async with open_it():
            pass


@pytest.mark.parametrize(
    "url", ["nonsense", "mystery://x/y", "sqlite:////no/such/folder/x.db", "postgresql://nobody@127.0.0.1:1/x"]
)
async def test_a_database_that_cannot_be_opened_is_told_in_one_line(tmp_path: Path, url: str) -> None:
    with pytest.raises(SetupError) as told:
        async with open_store(tmp_path, url):
            pass
    assert told.value.fix


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
