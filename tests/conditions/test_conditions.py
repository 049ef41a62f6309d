"""Termination conditions: when they fire, what they say, how they join."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.components import load_component, validate_component
from studio.conditions import (
    AndTerminationCondition,
    ExternalTermination,
    FunctionalTermination,
    FunctionCallTermination,
    HandoffTermination,
    MaxMessageTermination,
    OrTerminationCondition,
    SourceMatchTermination,
    StopMessageTermination,
    TerminatedException,
    TerminationCondition,
    TextMentionTermination,
    TextMessageTermination,
    TimeoutTermination,
    TokenUsageTermination,
)
from studio.errors import ConfigError, InvalidComponent
from studio.messages import (
    BaseMessage,
    FunctionExecutionResult,
    HandoffMessage,
    RequestUsage,
    StopMessage,
    TextMessage,
    ToolCallExecutionEvent,
)


def says(text: str, source: str = "a", tokens: tuple[int, int] | None = None) -> TextMessage:
    usage = RequestUsage(prompt_tokens=tokens[0], completion_tokens=tokens[1]) if tokens else None
    return TextMessage(content=text, source=source, models_usage=usage)


async def reason(condition: TerminationCondition, *messages: BaseMessage) -> str | None:
    stop = await condition(messages)
    return stop.content if stop else None


def tool_result(name: str = "add", text: str = "3") -> ToolCallExecutionEvent:
    return ToolCallExecutionEvent(
        source="a", content=[FunctionExecutionResult(content=text, name=name, call_id="1", is_error=False)]
    )


FIRING: list[tuple[TerminationCondition, Sequence[BaseMessage], str]] = [
    (
        MaxMessageTermination(max_messages=2),
        [says("1"), says("2")],
        "Maximum number of messages 2 reached, current message count: 2",
    ),
    (TextMentionTermination(text="DONE"), [says("all DONE")], "Text 'DONE' mentioned"),
    (TextMentionTermination(text="DONE"), [tool_result(text="DONE")], "Text 'DONE' mentioned"),
    (StopMessageTermination(), [StopMessage(content="x", source="a")], "Stop message received"),
    (
        TokenUsageTermination(max_total_token=5),
        [says("1", tokens=(2, 1)), says("2", tokens=(1, 1))],
        "Token usage limit reached, total token count: 5, prompt token count: 3, completion token count: 2.",
    ),
    (
        HandoffTermination(target="user"),
        [HandoffMessage(content="x", source="a", target="user")],
        "Handoff to user from a detected.",
    ),
    (TimeoutTermination(timeout_seconds=0), [says("1")], "Timeout of 0.0 seconds reached"),
    (SourceMatchTermination(sources=["a"]), [says("1")], "'a' answered"),
    (TextMessageTermination(source="a"), [says("1", "b"), says("2")], "Text message received from 'a'"),
    (FunctionCallTermination(function_name="add"), [tool_result()], "Function 'add' was executed."),
]


@pytest.mark.parametrize(("condition", "messages", "expected"), FIRING, ids=lambda value: type(value).__name__)
async def test_each_condition_says_why_it_stops_and_then_must_be_reset(
    condition: TerminationCondition, messages: Sequence[BaseMessage], expected: str
):
    stop = await condition(messages)
    assert stop is not None
    assert (stop.content, stop.source) == (expected, type(condition).__name__)
    assert condition.terminated
    with pytest.raises(TerminatedException):
        await condition(messages)
    await condition.reset()
    assert not condition.terminated
    assert await reason(condition, *messages) == expected
    await condition.reset()


async def test_a_mention_by_somebody_else_does_not_count():
    condition = TextMentionTermination(text="DONE", sources=["b"])
    assert await reason(condition, says("DONE", "a")) is None
    assert await reason(condition, says("DONE", "b")) == "Text 'DONE' mentioned"


async def test_events_count_only_when_asked_for():
    assert await reason(MaxMessageTermination(max_messages=1), tool_result()) is None
    assert await reason(MaxMessageTermination(max_messages=1, include_agent_event=True), tool_result()) is not None


async def test_and_waits_for_all_and_names_them_in_the_order_of_firing():
    condition = MaxMessageTermination(max_messages=2) & TextMentionTermination(text="DONE")
    assert await reason(condition, says("DONE")) is None
    assert await reason(condition, says("more")) == (
        "Text 'DONE' mentioned, Maximum number of messages 2 reached, current message count: 2"
    )


async def test_or_names_all_that_fire_at_once():
    condition = TextMentionTermination(text="DONE") | MaxMessageTermination(max_messages=1)
    stop = await condition([says("DONE")])
    assert stop is not None
    assert stop.source == "TextMentionTermination, MaxMessageTermination"
    await condition.reset()
    assert not any(part.terminated for part in condition.conditions)


async def test_an_external_stop_is_heard_at_the_next_look():
    condition = ExternalTermination()
    assert await reason(condition, says("1")) is None
    condition.set()
    assert await reason(condition) == "External termination requested"


async def test_a_python_function_may_decide_but_has_no_json():
    async def is_long(messages: Sequence[BaseMessage]) -> bool:
        return len(messages) > 1

    assert await reason(FunctionalTermination(is_long), says("1"), says("2")) is not None
    assert await reason(FunctionalTermination(lambda _messages: False), says("1")) is None
    with pytest.raises(ConfigError):
        FunctionalTermination(is_long).dump_component()


async def test_progress_tells_how_far_a_tree_of_conditions_is():
    condition = MaxMessageTermination(max_messages=4) | TokenUsageTermination(max_prompt_token=10)
    await condition([says("1", tokens=(3, 9))])
    assert [part.so_far for part in condition.progress()] == ["1 of 4 messages", "3 of 10 prompt tokens"]


def test_a_tree_reads_as_a_sentence():
    tree = (MaxMessageTermination(max_messages=3) & TextMentionTermination(text="ok")) | StopMessageTermination()
    assert tree.describe() == '(3 messages are reached and "ok" is mentioned) or a stop message arrives'


def test_token_usage_writes_the_nulls_that_autogen_demands():
    dumped = TokenUsageTermination(max_total_token=5).dump_component()
    assert dumped["config"] == {"max_total_token": 5, "max_prompt_token": None, "max_completion_token": None}


def test_token_usage_without_any_limit_is_refused():
    with pytest.raises(InvalidComponent, match="At least one of max_total_token"):
        load_component({"provider": "autogen_agentchat.conditions.TokenUsageTermination", "config": {}})


def test_joining_nothing_is_a_warning():
    report = validate_component(
        {"provider": "autogen_agentchat.base.AndTerminationCondition", "config": {"conditions": []}}
    )
    assert report.ok
    assert [warning.where for warning in report.warnings] == ["/config/conditions"]


names = st.text(min_size=1, max_size=8)
leaves = st.one_of(
    st.builds(MaxMessageTermination, max_messages=st.integers(0, 10_000), include_agent_event=st.booleans()),
    st.builds(TextMentionTermination, text=names, sources=st.none() | st.lists(names, max_size=3)),
    st.builds(StopMessageTermination),
    st.builds(TokenUsageTermination, max_total_token=st.integers(1), max_prompt_token=st.none() | st.integers(1)),
    st.builds(HandoffTermination, target=names),
    st.builds(TimeoutTermination, timeout_seconds=st.floats(0, 1e9)),
    st.builds(ExternalTermination),
    st.builds(SourceMatchTermination, sources=st.lists(names, max_size=3)),
    st.builds(TextMessageTermination, source=st.none() | names),
    st.builds(FunctionCallTermination, function_name=names),
)
trees: st.SearchStrategy[TerminationCondition] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(OrTerminationCondition, conditions=st.lists(inner, max_size=4)),
        st.builds(AndTerminationCondition, conditions=st.lists(inner, max_size=4)),
    ),
)


@given(trees)
def test_dump_then_load_gives_an_equal_condition(condition: TerminationCondition):
    assert load_component(condition.dump_component(), TerminationCondition) == condition
