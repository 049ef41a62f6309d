from __future__ import annotations

import asyncio

import pytest
from pydantic import JsonValue

from studio.errors import Forbidden, NotFound
from studio.store import LIBRARY
from tests.store.stores import OpenStore

CONFIG: dict[str, JsonValue] = {"name": "Shapes", "components": {"agents": [{"provider": "x"}]}}


async def test_a_gallery_is_kept_as_it_came(open_it: OpenStore) -> None:
    async with open_it() as store:
        made = await store.galleries.create("Shapes", CONFIG, origin="url", source="https://example.org/g.json")
        found = await store.galleries.get(made.id)
        assert (found.config, found.origin, found.source) == (CONFIG, "url", "https://example.org/g.json")
        await store.galleries.delete(made.id)
        with pytest.raises(NotFound):
            await store.galleries.get(made.id)


async def test_a_shipped_gallery_is_replaced_not_doubled(open_it: OpenStore) -> None:
    async with open_it() as store:
        await store.galleries.put("first-steps", "First steps", CONFIG, origin="shipped")
        newer: dict[str, JsonValue] = {**CONFIG, "name": "Newer"}
        await store.galleries.put("first-steps", "First steps", newer, origin="shipped")
        assert [gallery.id for gallery in await store.galleries.list()] == ["first-steps"]
        assert (await store.galleries.get("first-steps")).config == newer


async def test_the_versions_of_shipped_galleries_are_read_without_the_rest(open_it: OpenStore) -> None:
    named: dict[str, JsonValue] = {**CONFIG, "metadata": {"version": "2.1"}}
    async with open_it() as store:
        await store.galleries.put("new", "New", named, origin="shipped")
        await store.galleries.put("none", "None", CONFIG, origin="shipped")
        await store.galleries.put("other", "Other", named, origin="paste")
        assert await store.galleries.versions("shipped") == {"new": "2.1", "none": None}


async def test_the_library_is_there_from_the_start_and_takes_components(open_it: OpenStore) -> None:
    async with open_it() as store:
        assert (await store.galleries.get(LIBRARY)).config["components"] == {}
        for provider in ("a", "b", "a"):
            await store.galleries.add_to_library({"provider": provider}, group="agents")
        library = await store.galleries.get(LIBRARY)
        assert library.config["components"] == {"agents": [{"provider": "a"}, {"provider": "b"}]}
        await store.galleries.remove_from_library(group="agents", index=0)
        library = await store.galleries.get(LIBRARY)
        assert library.config["components"] == {"agents": [{"provider": "b"}]}
        with pytest.raises(NotFound):
            await store.galleries.remove_from_library(group="agents", index=1)
        with pytest.raises(Forbidden):
            await store.galleries.delete(LIBRARY)


async def test_all_that_is_put_into_the_library_at_once_is_kept(open_it: OpenStore) -> None:
    async with open_it() as store, asyncio.TaskGroup() as group:
        for provider in "abc":
            group.create_task(store.galleries.add_to_library({"provider": provider}, group="agents"))
    async with open_it() as store:
        library = await store.galleries.get(LIBRARY)
        assert library.config["components"] == {"agents": [{"provider": "a"}, {"provider": "b"}, {"provider": "c"}]}
