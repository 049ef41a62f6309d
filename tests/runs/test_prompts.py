"""What a prompt is made of."""

from __future__ import annotations

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import (
    AssistantMessage,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    Image,
    LLMMessage,
    SystemMessage,
    UserMessage,
)
from studio.models import ChatCompletionClient, ModelCall, ReplayChatCompletionClient
from studio.runs.comparing.prompts import changes, view_of
from tests.runs.comparing import shown

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
TOOL: JsonObject = {"name": "add", "description": "Adds.", "parameters": {"type": "object", "properties": {}}}
CALL = FunctionCall(id="1", name="add", arguments='{"a": 1}')
RESULT = FunctionExecutionResult(content="3", name="add", call_id="1")
CONVERSATION: list[LLMMessage] = [
    SystemMessage(content="You are brief."),
    UserMessage(content="What is 1 + 2?", source="user"),
    SystemMessage(content="\nRelevant memory content (in chronological order):\n1. The user likes sums.\n"),
    AssistantMessage(content=[CALL], source="clerk"),
    FunctionExecutionResultMessage(content=[RESULT]),
    UserMessage(content=["Look:", Image(data=PIXEL)], source="user"),
]


def body(*messages: LLMMessage, tools: tuple[JsonObject, ...] = (), model: str = "") -> JsonObject:
    made = ModelCall("create", messages).as_json()
    return {**made, "tools": list(tools), **({"client": {"model": model}} if model else {})}


def test_the_context_window_is_shared_out_by_what_fills_it():
    view = view_of(body(*CONVERSATION, tools=(TOOL,)))
    assert [(share.part, share.count) for share in view.shares] == [
        ("system", 1),
        ("tools", 1),
        ("memory", 1),
        ("history", 3),
        ("results", 1),
    ]
    assert view.messages[3].text == 'add({"a": 1})'


def test_the_tokens_are_those_by_which_contexts_are_trimmed():
    client = ReplayChatCompletionClient(chat_completions=["x"])
    assert view_of(body(*CONVERSATION)).token_count == ChatCompletionClient.count_tokens(client, CONVERSATION)


def test_the_limit_is_that_of_the_model():
    assert view_of(body(*CONVERSATION, model="gpt-4o")).limit == 128_000
    assert view_of(body(*CONVERSATION)).limit is None


def test_a_prompt_is_compared_with_the_one_before():
    before = view_of(body(*CONVERSATION[:2]))
    after = view_of(body(SystemMessage(content="You are very brief."), *CONVERSATION[1:3]))
    assert [row[0] for row in shown(changes(before, after))] == ["changed", "same", "after"]


def test_what_is_no_request_is_an_empty_prompt():
    nothing: list[JsonValue] = [None, [], {"messages": "x", "tools": 5}, {"messages": [1], "client": []}]
    assert [view_of(body).token_count for body in nothing] == [0, 0, 0, 0]
