"""Keeps a run within its limits: what a call may take is set aside before it is made, and settled after it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import NamedTuple, cast

from pydantic import JsonValue

from studio import effects
from studio.effects import AsyncGeneratorLike, EffectRequest, Perform, StreamItem
from studio.errors import ModelUnavailable
from studio.models import Price
from studio.models.spending import MostTokens, Spending, answers_within
from studio.runs.live import Ending, LiveRun
from studio.runs.log import Draft, JsonObject
from studio.runs.spending.bookkeeping import Bookkeeping
from studio.runs.spending.budget_questions import Answer, Shortage, question_of, read_answer, warning_of
from studio.runs.spending.costs import UNMEASURED, Charge, agent_of, charge_for, name_of
from studio.runs.spending.limits import Measure
from studio.runs.spending.purses import Line, Purse
from studio.runs.state import RunState

FAIR_ANSWER = 4096
"""Tokens. When less is left for an answer that could be longer, a person is asked rather than it cut short."""
WARN_AT = 0.8
_TURNS_AND_TIME: frozenset[Measure] = frozenset({"turns", "seconds"})
_TOKENS_AND_MONEY: frozenset[Measure] = frozenset({"tokens", "micro_usd"})


@dataclass(slots=True)
class _Hold:
    """What one call has set aside."""

    lines: Sequence[Line]
    amounts: Mapping[Measure, int]
    answer_limit: int | None

    def take(self) -> None:
        for line in self.lines:
            for measure, amount in self.amounts.items():
                line.purse.set_aside(measure, amount)

    def give_back(self) -> None:
        for line in self.lines:
            for measure, amount in self.amounts.items():
                line.purse.set_aside(measure, -amount)


_NOTHING = _Hold((), {}, None)


class _Lines(NamedTuple):
    """What an agent's calls are paid from."""

    every: Sequence[Line]
    bound: Sequence[Line]
    """Those that have a limit; mostly none has."""


