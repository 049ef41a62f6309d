"""What calls cost, from what they are paid, and what of it the status of a run tells."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import pytest
from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects import EffectRequest, RecordingEffects
from studio.errors import SetupError
from studio.models import Price
from studio.models.prices import PriceBook
from studio.models.spending import Spending
from studio.runs import Lease, RunState, RunStatus, SpendingScope, Usage
from studio.runs.active_run import ActiveRun
from studio.runs.middleware.budget import BudgetEffects
from studio.runs.spending.ledger import A_DAY_S, BudgetRegistry, DayTotals, Hold, NullBudgetStore
from studio.runs.spending.limits import Budget, DayLimits
from tests.runs.memory_log import MemoryLog

ANSWER: JsonObject = {"usage": {"prompt_tokens": 100, "completion_tokens": 10}}


def price(input: float, month: int) -> Price:
    return Price(input=input, output=10, as_of=date(2026, month, 1), source="own")


@dataclass(eq=False)
class Client:
    """Who asks a model."""

    source: str = "some-model"
    is_free: bool = False

    def is_charged(self, answer: dict[str, JsonValue]) -> bool:
        return answer.get("cached") is not True


class Reckoning:
    """A run whose one agent asks a model, and what its calls are put down in."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.prices = PriceBook({"some-model": price(2, month=1)})
        self.book = BudgetRegistry(clock=lambda: self.now_s)
        self.log = MemoryLog()
        self.run = ActiveRun(Lease("run", 1), self.log, RunStatus())
        self._client = Client()
        recording = RecordingEffects(self.run.record_effect, run_id="run", written=self.run.wait_written)
        names = {id(self._client): "ann"}
        self._port = BudgetEffects(recording, self.run, SpendingScope(self.prices, self.book), names)
        recording.meter = self._port.record_spending

    async def ask(self, answer: JsonObject) -> None:
        async def perform() -> JsonValue:
            return answer

        about = Spending(self._client, lambda: None)
        await self._port.call(EffectRequest("model", "some-model", lambda: None, about=about), perform)

    async def told(self) -> list[tuple[JsonValue, ...]]:
        """Tokens, money and the kind of price of each call, as the log has them."""
        await self.run.wait_written()
        spent = [entry.body["spent"] for entry in self.log.entries if entry.kind == "effect"]
        return [(each["prompt_tokens"], each["micro_usd"], each["price"]) for each in spent if isinstance(each, dict)]

    @property
    def today(self) -> tuple[int, int]:
        """Tokens and money of all runs of the day."""
        (line,) = self.book.day_lines("")
        return line.account.tokens, line.account.micro_usd


@pytest.fixture
async def reckoning() -> Reckoning:
    return Reckoning()


async def test_a_price_that_is_set_holds_from_the_next_call_on(reckoning: Reckoning) -> None:
    await reckoning.ask(ANSWER)
    reckoning.prices.own = {"some-model": price(3, month=2)}
    await reckoning.ask(ANSWER)
    reckoning.prices.own = {}
    await reckoning.ask(ANSWER)
    assert await reckoning.told() == [(100, 300, "own 2026-01-01"), (100, 400, "own 2026-02-01"), (100, None, "")]
    assert reckoning.run.usage == Usage(300, 30, 700, 1)


async def test_an_answer_that_was_kept_costs_nothing_though_its_tokens_count(reckoning: Reckoning) -> None:
    await reckoning.ask({**ANSWER, "cached": True})
    assert await reckoning.told() == [(0, 0, "kept answer")]
    assert reckoning.run.usage == Usage(100, 10, 0, 0)
    assert reckoning.today == (0, 0)


async def test_what_says_no_usage_is_none(reckoning: Reckoning) -> None:
    await reckoning.ask({"content": "Hello."})
    assert await reckoning.told() == [(0, None, "own 2026-01-01")]
    assert reckoning.run.usage == Usage()


async def test_what_is_spent_after_midnight_is_spent_of_the_new_day(reckoning: Reckoning) -> None:
    reckoning.now_s = A_DAY_S - 1
    await reckoning.ask(ANSWER)
    await reckoning.ask(ANSWER)
    assert reckoning.today == (220, 600)
    reckoning.now_s = A_DAY_S
    await reckoning.ask(ANSWER)
    assert reckoning.today == (110, 300)


async def test_what_was_spent_before_there_was_a_limit_counts_for_it(reckoning: Reckoning) -> None:
    for _ in range(2):
        await reckoning.ask(ANSWER)
    await reckoning.book.set("studio", Budget(day=DayLimits(tokens=330)))
    (line,) = reckoning.book.day_lines("")
    assert line.left("tokens") == 110


async def test_a_status_tells_the_usage_of_the_entries_that_it_is_written_with(reckoning: Reckoning) -> None:
    await reckoning.ask(ANSWER)
    await reckoning.run.change_state(RunState.RUNNING, "start")
    await reckoning.ask(ANSWER)
    await reckoning.run.wait_written()
    for count, status in reckoning.log.statuses:
        calls = [entry for entry in reckoning.log.entries[:count] if entry.kind == "effect"]
        assert status.usage.prompt_tokens == 100 * len(calls)
    assert reckoning.log.statuses[-1][0] == len(reckoning.log.entries)
    assert (reckoning.run.status.usage, reckoning.run.view.usage) == (Usage(200, 20, 600, 0),) * 2


class Restarting(NullBudgetStore):
    """A shared database that does not answer the first times."""

    is_shared = True

    def __init__(self) -> None:
        self.refusals_left = 2

    async def hold(self, hold: Hold, *, of_team: DayLimits, of_studio: DayLimits) -> tuple[bool, DayTotals]:
        if self.refusals_left:
            self.refusals_left -= 1
            raise SetupError("The database does not answer.")
        return await super().hold(hold, of_team=of_team, of_studio=of_studio)


async def test_a_call_waits_for_a_database_that_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.runs.spending.ledger.LOOK_S", 0)
    assert await BudgetRegistry(Restarting()).hold("team", 10, 10)
    monkeypatch.setattr("studio.runs.spending.ledger.PATIENCE", 1)
    with pytest.raises(SetupError):
        await BudgetRegistry(Restarting()).hold("team", 10, 10)
