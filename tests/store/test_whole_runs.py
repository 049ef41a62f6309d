"""Runs of a team with a scripted model, from the start to what is read of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import cast

import pytest

from studio.components import JsonObject
from studio.errors import Conflict
from studio.runs import RunState, RunSupervisor
from tests.runs.scripted import Studio
from tests.runs.tooling import agent, team
from tests.store.stores import OpenStore

ASKS: JsonObject = {
    "provider": "autogen_agentchat.agents.UserProxyAgent",
    "config": {"name": "person", "description": "Decides."},
}


@asynccontextmanager
async def studio_of(open_it: OpenStore) -> AsyncGenerator[Studio]:
    async with (
        open_it() as store,
        RunSupervisor(store.runs, store.approvals, store.secrets, store.settings) as supervisor,
    ):
        yield Studio(supervisor, store)


async def test_a_run_is_kept_with_what_it_took(open_it: OpenStore) -> None:
    ann, bob = agent("ann", "One.", "Two. \0", tools=()), agent("bob", "Hm.", tools=())
    document = cast("JsonObject", team(ann, bob, turns=3))
    async with studio_of(open_it) as studio:
        kept = await studio.store.teams.create(document)
        run_id = await studio.supervisor.start(document, "Talk.", team_id=kept.id)
        await studio.until(run_id, RunState.FINISHED)
    async with open_it() as store:
        run = await store.runs.get(run_id)
        assert (run.component["provider"], run.task, run.status.state) == (document["provider"], "Talk.", "finished")
        messages = await store.runs.read(run_id, kinds=["message"])
        assert [entry.body["content"] for entry in messages] == ["Talk.", "One.", "Hm.", "Two. \0"]
        assert [(part.agent, part.sum.calls) for part in await store.costs.of_run(run_id)] == [("ann", 2), ("bob", 1)]
        assert (await store.costs.of_day(datetime.now(UTC).date()))[kept.id].calls == 3
        rows = await store.logs.index(run_id, after=0, limit=100, kinds=["message"])
        assert [row.source for row in rows] == ["user", "ann", "bob", "ann"]
        assert len((await store.logs.search(run_id, "hm", after=0, limit=9, kinds=["message"])).hits) == 1


async def test_a_question_waits_in_the_inbox_through_a_restart(open_it: OpenStore) -> None:
    async with studio_of(open_it) as studio:
        run_id = await studio.supervisor.start(team(agent("ann", "Which?", tools=()), ASKS, turns=2), "Choose.")
        await studio.until(run_id, RunState.PAUSED, "input")
    async with studio_of(open_it) as studio:
        (asked,) = await studio.store.inbox.list()
        assert (asked.run_id, asked.reason, asked.question.source) == (run_id, "input", "person")
        assert asked.since.utcoffset() is not None
        await studio.supervisor.command(run_id, "answer", request_id=asked.question.request_id, text="This.")
        await studio.until(run_id, RunState.FINISHED)
        assert "This." in await studio.said(run_id)
        assert await studio.store.inbox.list() == []


async def test_a_fork_goes_on_from_its_parents_entries(open_it: OpenStore) -> None:
    document = team(agent("ann", "One.", "Two.", tools=()), turns=2)
    async with studio_of(open_it) as studio:
        run_id = await studio.supervisor.start(document, "Talk.")
        await studio.until(run_id, RunState.FINISHED)
        place = next(entry.seq for entry in await studio.log(run_id) if entry.body.get("content") == "One.")
        fork = await studio.supervisor.fork(run_id, place)
        await studio.until(fork, RunState.FINISHED)
        assert [text for text in await studio.said(fork) if text] == ["Talk.", "One.", "Two."]
        with pytest.raises(Conflict):
            await studio.store.runs.delete(run_id)
        for each in (fork, run_id):
            await studio.supervisor.leave(each)
            await studio.store.runs.delete(each)
        assert await studio.store.runs.list() == []