class Budgeted(effects.Relay):
    """Lets a call through when all limits allow the most that it can take; else it asks a person.

    Args:
        outer: The port behind it; the one that records has `measured` for its meter.
        run: The run that is kept within its limits.
        books: Prices, budgets, and what was spent today.
        names: For whom each component works.
        clock: Seconds that never go back.
    """

    def __init__(
        self,
        outer: effects.Effects,
        run: LiveRun,
        books: Bookkeeping,
        names: Mapping[int, str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(outer)
        self._run = run
        self._books = books
        self._book = books.budgets
        self._names = names
        self._speakers = frozenset(names.values())
        self._clock = clock
        self._purse = Purse({"micro_usd": run.usage.micro_usd, "tokens": _tokens_of(run)})
        self._agents: dict[str, Purse] = {}
        self._lined: dict[str, _Lines] = {}
        self._holds: dict[EffectRequest, _Hold] = {}
        self._edition = books.budgets.edition
        self._asking = asyncio.Lock()
        self._warned: set[tuple[str, str, Measure, int]] = set()
        self._excused: set[str] = set()
        self._working_since: float | None = clock()

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind in UNMEASURED:
            return await self._outer.call(request, perform)
        agent = agent_of(request, self._names)
        hold = self._holds[request] = await self._reserve(request, agent) if self._lines(agent).bound else _NOTHING
        try:
            with answers_within(hold.answer_limit):
                result = await self._outer.call(request, perform)
        except BaseException as error:
            self._fail(request, agent, error)
            raise
        if self._lines(agent).bound:
            await self._warn_of(agent, _TOKENS_AND_MONEY)
        return result

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        agent = agent_of(request, self._names)
        hold = self._holds[request] = await self._reserve(request, agent)

        async def within() -> AsyncIterator[StreamItem]:
            with answers_within(hold.answer_limit):  # the request is made when the first piece is asked for
                items = cast("AsyncGeneratorLike", perform())
                first = await anext(aiter(items), None)
            async with aclosing(items):
                if first is not None:
                    yield first
                    async for item in items:
                        yield item

        try:
            async with aclosing(cast("AsyncGeneratorLike", self._outer.stream(request, within))) as items:
                async for item in items:
                    if not isinstance(item, str):
                        await self._warn_of(agent, _TOKENS_AND_MONEY)
                    yield item
        except BaseException as error:
            self._fail(request, agent, error)
            raise

    def measured(self, request: EffectRequest, result: JsonValue | Exception, seconds: float) -> JsonObject:
        """Reckon what a call took, settle it, and give what its entry tells of that."""
        if request.kind in UNMEASURED:
            return {}
        charge = charge_for(request, result, self._books.prices, self._names, seconds)
        if not isinstance(result, Exception) and (hold := self._holds.pop(request, None)) is not None:
            self._settle(hold, charge, seconds)
        return {"spent": charge.as_json()}

    def came(self, source: str) -> None:
        """Count a message that an agent has said; the task is none."""
        if source not in self._speakers:
            return
        for purse in (self._purse, self._agent(source)):
            purse.spend("turns", 1)

    def turned(self, state: RunState) -> None:
        """Stop the clock while the run waits, and let it go on after that."""
        self._count_time()
        self._working_since = self._clock() if state is RunState.RUNNING else None

    def came_back(self, effect: JsonObject) -> None:
        """Count what an agent spent before the run was left; what the run spent, its usage tells."""
        spent = effect.get("spent")
        if not isinstance(spent, dict):
            return
        purse = self._agent(str(spent.get("agent", "")))
        purse.spend("tokens", _count(spent, "prompt_tokens") + _count(spent, "completion_tokens"))
        purse.spend("micro_usd", _count(spent, "micro_usd"))
        purse.spend_seconds(_count(spent, "ms") / 1000)

    def worked(self, seconds: float) -> None:
        self._purse.spend_seconds(seconds)

    async def _reserve(self, request: EffectRequest, agent: str) -> _Hold:
        await self._within_turns_and_time(agent)
        if request.kind != "model":
            return _NOTHING
        while True:
            found = self._plan(request, agent)
            if isinstance(found, _Hold):
                found.take()
                return found
            await self._get_room(found, lambda: self._plan(request, agent))

    def _plan(self, request: EffectRequest, agent: str) -> _Hold | Shortage:
        """What the call sets aside, or what is missing for it. Nothing is awaited between this and the taking."""
        lines = self._lines(agent).every
        if not any(_TOKENS_AND_MONEY & line.bounds.keys() for line in lines):
            return _NOTHING
        model = name_of(request)
        about = request.about
        spending = about if isinstance(about, Spending) else None
        most = spending.most() if spending else None
        known = self._books.prices.find(model, is_free=spending is not None and spending.owner.is_free)
        is_money = any(line.limit("micro_usd") is not None for line in lines)
        if model not in self._excused and (most is None or (is_money and known is None)):
            tightest = next(
                line for line in lines if line.limit("micro_usd") is not None or line.limit("tokens") is not None
            )
            why = "unbounded" if most is None else "unpriced"
            return Shortage(tightest, "micro_usd" if is_money else "tokens", 0, agent, model, why)
        most = most or MostTokens(0, 0, is_set=True)
        price = known.price if known else None
        room = min((_room(line, most, price) for line in lines), default=most.completion)
        answer = most.completion if most.is_set or room >= most.completion else room
        if answer > room or (answer < most.completion and answer < FAIR_ANSWER):
            return _shortage(lines, most, price, agent, model)
        amounts = _amounts(most.prompt, answer, price)
        return _Hold(lines, amounts, None if most.is_set else answer // most.choices)

    async def _get_room(self, short: Shortage, look: Callable[[], object]) -> None:
        """Wait until other calls are settled, or ask for more; `look` tells what is short by then."""
        if short.is_passing:
            await self._book.change()
            return
        async with self._asking:
            now = look()  # somebody may have been asked meanwhile
            if isinstance(now, Shortage) and not now.is_passing:
                await self._ask(now)

    async def _ask(self, short: Shortage) -> None:
        answer = read_answer(await self._run.human.put(question_of(short, source=short.agent or "studio")))
        if answer.action == "stop":
            await self._stop(short)
        elif answer.action == "allow" and short.why:
            self._excused.add(short.model)
        elif answer.action == "raise":
            await self._raise(short.line, short.measure, answer)

    async def _stop(self, short: Shortage) -> None:
        self._run.interrupt(Ending(RunState.STOPPED, "user", f"Stopped at the budget of {short.whose}."))
        await asyncio.get_running_loop().create_future()  # until the cancelling comes

    async def _raise(self, line: Line, measure: Measure, answer: Answer) -> None:
        team_id = self._run.debugger.team_id
        if line.scope in ("team_day", "studio_day"):
            await self._book.raise_day(line.scope, team_id, measure, answer.by)
            return
        budget = self._book.of_run(self._run.id, team_id)
        more = {measure: (line.limit(measure) or 0) + answer.by}
        if line.scope == "run":
            budget = budget.model_copy(update={"run": budget.run.model_copy(update=more)})
        else:
            own = budget.of_agent(line.name).model_copy(update=more)
            budget = budget.model_copy(update={"agents": {**budget.agents, line.name: own}})
        await self._book.set(f"run:{self._run.id}", budget)

    async def _within_turns_and_time(self, agent: str) -> None:
        while (short := self._out_of_turns_or_time(agent)) is not None:
            await self._get_room(short, lambda: self._out_of_turns_or_time(agent))
        await self._warn_of(agent, _TURNS_AND_TIME)

    def _out_of_turns_or_time(self, agent: str) -> Shortage | None:
        self._count_time()
        for line in self._lines(agent).bound:
            for measure in line.bounds:
                if measure in _TURNS_AND_TIME and line.left(measure) == 0:
                    return Shortage(line, measure, 1, agent, "")
        return None

    def _lines(self, agent: str) -> _Lines:
        """All purses that a call of this agent is paid from, with the limits that hold now."""
        edition = self._book.edition
        if edition != self._edition:
            self._edition = edition
            self._lined.clear()
        lines = self._lined.get(agent)
        if lines is None:
            every = self._draw_lines(agent)
            lines = self._lined[agent] = _Lines(every, [line for line in every if line.bounds])
        return lines

    def _draw_lines(self, agent: str) -> list[Line]:
        team_id = self._run.debugger.team_id
        budget = self._book.of_run(self._run.id, team_id)
        lines = [Line("run", "", self._purse, budget.run)]
        if agent:
            lines.append(Line("agent", agent, self._agent(agent), budget.of_agent(agent)))
        return [*lines, *self._book.day_lines(team_id)]

    def _agent(self, name: str) -> Purse:
        return self._agents.setdefault(name, Purse())

    def _settle(self, hold: _Hold, charge: Charge, seconds: float) -> None:
        self._agent(charge.agent).spend_seconds(seconds)
        spent: Mapping[Measure, int] = {
            "tokens": charge.prompt_tokens + charge.completion_tokens,
            "micro_usd": charge.micro_usd or 0,
        }
        if hold.lines and charge.micro_usd is None:
            spent = hold.amounts  # the service does not tell; it may have been all of it
        hold.give_back()
        self._spend(charge.agent, spent)

    def _fail(self, request: EffectRequest, agent: str, error: BaseException) -> None:
        """A call without an answer: one that was cut off may be charged for all the same, one that was refused not."""
        hold = self._holds.pop(request, None)
        if hold is None:
            return  # there was an answer
        hold.give_back()
        may_be_charged = isinstance(error, ModelUnavailable) or not isinstance(error, Exception)
        self._spend(agent, hold.amounts if may_be_charged else {})

    def _spend(self, agent: str, amounts: Mapping[Measure, int]) -> None:
        for line in self._lines(agent).every:
            line.purse.pay(amounts)
        self._book.changed()

    async def _warn_of(self, agent: str, measures: Collection[Measure]) -> None:
        for line in self._lines(agent).bound:
            for measure in line.bounds:
                if measure in measures:
                    await self._warn(line, measure)

    async def _warn(self, line: Line, measure: Measure) -> None:
        limit = line.limit(measure)
        if limit is None or line.purse.spent.get(measure, 0) < WARN_AT * limit:
            return
        key = (line.scope, line.name, measure, limit)
        if key not in self._warned:
            self._warned.add(key)
            await self._run.add(Draft("command", warning_of(line, measure)))

    def _count_time(self) -> None:
        if self._working_since is None:
            return
        now = self._clock()
        self._purse.spend_seconds(now - self._working_since)
        self._working_since = now


def _count(spent: JsonObject, name: str) -> int:
    value = spent.get(name)
    return value if isinstance(value, int) else 0


def _room(line: Line, most: MostTokens, price: Price | None) -> int:
    """Tokens that are left for the answer; below 0 when not even the prompt can be paid."""
    rooms = [most.completion]
    if (tokens := line.left("tokens")) is not None:
        rooms.append(tokens - most.prompt)
    if price is not None and (money := line.left("micro_usd")) is not None:
        rest = money - price.most_micro_usd(most.prompt, 0)
        rooms.append(rest if rest < 0 else price.tokens_for(rest, up_to=most.completion))
    return min(rooms)


def _amounts(prompt: int, answer: int, price: Price | None) -> dict[Measure, int]:
    return {"tokens": prompt + answer, "micro_usd": price.most_micro_usd(prompt, answer) if price else 0}


def _shortage(lines: Sequence[Line], most: MostTokens, price: Price | None, agent: str, model: str) -> Shortage:
    """The limit that leaves the least room. What others have set aside is waited for; it is told by its purse."""
    line = min(lines, key=lambda each: _room(each, most, price))
    answer = most.completion if most.is_set else min(most.completion, FAIR_ANSWER)
    needed = _amounts(most.prompt, answer, price)
    for measure in ("micro_usd", "tokens"):
        left = line.left(measure)
        if left is not None and left < needed[measure]:
            return Shortage(line, measure, needed[measure], agent, model)
    return Shortage(line, "tokens", needed["tokens"], agent, model)


def _tokens_of(run: LiveRun) -> int:
    return run.usage.prompt_tokens + run.usage.completion_tokens
