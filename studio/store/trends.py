"""How runs went: what they cost, took and came to, by day, team, model or version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from sqlalchemy import Executable, String, func
from sqlalchemy import cast as sql_cast
from sqlalchemy import select as columns
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction
from sqlmodel import col

from studio.store.costs import Cost
from studio.store.database import Database
from studio.store.spending import SUMS
from studio.store.tables import Run, Spending

By = Literal["day", "team", "model", "version"]
Key = tuple[str, ...]


class UtcDay(GenericFunction[str]):
    """The day of a time, such as 2026-11-24."""

    type = String()
    inherit_cache = True


@compiles(UtcDay)
def _compile_day(element: UtcDay, compiler: SQLCompiler, **options: Any) -> str:
    at = compiler.process(element.clauses, **options)
    return f"to_char({at} AT TIME ZONE 'UTC', 'YYYY-MM-DD')" if compiler.dialect.name == "postgresql" else f"date({at})"


@dataclass(frozen=True, slots=True)
class Trend:
    """What runs of one day, team, model or version took; `states` counts those of each state.

    `key` is the day, the team's id, the model, or the team's id and the version's number.
    """

    key: Key
    team_name: str
    cost: Cost
    states: Mapping[str, int] = field(default_factory=dict[str, int])


_SUMMED = tuple(func.coalesce(func.sum(col(getattr(Spending, name))), 0) for name in SUMS)
_VERSION = func.coalesce(sql_cast(col(Run.team_revision), String), "")
_SPENT: Mapping[By, tuple[Any, ...]] = {
    "day": (col(Spending.day),),
    "team": (col(Spending.team_id),),
    "model": (col(Spending.name),),
    "version": (col(Spending.team_id), _VERSION),
}
_RAN: Mapping[By, tuple[Any, ...]] = {
    "day": (UtcDay(Run.created_at),),
    "team": (func.coalesce(Run.team_id, ""),),
    "model": (col(Spending.name),),
    "version": (func.coalesce(Run.team_id, ""), _VERSION),
}


class Trends:
    """Sums over many runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, by: By, *, since: date, until: date, team_id: str | None = None) -> Sequence[Trend]:
        """Both days included; days in their order, else the dearest first."""
        spent = {row[0]: row[1:] for row in map(_keyed, await self._rows(_spent(by, since, until, team_id)))}
        states: dict[Key, dict[str, int]] = {}
        names: dict[Key, str] = {}
        for row in await self._rows(_ran(by, since, until, team_id)):
            *parts, state, name, count = row
            key = tuple(map(str, parts))
            states.setdefault(key, {})[str(state)] = int(str(count))
            names[key] = str(name)
        found = [
            Trend(key, *(spent.get(key) or (names.get(key, ""), Cost())), states.get(key, {}))
            for key in {**spent, **states}
        ]
        if by == "day":
            return sorted(found, key=lambda trend: trend.key)
        return sorted(found, key=lambda trend: (-trend.cost.micro_usd, -sum(trend.states.values()), trend.key))

    async def _rows(self, query: Executable) -> Sequence[Sequence[object]]:
        async with self._database.read() as session:
            connection = await session.connection()
            return [tuple(row) for row in await connection.execute(query)]


def _keyed(row: Sequence[object]) -> tuple[Key, str, Cost]:
    keys = row[: -len(SUMS) - 1]
    return tuple(map(str, keys)), str(row[len(keys)]), Cost.of_row(row[len(keys) + 1 :])


def _spent(by: By, since: date, until: date, team_id: str | None) -> Executable:
    keys = _SPENT[by]
    query = columns(*keys, func.max(col(Spending.team_name)), *_SUMMED)
    if by == "version":
        query = query.join_from(Spending, Run, col(Run.id) == col(Spending.run_id), isouter=True)
    query = query.where(col(Spending.kind) == "model", col(Spending.day) >= since.isoformat())
    query = query.where(col(Spending.day) <= until.isoformat())
    return (query.where(col(Spending.team_id) == team_id) if team_id else query).group_by(*keys)


def _ran(by: By, since: date, until: date, team_id: str | None) -> Executable:
    keys = _RAN[by]
    query = columns(*keys, col(Run.state), func.max(col(Run.team_name)), func.count(func.distinct(col(Run.id))))
    if by == "model":
        query = query.join_from(Run, Spending, col(Spending.run_id) == col(Run.id)).where(col(Spending.kind) == "model")
    first, last = (datetime.combine(day, time(), UTC) for day in (since, until + timedelta(days=1)))
    query = query.where(col(Run.created_at) >= first, col(Run.created_at) < last)
    return (query.where(col(Run.team_id) == team_id) if team_id else query).group_by(*keys, col(Run.state))
