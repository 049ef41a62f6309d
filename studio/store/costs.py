"""What runs cost: sums by run, team and day, and what models cost by the user's word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, JsonValue
from sqlalchemy import BigInteger, ColumnElement, Executable, and_, exists, func, literal, or_
from sqlalchemy import cast as sql_cast
from sqlalchemy import select as columns
from sqlmodel import col, delete, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import NotFound
from studio.models import Price
from studio.runs import DayLimits, DayTotals, Hold, Measure, RunState
from studio.runs.fleet.port import Notifications
from studio.store.database import Database
from studio.store.deployment_tables import Call
from studio.store.evaluation_tables import EvaluationCell, EvaluationJudgment
from studio.store.postgres import Readable
from studio.store.runs import UNFINISHED
from studio.store.spending import SUMS
from studio.store.tables import Budget, JsonObject, OwnPrice, Run, RunEvent, Spending, SpendingHold, Team

OWN = "own"
BOOKS = "books"
"""The topic of prices and budgets."""
BEGINS_WITHIN = timedelta(minutes=1)
"""How long it may take from a call to its run."""
STEPS_AT_ONCE = 1_000
"""Rows that are taken from the driver without a pause."""


class Cost(BaseModel):
    """`micro_usd` is in millionths of a dollar, without the calls whose price is not known. Times are of the calls."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    micro_usd: int = 0
    unpriced_calls: int = 0
    ms: int = 0

    @classmethod
    def of_row(cls, row: Iterable[object]) -> Cost:
        """The cost in a row of sums, in the order of the fields."""
        return cls.model_validate(dict(zip(cls.model_fields, row, strict=True)))


class RunPart(NamedTuple):
    """What one agent took of one model or tool."""

    agent: str
    kind: str
    name: str
    sum: Cost


class DayPart(NamedTuple):
    """What a team took of one model on one day."""

    day: str
    team_id: str
    team_name: str
    model: str
    run_count: int
    sum: Cost


class Step(NamedTuple):
    """A call that cost something, or a message; in the log's order."""

    seq: int
    kind: str
    source: str
    spent: JsonObject


class PastRun(NamedTuple):
    """What a run of a team took in all."""

    tokens: int
    micro_usd: int
    unpriced_calls: int
    ms: int


_SUMMED = tuple(func.coalesce(func.sum(col(getattr(Spending, name))), 0) for name in SUMS)
_BODY = Readable(col(RunEvent.body))


