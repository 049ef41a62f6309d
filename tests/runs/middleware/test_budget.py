"""Limits of runs: what would exceed one is not done, whatever works side by side."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.components import JsonObject
from studio.runs import RunState
from studio.runs.spending.limits import Budget, DayLimits, Limits
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.fakes.responses_server import ResponsesServer
from tests.runs.middleware.budgeted import PRICE, SCRIPTED, TEAM, agent, in_turn, opened


def side_by_side(*agents: JsonObject) -> JsonObject:
    """All speak at once, and then the last one."""
    names = [str(each["config"]["name"]) for each in agents if isinstance(each["config"], dict)]
    *branches, last = names
    nodes: dict[str, Any] = {name: {"name": name, "edges": [{"target": last}]} for name in branches}
    nodes[last] = {"name": last, "edges": []}
    return {
        "provider": "autogen_agentchat.teams.GraphFlow",
        "component_type": "team",
        "config": {"participants": list(agents), "graph": {"nodes": nodes}},
    }


USAGES = st.tuples(st.integers(0, 400), st.integers(0, 400))


@st.composite
def teams(draw: st.DrawFn) -> tuple[JsonObject, list[tuple[int, int]]]:
    """A team and what its calls take, in any order."""
    count = draw(st.integers(2, 5))
    rounds = 1 if (is_graph := draw(st.booleans())) else draw(st.integers(1, 3))
    usages = [[draw(USAGES) for _ in range(rounds)] for _ in range(count)]
    agents = [agent(f"a{place}", *each) for place, each in enumerate(usages)]
    document = side_by_side(*agents) if is_graph else in_turn(*agents, turns=count * rounds)
    return document, [usage for each in usages for usage in each]


def cost(usages: list[tuple[int, int]]) -> int:
    return sum(PRICE.micro_usd(*usage) for usage in usages)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    teams(), st.integers(0, 12_000), st.sampled_from(["run", "agent", "team", "studio"]), st.lists(st.integers(1, 6000))
)
def test_what_is_spent_never_exceeds_the_limit(
    made: tuple[JsonObject, list[tuple[int, int]]], limit: int, where: str, raises: list[int]
) -> None:
    document, usages = made
    limits, day = Limits(micro_usd=limit), DayLimits(micro_usd=limit)
    budgets = {
        "run": {f"team:{TEAM}": Budget(run=limits)},
        "agent": {"studio": Budget(agents={"*": limits})},
        "team": {f"team:{TEAM}": Budget(day=day)},
        "studio": {"studio": Budget(day=day)},
    }[where]

    async def spend() -> None:
        async with opened(budgets) as studio:
            run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
            view = await studio.until_question_or_end(run_id)
            allowed, rest = limit, list(raises)
            while view.pending is not None:
                details = view.pending.details
                spent, estimate = int(str(details["spent"])), int(str(details["next_call_estimate"]))
                assert spent <= int(str(details["limit"])) < spent + estimate
                if not rest:
                    view = await studio.answer(run_id, view, action="stop")
                    assert view.state is RunState.STOPPED
                    break
                allowed += rest[0]
                view = await studio.answer(run_id, view, action="raise", by=rest.pop(0))
            if where != "agent":
                assert view.usage.micro_usd <= allowed
            if view.state is RunState.FINISHED:
                assert view.usage.micro_usd == cost(usages)

    asyncio.run(spend())


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 4), st.integers(300, 40_000), st.integers(1, 9000), st.floats(0.1, 1.0))
def test_a_service_is_never_asked_for_more_than_the_limit_allows(
    openai_server: OpenAIServer, branches: int, limit: int, wished: int, share: float
) -> None:
    """The service takes as many tokens as it is allowed, and counts up to as many tokens as the prompt has bytes."""
    taken: list[int] = []

    def answer(body: dict[str, Any]) -> Reply:
        prompt = int(share * len(json.dumps(body["messages"])) / 2)
        completion = min(wished, body["max_tokens"])
        taken.append(prompt + completion)
        return Reply("Said.", usage=(prompt, completion))

    openai_server.always(answer)
    agents = [agent(f"a{place}", model="gpt-4o-mini", base_url=openai_server.url) for place in range(branches + 1)]

    async def spend() -> None:
        async with opened({f"team:{TEAM}": Budget(run=Limits(tokens=limit))}) as studio:
            run_id = await studio.supervisor.start(side_by_side(*agents), "Go.", team_id=TEAM)
            view = await studio.until_question_or_end(run_id)
            if view.pending is not None:
                view = await studio.answer(run_id, view, action="stop")
            assert sum(taken) <= limit
            assert view.usage.prompt_tokens + view.usage.completion_tokens <= limit

    asyncio.run(spend())


async def test_a_warning_comes_at_four_fifths_once() -> None:
    document = in_turn(agent("a", (400, 0), (0, 0), (20, 0)), turns=3)
    async with opened({"studio": Budget(run=Limits(tokens=500))}) as studio:
        run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
        assert await studio.warnings(run_id) == ["400 tokens of 500 tokens used: the budget of this run."]


async def test_a_run_is_paused_at_its_budget_with_the_question_what_to_do() -> None:
    document = in_turn(agent("a", (100, 0), (100, 0)), turns=2)
    async with opened({f"team:{TEAM}": Budget(run=Limits(micro_usd=300))}) as studio:
        run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
        view = await studio.until_question_or_end(run_id)
        assert (view.state, view.reason) == (RunState.PAUSED, "budget")
        assert view.pending is not None
        assert view.pending.kind == "budget"
        assert view.pending.details == {
            "scope": "run", "name": "", "measure": "micro_usd", "limit": 300, "spent": 200,
            "next_call_estimate": 200, "model": SCRIPTED, "why": "",
        }  # fmt: skip
        assert "$0.0003" in view.pending.prompt
        view = await studio.answer(run_id, view, action="raise", by=50)
        assert view.pending is not None
        view = await studio.answer(run_id, view, action="raise", by=50)
        assert (view.state, view.usage.micro_usd) == (RunState.FINISHED, 400)


async def test_the_limits_of_a_run_can_be_changed_while_it_waits() -> None:
    document = in_turn(agent("a", (100, 0), (100, 0)), turns=2)
    async with opened({"studio": Budget(run=Limits(tokens=150))}) as studio:
        run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
        view = await studio.until_question_or_end(run_id)
        await studio.books.budgets.set(f"run:{run_id}", Budget(run=Limits(tokens=200)))
        assert (await studio.answer(run_id, view, action="look")).state is RunState.FINISHED


async def test_turns_are_limited() -> None:
    document = in_turn(agent("a", (1, 1), (1, 1), (1, 1)), turns=3)
    async with opened({"studio": Budget(run=Limits(turns=2))}) as studio:
        run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
        view = await studio.until_question_or_end(run_id)
        assert view.pending is not None
        assert view.pending.prompt == "The budget of this run is used up: 2 turns of 2 turns."
        assert (await studio.answer(run_id, view, action="raise", by=1)).state is RunState.FINISHED


async def test_a_team_that_ends_with_its_last_turn_is_not_asked_about() -> None:
    document = in_turn(agent("a", (1, 1), (1, 1)), turns=2)
    async with opened({"studio": Budget(run=Limits(turns=2))}) as studio:
        run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
        assert (await studio.until_question_or_end(run_id)).state is RunState.FINISHED


@pytest.mark.slow
async def test_what_others_spent_today_counts_for_the_day() -> None:
    document = in_turn(agent("a", (100, 0)), turns=1)
    budget = {f"team:{TEAM}": Budget(day=DayLimits(micro_usd=1000))}
    async with opened(budget, spent_today={TEAM: {"micro_usd": 900}}) as studio:
        run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
        view = await studio.until_question_or_end(run_id)
        assert view.pending is not None
        assert view.pending.details["scope"] == "team_day"
        other = await studio.supervisor.start(document, "Go.", team_id="other")
        assert (await studio.until_question_or_end(other)).state is RunState.FINISHED


async def test_a_model_whose_price_nobody_knows_is_only_asked_when_a_person_allows_it(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def elsewhere(url: str) -> bool:
        return url != openai_server.url

    monkeypatch.setattr("studio.models.service.is_this_machine", elsewhere)
    openai_server.always("Said.")
    document = in_turn(agent("a", model="unheard-of", base_url=openai_server.url), turns=1)
    async with opened({"studio": Budget(run=Limits(micro_usd=1000))}) as studio:
        run_id = await studio.supervisor.start(document, "Go.", team_id=TEAM)
        view = await studio.until_question_or_end(run_id)
        assert view.pending is not None
        assert (view.pending.details["why"], openai_server.request_count) == ("unpriced", 0)
        assert (await studio.answer(run_id, view, action="allow")).usage.unpriced_calls == 1


async def test_without_limits_a_request_is_sent_as_it_always_was(openai_server: OpenAIServer) -> None:
    openai_server.always("Said.")
    document = in_turn(agent("a", model="gpt-4o-mini", base_url=openai_server.url), turns=1)
    async with opened({}) as studio:
        await studio.until_question_or_end(await studio.supervisor.start(document, "Go.", team_id=TEAM))
    assert "max_tokens" not in openai_server.requests[0].body


def test_the_limits_of_a_team_go_before_those_of_the_studio() -> None:
    team = Budget(run=Limits(tokens=5), agents={"a": Limits(turns=1)})
    studio = Budget(run=Limits(tokens=9, turns=3), agents={"a": Limits(tokens=7), "*": Limits(seconds=4)})
    both = team.over(studio)
    assert both.run == Limits(tokens=5, turns=3)
    assert both.of_agent("a") == Limits(turns=1, tokens=7, seconds=4)
    assert both.of_agent("b") == Limits(seconds=4)


@pytest.mark.slow
async def test_an_agent_that_asks_its_service_by_itself_is_kept_within_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no model client; the service takes all that it is allowed."""
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    taken: list[int] = []

    def answer(body: dict[str, Any]) -> Reply:
        taken.append(body["max_output_tokens"] + 100)
        return Reply("Said.", usage=(100, body["max_output_tokens"]))

    with ResponsesServer() as server:
        server.always(answer)
        config = {"name": "asker", "description": "Asks.", "model": "gpt-4o-mini", "instructions": "Help."}
        asker: JsonObject = {
            "provider": "autogen_ext.agents.openai.OpenAIAgent",
            "component_type": "agent",
            "config": {**config, "base_url": server.url, "api_key": "key"},
        }
        async with opened({"studio": Budget(run=Limits(tokens=9_000))}) as studio:
            run_id = await studio.supervisor.start(in_turn(asker, turns=5), "Go.", team_id=TEAM)
            view = await studio.until_question_or_end(run_id)
            assert view.pending is not None
            assert view.pending.details["measure"] == "tokens"
            assert view.usage.prompt_tokens + view.usage.completion_tokens == sum(taken) <= 9_000
            assert taken
