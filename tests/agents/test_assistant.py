"""The assistant agent on its own."""

from __future__ import annotations

from typing import Any, cast

import pytest
from pydantic import BaseModel

from studio import effects
from studio.agents import AssistantAgent, Handoff, InvalidAnswer, StructuredMessageFactory
from studio.components import JsonObject, load_component, validate_component
from studio.contexts import UnboundedChatCompletionContext
from studio.errors import ConfigError, InvalidComponent
from studio.memory import ListMemory
from studio.messages import (
    CreateResult,
    HandoffMessage,
    Image,
    LLMMessage,
    MemoryContent,
    ModelClientStreamingChunkEvent,
    MultiModalMessage,
    RequestUsage,
    StructuredMessage,
    TextMessage,
    ThoughtEvent,
    ToolCallExecutionEvent,
    ToolCallSummaryMessage,
)
from studio.models import ReplayChatCompletionClient
from studio.teams import RoundRobinGroupChat
from studio.tools import FunctionTool, StaticWorkbench
from tests.agents.adding import add
from tests.pictures import PIXEL
from tests.teams.scripted import CountingWorld, agent, said, scripted, wishes


class Answer(BaseModel):
    """A structured answer."""

    word: str
    number: int


async def test_tool_results_are_the_answer_by_default():
    result = await agent("a", wishes(("add", '{"a": 1, "b": 2}')), tools=[add]).run(task="1 + 2?")
    summary = result.messages[-1]
    assert isinstance(summary, ToolCallSummaryMessage)
    assert (summary.content, summary.results[0].is_error) == ("3", False)


async def test_reflection_asks_the_model_once_more_without_tools():
    world = CountingWorld()
    able = agent("a", wishes(("add", '{"a": 1, "b": 2}')), "It is 3.", tools=[add], reflect_on_tool_use=True)
    with effects.use(world):
        result = await able.run(task="1 + 2?")
    assert said(result.messages)[-1] == ("a", "It is 3.")
    last = cast("JsonObject", world.bodies[-1])
    assert (last["tools"], last["tool_choice"]) == ([], "none")


async def test_calls_of_one_round_run_side_by_side_and_keep_their_order():
    calls = wishes(("nothing", "{}"), ("add", "{bad"), ("add", '{"a": 1, "b": 2}'))
    result = await agent("a", calls, tools=[add]).run(task="go")
    executed = next(event for event in result.messages if isinstance(event, ToolCallExecutionEvent))
    texts = [(found.content[:12], found.is_error) for found in executed.content]
    assert texts == [("Error: tool ", True), ("Error: Expec", True), ("3", False)]


async def test_own_tools_come_before_those_of_a_workbench():
    def shout(text: str) -> str:
        return text.upper()

    world = CountingWorld()
    bench = StaticWorkbench(tools=[FunctionTool(shout, description="Shout.")])
    with effects.use(world):
        await agent("a", "done", tools=[add], workbench=bench).run(task="go")
    shown = cast("list[JsonObject]", cast("JsonObject", world.bodies[0])["tools"])
    assert [tool["name"] for tool in shown] == ["add", "shout"]


async def test_the_first_handoff_wins_and_tool_results_travel_with_it():
    calls = wishes(("add", '{"a": 1, "b": 2}'), ("transfer_to_b", "{}"), ("transfer_to_c", "{}"))
    able = agent("a", calls, tools=[add], handoffs=[Handoff(target="b", message="Yours."), Handoff(target="c")])
    handoff = (await able.run(task="go")).messages[-1]
    assert isinstance(handoff, HandoffMessage)
    assert (handoff.target, handoff.content) == ("b", "Yours.")
    assert [message.type for message in handoff.context] == ["AssistantMessage", "FunctionExecutionResultMessage"]


async def test_pieces_name_the_message_that_they_become():
    items = [item async for item in agent("a", "one two", model_client_stream=True).run_stream(task="go")]
    pieces = [item for item in items if isinstance(item, ModelClientStreamingChunkEvent)]
    answer = next(item for item in items if isinstance(item, TextMessage) and item.source == "a")
    assert {piece.full_message_id for piece in pieces} == {answer.id}
    assert "".join(piece.content for piece in pieces) == answer.content


async def test_a_thought_is_an_event_and_stays_in_the_context():
    usage = RequestUsage(prompt_tokens=1, completion_tokens=1)
    reply = CreateResult(finish_reason="stop", content="yes", usage=usage, cached=False, thought="hm")
    thinking = agent("a", reply)
    result = await thinking.run(task="go")
    assert [type(message) for message in result.messages[1:]] == [ThoughtEvent, TextMessage]
    context = cast("dict[str, list[JsonObject]]", (await thinking.save_state())["llm_context"])
    assert context["messages"][-1]["thought"] == "hm"


