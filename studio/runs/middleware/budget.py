"""Keeps a run within its limits: what a call may take is set aside before it is made, and settled after it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from studio import effects
from studio.effects import AsyncGeneratorLike, EffectRequest, Perform, StreamItem
from studio.errors import ModelUnavailable
from studio.models import Price
from studio.models.spending import MostTokens, Spending, answer_limit, answers_within
from studio.runs.active_run import Ending, LiveRun
from studio.runs.journal.log import Draft, JsonObject
from studio.runs.spending.budget_questions import Answer, Shortage, question_of, read_answer, warning_of
from studio.runs.spending.costs import UNMEASURED, agent_of
from studio.runs.spending.ledger import Bookkeeping, Line, Payer, Purse
from studio.runs.spending.limits import Measure
from studio.runs.spending.pricing import Account
from studio.runs.state import RunState

FAIR_ANSWER = 4096
"""Tokens. When less is left for an answer that could be longer, a person is asked rather than it cut short."""
WARN_AT = 0.8


@dataclass(slots=True)
class _Hold:
    """What one call has set aside."""

    purses: Sequence[Purse]
    tokens: int
    micro_usd: int
    answer_limit: int | None

    def take(self) -> None:
        for purse in self.purses:
            purse.set_aside(self.tokens, self.micro_usd)

    def give_back(self) -> None:
        for purse in self.purses:
            purse.set_aside(-self.tokens, -self.micro_usd)


_NOTHING = _Hold((), 0, 0, None)


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
        self._clock = clock
        self._purse = Purse(run.usage.micro_usd, run.usage.prompt_tokens + run.usage.completion_tokens)
        self._payers = {name: Payer(name) for name in names.values()}
        self._speakers = {name: payer.purse for name, payer in self._payers.items()}
        self._accounts: dict[int, Account] = {}
        """Of the models of the team, which live as long as it does, by their identity."""
        self._under_way: dict[EffectRequest, tuple[Account, _Hold]] = {}
        self._asking = asyncio.Lock()
        self._warned: set[tuple[str, str, Measure, int]] = set()
        self._excused: set[str] = set()
        self._working_since: float | None = clock()

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind in UNMEASURED:
            return await self._outer.call(request, perform)
        account = self._account_of(request)
        payer = account.payer
        if payer.edition != self._book.edition:  # here and below: nearly always nothing is new
            self._draw(payer)
        hold = await self._reserve(request, account) if payer.bound else _NOTHING
        self._under_way[request] = account, hold
        try:
            if hold.answer_limit == answer_limit():
                result = await self._outer.call(request, perform)
            else:
                with answers_within(hold.answer_limit):
                    result = await self._outer.call(request, perform)
        except BaseException as error:
            self._fail(request, error)
            raise
        if payer.edition != self._book.edition:
            self._draw(payer)
        if payer.bound:
            await self._warn_of(payer.of_tokens_and_money)
        return result

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        account = self._account_of(request)
        payer = self._draw(account.payer)
        hold = await self._reserve(request, account) if payer.bound else _NOTHING
        self._under_way[request] = account, hold

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
                        await self._warn_of(self._draw(payer).of_tokens_and_money)
                    yield item
        except BaseException as error:
            self._fail(request, error)
            raise

    def measured(self, request: EffectRequest, result: JsonValue | Exception, seconds: float) -> JsonObject:
        """Reckon what a call took, settle it, and give what its entry tells of that."""
        under_way = self._under_way.get(request)
        if under_way is None or isinstance(result, Exception):
            return self._unsettled(request, result, seconds)
        del self._under_way[request]
        account, hold = under_way
        payer = account.payer
        payer.purse.worked_s += seconds
        self._book.look_at_the_clock()
        if not account.is_model:
            return {"spent": account.only_time(seconds)}
        spent = account.spent_on_model(result, seconds)
        tokens, micro_usd = spent["prompt_tokens"] + spent["completion_tokens"], spent["micro_usd"]
        if hold is not _NOTHING:
            self._let_go(hold)
            if micro_usd is None:  # the service does not tell; it may have been all of it
                tokens, micro_usd = hold.tokens, hold.micro_usd
        if payer.edition != self._book.edition:
            self._draw(payer)
        payer.pay(tokens, micro_usd or 0)
        return {"spent": spent}

    def _unsettled(self, request: EffectRequest, result: JsonValue | Exception, seconds: float) -> JsonObject:
        """What is told of a call that gave nothing, or whose result was known before."""
        if request.kind in UNMEASURED:
            return {}
        account = self._account_of(request)
        if isinstance(result, Exception):
            return {"spent": account.only_time(0)}
        return {"spent": account.spent_on_model(result, seconds) if account.is_model else account.only_time(seconds)}

    def came(self, source: str) -> None:
        """Count a message that an agent has said; the task is none."""
        purse = self._speakers.get(source)
        if purse is not None:
            purse.turns += 1
            self._purse.turns += 1

    def turned(self, state: RunState) -> None:
        """Stop the clock while the run waits, and let it go on after that."""
        self._count_time()
        self._working_since = self._clock() if state is RunState.RUNNING else None

    def came_back(self, effect: JsonObject) -> None:
        """Count what an agent spent before the run was left; what the run spent, its usage tells."""
        spent = effect.get("spent")
        if not isinstance(spent, dict):
            return
        purse = self._payer_of(str(spent.get("agent", ""))).purse
        purse.tokens += _count(spent, "prompt_tokens") + _count(spent, "completion_tokens")
        purse.micro_usd += _count(spent, "micro_usd")
        purse.worked_s += _count(spent, "ms") / 1000

    def worked(self, seconds: float) -> None:
        self._purse.worked_s += seconds

    async def _reserve(self, request: EffectRequest, account: Account) -> _Hold:
        await self._within_turns_and_time(account.payer)
        if request.kind != "model":
            return _NOTHING
        while True:
            found = self._plan(request, account)
            if isinstance(found, _Hold):
                found.take()
                return found
            await self._get_room(found, lambda: self._plan(request, account))

    def _plan(self, request: EffectRequest, account: Account) -> _Hold | Shortage:
        """What the call sets aside, or what is missing for it. Nothing is awaited between this and the taking."""
        self._book.look_at_the_clock()
        payer, model = self._draw(account.payer), account.name
        if not payer.of_tokens_and_money:
            return _NOTHING
        most = request.about.most() if isinstance(request.about, Spending) else None
        known = account.known()
        if model not in self._excused and (most is None or known is None):
            is_money = any(measure == "micro_usd" for _, measure in payer.of_tokens_and_money)
            if most is None or is_money:
                tightest = payer.of_tokens_and_money[0][0]
                why = "unbounded" if most is None else "unpriced"
                return Shortage(tightest, "micro_usd" if is_money else "tokens", 0, payer.agent, model, why)
        most = most or MostTokens(0, 0, is_set=True)
        price = known.price if known else None
        rooms = _rooms(payer.bound, most, price)
        room = min(rooms)
        answer = most.completion if most.is_set or room >= most.completion else room
        if answer > room or (answer < most.completion and answer < FAIR_ANSWER):
            tightest = payer.bound[rooms.index(room)]
            return _shortage(tightest, most, price, payer.agent, model)
        tokens, micro_usd = _amounts(most.prompt, answer, price)
        return _Hold(payer.purses, tokens, micro_usd, None if most.is_set else answer // most.choices)

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

    async def _within_turns_and_time(self, payer: Payer) -> None:
        while (short := self._out_of_turns_or_time(payer)) is not None:
            await self._get_room(short, lambda: self._out_of_turns_or_time(payer))
        await self._warn_of(payer.of_turns_and_time)

    def _out_of_turns_or_time(self, payer: Payer) -> Shortage | None:
        self._count_time()
        for line, measure in self._draw(payer).of_turns_and_time:
            if line.left(measure) == 0:
                return Shortage(line, measure, 1, payer.agent, "")
        return None

    def _account_of(self, request: EffectRequest) -> Account:
        about = request.about
        key = id(about.owner) if isinstance(about, Spending) else 0
        account = self._accounts.get(key)
        if account is None:
            payer = self._payer_of(agent_of(request, self._names))
            account = Account(payer, request, self._books.prices)
            if key in self._names:
                self._accounts[key] = account
        return account

    def _payer_of(self, agent: str) -> Payer:
        return self._payers.get(agent) or self._payers.setdefault(agent, Payer(agent))

    def _draw(self, payer: Payer) -> Payer:
        """Have the payer know the purses and limits that hold now."""
        if payer.edition != self._book.edition:
            payer.draw(self._lines_of(payer), self._book.edition)
        return payer

    def _lines_of(self, payer: Payer) -> list[Line]:
        team_id = self._run.debugger.team_id
        budget = self._book.of_run(self._run.id, team_id)
        lines = [Line("run", "", self._purse, budget.run)]
        if payer.agent:
            lines.append(Line("agent", payer.agent, payer.purse, budget.of_agent(payer.agent)))
        return [*lines, *self._book.day_lines(team_id)]

    def _let_go(self, hold: _Hold) -> None:
        hold.give_back()
        self._book.changed()

    def _fail(self, request: EffectRequest, error: BaseException) -> None:
        """A call without an answer: one that was cut off may be charged for all the same, one that was refused not."""
        account, hold = self._under_way.pop(request, (None, _NOTHING))
        if account is None or hold is _NOTHING:
            return  # there was an answer, or nothing was set aside
        self._let_go(hold)
        if isinstance(error, ModelUnavailable) or not isinstance(error, Exception):
            self._book.look_at_the_clock()
            self._draw(account.payer).pay(hold.tokens, hold.micro_usd)

    async def _warn_of(self, bounds: Sequence[tuple[Line, Measure]]) -> None:
        for line, measure in bounds:
            if line.purse.spent(measure) >= WARN_AT * line.bounds[measure]:
                await self._warn(line, measure)

    async def _warn(self, line: Line, measure: Measure) -> None:
        key = (line.scope, line.name, measure, line.bounds[measure])
        if key not in self._warned:
            self._warned.add(key)
            await self._run.add(Draft("command", warning_of(line, measure)))

    def _count_time(self) -> None:
        if self._working_since is None:
            return
        now = self._clock()
        self._purse.worked_s += now - self._working_since
        self._working_since = now


def _count(spent: JsonObject, name: str) -> int:
    value = spent.get(name)
    return value if isinstance(value, int) else 0


def _rooms(lines: Sequence[Line], most: MostTokens, price: Price | None) -> list[int]:
    """Tokens that each leaves for the answer; below 0 when not even the prompt can be paid."""
    for_prompt = price.most_micro_usd(most.prompt, 0) if price is not None else 0
    rooms: list[int] = []
    for line in lines:
        room = most.completion
        if (tokens := line.left("tokens")) is not None:
            room = min(room, tokens - most.prompt)
        if price is not None and (money := line.left("micro_usd")) is not None:
            rest = money - for_prompt
            room = min(room, rest if rest < 0 else price.tokens_for(rest, up_to=most.completion))
        rooms.append(room)
    return rooms


def _amounts(prompt: int, answer: int, price: Price | None) -> tuple[int, int]:
    """Tokens and money."""
    return prompt + answer, price.most_micro_usd(prompt, answer) if price else 0


def _shortage(line: Line, most: MostTokens, price: Price | None, agent: str, model: str) -> Shortage:
    """What the line with the least room lacks. What others have set aside is waited for; it is told by its purse."""
    answer = most.completion if most.is_set else min(most.completion, FAIR_ANSWER)
    tokens, micro_usd = _amounts(most.prompt, answer, price)
    money = line.left("micro_usd")
    if money is not None and money < micro_usd:
        return Shortage(line, "micro_usd", micro_usd, agent, model)
    return Shortage(line, "tokens", tokens, agent, model)
