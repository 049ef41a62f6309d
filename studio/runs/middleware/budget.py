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
from studio.models.spending import Spending, TokenBound, answer_limit, answers_within
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.journal.log import Draft, JsonObject
from studio.runs.spending.budget_questions import (
    Answer,
    BudgetExceeded,
    question_of,
    read_answer,
    warning_of,
)
from studio.runs.spending.costs import UNMEASURED, agent_of
from studio.runs.spending.ledger import Account, BudgetLine, CostCenter, SpendingScope
from studio.runs.spending.limits import Measure
from studio.runs.spending.pricing import CallPricing
from studio.runs.state import RunState

DEFAULT_ANSWER_TOKENS = 4096
"""Tokens. When less is left for an answer that could be longer, a person is asked rather than it cut short."""
WARN_AT = 0.8
BUDGET_EXCEEDED = "budget_exceeded"
"""The code of the error in the last entry of a run that was stopped at a limit."""


@dataclass(slots=True)
class Reservation:
    """What one call has set aside."""

    accounts: Sequence[Account]
    tokens: int
    micro_usd: int
    answer_limit: int | None
    hold_id: str = ""
    """Of what is set aside in the database, for limits that other workers share."""

    def reserve(self) -> None:
        for account in self.accounts:
            account.set_aside(self.tokens, self.micro_usd)

    def release(self) -> None:
        for account in self.accounts:
            account.set_aside(-self.tokens, -self.micro_usd)


_NOTHING = Reservation((), 0, 0, None)


