from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from studio.errors import NotFound
from studio.store import LastAdmin, NameTaken
from studio.store.sign_ins import hash_of
from tests.store.stores import OpenStore

HOUR = timedelta(hours=1)


async def outcomes(*asked: Awaitable[Any]) -> Sequence[object]:
    """What came of each; all are asked for at once."""

    async def outcome(one: Awaitable[Any]) -> object:
        try:
            return await one
        except (NameTaken, LastAdmin) as error:
            return type(error)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(outcome(one)) for one in asked]
    return [task.result() for task in tasks]


async def test_of_those_who_take_a_name_at_once_one_gets_it(open_it: OpenStore) -> None:
    async with open_it() as store:
        said = await outcomes(*(store.users.add(name, "admin") for name in ("ann", "Ann", "ANN")))
        assert said[1:] == [NameTaken, NameTaken]
        assert [user.name for user in await store.users.list()] == ["ann"]
        assert (await store.users.named(" aNN ")) is not None


async def test_admins_who_step_back_at_once_leave_one(open_it: OpenStore) -> None:
    async with open_it() as store:
        ann, bob = [await store.users.add(name, "admin") for name in ("ann", "bob")]
        said = await outcomes(store.users.set_role(ann.id, "viewer"), store.users.remove(bob.id))
        assert said[1] is LastAdmin
        assert [(user.name, user.role) for user in await store.users.list()] == [("ann", "viewer"), ("bob", "admin")]


async def test_two_processes_leave_one_admin(open_it: OpenStore) -> None:
    async with open_it() as store, open_it() as other:
        ann, bob = [await store.users.add(name, "admin") for name in ("ann", "bob")]
        said = await outcomes(store.users.set_role(ann.id, "viewer"), other.users.remove(bob.id))
        assert said.count(LastAdmin) == 1
        assert [user.role for user in await store.users.list()].count("admin") == 1


async def test_a_sign_in_lasts_until_it_ends(open_it: OpenStore) -> None:
    async with open_it() as store:
        ann = await store.users.add("ann", "admin", identity="issuer ann")
        browser, key = await store.sign_ins.add(ann.id, "browser", HOUR, label="Firefox \0", address="127.0.0.1")
        _, token = await store.sign_ins.add(ann.id, "token", HOUR)
        _, past = await store.sign_ins.add(ann.id, "token", -HOUR)
        held = await store.sign_ins.find_by_key(hash_of(key))
        assert held is not None
        assert (held.user.identity, held.sign_in.address) == ("issuer ann", "127.0.0.1")
        assert await store.sign_ins.find_by_key(hash_of(past)) is None
        await store.sign_ins.mark_seen(browser.id)
        assert [one.kind for one in await store.sign_ins.list(ann.id)] == ["browser", "token"]
        await store.sign_ins.end_all(ann.id, but=browser.id)
        assert await store.sign_ins.find_by_key(hash_of(token)) is None
        await store.users.remove(ann.id, even_the_last=True)
        assert (await store.sign_ins.list(), await store.users.count()) == ([], 0)


async def test_what_was_done_is_written_down_in_its_order(open_it: OpenStore) -> None:
    async with open_it() as store:
        for number in range(4):
            await store.audit.add(f"who {number % 2}", "GET", object=f"/{number}\0" if number else "/", outcome="200")
        newest = await store.audit.list(limit=2)
        assert [(entry.who, entry.object[:2]) for entry in newest] == [("who 1", "/3"), ("who 0", "/2")]
        assert [entry.object[:2] for entry in await store.audit.list(before=newest[-1].id, who="who 1")] == ["/1"]
        assert [entry.id async for entry in store.audit.all()] == [1, 2, 3, 4]
        now = datetime.now(UTC)
        await store.audit.prune(now)
        assert len(await store.audit.list()) == 4
        await store.audit.prune(now + timedelta(days=400))
        assert await store.audit.list() == []


async def test_nobody_of_an_odd_name_is_found(open_it: OpenStore) -> None:
    async with open_it() as store:
        with pytest.raises(NotFound):
            await store.users.get("ann\0")
