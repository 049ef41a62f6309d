"""Who waits for news of the database is woken, also after the connection that brings them was lost."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest

from studio.store import open_store
from tests.store.breaking import breakable
from tests.store.postgres import PostgresServer
from tests.store.stores import OpenStore


async def heard(rung: asyncio.Event) -> None:
    async with asyncio.timeout(15):
        await rung.wait()


async def test_those_who_wait_for_a_topic_are_woken(open_it: OpenStore) -> None:
    async with open_it() as store, store.notifications.listening():
        topic = store.notifications.topic("a")
        rung = topic.wait_handle()
        while not rung.is_set():  # until it listens
            await store.notifications.notify("a")
            await asyncio.sleep(0.1)
        rung, other = topic.wait_handle(), store.notifications.topic("b").wait_handle()
        await store.notifications.notify(*(f"none-{number}" for number in range(500)), "a")
        await heard(rung)
        assert not other.is_set()


async def test_a_lost_connection_is_made_again_and_wakes_all(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.store.notifications.RETRY_S", 0.1)
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket must be short
        async with (
            postgres.database() as url,
            breakable(url, postgres.socket, Path(folder)) as (broken_url, way),
            open_store(tmp_path, broken_url) as store,
            open_store(tmp_path, url) as other,
            store.notifications.listening(),
        ):
            topic = store.notifications.topic("a")
            for _ in range(2):
                rung = topic.wait_handle()
                way.cut()
                await other.notifications.notify("a")  # nobody hears it
                await heard(rung)  # but all look once there is a connection again
            rung = topic.wait_handle()
            await other.notifications.notify("a")
            await heard(rung)
