from __future__ import annotations

import asyncio

import pytest
from pydantic import JsonValue

from studio.errors import Conflict, NotFound
from tests.store.opening import OpenStore


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
        assert found == [("Untitled team", ""), ("Pair", "RoundRobin"), ("RoundRobin", "RoundRobin: writer, critic")]


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
