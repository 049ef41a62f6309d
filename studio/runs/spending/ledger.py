"""How much was spent of each limit, what is set aside for calls under way, and where the limits are kept."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import NamedTuple, Protocol
from uuid import uuid4

from pydantic import ValidationError

from studio.errors import StudioError
from studio.models.prices import PriceBook
from studio.runs.journal.log import JsonObject
from studio.runs.spending.limits import MEASURES, NO_BUDGET, Budget, DayLimits, Limits, Measure, Scope

logger = logging.getLogger(__name__)

STUDIO = "studio"
A_DAY_S = 24 * 60 * 60
LOOK_S = 1.0
"""How often a call that waits for others to be settled looks at what other workers have settled."""
PATIENCE = 60
"""How many times that a database which does not answer is tried again."""


@dataclass(slots=True, eq=False)
class Account:
    """What was spent, by measure. `aside` is set aside for calls that are under way."""

    micro_usd: int = 0
    tokens: int = 0
    turns: int = 0
    worked_s: float = 0.0
    aside: dict[Measure, int] = field(default_factory=lambda: {"tokens": 0, "micro_usd": 0})
    is_shared: bool = False
    """Whether other workers spend from it, too: it then repeats what the database says, and nothing is paid here."""

    @property
    def seconds(self) -> int:
        """What is less than a second counts when it has become one."""
        return int(self.worked_s)

    def spent(self, measure: Measure) -> int:
        return getattr(self, measure)

    def used(self, measure: Measure) -> int:
        return getattr(self, measure) + self.aside.get(measure, 0)

    def set_aside(self, tokens: int, micro_usd: int) -> None:
        self.aside["tokens"] += tokens
        self.aside["micro_usd"] += micro_usd


@dataclass(frozen=True, slots=True)
class BudgetLine:
    """An account with its limits. `name` is the agent's; `limits` of a day have no turns or seconds."""

    scope: Scope
    name: str
    account: Account
    limits: Limits | DayLimits
    bounds: Mapping[Measure, int] = field(init=False, repr=False)
    """The limits that there are; asked for several times in each call."""

    def __post_init__(self) -> None:
        bounds = {name: most for name in MEASURES if (most := getattr(self.limits, name, None)) is not None}
        object.__setattr__(self, "bounds", bounds)

    def limit(self, measure: Measure) -> int | None:
        return self.bounds.get(measure)

    def left(self, measure: Measure) -> int | None:
        """What may still be spent; None without a limit."""
        limit = self.bounds.get(measure)
        return None if limit is None else max(0, limit - self.account.used(measure))


_TURNS_AND_TIME: frozenset[Measure] = frozenset({"turns", "seconds"})


@dataclass(slots=True, eq=False)
class CostCenter:
    """For whom calls are made: an agent, or nobody; and all that they are paid from, as of an `edition` of the book."""

    agent: str
    account: Account = field(default_factory=Account)
    """The agent's own."""
    edition: int = 0
    accounts: Sequence[Account] = ()
    bound: Sequence[BudgetLine] = ()
    """What has a limit; mostly nothing has."""
    of_turns_and_time: Sequence[tuple[BudgetLine, Measure]] = ()
    of_tokens_and_money: Sequence[tuple[BudgetLine, Measure]] = ()
    is_shared: bool = False
    """Whether one of the limits holds for other workers, too."""

    def pay(self, tokens: int, micro_usd: int) -> None:
        for account in self.accounts:
            account.tokens += tokens
            account.micro_usd += micro_usd

    def charge(self, lines: Sequence[BudgetLine], edition: int) -> None:
        """Pay from these from now on."""
        self.edition = edition
        self.accounts = [line.account for line in lines if not line.account.is_shared]
        self.bound = [line for line in lines if line.bounds]
        bounds: list[tuple[BudgetLine, Measure]] = [(line, measure) for line in self.bound for measure in line.bounds]
        self.of_turns_and_time = [each for each in bounds if each[1] in _TURNS_AND_TIME]
        self.of_tokens_and_money = [each for each in bounds if each[1] not in _TURNS_AND_TIME]
        self.is_shared = any(line.account.is_shared for line in self.bound)


Spent = Mapping[str, Mapping[Measure, int]]
"""Tokens and money, by team."""


class Hold(NamedTuple):
    """What one call sets aside of the limits of a day (as in `2026-11-26`) that several workers share."""

    id: str
    day: str
    team_id: str
    tokens: int
    micro_usd: int


