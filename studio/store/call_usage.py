"""What the calls of deployments came to and took, by day, key, release or protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any, Literal, cast

from sqlalchemy import Executable, String, func
from sqlalchemy import cast as sql_cast
from sqlalchemy import select as columns
from sqlmodel import col

from studio.runs import RunState
from studio.store.costs import Cost
from studio.store.database import Database
from studio.store.deployment_tables import Call
from studio.store.spending import SUMS
from studio.store.tables import Run, Spending
from studio.store.trends import UtcDay

By = Literal["day", "key", "release", "protocol"]
WAITING = RunState.PAUSED.value
FAILED = RunState.FAILED.value


@dataclass(frozen=True, slots=True)
class CallUsagePart:
    """The calls of one day, key, release or protocol; `key` is the day, the key's ID, the number or the name.

    `states` counts the calls in each state of their runs; "" where the run was deleted.
    """

    key: str
    cost: Cost = field(default_factory=Cost)
    states: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def calls(self) -> int:
        return sum(self.states.values())

    @property
    def failed(self) -> int:
        return self.states.get(FAILED, 0)

    @property
    def waiting(self) -> int:
        return self.states.get(WAITING, 0)


_SUMMED = tuple(func.coalesce(func.sum(col(getattr(Spending, name))), 0) for name in SUMS)
_KEYS: Mapping[By, Any] = {
    "key": col(Call.key_id),
    "release": sql_cast(col(Call.release), String),
    "protocol": col(Call.protocol),
}


class CallUsage:
    """Sums over many calls."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of_deployment(self, deployment_id: str, by: By, *, since: date) -> Sequence[CallUsagePart]:
        """From this day (UTC) on; days the newest first, else the dearest first."""
        mine = col(Call.deployment_id) == deployment_id
        parts = await self._read(_KEYS.get(by, UtcDay(Call.at)), _KEYS.get(by, col(Spending.day)), since, mine)
        if by == "day":
            return sorted(parts, key=lambda part: part.key, reverse=True)
        return sorted(parts, key=lambda part: (-part.cost.micro_usd, -part.calls, part.key))

    async def of_all(self, *, since: date) -> Mapping[str, CallUsagePart]:
        """Of each deployment from this day (UTC) on, by its ID."""
        key = col(Call.deployment_id)
        return {part.key: part for part in await self._read(key, key, since, None)}

    async def _read(self, called: Any, spent: Any, since: date, where: Any) -> Sequence[CallUsagePart]:
        begin = datetime.combine(since, time(), UTC)
        calls = (
            columns(called, func.coalesce(col(Run.state), ""), func.count())
            .select_from(Call)
            .join(Run, col(Run.id) == col(Call.id), isouter=True)
            .where(col(Call.at) >= begin)
            .group_by(called, col(Run.state))
        )
        sums = (
            columns(spent, *_SUMMED)
            .select_from(Spending)
            .join(Call, col(Call.id) == col(Spending.run_id))
            .where(col(Spending.day) >= since.isoformat())
            .group_by(spent)
        )
        if where is not None:
            calls, sums = calls.where(where), sums.where(where)
        states: dict[str, dict[str, int]] = {}
        for key, state, count in await self._rows(calls):
            states.setdefault(str(key), {})[str(state)] = int(str(count))
        costs = {str(key): Cost.of_row(row) for key, *row in await self._rows(sums)}
        return [
            CallUsagePart(key, costs.get(key, Cost()), states.get(key, {})) for key in dict.fromkeys([*costs, *states])
        ]

    async def _rows(self, query: Executable) -> Sequence[tuple[object, ...]]:
        async with self._database.read() as session:
            connection = await session.connection()
            return [cast("tuple[object, ...]", tuple(row)) for row in await connection.execute(query)]
