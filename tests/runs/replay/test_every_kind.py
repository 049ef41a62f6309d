"""Whatever the team: its log is enough to do it again, from every entry on, and at no cost.

`STUDIO_TEAMS=70 STUDIO_PLACES=1000 pytest ...` tries more teams, and every entry.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from studio.runs import RunState, RunSupervisor
from studio.runs.replay import entries_of, reexecute
from studio.store import open_store
from tests.fakes.openai_server import OpenAIServer
from tests.runs.replay.driving import Everything, said_in, to_its_end, whole_log
from tests.runs.replay.generated import KINDS, answer, generated_team

PLACES = int(os.environ.get("STUDIO_PLACES", "4"))
"""Of a log at which it is cut, in each test."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(int(os.environ.get("STUDIO_TEAMS", len(KINDS)))))
async def test_a_run_is_repeated_replayed_and_forked_from_its_log(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    openai_server.always(answer)
    document = generated_team(seed, openai_server.url)
    with TemporaryDirectory() as folder:
        async with (
            open_store(Path(folder)) as store,
            RunSupervisor(store.runs, Everything(), store.secrets) as supervisor,
        ):
            run_id = await supervisor.start(document, "Go.")
            view = await to_its_end(supervisor, run_id)
            assert view.state is RunState.FINISHED, view.detail
            record, log = await store.runs.get(run_id), await whole_log(store, run_id)
            asked = openai_server.request_count

            for entry in log[:: max(1, len(log) // PLACES)]:
                past = entries_of(store.runs, run_id)
                again = await reexecute(record.component, record.task, past, entry.seq, run_id=run_id)
                assert again.divergence is None, again.divergence
                items = [item.id for item in again.items if item.is_kept]
                assert items == [str(each.body["id"]) for each in log[: entry.seq] if each.kind in ("message", "event")]

            replay = await supervisor.replay(run_id)
            assert (await to_its_end(supervisor, replay)).state is RunState.FINISHED
            assert said_in(await whole_log(store, replay)) == said_in(log)
            assert openai_server.request_count == asked

            for place in range(2, len(log), max(1, len(log) // PLACES)):
                before = openai_server.request_count
                fork = await supervisor.fork(run_id, place)
                assert (await to_its_end(supervisor, fork)).state is RunState.FINISHED
                own = await whole_log(store, fork)
                assert [entry.seq for entry in own] == list(range(1, len(own) + 1))
                assert sorted(said_in(own)) == sorted(said_in(log))
                left = [each for each in log[place:] if each.body.get("effect") == "model"]
                assert openai_server.request_count - before == len(left)