class Costs:
    """Sums of what was spent, and own prices."""

    def __init__(self, database: Database, notifications: Notifications) -> None:
        self._database = database
        self._notifications = notifications

    async def of_run(self, run_id: str) -> Sequence[RunPart]:
        """Each agent with each model and tool, by the order of their names."""
        keys = (col(Spending.agent), col(Spending.kind), col(Spending.name))
        query = columns(*keys, *_SUMMED).where(col(Spending.run_id) == run_id).group_by(*keys).order_by(*keys)
        return [RunPart._make([*row[:3], Cost.of_row(row[3:])]) for row in await self._rows(query)]

    async def steps_of_run(self, run_id: str) -> Sequence[Step]:
        """Calls with what they took, and the messages between them; no text of either is read."""
        query = (
            columns(col(RunEvent.seq), col(RunEvent.kind), _BODY["source"].as_string(), _BODY["spent"])
            .where(col(RunEvent.run_id) == run_id, col(RunEvent.kind).in_(["effect", "message"]))
            .order_by(col(RunEvent.seq))
            .limit(STEPS_AT_ONCE)
        )
        steps: list[Step] = []
        while True:
            rows = await self._rows(query.where(col(RunEvent.seq) > (steps[-1].seq if steps else 0)))
            steps += [Step._make([*row[:2], row[2] or "", row[3] or {}]) for row in rows]
            if len(rows) < STEPS_AT_ONCE:
                return steps

    async def by_day(self, *, since: date, until: date, team_id: str | None = None) -> Sequence[DayPart]:
        """What models took, both days included, oldest first."""
        keys = (col(Spending.day), col(Spending.team_id), col(Spending.name))
        count = func.count(func.distinct(col(Spending.run_id)))
        query = columns(*keys[:2], func.max(col(Spending.team_name)), keys[2], count, *_SUMMED)
        query = query.where(*_between(since, until), col(Spending.kind) == "model")
        if team_id is not None:
            query = query.where(col(Spending.team_id) == team_id)
        rows = await self._rows(query.group_by(*keys).order_by(*keys))
        return [DayPart._make([*row[:5], Cost.of_row(row[5:])]) for row in rows]

    async def of_day(self, day: date) -> Mapping[str, Cost]:
        """What each team has spent on models that day."""
        query = columns(col(Spending.team_id), *_SUMMED).where(*_between(day, day), col(Spending.kind) == "model")
        return {str(row[0]): Cost.of_row(row[1:]) for row in await self._rows(query.group_by(col(Spending.team_id)))}

    async def past_runs(self, team_id: str, *, limit: int, of_judges: bool = False) -> Sequence[PastRun]:
        """The team's newest runs that came to their end and repeat nothing of another one.

        Args:
            team_id: The team.
            limit: How many.
            of_judges: The runs of judges of its evaluations, and no others; else none of them.
        """
        judging = exists().where(col(EvaluationJudgment.run_id) == col(Run.id))
        spent_ms = select(func.sum(Spending.ms)).where(col(Spending.run_id) == col(Run.id)).scalar_subquery()
        ms = sql_cast(func.coalesce(spent_ms, 0), BigInteger)  # PostgreSQL's sum of large integers is a decimal
        tokens = col(Run.prompt_tokens) + col(Run.completion_tokens)
        query = (
            columns(tokens, col(Run.micro_usd), col(Run.unpriced_calls), ms)
            .where(col(Run.team_id) == team_id, col(Run.state) == RunState.FINISHED.value, col(Run.origin) == "")
            .where(judging if of_judges else ~judging)
            .order_by(col(Run.created_at).desc())
            .limit(limit)
        )
        return [PastRun._make(row) for row in await self._rows(query)]

    async def own_prices(self) -> Mapping[str, Price]:
        """Prices by the user's word, by the model's name."""
        async with self._database.read() as session:
            rows = (await session.exec(select(OwnPrice).order_by(OwnPrice.model))).all()
        return {row.model: _price(row) for row in rows}

    async def set_price(self, model: str, *, input: float, output: float, cached_input: float | None) -> Price:
        """Set what a model costs from today on; what was spent before keeps its price."""
        row = OwnPrice(
            model=model,
            input=input,
            output=output,
            cached_input=cached_input,
            as_of=datetime.now(UTC).date().isoformat(),
        )
        async with self._database.write() as session:
            row = await session.merge(row)
        await self._notifications.notify(BOOKS)
        return _price(row)

    async def forget_price(self, model: str) -> None:
        """Go back to the catalogue's price.

        Raises:
            NotFound: No price of this model was set.
        """
        async with self._database.write() as session:
            row = await session.get(OwnPrice, model)
            if row is None:
                raise NotFound(f"No price of {model!r} was set.")
            await session.delete(row)
        await self._notifications.notify(BOOKS)

    async def prune(self, now: datetime) -> None:
        """Drop the limits of past days, and of runs and teams that are deleted. Some have theirs before their run."""
        scope, today = col(Budget.scope), now.date().isoformat()
        is_past = scope.startswith("day:") & (scope < f"day:{today}")
        begins = select(literal("run:") + Call.id).where(col(Call.at) > now - BEGINS_WITHIN)
        starting = select(literal("run:") + EvaluationCell.run_id).where(EvaluationCell.state == "starting")
        asked = select(literal("run:") + EvaluationJudgment.run_id)
        kept = [select(literal("run:") + Run.id), begins, starting, asked]
        of_runs = scope.startswith("run:") & and_(*(scope.not_in(each) for each in kept))
        of_teams = scope.startswith("team:") & scope.not_in(select(literal("team:") + Team.id))
        async with self._database.write() as session:
            await session.exec(delete(Budget).where(or_(is_past, of_runs, of_teams)))
            await session.exec(delete(SpendingHold).where(col(SpendingHold.day) < today))

    async def budgets(self, *, only_open: bool = False) -> Mapping[str, JsonObject]:
        """All limits that are kept, by scope; with `only_open` none of runs that have ended: there may be very many."""
        query = select(Budget)
        if only_open:
            has_ended = select(literal("run:") + Run.id).where(col(Run.state).not_in(UNFINISHED))
            query = query.where(col(Budget.scope).not_in(has_ended))
        async with self._database.read() as session:
            return {row.scope: row.limits for row in await session.exec(query)}

    async def put(self, scope: str, limits: JsonObject) -> None:
        """Keep limits in place of those of the same scope."""
        async with self._database.write() as session:
            await session.merge(Budget(scope=scope, limits=limits))
        await self._notifications.notify(BOOKS)

    @property
    def is_shared(self) -> bool:
        return self._database.is_shared

    async def day_totals(self, day: date) -> DayTotals:
        """What each team has spent on models that day, and what is set aside for its calls."""
        async with self._database.read() as session:
            return await _totals(session, day.isoformat())

    async def hold(self, hold: Hold, *, of_team: DayLimits, of_studio: DayLimits) -> tuple[bool, DayTotals]:
        async with self._database.write() as session:
            totals = await _totals(session, hold.day)
            if not (_fits(hold, of_team, totals, hold.team_id) and _fits(hold, of_studio, totals, None)):
                return False, totals
            session.add(SpendingHold(**hold._asdict()))
            await session.flush()
            return True, await _totals(session, hold.day)

    async def free(self, hold_id: str) -> None:
        async with self._database.write() as session:
            await session.exec(delete(SpendingHold).where(col(SpendingHold.id) == hold_id))

    async def _rows(self, query: Executable) -> Sequence[Sequence[object]]:
        async with self._database.read() as session:
            connection = await session.connection()
            return [tuple(row) for row in await connection.execute(query)]


