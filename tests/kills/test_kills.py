"""What a client was shown or told survives the end of the server. `python -m tests.kills` tries it at any moment."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.fakes.openai_server import HEADERS, OpenAIServer, Reply
from tests.kills.diary import key_of
from tests.kills.studio import Watched, follow, make_team, start_run, studio_in, tell
from tests.kills.teams import KINDS, reply_to

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]


async def started(client: httpx.AsyncClient, kind: str, models: OpenAIServer) -> Watched:
    team_id = await make_team(client, KINDS[kind], models.url)
    return Watched(await start_run(client, team_id, "Go."), kind)


def texts(watched: Watched) -> list[object]:
    return [entry["body"]["content"] for entry in watched.shown if entry["kind"] == "message"]


def asked(models: OpenAIServer) -> Counter[str]:
    """How often each model was asked the same."""
    return Counter(f"{request.body['model']} {key_of(request.body)}" for request in models.requests)


async def test_an_answer_that_was_shown_is_neither_paid_for_nor_shown_again(
    tmp_path: Path, openai_server: OpenAIServer
) -> None:
    openai_server.always(reply_to)
    openai_server.say("One.", Reply("Two.", hold=HEADERS))
    async with studio_in(tmp_path) as (studio, client):
        watched = await started(client, "round robin", openai_server)
        await follow(client, watched, until=lambda watched: "One." in texts(watched))
        await asyncio.to_thread(openai_server.wait_until_held)  # bob is asked: asked first by the next server, he hangs
        await studio.end(signal.SIGKILL)
        await studio.start()
        await follow(client, watched)
    assert (watched.state, watched.shown_twice()) == ("finished", [])
    again = {key.partition(":")[2] for key, count in asked(openai_server).items() if count > 1}
    assert {key.partition(":")[0] for key in again} <= {"bob"}  # who had not answered


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "stopped"])
async def test_answers_that_come_side_by_side_while_the_run_is_paused_are_not_paid_for_again(
    tmp_path: Path, openai_server: OpenAIServer, number: signal.Signals
) -> None:
    openai_server.always(reply_to)
    for model in ("talks:cyd:350", "talks:dan:600"):
        openai_server.say(Reply("This comes in pieces.", hold=1), model=model)
    async with studio_in(tmp_path) as (studio, client):
        watched = await started(client, "graph", openai_server)
        await follow(client, watched, until=lambda watched: str(texts(watched)[-1:]).startswith("['bob says"))
        assert await tell(client, watched, {"command": "pause"})
        await follow(client, watched, until=lambda watched: watched.in_flight == 2)
        openai_server.release()
        await follow(client, watched, until=lambda watched: watched.state == "paused" and watched.in_flight == 0)
        # What is acknowledged is in the log, and so is all that came before.
        assert await tell(client, watched, {"command": "inject", "data": {"text": "Go on."}})
        await studio.end(number)
        await studio.start()
        assert await tell(client, watched, {"command": "resume"})
        await follow(client, watched)
    assert (watched.state, watched.shown_twice()) == ("finished", [])
    assert max(asked(openai_server).values()) == 1


async def test_what_was_answered_is_not_asked_again(tmp_path: Path, openai_server: OpenAIServer) -> None:
    openai_server.always(reply_to)
    async with studio_in(tmp_path) as (studio, client):
        runs = [await started(client, kind, openai_server) for kind in ("approvals", "questions")]
        for watched in runs:
            await follow(client, watched, until=lambda watched: bool(watched.answered))
        await studio.end(signal.SIGKILL)
        await studio.start()
        for watched in runs:
            await follow(client, watched)
    for watched in runs:
        questions = [entry["body"].get("pending") for entry in watched.shown if entry["kind"] == "state"]
        subjects = Counter(str(each["details"].get("hash", each["request_id"])) for each in questions if each)
        assert (watched.state, watched.asked_again) == ("finished", [])
        assert set(subjects.values()) == {1}