class DayTotals(NamedTuple):
    """What was spent on a day, and what is set aside for calls that are under way."""

    spent: Spent
    aside: Spent

    def used(self, measure: Measure, team_id: str | None = None) -> int:
        """Of a team, or of all."""
        return sum(
            amounts.get(measure, 0)
            for part in self
            for whose, amounts in part.items()
            if team_id is None or whose == team_id
        )


class BudgetStore(Protocol):
    """Where budgets are kept, by scope."""

    @property
    def is_shared(self) -> bool:
        """Whether other workers spend from the limits of a day: what is set aside of them is then kept here, too."""
        ...

    async def hold(self, hold: Hold, *, of_team: DayLimits, of_studio: DayLimits) -> tuple[bool, DayTotals]:
        """Set something aside, unless a limit does not allow that any more; whether it is, and all that is by now."""
        ...

    async def free(self, hold_id: str) -> None:
        """Set nothing aside any more for a call that took nothing. What others took is settled where it is logged."""
        ...

    async def day_totals(self, day: date) -> DayTotals:
        """What was spent on a day, and what is set aside."""
        ...

    async def put(self, scope: str, limits: JsonObject) -> None:
        """Keep these limits in place of those before."""
        ...


class NullBudgetStore:
    """For runs that nobody can find again."""

    is_shared = False

    async def hold(self, hold: Hold, *, of_team: DayLimits, of_studio: DayLimits) -> tuple[bool, DayTotals]:
        del hold, of_team, of_studio
        return True, DayTotals({}, {})

    async def free(self, hold_id: str) -> None:
        del hold_id

    async def day_totals(self, day: date) -> DayTotals:
        del day
        return DayTotals({}, {})

    async def put(self, scope: str, limits: JsonObject) -> None:
        del scope, limits