async def test_an_empty_thought_is_no_event_and_stays_in_the_context_of_a_team():
    usage = RequestUsage(prompt_tokens=1, completion_tokens=1)
    reply = CreateResult(finish_reason="stop", content="yes", usage=usage, cached=False, thought="")
    thinker = agent("a", reply)
    result = await RoundRobinGroupChat(participants=[thinker], max_turns=1).run(task="go")
    assert [message.to_text() for message in result.messages] == ["go", "yes"]
    context = cast("dict[str, Any]", (await thinker.save_state())["llm_context"])
    assert context["messages"][-1]["thought"] == ""


async def test_an_answer_may_follow_a_pydantic_model_and_goes_through_json():
    made = agent("a", '{"word": "x", "number": 1}', output_content_type=Answer, output_content_type_format="{word}!")
    for subject in (made, load_component(made.dump_component(), AssistantAgent)):
        message = (await subject.run(task="go")).messages[-1]
        assert isinstance(message, StructuredMessage)
        assert (message.to_text(), message.type) == ("x!", "StructuredMessage[Answer]")
    assert made.reflect_on_tool_use


async def test_an_answer_that_breaks_its_schema_says_where():
    with pytest.raises(InvalidAnswer, match=r"'a' did not answer as Answer demands\. number: Field required"):
        await agent("a", '{"word": "x"}', output_content_type=Answer).run(task="go")


async def test_memory_is_told_before_the_model_answers():
    memory = ListMemory(memory_contents=[MemoryContent(content="likes tea", mime_type="text/plain")])
    world = CountingWorld()
    with effects.use(world):
        result = await agent("a", "tea?", memory=[memory]).run(task="What now?")
    assert [type(message).__name__ for message in result.messages] == ["TextMessage", "MemoryQueryEvent", "TextMessage"]
    messages = cast("list[JsonObject]", cast("JsonObject", world.bodies[0])["messages"])
    assert "likes tea" in str(messages[-1]["content"])


async def test_a_model_that_reads_no_pictures_is_told_that_there_is_one():
    world = CountingWorld()
    picture = MultiModalMessage(content=["look", Image(data=PIXEL)], source="user")
    with effects.use(world):
        await agent("a", "nice").run(task=picture)
    messages = cast("list[JsonObject]", cast("JsonObject", world.bodies[0])["messages"])
    assert messages[-1]["content"] == "look\n<image>"


@pytest.mark.parametrize("arguments", ["[1]", '"x"', "5", "true", "[" * 100_000, "{"])
async def test_arguments_that_are_no_object_are_an_error_that_the_model_reads(arguments: str):
    result = await agent("a", wishes(("add", arguments)), tools=[add]).run(task="1 + 2?")
    summary = result.messages[-1]
    assert isinstance(summary, ToolCallSummaryMessage)
    assert summary.results[0].is_error
    assert summary.results[0].content.startswith("Error: ")


@pytest.mark.parametrize(
    "template", ["{outcome}", "{result.__class__}", "{result:>300000000}", "{result[0]}", "{result!x}", "{"]
)
async def test_a_summary_that_cannot_be_filled_in_is_an_error_of_the_config(template: str):
    broken = agent("a", wishes(("add", '{"a": 1, "b": 2}')), tools=[add], tool_call_summary_format=template)
    with pytest.raises(ConfigError, match="`tool_call_summary_format` cannot be filled in"):
        await broken.run(task="go")


async def test_a_summary_may_show_a_result_as_python_writes_it():
    template = "{tool_name!s} {result!r} {arguments!a} {is_error}"
    shown = agent("a", wishes(("add", '{"a": 1, "b": 2}')), tools=[add], tool_call_summary_format=template)
    assert (await shown.run(task="go")).messages[-1].to_text() == """add '3' '{"a": 1, "b": 2}' False"""


async def test_reset_forgets_and_state_remembers():
    subject = agent("a", "1", "2")
    await subject.run(task="go")
    state = await subject.save_state()
    await subject.on_reset()
    assert (await subject.save_state())["llm_context"] == {"messages": []}
    await subject.load_state(state)
    assert await subject.save_state() == state


def config(**changes: object) -> JsonObject:
    """An agent as AutoGen writes it."""
    document = agent("a", "1").dump_component()
    return {**document, "config": {**cast("JsonObject", document["config"]), **cast("JsonObject", changes)}}


def test_version_1_with_a_single_workbench_is_read():
    bench = StaticWorkbench().dump_component()
    old = {**config(workbench=bench), "component_version": 1, "version": 1}
    loaded = load_component(old, AssistantAgent)
    assert loaded.workbench == [StaticWorkbench()]
    assert [warning.code for warning in validate_component(old).warnings] == ["upgraded"]