async def _totals(session: AsyncSession, day: str) -> DayTotals:
    """What was spent on a day, and what is set aside.

    By one statement: a call that is logged meanwhile moves from one to the other, and would be in neither of two.
    """
    tokens = func.sum(col(Spending.prompt_tokens) + col(Spending.completion_tokens))
    spent = columns(literal(False), col(Spending.team_id), tokens, func.sum(col(Spending.micro_usd)))
    spent = spent.where(col(Spending.day) == day, col(Spending.kind) == "model").group_by(col(Spending.team_id))
    amounts = (func.sum(col(SpendingHold.tokens)), func.sum(col(SpendingHold.micro_usd)))
    held = columns(literal(True), col(SpendingHold.team_id), *amounts)
    held = held.where(col(SpendingHold.day) == day).group_by(col(SpendingHold.team_id))
    rows = [*await (await session.connection()).execute(spent.union_all(held))]
    return DayTotals(
        _amounts(row[1:] for row in rows if not row[0]),
        _amounts(row[1:] for row in rows if row[0]),
    )


def _amounts(rows: Iterable[Sequence[Any]]) -> Mapping[str, Mapping[Measure, int]]:
    return {team_id: {"tokens": int(tokens), "micro_usd": int(micro_usd)} for team_id, tokens, micro_usd in rows}


def _fits(hold: Hold, limits: DayLimits, totals: DayTotals, team_id: str | None) -> bool:
    wanted: Mapping[Measure, int] = {"tokens": hold.tokens, "micro_usd": hold.micro_usd}
    for measure, amount in wanted.items():
        most = getattr(limits, measure)
        if most is not None and totals.used(measure, team_id) + amount > most:
            return False
    return True


def _between(since: date, until: date) -> tuple[ColumnElement[bool], ...]:
    return col(Spending.day) >= since.isoformat(), col(Spending.day) <= until.isoformat()


def _price(row: OwnPrice) -> Price:
    values: dict[str, JsonValue] = {**cast("JsonObject", row.model_dump(exclude={"model"})), "source": OWN}
    return Price.model_validate(values)