class BudgetEffects(effects.EffectsMiddleware):
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
        run: ActiveRun,
        books: SpendingScope,
        names: Mapping[int, str],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(outer)
        self._run = run
        self._books = books
        self._book = books.budgets
        self._names = names
        self._clock = clock
        self._account = Account(run.usage.micro_usd, run.usage.prompt_tokens + run.usage.completion_tokens)
        self._payers = {name: CostCenter(name) for name in names.values()}
        self._speakers = {name: payer.account for name, payer in self._payers.items()}
        self._pricings: dict[int, CallPricing] = {}
        """Of the models of the team, which live as long as it does, by their identity."""
        self._under_way: dict[EffectRequest, tuple[CallPricing, Reservation]] = {}
        self._asking = asyncio.Lock()
        self._warned: set[tuple[str, str, Measure, int]] = set()
        self._excused: set[str] = set()
        self._working_since: float | None = clock()

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        if request.kind in UNMEASURED:
            return await self._outer.call(request, perform)
        pricing = self._pricing_of(request)
        payer = pricing.payer
        if payer.edition != self._book.edition:  # here and below: nearly always nothing is new
            self._charge(payer)
        hold = await self._reserve(request, pricing) if payer.bound else _NOTHING
        self._under_way[request] = pricing, hold
        try:
            if hold.answer_limit == answer_limit():
                result = await self._outer.call(request, perform)
            else:
                with answers_within(hold.answer_limit):
                    result = await self._outer.call(request, perform)
        except BaseException as error:
            await self._fail(request, error)
            raise
        if payer.edition != self._book.edition:
            self._charge(payer)
        if payer.bound:
            await self._warn_of(payer.of_tokens_and_money)
        return result

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        pricing = self._pricing_of(request)
        payer = self._charge(pricing.payer)
        hold = await self._reserve(request, pricing) if payer.bound else _NOTHING
        self._under_way[request] = pricing, hold

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
                        await self._warn_of(self._charge(payer).of_tokens_and_money)
                    yield item
        except BaseException as error:
            await self._fail(request, error)
            raise

    def record_spending(self, request: EffectRequest, result: JsonValue | Exception, seconds: float) -> JsonObject:
        """Reckon what a call took, settle it, and give what its entry tells of that."""
        under_way = self._under_way.get(request)
        if under_way is None or isinstance(result, Exception):
            return self._unsettled(request, result, seconds)
        del self._under_way[request]
        pricing, hold = under_way
        payer = pricing.payer
        payer.account.worked_s += seconds
        self._book.roll_over()
        if not pricing.is_model:
            return {"spent": pricing.time_only(seconds)}
        spent = pricing.spent_on_model(result, seconds)
        tokens, micro_usd = spent["prompt_tokens"] + spent["completion_tokens"], spent["micro_usd"]
        if hold is not _NOTHING:
            self._release(hold)
            if micro_usd is None:  # the service does not tell; it may have been all of it
                tokens, micro_usd = hold.tokens, hold.micro_usd
        if payer.edition != self._book.edition:
            self._charge(payer)
        payer.pay(tokens, micro_usd or 0)
        return {"spent": {**spent, "hold": hold.hold_id} if hold.hold_id else spent}

    def _unsettled(self, request: EffectRequest, result: JsonValue | Exception, seconds: float) -> JsonObject:
        """What is told of a call that gave nothing, or whose result was known before."""
        if request.kind in UNMEASURED:
            return {}
        pricing = self._pricing_of(request)
        if isinstance(result, Exception):
            return {"spent": pricing.time_only(0)}
        return {"spent": pricing.spent_on_model(result, seconds) if pricing.is_model else pricing.time_only(seconds)}

    def message_added(self, source: str) -> None:
        """Count a message that an agent has said; the task is none."""
        account = self._speakers.get(source)
        if account is not None:
            account.turns += 1
            self._account.turns += 1

    def state_changed(self, state: RunState) -> None:
        """Stop the clock while the run waits, and let it go on after that."""
        self._count_time()
        self._working_since = self._clock() if state is RunState.RUNNING else None

    def effect_repeated(self, effect: JsonObject) -> None:
        """Count what an agent spent before the run was left; what the run spent, its usage tells."""
        spent = effect.get("spent")
        if not isinstance(spent, dict):
            return
        account = self._cost_center_of(str(spent.get("agent", ""))).account
        account.tokens += _count(spent, "prompt_tokens") + _count(spent, "completion_tokens")
        account.micro_usd += _count(spent, "micro_usd")
        account.worked_s += _count(spent, "ms") / 1000

    def add_elapsed(self, seconds: float) -> None:
        self._account.worked_s += seconds

    async def _reserve(self, request: EffectRequest, pricing: CallPricing) -> Reservation:
        await self._within_turns_and_time(pricing.payer)
        if request.kind != "model":
            return _NOTHING
        while True:
            found = self._plan(request, pricing)
            if isinstance(found, Reservation):
                found.reserve()
                if found is _NOTHING or not pricing.payer.is_shared or await self._is_held(found):
                    return found
                found.release()
                continue  # others were faster; what they took is known now
            await self._wait_for_headroom(found, lambda: self._plan(request, pricing))

    async def _is_held(self, found: Reservation) -> bool:
        """Set aside in the database what a call is to take, unless others have taken it."""
        try:
            found.hold_id = await self._book.hold(self._run.debugger.team_id, found.tokens, found.micro_usd)
        except BaseException:
            found.release()
            raise
        return bool(found.hold_id)

    def _plan(self, request: EffectRequest, pricing: CallPricing) -> Reservation | BudgetExceeded:
        """What the call sets aside, or what is missing for it. Nothing is awaited between this and the taking."""
        self._book.roll_over()
        payer, model = self._charge(pricing.payer), pricing.name
        if not payer.of_tokens_and_money:
            return _NOTHING
        most = request.about.most() if isinstance(request.about, Spending) else None
        known = pricing.known()
        if model not in self._excused and (most is None or known is None):
            is_money = any(measure == "micro_usd" for _, measure in payer.of_tokens_and_money)
            if most is None or is_money:
                tightest = payer.of_tokens_and_money[0][0]
                why = "unbounded" if most is None else "unpriced"
                uncounted = [line for line, each in payer.of_tokens_and_money if most is None or each == "micro_usd"]
                passes = any(line.scope == "studio_day" for line in uncounted)
                return BudgetExceeded(
                    tightest,
                    "micro_usd" if is_money else "tokens",
                    0,
                    payer.agent,
                    model,
                    why,
                    passes_studio_limit=passes,
                )
        most = most or TokenBound(0, 0, is_set=True)
        price = known.price if known else None
        rooms = _headroom(payer.bound, most, price)
        room = min(rooms)
        answer = most.completion if most.is_set or room >= most.completion else room
        if answer > room or (answer < most.completion and answer < DEFAULT_ANSWER_TOKENS):
            tightest = payer.bound[rooms.index(room)]
            return _first_exceeded(tightest, most, price, payer.agent, model)
        tokens, micro_usd = _amounts(most.prompt, answer, price)
        return Reservation(payer.accounts, tokens, micro_usd, None if most.is_set else answer // most.choices)

    async def _wait_for_headroom(self, short: BudgetExceeded, look: Callable[[], object]) -> None:
        """Wait until other calls are settled, or ask for more; `look` tells what is short by then."""
        if short.is_passing:
            await self._book.change()
            return
        async with self._asking:
            now = look()  # somebody may have been asked meanwhile
            if isinstance(now, BudgetExceeded) and not now.is_passing:
                await self._ask(now)

    async def _ask(self, short: BudgetExceeded) -> None:
        if self._book.of_run(self._run.id, self._run.debugger.team_id).when_exceeded == "stop":
            await self._stop_unless_countable(short)
            return
        answer = read_answer(await self._run.human.open_question_of(question_of(short, source=short.agent or "studio")))
        if answer.action == "stop":
            await self._stop(short)
        elif answer.action == "allow" and short.why:
            self._excused.add(short.model)
        elif answer.action == "raise":
            await self._raise(short.line, short.measure, answer)

    async def _stop_unless_countable(self, short: BudgetExceeded) -> None:
        """What nobody can tell ahead is let through where its tokens are limited, too: they are counted after it."""
        if short.why and short.line.limit("tokens") is not None:
            self._excused.add(short.model)
        else:
            await self._stop(short)

    async def _stop(self, short: BudgetExceeded) -> None:
        detail = f"Stopped at the budget of {short.whose}."
        limit: JsonObject = {"scope": short.line.scope, "measure": short.measure, "why": short.why}
        error: JsonObject = {"code": BUDGET_EXCEEDED, "message": detail, "fix": "", "where": "", **limit}
        self._run.interrupt(Ending(RunState.STOPPED, "user", detail, error))
        await asyncio.get_running_loop().create_future()  # until the cancelling comes

    async def _raise(self, line: BudgetLine, measure: Measure, answer: Answer) -> None:
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

    async def _within_turns_and_time(self, payer: CostCenter) -> None:
        while (short := self._out_of_turns_or_time(payer)) is not None:
            await self._wait_for_headroom(short, lambda: self._out_of_turns_or_time(payer))
        await self._warn_of(payer.of_turns_and_time)

    def _out_of_turns_or_time(self, payer: CostCenter) -> BudgetExceeded | None:
        self._count_time()
        for line, measure in self._charge(payer).of_turns_and_time:
            if line.left(measure) == 0:
                return BudgetExceeded(line, measure, 1, payer.agent, "")
        return None

    def _pricing_of(self, request: EffectRequest) -> CallPricing:
        about = request.about
        key = id(about.owner) if isinstance(about, Spending) else 0
        pricing = self._pricings.get(key)
        if pricing is None:
            payer = self._cost_center_of(agent_of(request, self._names))
            pricing = CallPricing(payer, request, self._books.prices)
            if key in self._names:
                self._pricings[key] = pricing
        return pricing

    def _cost_center_of(self, agent: str) -> CostCenter:
        return self._payers.get(agent) or self._payers.setdefault(agent, CostCenter(agent))

    def _charge(self, payer: CostCenter) -> CostCenter:
        """Have the payer know the accounts and limits that hold now."""
        if payer.edition != self._book.edition:
            payer.charge(self._lines_of(payer), self._book.edition)
        return payer

    def _lines_of(self, payer: CostCenter) -> list[BudgetLine]:
        team_id = self._run.debugger.team_id
        budget = self._book.of_run(self._run.id, team_id)
        lines = [BudgetLine("run", "", self._account, budget.run)]
        if payer.agent:
            lines.append(BudgetLine("agent", payer.agent, payer.account, budget.of_agent(payer.agent)))
        return [*lines, *self._book.day_lines(team_id)]

    def _release(self, hold: Reservation) -> None:
        hold.release()
        self._book.changed()

    async def _fail(self, request: EffectRequest, error: BaseException) -> None:
        """A call without an answer: one that was cut off may be charged for all the same, one that was refused not."""
        pricing, hold = self._under_way.pop(request, (None, _NOTHING))
        if pricing is None or hold is _NOTHING:
            return  # there was an answer, or nothing was set aside
        self._release(hold)
        if isinstance(error, ModelUnavailable) or not isinstance(error, Exception):
            self._book.roll_over()
            self._charge(pricing.payer).pay(hold.tokens, hold.micro_usd)
        elif hold.hold_id:
            await self._book.free(hold.hold_id)

    async def _warn_of(self, bounds: Sequence[tuple[BudgetLine, Measure]]) -> None:
        for line, measure in bounds:
            if line.account.spent(measure) >= WARN_AT * line.bounds[measure]:
                await self._warn(line, measure)

    async def _warn(self, line: BudgetLine, measure: Measure) -> None:
        key = (line.scope, line.name, measure, line.bounds[measure])
        if key not in self._warned:
            self._warned.add(key)
            await self._run.append(Draft("command", warning_of(line, measure)))

    def _count_time(self) -> None:
        if self._working_since is None:
            return
        now = self._clock()
        self._account.worked_s += now - self._working_since
        self._working_since = now


def _count(spent: JsonObject, name: str) -> int:
    value = spent.get(name)
    return value if isinstance(value, int) else 0


def _headroom(lines: Sequence[BudgetLine], most: TokenBound, price: Price | None) -> list[int]:
    """Tokens that each leaves for the answer; below 0 when not even the prompt can be paid."""
    for_prompt = price.max_micro_usd(most.prompt, 0) if price is not None else 0
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
    return prompt + answer, price.max_micro_usd(prompt, answer) if price else 0


def _first_exceeded(line: BudgetLine, most: TokenBound, price: Price | None, agent: str, model: str) -> BudgetExceeded:
    """What the line with the least room lacks. What others have set aside is waited for; it is told by its account."""
    answer = most.completion if most.is_set else min(most.completion, DEFAULT_ANSWER_TOKENS)
    tokens, micro_usd = _amounts(most.prompt, answer, price)
    money = line.left("micro_usd")
    if money is not None and money < micro_usd:
        return BudgetExceeded(line, "micro_usd", micro_usd, agent, model)
    return BudgetExceeded(line, "tokens", tokens, agent, model)
