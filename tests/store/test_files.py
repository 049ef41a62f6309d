"""Files are kept once by content; what broke off or is not used goes."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func
from sqlmodel import select

from studio.components import JsonObject
from studio.errors import NotFound, TooLarge
from studio.runs import Draft, NewRun, RunState, RunStatus
from studio.store import Store
from studio.store.files import PORTION_BYTES
from studio.store.run_files import attachment_of
from studio.store.tables import FilePortion, FileUpload
from tests.store.stores import OpenStore

LATER = timedelta(days=2)


async def parts(*given: bytes, error: BaseException | None = None) -> AsyncGenerator[bytes]:
    for part in given:
        yield part
    if error is not None:
        raise error


async def portions(store: Store) -> int:
    async with store.files._database.read() as session:  # pyright: ignore[reportPrivateUsage]
        return (await session.exec(select(func.count()).select_from(FilePortion))).one()


async def uploads(store: Store) -> int:
    async with store.files._database.read() as session:  # pyright: ignore[reportPrivateUsage]
        return (await session.exec(select(func.count()).select_from(FileUpload))).one()


async def test_a_file_is_kept_in_portions_and_once(open_it: OpenStore) -> None:
    content = bytes(range(256)) * 1024 * 3
    async with open_it() as store:
        for _ in range(3):
            await store.files.add(parts(content), max_bytes=10**9)
        file = await store.files.add(parts(content[:7], content[7:]), max_bytes=10**9)
        assert [len(portion) async for portion in store.files.read(file)] == [PORTION_BYTES] * 3
        assert b"".join([portion async for portion in store.files.read(file)]) == content
        assert await portions(store) == 3
        assert await uploads(store) == 0


@pytest.mark.parametrize("error", [ConnectionResetError(), None])
async def test_nothing_stays_of_an_upload_that_ends_badly(open_it: OpenStore, error: BaseException | None) -> None:
    content = [b"x" * PORTION_BYTES] * 3
    async with open_it() as store:
        with pytest.raises((ConnectionResetError, TooLarge)):
            await store.files.add(parts(*content, error=error), max_bytes=10**9 if error else 2 * PORTION_BYTES)
        assert await portions(store) == await uploads(store) == 0


async def test_what_a_killed_server_left_goes_after_a_day_and_no_upload_under_way_does(open_it: OpenStore) -> None:
    now = datetime.now(UTC)
    async with open_it() as store:
        async with store.files._database.write() as session:  # pyright: ignore[reportPrivateUsage]
            for name, at in (("old", now - LATER), ("new", now)):
                session.add(FileUpload(id=name, at=at))
                session.add(FilePortion(upload_id=name, number=0, content=b"x"))
        await store.files.prune(now)
        assert (await uploads(store), await portions(store)) == (1, 1)


async def test_files_that_nobody_uses_go_after_a_day(open_it: OpenStore) -> None:
    async with open_it() as store:
        file = await store.files.add(parts(b"text"), max_bytes=10)
        await store.files.prune(datetime.now(UTC))
        assert (await store.files.get(file.sha256)).size == 4
        await store.files.prune(datetime.now(UTC) + LATER)
        with pytest.raises(NotFound):
            await store.files.get(file.sha256)
        assert await portions(store) == 0


async def test_files_of_a_run_stay_as_long_as_it_does(open_it: OpenStore) -> None:
    async with open_it() as store:
        file = await store.files.add(parts(b"text"), max_bytes=10)
        part: JsonObject = {"file": attachment_of("a.txt", file).model_dump()}
        lease = await store.runs.create(NewRun({}, ["Go.", part], "Go."))
        await store.files.prune(datetime.now(UTC) + LATER)
        assert [each.file.name for each in await store.run_files.numbered(lease.run_id)] == ["a.txt"]
        ended = RunStatus(state=RunState.FINISHED, reason="end")
        await store.runs.append(lease, [Draft("state", {"state": "finished", "reason": "end"})], ended)
        await store.runs.delete(lease.run_id)
        await store.files.prune(datetime.now(UTC) + LATER)
        assert await portions(store) == 0
