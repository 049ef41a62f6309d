from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import NotFound
from studio.runs import Draft, Lease, NewRun, RunState, RunStatus, Usage
from studio.store import Cost, Store
from studio.store.evaluation_tables import Evaluation
from tests.store.stores import OpenStore

FINISHED = RunStatus(state=RunState.FINISHED, reason="end", usage=Usage(20, 6, 900, 1))
LARGE = 3_000_000_000
"""More than fits in 32 bits."""


def call(agent: str, model: str, micro_usd: int | None, **fields: int) -> Draft:
    spent: dict[str, JsonValue] = {"agent": agent, "name": model, "prompt_tokens": 10, "completion_tokens": 3, **fields}
    return Draft("effect", {"effect": "model", "source": agent, "spent": {**spent, "micro_usd": micro_usd}})


def tool(agent: str, name: str, ms: int) -> Draft:
    return Draft("effect", {"effect": "tool", "source": agent, "spent": {"agent": agent, "name": name, "ms": ms}})


async def spend(store: Store, *drafts: Draft, team_id: str | None = None) -> Lease:
    """A run that took this, one call at a time."""
    lease = await store.runs.create(NewRun({"provider": "x"}, "Go.", "Go.", team_id, "Pair"))
    for draft in drafts:
        await store.runs.append(lease, [draft], FINISHED)
    return lease


async def test_calls_are_added_up_by_agent_model_and_tool(open_it: OpenStore) -> None:
    async with open_it() as store:
        calls = call("ann", "m", 500, ms=7, cached_tokens=2), call("ann", "m", None, ms=LARGE), tool("ann", "write", 4)
        run = await spend(store, *calls, call("bob", "m", 400))
        of_ann = Cost(calls=2, prompt_tokens=20, completion_tokens=6, cached_tokens=2, micro_usd=500, unpriced_calls=1)
        of_bob = Cost(calls=1, prompt_tokens=10, completion_tokens=3, micro_usd=400)
        assert [tuple(part) for part in await store.costs.of_run(run.run_id)] == [
            ("ann", "model", "m", of_ann.model_copy(update={"ms": LARGE + 7})),
            ("ann", "tool", "write", Cost(calls=1, ms=4)),
            ("bob", "model", "m", of_bob),
        ]
        steps = await store.costs.steps_of_run(run.run_id)
        assert [(step.seq, step.source, step.spent.get("ms")) for step in steps] == [
            (1, "ann", 7),
            (2, "ann", LARGE),
            (3, "ann", 4),
            (4, "bob", None),
        ]


async def test_a_day_is_told_by_team_and_model(open_it: OpenStore) -> None:
    today = datetime.now(UTC).date()
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
        for _ in range(2):
            await spend(store, call("ann", "m", 500), call("bob", "n", 5), tool("bob", "write", 1), team_id=team.id)
        await spend(store, call("ann", "m", 7))
        parts = await store.costs.by_day(since=today, until=today, team_id=team.id)
        assert [(part.team_name, part.model, part.run_count, part.sum.micro_usd) for part in parts] == [
            ("Pair", "m", 2, 1000),
            ("Pair", "n", 2, 10),
        ]
        spent = await store.costs.of_day(today)
        assert {key: cost.micro_usd for key, cost in spent.items()} == {team.id: 1010, "": 7}
        await store.teams.delete(team.id)
        assert (await store.costs.of_day(today))[team.id].calls == 4


async def test_past_runs_tell_whole_numbers(open_it: OpenStore) -> None:
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
        await spend(store, call("ann", "m", 500, ms=LARGE), call("ann", "m", 400, ms=LARGE), team_id=team.id)
        await spend(store, team_id=team.id)
        (past,) = await store.costs.past_runs(team.id, limit=5)
        assert repr(past) == f"PastRun(tokens=26, micro_usd=900, unpriced_calls=1, ms={2 * LARGE})"


async def test_own_prices_and_budgets_replace_older_ones(open_it: OpenStore) -> None:
    async with open_it() as store:
        for price in (1.0, 0.1):
            await store.costs.set_price("m", input=price, output=2 * price, cached_input=None)
        prices = await store.costs.own_prices()
        assert [(name, price.input, price.output, price.cached_input) for name, price in prices.items()] == [
            ("m", 0.1, 0.2, None)
        ]
        await store.costs.forget_price("m")
        with pytest.raises(NotFound):
            await store.costs.forget_price("m")
        for usd in (5, 2):
            limits: JsonObject = {"usd": usd}
            await store.costs.put("studio", limits)
        assert await store.costs.budgets() == {"studio": {"usd": 2}}


async def test_limits_of_what_is_gone_are_not_kept(open_it: OpenStore) -> None:
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
        run, other = [await spend(store) for _ in range(2)]
        days = ["day:2026-11-20:studio", f"day:2026-11-21:{team.id}"]
        owners = [f"run:{run.run_id}", f"run:{other.run_id}", f"team:{team.id}", "run:long-gone", "team:long-gone"]
        for scope in ("studio", *days, *owners):
            await store.costs.put(scope, {"run": {"turns": 1}})
        await store.runs.append(run, [], FINISHED)
        await store.runs.delete(run.run_id)
        assert f"run:{run.run_id}" not in await store.costs.budgets()
        await store.costs.prune(datetime(2026, 11, 21, tzinfo=UTC))
        assert set(await store.costs.budgets()) == {"studio", days[1], f"run:{other.run_id}", f"team:{team.id}"}
        assert f"run:{other.run_id}" in await store.costs.budgets(only_open=True)
        await store.runs.append(other, [], FINISHED)
        assert set(await store.costs.budgets(only_open=True)) == {"studio", days[1], f"team:{team.id}"}
        await store.teams.delete(team.id)
        assert f"team:{team.id}" not in await store.costs.budgets()


async def test_limits_of_a_judge_that_has_not_begun_are_kept(open_it: OpenStore) -> None:
    now = datetime.now(UTC)
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
        suite = await store.suites.add(team.id, "Capitals", {}, 1, "ann")
        plan = Evaluation(
            id="evaluation",
            suite_id=suite.id,
            team_id=team.id,
            suite_revision=1,
            suite_name="Capitals",
            document={},
            repeats=1,
            at_once=1,
            cell_count=0,
            state="running",
            created_at=now,
        )
        await store.evaluations.add(plan, [], [])
        await store.preferences.begin(plan.id, 1, ["judge"])
        for scope in ("run:judge", "run:long-gone"):
            await store.costs.put(scope, {"run": {"turns": 1}})
        await store.costs.prune(now)
        assert set(await store.costs.budgets()) == {"run:judge"}
