from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from studio.errors import NotFound
from studio.store.open_windows import LASTS, MAX_SHOWN, MAX_WINDOWS, Window
from tests.store.stores import OpenStore

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)


async def test_windows_see_each_other_until_they_are_closed_or_not_heard_of(open_it: OpenStore) -> None:
    async with open_it() as store:
        team_id = (await store.teams.create({"provider": "x"}, name="Poets")).id
        ann, bob = Window(team_id, "a", "1", "Ann", "/one"), Window(team_id, "b", "1", "Bob", "/two")
        assert await store.windows.report(ann, NOON) == []
        assert await store.windows.report(bob, NOON) == [ann]
        moved = Window(team_id, "a", "1", "Ann", "/two")
        assert await store.windows.report(moved, NOON + LASTS / 2) == [bob]
        later = NOON + LASTS + timedelta(seconds=1)
        assert await store.windows.report(moved, later) == [], "Bob was not heard of any more"
        await store.windows.report(bob, later)
        await store.windows.leave(bob)
        assert await store.windows.report(moved, later) == []
        await store.teams.delete(team_id)
        with pytest.raises(NotFound):
            await store.windows.report(ann, later)


@pytest.mark.slow
async def test_no_team_keeps_more_windows_than_it_may(open_it: OpenStore) -> None:
    async with open_it() as store:
        team_id = (await store.teams.create({"provider": "x"}, name="Poets")).id
        for number in range(MAX_WINDOWS):
            await store.windows.report(Window(team_id, "a", f"{number:03}", "Ann"), NOON)
        late = Window(team_id, "b", "1", "Bob")
        assert len(await store.windows.report(late, NOON)) == MAX_SHOWN
        assert late not in await store.windows.report(Window(team_id, "a", "000", "Ann"), NOON)
