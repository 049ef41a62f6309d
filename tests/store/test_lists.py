"""Lists that people look at: read by an index, and in pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from studio.components import Capability
from studio.errors import NotFound
from studio.runs import NewRun
from studio.store import RunFilter, Store
from studio.store.approvals import MAX_CHARACTERS
from tests.store.statements import plan_of, statements
from tests.store.stores import OpenStore, sqlite_only

WHOLE = ("audit",)
"""Lists of all there is: from the end of an index on."""
LISTS: dict[str, Callable[[Store], Awaitable[object]]] = {
    "runs": lambda store: store.runs.list(),
    "runs of a team": lambda store: store.runs.list(RunFilter(team_id="t")),
    "audit": lambda store: store.audit.list(),
    "audit of a person": lambda store: store.audit.list(who="ann", before=9),
    "versions": lambda store: store.teams.versions("t", before=9),
    "teams": lambda store: store.teams.list(),
    "approvals": lambda store: store.approvals.list(),
    "revoked approvals": lambda store: store.approvals.revoked(),
    "files of a run": lambda store: store.run_files.list("r"),
    "documents": lambda store: store.knowledge.documents("b", offset=200),
    "passages": lambda store: store.knowledge.passages("d", first=1, last=20),
    "web pages to read again": lambda store: store.refreshes.claim_due(datetime.now(UTC), 4),
    "files that nothing uses": lambda store: store.files.prune(datetime.now(UTC)),
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
            assert plan.count("SEARCH run ") == 2
            assert "SCAN" not in plan
            assert "TEMP B-TREE" not in plan


async def test_the_texts_of_all_runs_are_read_once_for_a_search(open_it: OpenStore) -> None:
    async with open_it() as store:
        for number in range(3):
            await store.runs.create(NewRun({"provider": "x"}, f"Go {number}.", f"Go {number}."))
        with statements() as asked:
            found, count = await store.runs.search(RunFilter(text="go"), limit=2)
        assert (len(found), count, len(asked)) == (2, 3, 1)
        assert await store.runs.search(RunFilter(text="go"), offset=3, limit=2) == ([], 3)
        assert await store.runs.search(RunFilter(text="stop"), limit=2) == ([], 0)


async def test_runs_come_in_pages(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = [(await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go."))).run_id for _ in range(7)]
        listed: list[str] = []
        while page := await store.runs.list(before=listed[-1] if listed else None, limit=3):
            listed += [run.id for run in page]
        assert sorted(listed) == sorted(made)
        assert listed == [run.id for run in await store.runs.list()]


async def test_approvals_come_in_pages(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = [Capability("host", f"Reach h{number}", f"h{number}") for number in range(7)]
        await store.approvals.approve(made[:4])
        await store.approvals.approve(made[4:])
        listed: list[str] = []
        while page := await store.approvals.list(before=listed[-1] if listed else None, limit=3):
            listed += [row.id for row in page]
        whole = [row async for row in store.approvals.all()]
        assert listed == [row.id for row in whole]
        assert {row.hash for row in whole[:3]} == {each.hash for each in made[4:]}
        assert (await store.approvals.count(), len(whole)) == (7, 7)
        for row in whole[:5]:
            await store.approvals.revoke(row.id)
        gone: list[str] = []
        while page := await store.approvals.revoked(before=gone[-1] if gone else None, limit=2):
            gone += [row.id for row in page]
        assert gone == [row.id for row in reversed(whole[:5])]
        with pytest.raises(NotFound):
            await store.approvals.list(before="unknown")
        with pytest.raises(NotFound):
            await store.approvals.revoked(before=whole[-1].id)


async def test_a_page_of_approvals_is_bounded_by_what_they_cover(open_it: OpenStore) -> None:
    async with open_it() as store:
        long = "#" * MAX_CHARACTERS
        for number in range(3):
            await store.approvals.approve([Capability("python", "Run this Python.", f"{long}{number}")])
        (newest,) = await store.approvals.list()
        assert newest.detail.endswith("2")
        assert len([row async for row in store.approvals.all()]) == 3
