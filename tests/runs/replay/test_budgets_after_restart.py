"""What a run has spent still counts when another server takes it up."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from studio.models.prices import PriceBook
from studio.runs import PendingInput, RunState, SpendingScope, spending_scope
from studio.runs.spending.ledger import BudgetRegistry
from studio.runs.spending.limits import Budget, Limits
from tests.runs.middleware.budgeted import PRICE, SCRIPTED, agent, in_turn
from tests.runs.scripted import OpenStudio, Studio
from tests.runs.tooling import asked

AN_HOUR = 3600
THREE_TURNS = in_turn(agent("a", (100, 0), (100, 0), (100, 0)), turns=3)


@contextmanager
def limited(**limits: Limits) -> Generator[None]:
    """Budgets of the studio: `run` for each run, any other name for the agent of that name."""
    budget = Budget(run=limits.pop("run", Limits()), agents=limits)
    kept = BudgetRegistry(None, {"studio": budget.model_dump(mode="json")}, {})
    with spending_scope(SpendingScope(PriceBook({SCRIPTED: PRICE}), kept)):
        yield


async def raised(studio: Studio, run_id: str, question: PendingInput, by: int) -> None:
    text = json.dumps({"action": "raise", "by": by})
    await studio.supervisor.command(run_id, "answer", request_id=question.request_id, text=text)


@pytest.mark.slow
async def test_what_an_agent_spent_counts_after_a_restart(open_studio: OpenStudio) -> None:
    with limited(run=Limits(turns=2), a=Limits(tokens=250)):
        async with open_studio() as studio:
            run_id = await studio.supervisor.start(THREE_TURNS, "Go.")
            question = await asked(studio, run_id, "budget")
            assert question.details["measure"] == "turns"
        async with open_studio() as studio:
            await raised(studio, run_id, question, by=1)
            question = await asked(studio, run_id, "budget")
            assert (question.details["scope"], question.details["spent"]) == ("agent", 200)
            await raised(studio, run_id, question, by=50)
            await studio.until(run_id, RunState.FINISHED)


@pytest.mark.slow
async def test_the_time_that_a_run_took_counts_after_a_restart(open_studio: OpenStudio, tmp_path: Path) -> None:
    """The run worked for an hour, then waited for another one, with and without a server."""
    with limited(run=Limits(turns=2, seconds=AN_HOUR)):
        async with open_studio() as studio:
            run_id = await studio.supervisor.start(THREE_TURNS, "Go.")
            question = await asked(studio, run_id, "budget")
        with closing(sqlite3.connect(tmp_path / "studio.db")) as database, database:
            ((paused,),) = database.execute("select max(seq) from run_event where run_id = ?", [run_id])
            for hours, which in ((2, "seq < ?"), (1, "seq >= ?")):
                earlier = f"update run_event set at = datetime(at, '-{hours} hours') where run_id = ? and {which}"
                database.execute(earlier, [run_id, paused])
        async with open_studio() as studio:
            await raised(studio, run_id, question, by=1)
            question = await asked(studio, run_id, "budget")
            assert question.details["measure"] == "seconds"
            assert AN_HOUR <= int(str(question.details["spent"])) < 1.5 * AN_HOUR
            await raised(studio, run_id, question, by=AN_HOUR)
            await studio.until(run_id, RunState.FINISHED)
