"""Rows in every table, and all rows of a database, whatever it holds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import JSON, Boolean, Column, Connection, Float, Integer, LargeBinary, select
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.types import TypeEngine

from studio.store import open_store
from studio.store.database import database_url
from studio.store.json_text import to_json
from studio.store.tables import ReadableJson, Table, UtcDateTime

AT = datetime(2026, 11, 21, 10, 30, 15, 123456, tzinfo=UTC)
DOCUMENT = {"zeta": 1, "alpha": [1.0, True, None, "ünï 😀"], "nul": "a\0b"}
Result = TypeVar("Result")


async def outside(folder: Path, url: str, work: Callable[[Connection], Result]) -> Result:
    """Work on the database while no store has it open."""
    engine = create_async_engine(database_url(folder, url), json_serializer=to_json)
    async with engine.begin() as connection:
        result = await connection.run_sync(work)
    await engine.dispose()
    return result


async def fill(folder: Path, url: str) -> None:
    """Make the tables, with two rows in each."""
    async with open_store(folder, url):
        pass
    await outside(folder, url, _fill)


def _fill(connection: Connection) -> None:
    for table in Table.metadata.sorted_tables:
        for number in (1, 2):
            connection.execute(table.insert().values({each.name: _sample(each, number) for each in table.columns}))


def _sample(column: Column[Any], number: int) -> object:
    """Keys refer to the row of the same number, so parents are there."""
    kind = column.type
    is_json = isinstance(kind, JSON | ReadableJson)
    if column.nullable and number == 2 and not is_json:
        return None
    if isinstance(kind, Integer):
        return number if column.primary_key else 2**40 + number
    samples: list[tuple[type[TypeEngine[Any]], object]] = [
        (Boolean, number == 1),
        (Float, 0.1 * number),
        (LargeBinary, bytes([0, 255]) * number),
        (UtcDateTime, AT),
    ]
    found = next((sample for each, sample in samples if isinstance(kind, each)), str(number))
    return DOCUMENT if is_json else found


async def all_rows(folder: Path, url: str) -> dict[str, list[tuple[object, ...]]]:
    """What a studio reads of each table."""

    def read(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
        return {
            table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for table in Table.metadata.sorted_tables
        }

    return await outside(folder, url, read)
