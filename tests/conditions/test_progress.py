"""How far each condition is, in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import pytest
from pydantic import JsonValue
from pydantic_core import from_json

from studio.components.readable_json import well_formed_json
from studio.conditions import (
    Count,
    ExternalTermination,
    FunctionalTermination,
    FunctionCallTermination,
    HandoffTermination,
    MaxMessageTermination,
    SourceMatchTermination,
    StopMessageTermination,
    TerminationCondition,
    TextMentionTermination,
    TextMessageTermination,
    TimeoutTermination,
    TokenUsageTermination,
)
from studio.messages import (
    BaseMessage,
    FunctionExecutionResult,
    HandoffMessage,
    RequestUsage,
    StopMessage,
    TerminationProgressEvent,
    TextMessage,
    ToolCallExecutionEvent,
)

CALL = ToolCallExecutionEvent(
    source="a", content=[FunctionExecutionResult(content="3", name="add", call_id="1", is_error=False)]
)
USED = RequestUsage(prompt_tokens=1_200, completion_tokens=110)


def says(text: str, source: str = "a") -> TextMessage:
    return TextMessage(content=text, source=source, models_usage=USED)


def is_over(messages: Sequence[BaseMessage]) -> bool:
    return messages[-1].to_text() == "over"


async def words(condition: TerminationCondition, *messages: BaseMessage) -> tuple[str, bool]:
    await condition(messages)
    [part] = condition.progress()
    return part.so_far, part.has_fired


CASES: list[tuple[TerminationCondition, BaseMessage, str, BaseMessage, str]] = [
    (MaxMessageTermination(max_messages=2), says("1"), "1 of 2 messages", says("2"), "2 of 2 messages"),
    (
        MaxMessageTermination(max_messages=2, include_agent_event=True),
        CALL,
        "1 of 2 messages and events",
        CALL,
        "2 of 2 messages and events",
    ),
    (
        TokenUsageTermination(max_total_token=2_000),
        says("1"),
        "1,310 of 2,000 tokens",
        says("2"),
        "2,620 of 2,000 tokens",
    ),
    (TextMentionTermination(text="DONE"), says("no"), '"DONE" not seen', says("DONE"), '"DONE" seen'),
    (
        StopMessageTermination(),
        says("no"),
        "stop message not seen",
        StopMessage(content="x", source="a"),
        "stop message seen",
    ),
    (
        HandoffTermination(target="user"),
        says("no"),
        "handoff to user not seen",
        HandoffMessage(content="x", source="a", target="user"),
        "handoff to user seen",
    ),
    (
        SourceMatchTermination(sources=["b", "c"]),
        says("1"),
        "b or c has not spoken",
        says("2", "c"),
        "b or c has spoken",
    ),
    (TextMessageTermination(), CALL, "text message not seen", says("1"), "text message seen"),
    (
        TextMessageTermination(source="b"),
        says("1"),
        "text message from b not seen",
        says("2", "b"),
        "text message from b seen",
    ),
    (FunctionCallTermination(function_name="add"), says("1"), "add not called", CALL, "add called"),
    (FunctionalTermination(is_over), says("1"), "its function says no", says("over"), "its function says yes"),
]


@pytest.mark.parametrize(("condition", "first", "before", "second", "after"), CASES)
async def test_a_condition_says_how_far_it_is_and_that_it_has_fired(
    condition: TerminationCondition, first: BaseMessage, before: str, second: BaseMessage, after: str
):
    assert await words(condition, first) == (before, False)
    assert await words(condition, second) == (after, True)
    await condition.reset()
    assert [part.has_fired for part in condition.progress()] == [False]


@pytest.mark.parametrize("condition", [case[0] for case in CASES])
async def test_a_condition_says_the_same_as_text(condition: TerminationCondition):
    both = condition & TextMentionTermination(text='half a character: "\ud800"')
    event = TerminationProgressEvent(source="a", team="b", conditions=list(both.progress("/config")))
    told = well_formed_json(cast("JsonValue", event.dump()["conditions"]))
    assert [from_json(text) for text in both.progress_json("/config")] == told


def test_no_limit_is_as_in_other_json():
    condition = TimeoutTermination(timeout_seconds=float("inf"))
    event = TerminationProgressEvent(source="a", team="b", conditions=list(condition.progress()))
    assert f"[{condition.progress_json()[0]}]" in event.dump_json()


async def test_a_stop_from_outside_is_told_as_soon_as_it_is_asked_for():
    condition = ExternalTermination()
    assert await words(condition, says("1")) == ("not asked to stop", False)
    condition.set()
    assert await words(condition, says("2")) == ("asked to stop", True)


async def test_a_time_limit_counts_seconds():
    condition = TimeoutTermination(timeout_seconds=3600)
    await condition([says("1")])
    [part] = condition.progress()
    assert (part.limit, part.unit, part.has_fired) == (3600, "seconds", False)
    assert part.so_far.endswith(" of 3,600 seconds")


async def test_a_condition_with_several_limits_tells_each():
    condition = TokenUsageTermination(max_total_token=9_000, max_completion_token=110)
    await condition([says("1")])
    assert [(part.so_far, part.has_fired) for part in condition.progress()] == [
        ("1,310 of 9,000 tokens", False),
        ("110 of 110 completion tokens", True),
    ]


async def test_joined_conditions_tell_each_with_its_place_in_the_tree():
    both = TextMentionTermination(text="A") & TextMentionTermination(text="B")
    condition = MaxMessageTermination(max_messages=9) | both
    await condition([says("A")])
    assert [(part.where, part.within, part.has_fired) for part in condition.progress("/x")] == [
        ("/x/config/conditions/0", ("or",), False),
        ("/x/config/conditions/1/config/conditions/0", ("or", "and"), True),
        ("/x/config/conditions/1/config/conditions/1", ("or", "and"), False),
    ]


class RainTermination(TerminationCondition):
    """A condition of a program, which says nothing about itself."""

    async def check(self, messages: Sequence[BaseMessage]) -> str | None:
        return "rain" if messages[-1].to_text() == "rain" else None


async def test_a_condition_of_a_program_needs_no_words_of_its_own():
    condition = RainTermination()
    assert await words(condition, says("sun")) == ("not yet", False)
    assert await words(condition, says("rain")) == ("has come", True)
    assert [part.in_words for part in condition.progress()] == ["RainTermination says so"]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (Count(12, 20, "messages"), "12 of 20 messages"),
        (Count(1_234_567, 8_000_000, "tokens"), "1,234,567 of 8,000,000 tokens"),
        (Count(12.345, 60.0, "seconds"), "12.3 of 60 seconds"),
    ],
)
def test_numbers_are_written_for_a_person(count: Count, shown: str):
    assert str(count) == shown
