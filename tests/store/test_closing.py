"""A database that is closed leaves nothing behind that would still report to the loop."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from sqlalchemy import text

from studio.store import open_store

SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"


async def test_threads_of_statements_that_were_given_up_have_ended(tmp_path: Path) -> None:
    before = {*threading.enumerate()}
    async with open_store(tmp_path) as store:
        database = store.runs._database  # pyright: ignore[reportPrivateUsage]

        async def read() -> None:
            async with database.read() as session:
                await (await session.connection()).execute(text(SLOW))

        reading = asyncio.create_task(read())
        await asyncio.sleep(0.05)
        reading.cancel()
        await asyncio.wait([reading])
    left = [each for each in {*threading.enumerate()} - before if "_connection_worker" in each.name]
    assert left == []