def test_a_bare_name_is_a_handoff():
    loaded = load_component(config(handoffs=["Bob"]), AssistantAgent)
    assert loaded.handoffs == [Handoff(target="Bob")]
    assert cast("Any", loaded.handoffs)[0].name == "transfer_to_bob"


def test_a_handoff_may_go_to_a_name_with_spaces_but_its_own_name_has_none():
    assert Handoff(target="My team").name == "transfer_to_my team"
    assert Handoff.model_validate(Handoff(target="My team").model_dump()) == Handoff(target="My team")
    with pytest.raises(ValueError, match="Handoff name must be a valid identifier: my team"):
        Handoff(target="My team", name="my team")


def test_no_instructions_in_json_means_none():
    document = config()
    del cast("JsonObject", document["config"])["system_message"]
    assert load_component(document, AssistantAgent).system_message is None
    assert AssistantAgent("a", scripted("1")).system_message is not None


def test_what_autogen_demands_is_always_written():
    written = cast("JsonObject", agent("a", "1").dump_component()["config"])
    assert {"description", "reflect_on_tool_use", "tool_call_summary_format", "model_client"} <= written.keys()


WRONG: list[tuple[dict[str, object], str, str]] = [
    ({"name": "not valid"}, "/config/name", "The agent name must be a valid Python identifier."),
    ({"max_tool_iterations": 0}, "/config/max_tool_iterations", "Maximum number of tool iterations"),
    ({"handoffs": ["b", "b"]}, "/config/handoffs", "Handoff names must be unique"),
    ({"handoffs": [{"target": "b", "name": "no good"}]}, "/config/handoffs/0/name", "must be a valid identifier"),
    ({"tools": [FunctionTool(add, description="").dump_component()] * 2}, "/config/tools", "Tool names must be unique"),
]


@pytest.mark.parametrize(("changes", "where", "message"), WRONG, ids=lambda value: str(value)[:20])
def test_what_is_wrong_is_told_at_its_place(changes: dict[str, object], where: str, message: str):
    with pytest.raises(InvalidComponent) as caught:
        load_component(config(**changes))
    assert [finding.where for finding in caught.value.findings] == [where]
    assert message in caught.value.findings[0].message


def test_a_model_that_calls_no_tools_takes_neither_tools_nor_handoffs():
    plain = ReplayChatCompletionClient(chat_completions=["x"])
    with pytest.raises(ValueError, match=r"The model does not support function calling\."):
        AssistantAgent("a", plain, tools=[add])
    with pytest.raises(ValueError, match="which is needed for handoffs"):
        AssistantAgent("a", plain, handoffs=["b"])


def test_a_schema_that_is_none_is_told_when_it_is_loaded():
    with pytest.raises(ValueError, match="does not describe an object"):
        StructuredMessageFactory(json_schema={"type": "array"}, content_model_name="List")


def test_an_agent_without_a_model_is_told_of_the_model_alone():
    document: JsonObject = {"provider": AssistantAgent.provider, "component_type": "agent", "config": {"name": "a"}}
    report = validate_component(document)
    assert [finding.where for finding in report.errors] == ["/config/model_client"]


async def test_a_turn_that_ends_late_writes_nothing_into_a_state_that_was_loaded_since():
    able = agent("a", wishes(("transfer_to_b", "{}")), handoffs=[Handoff(target="b")])
    before = await able.save_state()
    steps = able.on_messages_stream([TextMessage(content="Go.", source="user")])
    await anext(steps)
    assert isinstance(await anext(steps), ToolCallExecutionEvent)
    await able.load_state(before)
    await steps.aclose()
    assert await able.save_state() == before


class Shouting(UnboundedChatCompletionContext):
    """A context of a script: it keeps and shows all, in its own way."""

    async def add_message(self, message: LLMMessage) -> None:
        await super().add_message(message.model_copy(update={"content": str(message.content).upper()}))


async def test_a_context_derived_from_the_plain_one_is_told_each_message():
    context = Shouting()
    await agent("a", "Hello.", model_context=context).run(task="hi")
    assert [message.content for message in await context.get_messages()] == ["HI", "HELLO."]


def test_an_answers_form_of_an_unknown_kind_is_kept():
    form: JsonObject = {"provider": "somewhere.Form", "config": {"language": "en"}}
    written: JsonObject = {
        "provider": AssistantAgent.provider,
        "config": {"name": "a", "model_client": {"provider": "somewhere.Client", "config": {}}},
    }
    cast("JsonObject", written["config"])["structured_message_factory"] = form
    loaded = load_component(written, AssistantAgent).dump_component()
    assert cast("JsonObject", loaded["config"])["structured_message_factory"] == form
