"""What is made ahead is made between requests."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from threading import Event

import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from studio.web.warm_up import QUIET_S, SLOWEST_ANSWER_S, Activity, NoteActivity, warm_up


@dataclass
class Visitors:
    """Time that passes by sleeping alone, and requests that come at given times."""

    asks_at: list[float]
    now: float = 0.0
    activity: Activity = field(init=False)

    def __post_init__(self) -> None:
        self.activity = Activity(lambda: self.now)

    async def sleep(self, seconds: float) -> None:
        until = self.now + seconds
        while self.asks_at and self.asks_at[0] <= until:
            self.now = self.asks_at.pop(0)
            self.activity.note()
        self.now = until


async def test_a_step_waits_until_nobody_has_asked_for_a_while():
    visitors = Visitors(asks_at=[0.5 * QUIET_S, 1.2 * QUIET_S])
    taken: list[float] = []

    def steps() -> Iterator[None]:
        taken.append(visitors.now)
        yield
        visitors.activity.note()
        yield
        taken.append(visitors.now)

    await warm_up(steps(), visitors.activity, visitors.sleep)
    assert taken[0] == 0, "nobody had asked yet"
    assert taken[1] == pytest.approx(2.2 * QUIET_S)


@pytest.mark.parametrize(("after_s", "is_quiet"), [(0.9 * SLOWEST_ANSWER_S, False), (1.1 * SLOWEST_ANSWER_S, True)])
def test_the_server_is_not_quiet_while_an_answer_is_made_unless_it_waits_itself(after_s: float, is_quiet: bool):
    visitors = Visitors(asks_at=[])
    with visitors.activity.waiting():
        visitors.now += after_s
        assert (visitors.activity.quiet_in_s == 0) is is_quiet


def test_an_open_stream_is_quiet():
    visitors = Visitors(asks_at=[])

    async def words() -> AsyncIterator[str]:
        visitors.now += 2 * QUIET_S
        assert visitors.activity.quiet_in_s == 0
        yield "Word."

    stream = StreamingResponse(words())
    assert TestClient(NoteActivity(stream, visitors.activity)).get("/").text == "Word."


def test_both_ends_of_a_request_count():
    visitors = Visitors(asks_at=[])

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        assert visitors.activity.quiet_in_s == pytest.approx(QUIET_S)
        visitors.now += 5
        await PlainTextResponse("Late.")(scope, receive, send)

    assert TestClient(NoteActivity(slow, visitors.activity)).get("/").text == "Late."
    assert visitors.activity.quiet_in_s == pytest.approx(QUIET_S)


def test_teams_are_checked_once_nobody_waits(app: FastAPI, monkeypatch: pytest.MonkeyPatch):
    """The first page after a start comes before them."""
    checked = Event()

    async def get_many(*_: object) -> dict[str, object]:
        checked.set()
        return {}

    monkeypatch.setattr("studio.services.team_checks.TeamChecks.get_many", get_many)
    activity: Activity = app.state.activity
    with TestClient(app):
        with activity.waiting():
            assert not checked.wait(3 * QUIET_S)
        assert checked.wait(30)
