"""The studio starts with whatever its database says of unfinished runs, and tells what is wrong with each."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import RunState
from studio.settings import Settings
from studio.web.app import create_app
from tests.web.documents import assistant, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import start

pytestmark = pytest.mark.embedded
UNDER_WAY = "UPDATE run SET state = 'running', reason = 'start', ended_at = NULL"
DAMAGE = {
    "an unknown key in changes": (UNDER_WAY, """UPDATE run_start SET changes = '{"of_tomorrow": 1}'"""),
    "a memory that does not fit": (
        UNDER_WAY,
        """UPDATE run_start SET changes = '{"began_with": {"agent_states": {"a": 7}}}'""",
    ),
    "a memory of another kind": (UNDER_WAY, """UPDATE run_start SET changes = '{"began_with": [1]}'"""),
    "broken changes": (UNDER_WAY, "UPDATE run_start SET changes = '{'"),
    "a broken component": (UNDER_WAY, "UPDATE run_start SET component = 'no json'"),
    "a component of another kind": (UNDER_WAY, "UPDATE run_start SET component = '[1]'"),
    "no start": (UNDER_WAY, "DELETE FROM run_start"),
}
STRANGE = {
    "an unknown reason": "UPDATE run SET state = 'running', reason = 'of_tomorrow', ended_at = NULL",
    "an unknown state": "UPDATE run SET state = 'of_tomorrow'",
    "an unknown origin": "UPDATE run SET state = 'paused', reason = 'user', origin = 'of_tomorrow'",
    "an unknown question": """UPDATE run SET state = 'paused', reason = 'input', pending = '{"kind": "of_tomorrow"}'""",
    "a question of another kind": "UPDATE run SET state = 'paused', reason = 'input', pending = '[1]'",
    "a broken question": "UPDATE run SET state = 'paused', reason = 'input', pending = '{'",
    "an unknown kind of entry": "UPDATE run_event SET kind = 'of_tomorrow' WHERE seq = 3",
    "a broken entry": "UPDATE run_event SET body = '{' WHERE seq = 3",
    "an entry of another kind": "UPDATE run_event SET body = '[1]' WHERE seq = 3",
    "no log": "DELETE FROM run_event",
    "half a log": "DELETE FROM run_event WHERE seq IN (2, 4)",
}


def ended_run(settings: Settings) -> str:
    """A studio with one run, which has ended; its id."""
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        run_id = start(client, team(assistant("a", "One.", "Two."), max_messages=3))
        client.get(f"/api/runs/{run_id}/stream")
        return run_id


def damage(settings: Settings, *statements: str) -> None:
    with sqlite3.connect(settings.data_dir / "studio.db") as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def seen_after_start(settings: Settings, run_id: str) -> JsonObject:
    """The run in the list, once nothing goes on by itself any more; each page about it is an answer of ours."""
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        good = start(client, team(assistant("a", "One."), max_messages=2))
        assert '"finished"' in client.get(f"/api/runs/{good}/stream").text
        client.get("/teams")
        seen = _settled(client, run_id)
        for path in ("events", "index", "line"):
            assert client.get(f"/api/runs/{run_id}/{path}").status_code == 200, path
        assert client.get(f"/runs/{run_id}").status_code == 200
        assert client.get(f"/api/runs/{run_id}").status_code in (200, 502)
        assert client.get("/api/inbox").status_code == client.get("/inbox").status_code == 200
        return seen


def _settled(client: TestClient, run_id: str) -> JsonObject:
    while True:
        listed: Sequence[Any] = client.get("/api/runs").json()
        found = next(run for run in listed if run["id"] == run_id)
        if found["state"] not in ("running", "created"):
            return found


@pytest.mark.slow
@pytest.mark.parametrize("statements", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_run_that_cannot_be_read_waits_and_says_why(settings: Settings, statements: tuple[str, ...]) -> None:
    run_id = ended_run(settings)
    damage(settings, *statements)
    seen = seen_after_start(settings, run_id)
    assert (seen["state"], seen["reason"] in ("error", "shutdown")) == ("paused", True), seen
    assert len(str(seen["detail"])) > 20


@pytest.mark.slow
@pytest.mark.parametrize("statement", STRANGE.values(), ids=STRANGE.keys())
def test_a_row_of_another_version_keeps_nothing_from_starting(settings: Settings, statement: str) -> None:
    run_id = ended_run(settings)
    damage(settings, *(() if "UPDATE run SET" in statement else (UNDER_WAY,)), statement)
    seen_after_start(settings, run_id)


@pytest.mark.parametrize("state", RunState)
def test_runs_of_an_older_version_are_taken_up_in_each_state(settings: Settings, state: RunState) -> None:
    """An early version kept neither changes nor kinds of questions, and its entries said less."""
    run_id = ended_run(settings)
    question = json.dumps({"request_id": "1", "source": "a", "prompt": "?"})
    damage(
        settings,
        f"UPDATE run SET state = '{state.value}', reason = '', pending = '{question}'",
        "UPDATE run_start SET changes = '{}'",
        "UPDATE run_event SET body = json_remove(body, '$.scope', '$.ms', '$.at', '$.detail') WHERE json_valid(body)",
    )
    seen_after_start(settings, run_id)


@pytest.mark.slow
def test_a_parked_run_goes_on_once_it_can_be_read(settings: Settings) -> None:
    run_id = ended_run(settings)
    damage(
        settings,
        "DELETE FROM run_event WHERE seq > 4",
        "UPDATE run SET last_seq = 4",
        *DAMAGE["an unknown key in changes"],
    )
    assert seen_after_start(settings, run_id)["state"] == "paused"
    damage(settings, "UPDATE run_start SET changes = '{}'")
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        client.post(f"/api/runs/{run_id}/commands", json={"command": "continue"})
        assert '"finished"' in client.get(f"/api/runs/{run_id}/stream").text


def test_a_run_whose_row_is_behind_its_log_goes_on_behind_the_last_entry(settings: Settings) -> None:
    run_id = ended_run(settings)
    damage(settings, "DELETE FROM run_event WHERE seq > 4", "UPDATE run SET last_seq = 2", UNDER_WAY)
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, {"Authorization": f"Bearer {TOKEN}"})
        assert '"finished"' in client.get(f"/api/runs/{run_id}/stream").text
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database:
        numbers = [seq for (seq,) in database.execute("SELECT seq FROM run_event ORDER BY seq")]
        assert database.execute("SELECT last_seq FROM run").fetchall() == [(len(numbers),)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 4
