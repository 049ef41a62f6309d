from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from pydantic import JsonValue

from studio.errors import Conflict, NotFound
from studio.runs import Draft, NewRun
from studio.store.merging import merge_documents
from studio.store.pruning import KEPT_WHOLE, MAX_VERSIONS, PRUNED_EVERY, VersionHead, prune
from tests.store.stores import RUNNING, OpenStore


def team(*names: str, label: str | None = None) -> dict[str, JsonValue]:
    participants: list[JsonValue] = [{"provider": "x.Agent", "config": {"name": name}} for name in names]
    return {"provider": "x.RoundRobin", "label": label, "config": {"participants": participants}}


async def test_a_team_is_kept_as_it_was_saved(open_it: OpenStore) -> None:
    odd: dict[str, JsonValue] = {"provider": "x.Unknown", "b": [1, 1.0, True, None], "a": {"\ud800": "é\u0000"}}
    async with open_it() as store:
        made = await store.teams.create(odd, layout={"x": 1})
    async with open_it() as store:
        found = await store.teams.get(made.id)
        assert list(found.component) == ["provider", "b", "a"]
        assert repr(found.component) == repr(odd)
        assert (found.revision, found.created_at, found.layout) == (1, made.created_at, {"x": 1})


async def test_a_list_names_teams_and_who_takes_part(open_it: OpenStore) -> None:
    async with open_it() as store:
        await store.teams.create(team("writer", "critic"))
        await store.teams.create(team(label="Pair"), name="  ")
        await store.teams.create({"config": "nonsense"})
        found = [(one.name, one.summary) for one in await store.teams.list()]
        assert found == [("Untitled team", ""), ("Pair", "Round robin"), ("RoundRobin", "Round robin: writer, critic")]


