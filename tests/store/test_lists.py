"""Lists that people look at: read by an index, and in pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import pytest

from studio.errors import NotFound
from studio.runs import NewRun
from studio.store import RunFilter, Store
from tests.store.opening import OpenStore, sqlite_only
from tests.store.statements import plan_of, statements

WHOLE = ("runs", "teams", "audit")
"""Lists of all there is: from the end of an index on."""
LISTS: dict[str, Callable[[Store], Awaitable[object]]] = {
    "runs": lambda store: store.runs.list(),
    "runs of a team": lambda store: store.runs.list(RunFilter(team_id="t")),
    "audit": lambda store: store.audit.list(),
    "audit of a person": lambda store: store.audit.list(who="ann", before=9),
    "versions": lambda store: store.teams.versions("t", before=9),
    "teams": lambda store: store.teams.list(),
}


@sqlite_only
@pytest.mark.parametrize("name", LISTS)
async def test_a_list_is_read_by_an_index_and_not_sorted(open_it: OpenStore, tmp_path: Path, name: str) -> None:
    async with open_it() as store:
        with statements() as asked, suppress(NotFound):
            await LISTS[name](store)
        plan = plan_of(tmp_path / "studio.db", asked)
    assert "TEMP B-TREE" not in plan
    assert ("SCAN" in plan) == (name in WHOLE)


@sqlite_only
async def test_an_older_page_of_runs_is_read_by_an_index(open_it: OpenStore, tmp_path: Path) -> None:
    async with open_it() as store:
        run = await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go."))
        for team_id in (None, "t"):
            with statements() as asked:
                await store.runs.list(RunFilter(team_id=team_id), before=run.run_id)
            plan = plan_of(tmp_path / "studio.db", asked)
            assert plan.count("SEARCH") == 2
            assert "TEMP B-TREE" not in plan


async def test_runs_come_in_pages(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = [(await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go."))).run_id for _ in range(7)]
        listed: list[str] = []
        while page := await store.runs.list(before=listed[-1] if listed else None, limit=3):
            listed += [run.id for run in page]
        assert sorted(listed) == sorted(made)
        assert listed == [run.id for run in await store.runs.list()]