class BudgetRegistry:
    """All budgets of a studio, and what was spent today.

    Args:
        store: Keeps budgets.
        kept: Those that are kept already, by scope: `studio`, `team:ID`, `run:ID`, `day:DATE:ID`.
        spent_today: By team.
        clock: Seconds since 1970.
    """

    def __init__(
        self,
        store: BudgetStore | None = None,
        kept: Mapping[str, JsonObject] | None = None,
        spent_today: Spent | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store = store or NullBudgetStore()
        self._kept = {scope: _budget(scope, limits) for scope, limits in (kept or {}).items()}
        self._clock = clock
        self._day_ends_at = 0.0
        self._days: dict[tuple[date, str], Account] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self.edition = 0
        """Another one when other limits or accounts may hold than before."""
        self._count(spent_today or {})
        self.roll_over()

    def update(self, kept: Mapping[str, JsonObject], today: DayTotals | None = None) -> None:
        """Take what is kept by now, which another process may have changed; runs under way go on with it at once.

        Args:
            kept: Budgets, by scope; others stay as they are.
            today: What was spent, where other processes spend, too; None where this registry counts alone.
        """
        budgets = {**self._kept, **{scope: _budget(scope, limits) for scope, limits in kept.items()}}
        if budgets != self._kept:
            self._kept = budgets
            self.edition += 1
            self.changed()
        if today is not None:
            self._show(today)
            self.changed()

    def _show(self, totals: DayTotals) -> None:
        """Repeat what the database says of today."""
        today = self._today()
        teams = {*totals.spent, *totals.aside, *(whose for day, whose in self._days if day == today), STUDIO}
        for whose in teams:
            account, team_id = self._account(whose), None if whose == STUDIO else whose
            for measure in account.aside:
                spent = totals._replace(aside={}).used(measure, team_id)
                setattr(account, measure, spent)
                account.aside[measure] = totals.used(measure, team_id) - spent

    def _count(self, spent_today: Spent) -> None:
        for team_id, spent in spent_today.items():
            for account in (self._account(team_id), self._account(STUDIO)):
                account.micro_usd += spent.get("micro_usd", 0)
                account.tokens += spent.get("tokens", 0)

    async def hold(self, team_id: str, tokens: int, micro_usd: int) -> str:
        """Set something aside of the limits of today that other workers share; "" where they do not allow it any more.

        What others have spent and set aside is known here after that.
        """
        hold = Hold(uuid4().hex, self._today().isoformat(), team_id, tokens, micro_usd)
        limits = self._limits_of_day("team_day", team_id), self._limits_of_day("studio_day", "")
        attempts = 0
        while True:
            try:
                is_held, totals = await self._store.hold(hold, of_team=limits[0], of_studio=limits[1])
                break
            except StudioError:  # the database may come back: the log waits for it, too
                attempts += 1
                if attempts > PATIENCE:
                    raise
                await asyncio.sleep(LOOK_S)
        self._show(totals)
        return hold.id if is_held else ""

    async def free(self, hold_id: str) -> None:
        """Set nothing aside any more for a call that took nothing."""
        await self._store.free(hold_id)

    def roll_over(self) -> None:
        """Begin another edition when another day has begun."""
        if self._clock() >= self._day_ends_at:
            self._day_ends_at = (self._clock() // A_DAY_S + 1) * A_DAY_S
            self.edition += 1

    def of_studio(self) -> Budget:
        return self._kept.get(STUDIO, NO_BUDGET)

    def of_team(self, team_id: str) -> Budget:
        """The team's own limits, without those of the studio."""
        return self._kept.get(f"team:{team_id}", NO_BUDGET)

    def of_run(self, run_id: str, team_id: str) -> Budget:
        """The limits that hold for a run: its own if it was given some, else the team's and the studio's."""
        own = self._kept.get(f"run:{run_id}")
        return own if own is not None else self.of_team(team_id).over(self.of_studio())

    async def set(self, scope: str, budget: Budget) -> None:
        """Set a budget; active runs use it at once."""
        await self._store.put(scope, budget.model_dump(mode="json", exclude_none=True))
        self._kept[scope] = budget
        self.edition += 1
        self.changed()

    async def raise_day(self, scope: Scope, team_id: str, measure: Measure, by: int) -> None:
        """Let more be spent today only."""
        key = self._day_key(STUDIO if scope == "studio_day" else team_id)
        limits = self._limits_of_day(scope, team_id)
        more = (getattr(limits, measure) or 0) + by
        await self.set(key, Budget(day=limits.model_copy(update={measure: more})))

    def day_lines(self, team_id: str) -> list[BudgetLine]:
        """What the team and the studio have spent today."""
        lines = [BudgetLine("studio_day", "", self._account(STUDIO), self._limits_of_day("studio_day", ""))]
        if team_id:
            lines.insert(
                0, BudgetLine("team_day", "", self._account(team_id), self._limits_of_day("team_day", team_id))
            )
        return lines

    def changed(self) -> None:
        """Wake all that wait for something to be settled or allowed."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def change(self) -> None:
        """Wait until something was settled or allowed; where other workers do that too, it is looked for."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        if not self._store.is_shared:
            await future
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_S):
                await future
        with suppress(StudioError):  # it is looked for again
            self._show(await self._store.day_totals(self._today()))

    def _limits_of_day(self, scope: Scope, team_id: str) -> DayLimits:
        of_today = self._kept.get(self._day_key(STUDIO if scope == "studio_day" else team_id))
        if of_today is not None:
            return of_today.day
        return self.of_studio().day if scope == "studio_day" else self.of_team(team_id).day

    def _day_key(self, whose: str) -> str:
        return f"day:{self._today().isoformat()}:{whose}"

    def _today(self) -> date:
        return datetime.fromtimestamp(self._clock(), UTC).date()

    def _account(self, whose: str) -> Account:
        key = self._today(), whose
        return self._days.get(key) or self._days.setdefault(key, Account(is_shared=self._store.is_shared))


def _budget(scope: str, limits: JsonObject) -> Budget:
    """Limits as they are kept. Of those that cannot be read nothing may be spent, until somebody sets others."""
    try:
        return Budget.model_validate(limits)
    except ValidationError:
        logger.warning(
            "The limits of %r cannot be read. Its runs ask before each call until they are set again.", scope
        )
        return Budget(run=Limits(tokens=0))


@dataclass(slots=True)
class SpendingScope:
    """Shared by all runs that begin in one context."""

    prices: PriceBook = field(default_factory=PriceBook)
    budgets: BudgetRegistry = field(default_factory=BudgetRegistry)


_current: ContextVar[SpendingScope | None] = ContextVar("studio_bookkeeping", default=None)


def current_spending() -> SpendingScope:
    """The one in force here; the catalogue's prices and no limits where nobody set one."""
    return _current.get() or SpendingScope()


@contextmanager
def spending_scope(books: SpendingScope) -> Generator[None]:
    """Let the supervisors that are entered inside the block reckon with these."""
    token = _current.set(books)
    try:
        yield
    finally:
        _current.reset(token)
