"""A log is enough: whatever the team, and wherever its log is cut, the rest happens as it did, and costs nothing.

`STUDIO_EXAMPLES=200 pytest tests/runs/replay/test_properties.py` tries more teams than an ordinary day does.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from studio import effects
from studio.components import JsonObject
from studio.effects import EffectRequest, Named, Perform, Recorded, ReplayCursor, ReplayEffects, StreamItem
from studio.effects.outcomes import outcome_of
from studio.messages import BaseMessage, TaskResult
from studio.runs import LogEntry, RunRecord, RunState, RunSupervisor
from studio.runs.admission import load_team
from studio.runs.replay import reexecute
from studio.runs.replay.entries import to_body
from studio.runs.replay.source import recorded_pages
from studio.runs.tasks import task_message
from studio.store import open_store
from tests.fakes.openai_server import OpenAIServer
from tests.runs.replay.driving import Everything, said_in, to_its_end, whole_log
from tests.runs.replay.generated import answer, generated_team

EXAMPLES = int(os.environ.get("STUDIO_EXAMPLES", "8"))
TEAMS = st.integers(0, 10_000)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(60 + 10 * EXAMPLES)]
few = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # a smaller number is no smaller team
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def asked_in(body: JsonValue) -> str:
    """What a request is told by, in whatever order those spoke whom it has heard: side by side they need not repeat
    it behind a cut."""
    if isinstance(body, dict) and isinstance(said := body.get("messages"), list):
        texts: list[JsonValue] = [*sorted(json.dumps(message, sort_keys=True) for message in said)]
        body = {**body, "messages": texts}
    return json.dumps(body, sort_keys=True)


class Behind(Named):
    """The world behind the place where a log was cut: it gives what was recorded there, each answer once.

    Args:
        run_id: Of the run.
        answers: What was recorded, by what was asked.
    """

    def __init__(self, run_id: str, answers: Sequence[tuple[str, JsonObject]]) -> None:
        super().__init__(run_id)
        self.left: defaultdict[str, deque[JsonObject]] = defaultdict(deque)
        for asked, body in answers:
            self.left[asked].append(body)

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        del perform
        return self._recorded(request)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        del perform
        yield cast("StreamItem", self._recorded(request))

    def _recorded(self, request: EffectRequest) -> JsonValue:
        asked = asked_in(request.body)
        assert self.left[asked], f"this was not asked behind the cut: {asked}"
        return outcome_of(self.left[asked].popleft())


async def answers_in(record: RunRecord, log: Sequence[LogEntry]) -> dict[int, tuple[str, JsonObject]]:
    """What was asked and recorded, by the numbers of the entries."""
    found: dict[int, tuple[str, JsonObject]] = {}

    def look(request: EffectRequest, entry: Recorded) -> None:
        found[entry.seq] = asked_in(request.body), entry.body

    again = await reexecute(record.component, record.task, one_page(log), run_id=record.id, look=look, to_end=True)
    assert (again.divergence, again.error) == (None, None)
    assert found.keys() == {entry.seq for entry in log if entry.kind == "effect"}
    return found


async def one_page(log: Sequence[LogEntry]) -> AsyncIterator[Sequence[LogEntry]]:
    yield log


async def gone_on(
    record: RunRecord, log: Sequence[LogEntry], answers: Mapping[int, tuple[str, JsonObject]], cut: int
) -> list[BaseMessage]:
    """What a team says and does that is led over the entries before the cut, and then goes on by itself."""
    world = Behind(record.id, [answer for seq, answer in answers.items() if seq > cut])
    port = ReplayEffects(ReplayCursor(recorded_pages(one_page(log[:cut]))), world)
    items: list[BaseMessage] = []
    with effects.use(port):
        async with aclosing(load_team(record.component).run_stream(task_message(record.task))) as stream:
            async for item in stream:
                if not isinstance(item, TaskResult) and item.is_kept:
                    await port.happened(to_body(item))
                    items.append(item)
    assert port.divergence is None
    assert not any(world.left.values()), "something that was recorded was not asked again"
    return items


def told(items: Sequence[BaseMessage]) -> list[tuple[object, ...]]:
    bodies = [to_body(item) for item in items]
    return [(body["type"], body["source"], str(body.get("content"))) for body in bodies if "request_id" not in body]


@given(seed=TEAMS)
@few
async def test_a_team_goes_on_from_every_entry_as_it_did(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    openai_server.always(answer)
    with TemporaryDirectory() as folder:
        async with (
            open_store(Path(folder)) as store,
            RunSupervisor(store.runs, Everything(), store.secrets) as supervisor,
        ):
            run_id = await supervisor.start(generated_team(seed, openai_server.url), "Go.")
            assert (await to_its_end(supervisor, run_id)).state is RunState.FINISHED
            record, log = await store.runs.get(run_id), await whole_log(store, run_id)
    asked, again = openai_server.request_count, list[BaseMessage]()
    answers = await answers_in(record, log)
    for cut in range(len(log) + 1):
        again = await gone_on(record, log, answers, cut)
        assert sorted(told(again)) == sorted(said_in(log)), f"cut behind {cut}"
    assert [item.id for item in again] == [entry.body["id"] for entry in log if entry.kind in ("message", "event")]
    assert openai_server.request_count == asked


@given(seed=TEAMS, place=st.floats(0, 1))
@few
async def test_a_fork_has_its_parents_entries_and_no_copies_of_them(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, seed: int, place: float
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    openai_server.always(answer)
    with TemporaryDirectory() as folder:
        async with (
            open_store(Path(folder)) as store,
            RunSupervisor(store.runs, Everything(), store.secrets) as supervisor,
        ):
            run_id = await supervisor.start(generated_team(seed, openai_server.url), "Go.")
            await to_its_end(supervisor, run_id)
            log = await whole_log(store, run_id)
            cut = round(place * len(log))
            fork = await supervisor.fork(run_id, cut)
            await to_its_end(supervisor, fork)
            shared = (await whole_log(store, fork))[:cut]
            assert [entry[1:] for entry in shared] == [entry[1:] for entry in log[:cut]]  # all but whose log it is
            asked = openai_server.request_count
            replay = await supervisor.replay(fork)
            assert (await to_its_end(supervisor, replay)).state is RunState.FINISHED
            assert said_in(await whole_log(store, replay)) == said_in(await whole_log(store, fork))
            assert openai_server.request_count == asked
        with sqlite3.connect(Path(folder, "studio.db")) as database:
            ((first,),) = database.execute("select min(seq) from run_event where run_id = ?", [fork])
        database.close()
    assert first == cut + 1
