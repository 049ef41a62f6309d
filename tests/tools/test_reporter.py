"""What tools tell and change beside their results."""

from __future__ import annotations

import pytest

from studio import effects
from studio.code import export_python
from studio.components import JsonObject
from studio.errors import ConfigError, ToolFailed
from studio.messages import (
    BaseMessage,
    ContextVariablesEvent,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    ToolEvent,
    ToolSchema,
    message_from_json,
)
from studio.tools import BaseTool, ContextVariables, FunctionTool, ToolReturn, context_variables, emit
from studio.tools.variables import use_variables
from tests.teams.scripted import CountingWorld, agent, wishes

IN_STEPS = """
from studio.tools import emit

def in_steps(count: int) -> str:
    for step in range(1, count + 1):
        emit("progress", {"step": step, "of": count})
    if count > 2:
        raise ValueError("too many")
    return f"{count} steps"
"""

REMEMBER = """
def remember(name: str, context_variables: ContextVariables) -> str:
    context_variables["names"].append(name)
    context_variables["count"] = len(context_variables["names"])
    context_variables.remove("draft")
    return "noted"
"""


def function_tool(source: str, name: str) -> FunctionTool:
    return FunctionTool(name=name, description="", source_code=source)


class Checkpoints(BaseTool):
    """Tells of two checkpoints and counts its calls in the team's variables."""

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- as in the base class
        return {"name": "check", "parameters": {"type": "object", "properties": {}}}

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        del arguments
        emit("checkpoint", "extraction")
        emit("checkpoint")
        variables = context_variables()
        variables["calls"] = variables.get("calls", 0) + 1
        return ToolReturn("ok", "ok")


async def steps_of(*calls: tuple[str, str], tools: list[BaseTool]) -> list[BaseMessage]:
    response = await agent("a", wishes(*calls), tools=tools).on_messages([])
    return list(response.inner_messages or ())


async def test_events_of_a_function_in_its_own_process_stand_between_its_request_and_its_result():
    inner = await steps_of(("in_steps", '{"count": 2}'), tools=[function_tool(IN_STEPS, "in_steps")])
    assert [type(item) for item in inner] == [ToolCallRequestEvent, ToolEvent, ToolEvent, ToolCallExecutionEvent]
    told = inner[1]
    assert isinstance(told, ToolEvent)
    assert (told.source, told.tool, told.call_id) == ("a", "in_steps", "call_0")
    assert told.to_text() == 'progress: {"step": 1, "of": 2}'


async def test_events_of_a_call_that_fails_are_told_as_well():
    inner = await steps_of(("in_steps", '{"count": 3}'), tools=[function_tool(IN_STEPS, "in_steps")])
    assert sum(isinstance(item, ToolEvent) for item in inner) == 3
    assert isinstance(inner[-1], ToolCallExecutionEvent)
    assert inner[-1].content[0].is_error


async def test_events_of_calls_side_by_side_come_in_the_order_of_the_calls():
    calls = [("in_steps", '{"count": 1}'), ("in_steps", '{"count": 2}')]
    inner = await steps_of(*calls, tools=[function_tool(IN_STEPS, "in_steps")])
    assert [item.call_id for item in inner if isinstance(item, ToolEvent)] == ["call_0", "call_1", "call_1"]


async def test_a_tool_of_a_script_and_a_live_function_tell_as_well():
    def look(place: str) -> str:
        emit("looked", place)
        return "nothing"

    with use_variables(ContextVariables()):
        calls = [("check", "{}"), ("look", '{"place": "here"}')]
        inner = await steps_of(*calls, tools=[Checkpoints(), FunctionTool(look, description="")])
    told = [item.to_text() for item in inner if isinstance(item, ToolEvent | ContextVariablesEvent)]
    assert told == ["checkpoint: extraction", "checkpoint", "calls = 1", "looked: here"]


