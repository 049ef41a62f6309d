"""Where termination conditions would stop conversations that a person brings."""

from __future__ import annotations

import json

import pytest

from studio.conditions import (
    ContextVariableTermination,
    MaxMessageTermination,
    TerminationCondition,
    TextMentionTermination,
    TimeoutTermination,
    TokenUsageTermination,
)
from studio.errors import StudioError
from studio.runs import TerminationPreview, preview_termination, read_conversation

CHAT = "user: Write a poem.\nwriter: Roses are red.\n\nViolets are blue.\ncritic: Good. DONE\nwriter: Thanks."


async def verdict_on(text: str, condition: TerminationCondition | None = None) -> TerminationPreview:
    done = TextMentionTermination(text="DONE", sources=["critic"])
    return await preview_termination(
        condition or done | MaxMessageTermination(max_messages=10), read_conversation(text)
    )


async def test_the_turn_where_it_stops_is_the_last_one_shown():
    verdict = await verdict_on(CHAT)
    assert verdict.stop_reason == "Text 'DONE' mentioned"
    assert [turn.messages[-1].source for turn in verdict.turns] == ["user", "writer", "critic"]
    assert verdict.unread_count == 1


async def test_each_turn_tells_how_far_each_condition_is():
    verdict = await verdict_on(CHAT)
    assert [turn.conditions[1].so_far for turn in verdict.turns] == [f"{n} of 10 messages" for n in (1, 2, 3)]
    assert [turn.conditions[0].has_fired for turn in verdict.turns] == [False, False, True]


async def test_a_conversation_may_go_on():
    verdict = await verdict_on("writer: Hello", MaxMessageTermination(max_messages=2))
    assert (verdict.stop_reason, verdict.unread_count) == ("", 0)


async def test_time_is_that_of_the_messages():
    said = [{"source": "a", "content": str(n), "created_at": f"2026-01-01T00:00:{n:02}Z"} for n in (0, 20, 40)]
    verdict = await verdict_on(json.dumps(said), TimeoutTermination(timeout_seconds=30))
    assert verdict.has_times
    assert verdict.stop_reason.startswith("Timeout of 30")
    assert (await verdict_on(CHAT, TimeoutTermination(timeout_seconds=30))).has_times is False


async def test_events_belong_to_the_message_after_them_and_tokens_count():
    usage = {"prompt_tokens": 30, "completion_tokens": 5}
    said = [
        {"content": "Go"},
        {"type": "ThoughtEvent", "source": "a", "content": "Hm.", "models_usage": usage},
        {"source": "a", "content": "Yes", "models_usage": usage},
    ]
    verdict = await verdict_on(json.dumps({"messages": said}), TokenUsageTermination(max_total_token=70))
    assert len(verdict.turns) == 2
    assert verdict.turns[1].stop_reason.startswith("Token usage limit reached, total token count: 70")


async def test_variables_are_those_that_the_events_tell():
    said = [
        {"source": "a", "content": "Hi"},
        {"type": "ContextVariablesEvent", "source": "a", "content": {"is_done": True}},
        {"source": "a", "content": "Bye"},
    ]
    verdict = await verdict_on(json.dumps(said), ContextVariableTermination(condition="is_done"))
    assert [bool(turn.stop_reason) for turn in verdict.turns] == [False, True]


def test_lines_without_a_writer_go_on_with_the_message_before():
    messages = read_conversation(CHAT)
    assert [message.to_text() for message in messages][1] == "Roses are red.\n\nViolets are blue."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("just words", "Line 1 has no speaker"),
        ("\n \n", "There are no messages"),
        ("[]", "There are no messages"),
        ("[1]", "Message 1 is not an object"),
        ('[{"content": 5}]', "Message 1 cannot be read: content"),
        ('[{"type": "Nonsense", "content": "x"}]', "Message 1 cannot be read: No message has the type"),
        ('{"said": []}', "A conversation must be a list"),
        ("[" * 500 + "]" * 500, "deep"),
        ("[{", "JSON"),
        ("a: b\n" * 5_001, "more than 5,000"),
    ],
)
def test_what_is_no_conversation_is_refused_with_its_place(text: str, told: str):
    with pytest.raises(StudioError, match=told):
        read_conversation(text)
