"""Context variables that a team shares."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio import effects
from studio.agents import AssistantAgent
from studio.components import JsonObject, all_capabilities
from studio.conditions import ContextVariableTermination, MaxMessageTermination
from studio.errors import ConfigError, InvalidComponent
from studio.messages import CancellationToken, ContextVariablesEvent, TaskResult
from studio.models import ReplayChatCompletionClient
from studio.runs import RunState
from studio.teams import DiGraph, DiGraphEdge, DiGraphNode, GraphFlow, RoundRobinGroupChat, Team
from studio.tools import ContextVariables, FunctionTool
from tests.runs.conftest import new_database as new_database
from tests.runs.conftest import open_studio as open_studio
from tests.runs.conftest import world as world
from tests.runs.scripted import OpenStudio
from tests.teams.scripted import ABLE, CountingWorld, agent, said, wishes


def add(count: int, variables: ContextVariables) -> str:
    """Add to the count."""
    variables["count"] = variables.get("count", 0) + count
    return f"now {variables['count']}"


async def add_at_once(count: int, variables: ContextVariables) -> str:
    return add(count, variables)


ADD_HERE = FunctionTool(add_at_once, name="add", description="Add to the count.")
ADD = FunctionTool(
    name="add",
    description="Add to the count.",
    source_code=(
        "def add(count: int, variables: ContextVariables) -> str:\n"
        "    variables['count'] = variables.get('count', 0) + count\n"
        "    return f\"now {variables['count']}\"\n"
    ),
)


def adder(name: str, *counts: int, **config: object) -> AssistantAgent:
    """An agent that adds each of these in a turn of its own."""
    calls = [wishes(("add", f'{{"count": {count}}}')) for count in counts]
    return agent(name, *calls, tools=[FunctionTool(add, description="")], **config)


def team_of(*agents: AssistantAgent | Team, turns: int = 2, **config: object) -> RoundRobinGroupChat:
    return RoundRobinGroupChat.model_validate(
        {"participants": list(agents), "max_turns": turns, "context_variables": {"count": 0}, **config}
    )


def prompts(world: CountingWorld) -> list[str]:
    """The first message of each model call."""
    found: list[str] = []
    for body in world.bodies:
        if isinstance(body, dict) and isinstance(messages := body.get("messages"), list):
            first = messages[0]
            assert isinstance(first, dict)
            found.append(str(first["content"]))
    return found


async def test_what_one_agents_tool_sets_the_tool_of_another_one_finds():
    team = team_of(adder("a", 1), adder("b", 2))
    result = await team.run(task="go")
    assert said(result.messages)[-1] == ("b", "now 3")
    assert [item.content for item in result.messages if isinstance(item, ContextVariablesEvent)] == [
        {"count": 1},
        {"count": 3},
    ]
    assert team.variables == {"count": 3}
    assert team.context_variables == {"count": 0}


async def test_reset_gives_the_variables_that_the_team_began_with():
    team = team_of(adder("a", 5), turns=1)
    await team.run(task="go")
    await team.reset()
    assert team.variables == {"count": 0}


async def test_variables_are_saved_with_the_team_and_taken_up_again():
    team = team_of(adder("a", 5, 1), turns=1)
    await team.run(task="go")
    state = await team.save_state()
    assert state["context_variables"] == {"count": 5}
    other = team_of(adder("a", 1), turns=1)
    await other.load_state(state)
    assert said((await other.run()).messages)[-1] == ("a", "now 6")
    await other.load_state({key: value for key, value in state.items() if key != "context_variables"})
    assert other.variables == {"count": 0}


async def test_a_state_with_spoilt_variables_changes_nothing():
    team = team_of(adder("a", 5), turns=1)
    await team.run(task="go")
    state = await team.save_state()
    with pytest.raises(ValueError, match="Invalid state format"):
        await team.load_state({**state, "context_variables": ["count"]})
    assert await team.save_state() == state


async def test_a_team_without_variables_has_the_state_and_json_of_agentchat():
    team = RoundRobinGroupChat(participants=[agent("a", "1")], max_turns=1)
    await team.run(task="go")
    assert (await team.save_state()).keys() == {"type", "version", "agent_states"}
    config = team.dump_component()["config"]
    assert isinstance(config, dict)
    assert config.keys() == {"name", "description", "participants", "max_turns", "emit_team_events"}
    assert team.variables is None


def test_variables_survive_the_way_through_json():
    variables: JsonObject = {"none": None, "list": [1, {"provider": "autogen.Nothing", "config": {}}], "text": "{x}"}
    team = team_of(agent("a", "1"), context_variables=variables)
    dumped = team.dump_component()
    loaded = Team.load_component(dumped)
    assert loaded.dump_component() == dumped
    assert loaded.context_variables == variables


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
async def test_any_variables_survive_json_and_state(variables: JsonObject):
    team = team_of(agent("a", "1"), context_variables=variables)
    dumped = team.dump_component()
    loaded = Team.load_component(json.loads(json.dumps(dumped)))
    assert loaded == team
    assert loaded.dump_component() == dumped
    assert team.variables == variables
    other = team_of(agent("a", "1"), context_variables={})
    await other.load_state(json.loads(json.dumps(await team.save_state())))
    assert other.variables == variables


def test_an_empty_object_of_variables_is_kept():
    team = Team.load_component(team_of(agent("a", "1"), context_variables={}).dump_component())
    assert team.context_variables == {}
    assert team.variables == {}


async def test_a_team_inside_shares_the_variables_around_it():
    inner = RoundRobinGroupChat(name="inner", participants=[adder("b", 2)], max_turns=1)
    team = team_of(adder("a", 1), inner)
    await team.run(task="go")
    assert team.variables == {"count": 3}
    assert "context_variables" not in str(await inner.save_state())


async def test_a_team_inside_with_variables_of_its_own_keeps_to_them():
    inner = team_of(adder("b", 2), turns=1, name="inner", context_variables={})
    team = team_of(adder("a", 1), inner)
    await team.run(task="go")
    assert (team.variables, inner.variables) == ({"count": 1}, {"count": 2})
    state = await team.save_state()
    fresh_inner = team_of(adder("b", 2), turns=1, name="inner", context_variables={})
    fresh = team_of(adder("a", 1), fresh_inner)
    await fresh.load_state(state)
    assert (fresh.variables, fresh_inner.variables) == ({"count": 1}, {"count": 2})


async def test_instructions_are_filled_in_anew_for_each_answer_where_that_is_asked_for():
    asked = CountingWorld()
    teller = agent(
        "a",
        wishes(("add", '{"count": 7}')),
        "done",
        tools=[FunctionTool(add, description="")],
        max_tool_iterations=2,
        system_message="{{Count}}: {count} of {goals}",
        system_message_holds_variables=True,
    )
    with effects.use(asked):
        await team_of(teller, turns=1, context_variables={"count": 1, "goals": ["win", True]}).run(task="go")
    assert prompts(asked) == ['{Count}: 1 of ["win", true]', '{Count}: 8 of ["win", true]']


async def test_braces_in_instructions_stay_where_nothing_is_asked_for():
    asked = CountingWorld()
    with effects.use(asked):
        await team_of(agent("a", "1", system_message="{count} {"), turns=1).run(task="go")
    assert prompts(asked) == ["{count} {"]


async def test_a_variable_that_is_not_there_is_told():
    teller = agent("a", "1", system_message="Hi {name}", system_message_holds_variables=True)
    with pytest.raises(ConfigError, match="cannot be filled in: 'name'"):
        await team_of(teller).run(task="go")
    with pytest.raises(ConfigError, match="There are no context variables"):
        await teller.run(task="go")


def test_instructions_that_cannot_be_filled_in_are_refused_when_they_are_loaded():
    config = agent("a", "1").dump_component()
    inner = config["config"]
    assert isinstance(inner, dict)
    inner.update(system_message="{count", system_message_holds_variables=True)
    with pytest.raises(InvalidComponent) as refused:
        AssistantAgent.load_component(config)
    assert refused.value.findings[0].where == "/config/system_message_holds_variables"


async def test_a_condition_on_the_variables_stops_the_team():
    team = team_of(
        adder("a", 2, 2, 2),
        turns=9,
        termination_condition=ContextVariableTermination(condition="${count} >= 4")
        | MaxMessageTermination(max_messages=30),
    )
    result = await team.run(task="go")
    assert result.stop_reason == "The context variables say: ${count} >= 4"
    assert team.variables == {"count": 4}


async def test_a_condition_on_variables_that_no_team_has_is_told_before_the_run():
    team = RoundRobinGroupChat(
        participants=[agent("a", "1")], termination_condition=ContextVariableTermination(condition="done")
    )
    with pytest.raises(ConfigError, match="There are no context variables"):
        await team.run(task="go")


def graph() -> GraphFlow:
    """An adder that goes on to itself until the count is reached, then to the end."""
    again = DiGraphEdge(target="a", context_condition="count < 3", activation_group="again")
    done = DiGraphEdge(target="z", context_condition="count >= 3")
    nodes = {"a": DiGraphNode(name="a", edges=[again, done]), "z": DiGraphNode(name="z")}
    return GraphFlow(
        participants=[adder("a", 1, 1, 1, 1), agent("z", "done")],
        graph=DiGraph(nodes=nodes, default_start_node="a"),
        max_turns=9,
        context_variables={},
    )


async def test_an_edge_of_a_graph_is_taken_when_the_variables_say_so():
    result = await graph().run(task="go")
    assert said(result.messages)[-1] == ("z", "done")
    assert [text for _, text in said(result.messages) if text.startswith("now")] == ["now 1", "now 2", "now 3"]


def test_an_edge_with_a_condition_on_variables_survives_the_way_through_json():
    dumped = graph().dump_component()
    assert Team.load_component(dumped).dump_component() == dumped
    assert "context_condition" in str(dumped)


async def test_a_recorded_run_logs_the_changes_and_its_team_needs_no_more_than_the_function(open_studio: OpenStudio):
    call = wishes(("add", '{"count": 3}'))
    client = ReplayChatCompletionClient(chat_completions=[call], model_info=ABLE)
    team = team_of(AssistantAgent("a", client, tools=[ADD]), turns=1)
    document = team.dump_component()
    needs = all_capabilities(Team.load_component(document))
    assert [need.kind for need in needs] == ["python"]
    async with open_studio() as studio:
        await studio.store.approvals.approve(needs, by="ann")
        run_id = await studio.supervisor.start(document, "Go.")
        await studio.until(run_id, RunState.FINISHED)
        log = await studio.log(run_id)
    kinds = [entry.body.get("type") for entry in log if entry.kind == "event"]
    assert kinds == ["ToolCallRequestEvent", "ContextVariablesEvent", "ToolCallExecutionEvent"]
    results = [entry.body["result"] for entry in log if entry.kind == "effect" and entry.body["effect"] == "tool"]
    changed: JsonValue = {"set": {"count": 3}, "removed": []}
    assert results == [{"value": "now 3", "text": "now 3", "context_variables": changed}]


async def test_what_a_finished_call_changed_stays_when_the_calls_beside_it_are_broken_off():
    token = CancellationToken()

    async def hang(variables: ContextVariables) -> str:
        variables["count"] = 99
        token.cancel()
        await asyncio.Event().wait()
        return "never"

    calls = wishes(("add", '{"count": 5}'), ("hang", "{}"))
    tools = [ADD_HERE, FunctionTool(hang, description="")]
    team = team_of(agent("a", calls, tools=tools), turns=1)
    with pytest.raises(asyncio.CancelledError):
        await team.run(task="go", cancellation_token=token)
    assert team.variables == {"count": 5}


async def test_every_run_of_a_team_goes_on_with_its_variables():
    team = team_of(adder("a", 1, 1), turns=1)
    for _ in range(2):
        assert isinstance(await team.run(task="go"), TaskResult)
    assert team.variables == {"count": 2}