async def test_what_a_tool_told_is_part_of_its_recorded_effect():
    entries: list[JsonObject] = []

    async def append(entry: JsonObject) -> None:
        entries.append(entry)

    with effects.use(effects.RecordingEffects(append, run_id="1")), use_variables(ContextVariables()):
        await Checkpoints().call({})
    assert entries[0]["result"] == {
        "value": "ok",
        "text": "ok",
        "events": [{"name": "checkpoint", "content": "extraction"}, {"name": "checkpoint", "content": None}],
        "context_variables": {"set": {"calls": 1}, "removed": []},
    }


async def test_a_tool_that_tells_nothing_has_the_effect_it_always_had():
    world = CountingWorld()
    with effects.use(world):
        await function_tool("def one() -> int:\n    return 1\n", "one").call({}, call_id="x")
    assert world.bodies == [{"name": "one", "arguments": {}, "call_id": "x"}]


def test_events_of_tools_are_read_back_from_their_json():
    told = ToolEvent(source="a", tool="t", name="progress", content={"done": [1, None]})
    changed = ContextVariablesEvent(source="a", content={"x": None}, removed=["y"])
    assert message_from_json(told.dump()) == told
    assert message_from_json(changed.dump()) == changed
    assert changed.to_text() == "x = null, y removed"


def test_the_model_never_sees_the_parameter_for_context_variables():
    tool = function_tool(REMEMBER, "remember")
    assert tool.schema.get("parameters", {}).get("properties", {}).keys() == {"name"}
    for annotation in (
        "'ContextVariables'",
        "ContextVariables | None",
        "Optional[ContextVariables]",
        "t.ContextVariables",
    ):
        source = REMEMBER.replace(": ContextVariables", f": {annotation}")
        assert function_tool(source, "remember").signature.variables_as == ("context_variables",)


def test_a_class_of_the_source_with_that_name_is_an_ordinary_argument():
    source = "class ContextVariables:\n    x: int\n\ndef f(a: ContextVariables) -> int:\n    return a.x\n"
    assert function_tool(source, "f").signature.variables_as == ()


async def test_a_function_in_its_own_process_changes_the_variables():
    variables = ContextVariables({"names": ["Ada"], "draft": 1, "kept": True})
    world = CountingWorld()
    with use_variables(variables), effects.use(world):
        await function_tool(REMEMBER, "remember").call({"name": "Bob"}, call_id="x")
    assert variables == {"names": ["Ada", "Bob"], "count": 2, "kept": True}
    assert world.bodies[0] == {
        "name": "remember",
        "arguments": {"name": "Bob"},
        "call_id": "x",
        "context_variables": {"names": ["Ada"], "draft": 1, "kept": True},
    }


async def test_a_live_function_changes_the_variables():
    def rename(name: str, variables: ContextVariables) -> None:
        variables.set("name", name)

    variables = ContextVariables()
    with use_variables(variables):
        await FunctionTool(rename, description="").call({"name": "Ada"})
    assert variables.to_dict() == {"name": "Ada"}


async def test_a_call_that_fails_changes_no_variable():
    def spoil(variables: ContextVariables) -> None:
        variables["x"] = 1
        raise ValueError("no")

    def spoil_with_a_thing(variables: ContextVariables) -> None:
        variables["x"] = object()

    variables = ContextVariables()
    for function, words in ((spoil, "no"), (spoil_with_a_thing, "must be JSON")):
        with use_variables(variables), pytest.raises(ToolFailed, match=words):
            await FunctionTool(function, description="").call({})
    assert variables == {}


async def test_changing_variables_that_no_team_has_is_told():
    def rename(variables: ContextVariables) -> str:
        variables["name"] = "Ada"
        return str(variables)

    with pytest.raises(ToolFailed, match="There are no context variables"):
        await FunctionTool(rename, description="").call({})
    with pytest.raises(ConfigError, match="There are no context variables"):
        context_variables()


def test_exported_code_keeps_what_only_the_tools_process_offers_as_text():
    code = export_python(function_tool(REMEMBER, "remember"))
    scope: dict[str, object] = {"__name__": "exported"}
    exec(compile(code, "exported.py", "exec"), scope)
    assert "remember" not in scope
    build = scope["build_component"]
    assert callable(build)
    made = build()
    assert isinstance(made, FunctionTool)
    assert made.dump_component() == function_tool(REMEMBER, "remember").dump_component()
