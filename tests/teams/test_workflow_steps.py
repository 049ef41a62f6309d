"""What a workflow is made of beside its agents: steps without a model, kept answers, edges for the other cases."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from pydantic import JsonValue

from studio.agents import StepAgent
from studio.components import JsonObject, load_component, validate_component
from studio.errors import ConfigError, RunFailed
from studio.messages import ContextVariablesEvent, TaskResult
from studio.teams import GraphFlow, Team

STRUCTURED = "autogen_agentchat.messages.StructuredMessageFactory"


def assistant(name: str, *answers: str, fields: JsonObject | None = None, **config: JsonValue) -> JsonObject:
    """An agent that gives these answers; with `fields` as objects of them."""
    client: JsonObject = {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "config": {
            "chat_completions": list(answers),
            "model_info": {
                "vision": False,
                "function_calling": True,
                "json_output": True,
                "family": "unknown",
                "structured_output": True,
            },
        },
    }
    schema: JsonObject = {"type": "object", "properties": fields or {}, "required": list(fields or {})}
    wanted: JsonObject = {"provider": STRUCTURED, "config": {"json_schema": schema}}
    form: JsonObject = {"structured_message_factory": wanted, "reflect_on_tool_use": False} if fields else {}
    whole: JsonObject = {"name": name, "model_client": client, "system_message": None, **form, **config}
    return {"provider": "autogen_agentchat.agents.AssistantAgent", "config": whole}


def step(name: str, **config: JsonValue) -> JsonObject:
    return {"provider": "studio.agents.StepAgent", "config": {"name": name, **config}}


def sets(**values: str) -> list[JsonValue]:
    return [{"name": name, "expression": expression} for name, expression in values.items()]


def graph(
    participants: Sequence[JsonObject], edges: dict[str, list[JsonValue]], variables: JsonObject | None = None
) -> Team:
    names = [str(each["config"]["name"]) for each in participants if isinstance(each["config"], dict)]
    nodes: JsonObject = {name: {"name": name, "edges": edges.get(name, [])} for name in names}
    config: JsonObject = {
        "participants": list(participants),
        "graph": {"nodes": nodes, "default_start_node": names[0]},
        "context_variables": variables or {},
        "max_turns": 20,
    }
    document: JsonObject = {"provider": "autogen_agentchat.teams.GraphFlow", "config": config}
    assert validate_component(document).errors == ()
    team = load_component(document)
    assert isinstance(team, GraphFlow)
    return team


async def run(team: Team, task: str = "Hello") -> TaskResult:
    result = None
    async for item in team.run_stream(task):
        if isinstance(item, TaskResult):
            result = item
    assert result is not None
    return result


def said(result: TaskResult) -> list[str]:
    return [f"{each.source}: {each.to_text()}" for each in result.messages if each.is_chat]


def router(answer: str) -> Team:
    return graph(
        [
            assistant("sort", answer, fields={"kind": {"type": "string"}}, keep_as="sorted"),
            assistant("cook", "Boil it."),
            assistant("other", "No idea."),
        ],
        {
            "sort": [
                {"target": "cook", "context_condition": "sorted.kind == 'cook'"},
                {"target": "other", "otherwise": True},
            ]
        },
    )


@pytest.mark.parametrize(("kind", "who"), [("cook", "cook: Boil it."), ("rain", "other: No idea.")])
async def test_a_kept_answer_decides_on_the_way_and_the_other_edge_is_for_the_rest(kind: str, who: str):
    team = router(f'{{"kind": "{kind}"}}')
    result = await run(team)
    assert said(result)[-1] == who
    assert [each.content for each in result.messages if isinstance(each, ContextVariablesEvent)] == [
        {"sorted": {"kind": kind}}
    ]
    assert team.variables == {"sorted": {"kind": kind}}


async def test_nobody_hears_of_a_step_that_says_nothing():
    team = graph(
        [step("start", assignments=sets(task="message", tries="tries + 1")), assistant("answer", "Yes.")],
        {"start": [{"target": "answer", "context_condition": "task == 'Hello' and tries == 1"}]},
        {"tries": 0},
    )
    assert said(await run(team)) == ["user: Hello", "answer: Yes."]


async def test_a_step_says_its_text_with_variables_as_json_where_they_are_objects():
    team = graph(
        [step("end", assignments=sets(out='{"to": who, "text": message + "!"}'), message="{out} {who}")],
        {},
        {"who": "Ann"},
    )
    assert said(await run(team))[-1] == 'end: {"to": "Ann", "text": "Hello!"} Ann'


async def test_a_step_calls_its_tool_with_arguments_of_their_own_type():
    tool: JsonObject = {
        "provider": "autogen_core.tools.FunctionTool",
        "config": {
            "name": "twice",
            "description": "Double it.",
            "source_code": "def twice(count: int) -> int:\n    return count * 2\n",
        },
    }
    team = graph(
        [step("double", tool=tool, arguments=sets(count="count + 1"), keep_as="done", message="It is {result}.")],
        {},
        {"count": 4},
    )
    assert said(await run(team))[-1] == "double: It is 10."
    assert team.variables == {"count": 4, "done": "10"}


async def test_a_step_whose_tool_fails_ends_the_run_with_what_the_tool_says():
    tool: JsonObject = {
        "provider": "autogen_core.tools.FunctionTool",
        "config": {
            "name": "gone",
            "description": "",
            "source_code": "def gone() -> str:\n    raise NotImplementedError('It did not come along.')\n",
        },
    }
    with pytest.raises(RunFailed, match="It did not come along"):
        await run(graph([step("call", tool=tool)], {}))


async def test_a_loop_goes_on_while_its_condition_holds():
    team = graph(
        [step("again", assignments=sets(n="n + 1")), assistant("work", "One.", "Two."), step("end")],
        {
            "again": [
                {"target": "work", "context_condition": "n < 3", "activation_condition": "any"},
                {"target": "end", "otherwise": True},
            ],
            "work": [{"target": "again", "activation_condition": "any"}],
        },
        {"n": 0},
    )
    assert said(await run(team)) == ["user: Hello", "work: One.", "work: Two."]


async def test_a_step_without_variables_to_set_says_where_they_belong():
    document = step("alone", assignments=sets(x="1"))
    agent = load_component(document)
    assert isinstance(agent, StepAgent)
    with pytest.raises(ConfigError, match="no context variables"):
        await agent.on_messages([])


async def test_asked_outside_of_a_team_a_silent_step_answers_with_nothing():
    agent = load_component(step("alone"))
    assert isinstance(agent, StepAgent)
    assert (await agent.on_messages([])).chat_message.to_text() == ""


@pytest.mark.parametrize(
    "expression",
    ["__import__('os')", "x.__class__()", "[i for i in x]", "f'{x}'", "x[1:]", "x[y()]", "{**x}", "x ** 9", "a := 1"],
)
def test_an_expression_is_data(expression: str):
    errors = validate_component(step("bad", assignments=sets(x=expression))).errors
    assert errors
    assert "/config/assignments/0/expression" in errors[0].where


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x.a.b", 1),
        ("x['a']['c']", False),
        ("x.__class__", False),
        ("y[1]", "two"),
        ("y[7]", False),
        ("'a' + y[0]", "aone"),
        ("y + ['three']", ["one", "two", "three"]),
        ("7 % 4 - 1 / 2 * 4", 1.0),
        ("{'k': [x.a.b, -1]}", {"k": [1, -1]}),
        ("len(y) == 2 and not missing", True),
    ],
)
async def test_what_an_expression_makes(expression: str, value: JsonValue):
    team = graph([step("make", assignments=sets(made=expression))], {}, {"x": {"a": {"b": 1}}, "y": ["one", "two"]})
    await run(team)
    assert (team.variables or {})["made"] == value


@pytest.mark.parametrize("expression", ["'a' + 1", "'a' * 9", "1 / 0", "y - y", "long + long"])
async def test_what_does_not_go_together_is_told(expression: str):
    team = graph([step("make", assignments=sets(made=expression))], {}, {"y": [], "long": "x" * 600_000})
    with pytest.raises(ConfigError, match="cannot be evaluated"):
        await run(team)


async def test_the_state_of_a_workflow_goes_on_where_it_was_left():
    team = router('{"kind": "cook"}')
    stream = team.run_stream("Hello")
    async for item in stream:
        if not isinstance(item, TaskResult) and item.source == "sort" and item.is_chat:
            break
    await stream.aclose()
    state = await team.save_state()
    again = router('{"kind": "cook"}')
    await again.load_state(state)
    result = await asyncio.wait_for(again.run(), 5)
    assert said(result) == ["cook: Boil it."]


async def test_texts_name_fields_of_objects_and_say_objects_as_json():
    answer = assistant("sort", '{"kind": "tea"}', fields={"kind": {"type": "string"}}, keep_as="found")
    team = graph(
        [answer, step("say", message="{found[kind]} of {found}")], {"sort": [{"target": "say"}]}, {"found": None}
    )
    result = await team.run(task="Sort it.")
    assert result.messages[-1].to_text() == 'tea of {"kind": "tea"}'
