"""Each statement crosses to the thread of its connection once, and gives what the driver's own cursor gives."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import URL, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from studio.store.one_crossing import AIOSQLITE, AT_ONCE, OneCrossing, connecting

NAMES = text("SELECT id, name FROM person ORDER BY id")


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncGenerator[AsyncConnection]:
    url = URL.create(AIOSQLITE, database=str(tmp_path / "some.db"))
    engine = create_async_engine(url, async_creator=connecting(url))
    async with engine.connect() as connected:
        await connected.execute(text("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"))
        yield connected
    await engine.dispose()


@pytest.fixture
def crossings(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What is done in the thread from here on."""
    done: list[object] = []
    execute = OneCrossing._execute  # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]

    async def counted(self: OneCrossing, function: Any, *arguments: Any) -> Any:
        done.append(function)
        return await execute(self, function, *arguments)  # pyright: ignore[reportUnknownVariableType]

    monkeypatch.setattr(OneCrossing, "_execute", counted)
    return done


async def test_a_statement_crosses_once(connection: AsyncConnection, crossings: list[object]):
    people = [{"name": "Ann"}, {"name": "Bob"}, {"name": "Cem"}]
    added = await connection.execute(text("INSERT INTO person (name) VALUES (:name)"), people)
    assert added.rowcount == 3
    assert len(crossings) == 1
    assert (await connection.execute(NAMES)).all() == [(1, "Ann"), (2, "Bob"), (3, "Cem")]
    assert len(crossings) == 2
    changed = await connection.execute(text("UPDATE person SET name = name || '!' WHERE id > 1 RETURNING name"))
    assert changed.scalars().all() == ["Bob!", "Cem!"]
    assert len(crossings) == 3


MANY = text(
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < :count) SELECT n FROM numbers"
)


@pytest.mark.parametrize("count", [AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE + 5])
async def test_a_long_result_comes_whole_or_piece_by_piece(
    connection: AsyncConnection, crossings: list[object], count: int
):
    expected = list(range(1, count + 1))
    assert (await connection.execute(MANY, {"count": count})).scalars().all() == expected
    whole = len(crossings)
    assert whole <= 2
    streamed = await connection.stream(MANY, {"count": count})
    assert [row.n async for row in streamed] == expected
    assert len(crossings) - whole <= count // AT_ONCE + 2, "as many rows each time as come with a statement"


async def test_a_stream_that_is_left_holds_nothing(connection: AsyncConnection):
    add = text("INSERT INTO person (name) VALUES (:name)")
    await connection.execute(add, [{"name": str(number)} for number in range(2 * AT_ONCE)])
    async with connection.stream(NAMES) as streamed:
        assert await streamed.fetchone() == (1, "0")
    await connection.execute(text("DROP TABLE person"))  # refused while something of it is read


async def test_what_the_database_refuses_leaves_the_connection_usable(connection: AsyncConnection):
    add = text("INSERT INTO person (name) VALUES (:name)")
    first = await connection.execute(add, {"name": "Ann"})
    assert first.lastrowid == 1
    with pytest.raises(IntegrityError):
        await connection.execute(add, {"name": "Ann"})
    assert (await connection.execute(NAMES)).all() == [(1, "Ann")]