async def test_each_change_makes_a_version(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        saved = await store.teams.save(made.id, component=team("a", "b"), layout={}, revision=1, note="Added b")
        assert saved.team.revision == 2
        versions = await store.teams.versions(made.id)
        assert [(version.number, version.note) for version in versions] == [(2, "Added b"), (1, "")]
        assert (await store.teams.version(made.id, 1)).component == team("a")


async def test_saving_the_same_twice_makes_no_version(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        for _ in range(2):
            saved = await store.teams.save(made.id, component=team("b"), layout={}, revision=1)
            assert saved.team.revision == 2


async def test_what_is_equal_to_python_only_is_a_change(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create({"limit": 1})
        saved = await store.teams.save(made.id, component={"limit": 1.0}, layout={}, revision=1)
        assert saved.team.revision == 2


async def test_a_save_over_somebody_elses_is_refused_and_loses_nothing(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        await store.teams.save(made.id, component=team("mine"), layout={}, revision=1)
        with pytest.raises(Conflict):
            await store.teams.save(made.id, component=team("yours"), layout={}, revision=1)
        assert (await store.teams.get(made.id)).component == team("mine")


async def test_restoring_keeps_what_was_newest(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        await store.teams.save(made.id, component=team("b"), layout={"x": 2}, revision=1)
        restored = await store.teams.restore(made.id, 1)
        assert (restored.revision, restored.component) == (3, team("a"))
        assert (await store.teams.version(made.id, 2)).component == team("b")
        assert (await store.teams.restore(made.id, 1)).revision == 3


async def test_a_number_that_no_version_has_is_not_found(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        with pytest.raises(NotFound):
            await store.teams.version(made.id, 2**63 - 1)


async def test_a_name_may_hold_what_text_in_a_database_may_not(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a \0", label="Pair \0"))
        found = await store.teams.get(made.id)
        assert (found.component, found.name[:5]) == (team("a \0", label="Pair \0"), "Pair ")


async def test_of_saves_at_the_same_time_one_wins(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))

        async def save(name: str) -> bool:
            try:
                await store.teams.save(made.id, component=team(name), layout={}, revision=1)
            except Conflict:
                return False
            return True

        async with asyncio.TaskGroup() as group:
            saves = [group.create_task(save(name)) for name in "bcd"]
        assert [task.result() for task in saves].count(True) == 1
        assert [version.number for version in await store.teams.versions(made.id)] == [2, 1]


async def test_a_renamed_team_keeps_its_component(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        renamed = await store.teams.rename(made.id, "Pair")
        assert (renamed.name, renamed.component) == ("Pair", team("a"))


async def test_a_deleted_team_is_gone_with_its_versions(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        await store.teams.delete(made.id)
        for look in (store.teams.get(made.id), store.teams.versions(made.id), store.teams.version(made.id, 1)):
            with pytest.raises(NotFound):
                await look
        assert list(await store.teams.list()) == []


async def test_a_long_merge_keeps_no_run_from_writing_its_log(
    open_it: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_logged, is_merging = threading.Event(), threading.Event()

    def slowly(*documents: Any) -> Any:
        is_merging.set()
        assert is_logged.wait(20), "the run waits for the merge"
        return merge_documents(*documents)

    monkeypatch.setattr("studio.store.teams.merge_documents", slowly)
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        await store.teams.save(made.id, component=team("a", "b"), layout={}, revision=1)
        run = await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go."))
        async with asyncio.TaskGroup() as group:
            saving = group.create_task(store.teams.save(made.id, component=team("c", "a"), layout={}, revision=1))
            await asyncio.to_thread(is_merging.wait)
            await store.runs.append(run, [Draft("event", {})], RUNNING)
            is_logged.set()
        assert saving.result().team.component == team("c", "a", "b")


async def test_a_merge_counts_only_against_what_is_stored_when_it_is_written(
    open_it: OpenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, is_merging = threading.Event(), threading.Event()

    def slowly(*documents: Any) -> Any:
        is_merging.set()
        assert go_on.wait(20)
        return merge_documents(*documents)

    monkeypatch.setattr("studio.store.teams.merge_documents", slowly)
    async with open_it() as store, open_it() as other:
        made = await store.teams.create(team("a"))
        await store.teams.save(made.id, component=team("a", "b"), layout={}, revision=1)
        async with asyncio.TaskGroup() as group:
            saving = group.create_task(store.teams.save(made.id, component=team("c", "a"), layout={}, revision=1))
            await asyncio.to_thread(is_merging.wait)
            await other.teams.save(made.id, component=team("a", "b", "d"), layout={}, revision=2)
            go_on.set()
        assert saving.result().team.component == team("c", "a", "b", "d")
        assert [version.number for version in await store.teams.versions(made.id)] == [5, 4, 3, 2, 1]


@pytest.mark.slow
async def test_many_saves_of_a_minute_leave_few_versions(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        for number in range(1, 200):
            await store.teams.save(made.id, component=team(f"a{number}"), layout={}, revision=number, author="ann")
            if number == 20:
                await store.teams.title(made.id, 21, "Twenty")
        kept = [version.number for version in await store.teams.versions(made.id, limit=500)]
        assert len(kept) <= KEPT_WHOLE + PRUNED_EVERY + 10
        assert kept[:KEPT_WHOLE] == list(range(200, 200 - KEPT_WHOLE, -1))
        assert {1, 21} <= set(kept)
        assert [version.title for version in await store.teams.versions(made.id, named=True)] == ["Twenty"]


@pytest.mark.slow
async def test_a_change_to_a_version_that_was_dropped_is_merged_all_the_same(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        for number in range(1, 100):
            names = [f"a{each}" for each in range(number)]
            await store.teams.save(made.id, component=team("a", *names), layout={}, revision=number, author="ann")
        with pytest.raises(NotFound):
            await store.teams.version(made.id, 4)
        mine = team("mine", "a", "a0", "a1", "a2")
        saved = await store.teams.save(made.id, component=mine, layout={}, revision=4, author="bob")
        assert saved.team.component == team("mine", "a", *[f"a{each}" for each in range(99)])


async def test_a_version_tells_what_changed_since_the_one_that_is_kept_before_it(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        for number in range(1, 61):
            names = [f"a{each}" for each in range(number)]
            await store.teams.save(made.id, component=team("a", *names), layout={}, revision=number, author="ann")
        kept = await store.teams.versions(made.id)
        joined = [version for version, older in pairwise(kept) if version.number - older.number > 1]
        assert joined[-1].changes.startswith("component a0 added; component a1 added, and")


async def test_versions_come_in_pages(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        for number in range(1, 5):
            await store.teams.save(made.id, component=team(f"a{number}"), layout={}, revision=number)
        first = await store.teams.versions(made.id, limit=2)
        rest = await store.teams.versions(made.id, before=first[-1].number)
        assert [version.number for version in (*first, *rest)] == [5, 4, 3, 2, 1]


@pytest.mark.parametrize("revision", [0, 3, 10**15])
async def test_a_change_to_a_revision_that_never_was_is_refused(open_it: OpenStore, revision: int) -> None:
    async with open_it() as store:
        made = await store.teams.create(team("a"))
        await store.teams.save(made.id, component=team("b"), layout={}, revision=1)
        with pytest.raises(NotFound):
            await store.teams.save(made.id, component=team("c"), layout={}, revision=revision)


def test_only_saves_without_a_word_of_their_own_are_joined() -> None:
    at = datetime(2026, 11, 21, 10, 0, 30, tzinfo=UTC)
    older = [
        VersionHead(9, "ann", "", "", "", at),
        VersionHead(8, "ann", "", "Restored version 1", "", at),
        VersionHead(7, "ann", "Named", "", "", at),
        VersionHead(6, "ann", "", "", "merge", at),
        VersionHead(5, "bob", "", "", "", at),
        VersionHead(4, "ann", "", "", "", at - timedelta(seconds=20)),
        VersionHead(3, "ann", "", "", "", at - timedelta(seconds=40)),
        VersionHead(2, "ann", "", "", "", at - timedelta(seconds=41)),
        VersionHead(1, "ann", "", "", "", at - timedelta(seconds=42)),
    ]
    newer = [VersionHead(number, "ann", "", "", "", at) for number in range(9 + KEPT_WHOLE, 9, -1)]
    pruning = prune([*newer, *older])
    assert (pruning.dropped, pruning.since) == ([4, 2], {5: 3, 3: 1})


def test_the_oldest_of_very_many_versions_go() -> None:
    start = datetime(2026, 11, 21, tzinfo=UTC)
    heads = [VersionHead(number, "", "", "", "", start + timedelta(minutes=number)) for number in range(1, 601)]
    dropped = prune(heads[::-1]).dropped
    assert sorted(dropped) == list(range(2, 600 - KEPT_WHOLE - MAX_VERSIONS + 1))
