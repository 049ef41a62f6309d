"""How a conversation is written for OpenAI's API."""

from __future__ import annotations

import pytest

from studio.components import JsonObject
from studio.errors import ConfigError, ModelRefused
from studio.messages import (
    AssistantMessage,
    FunctionCall,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    Image,
    LLMMessage,
    SystemMessage,
    ToolSchema,
    UserMessage,
)
from studio.models import ModelCall, ModelInfo
from studio.models.openai_request import Dialect, messages_to_openai, request_body, strict_schema

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg=="
ALL = ModelInfo(
    vision=True,
    function_calling=True,
    json_output=True,
    family="gpt-4o",
    structured_output=True,
    multiple_system_messages=True,
)
NOTHING = ModelInfo(vision=False, function_calling=False, json_output=False, family="unknown", structured_output=False)
OPENAI = Dialect("gpt-4o", ALL)


def user(text: str, source: str = "user") -> UserMessage:
    return UserMessage(content=text, source=source)


def test_calls_and_their_results_keep_their_ids() -> None:
    call = FunctionCall(id="1", name="f", arguments='{"a": 1}')
    messages: list[LLMMessage] = [
        AssistantMessage(content=[call], source="a", thought="well"),
        FunctionExecutionResultMessage(content=[FunctionExecutionResult(content="r", name="f", call_id="1")]),
        AssistantMessage(content="done", source="a"),
    ]
    assert messages_to_openai(messages, OPENAI) == [
        {
            "role": "assistant",
            "content": "well",
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
        },
        {"role": "tool", "content": "r", "tool_call_id": "1"},
        {"role": "assistant", "content": "done"},
    ]


def test_authors_are_named_as_the_client_is_told() -> None:
    plain = messages_to_openai([user("hi", "Ann B")], OPENAI)
    prefixed = messages_to_openai([user("hi", "ann")], Dialect("m", ALL, add_name_prefixes=True, include_names=False))
    mistral = messages_to_openai([user("hi")], Dialect("mistral-large", ALL))
    assert plain == [{"role": "user", "content": "hi", "name": "Ann_B"}]
    assert prefixed == [{"role": "user", "content": "ann said:\nhi"}]
    assert mistral == [{"role": "user", "content": "hi"}]


def test_pictures_go_along_as_data() -> None:
    message = UserMessage(content=["look", Image(data=PIXEL)], source="user")
    content = messages_to_openai([message], OPENAI)[0]["content"]
    assert content == [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "auto"}},
    ]


def test_neighbouring_system_messages_are_joined_where_only_one_is_taken() -> None:
    one = Dialect("m", NOTHING)
    messages: list[LLMMessage] = [SystemMessage(content="a"), SystemMessage(content="b"), user("hi")]
    assert messages_to_openai(messages, one)[0] == {"role": "system", "content": "a\nb"}
    with pytest.raises(ModelRefused, match="takes only one"):
        messages_to_openai([*messages, SystemMessage(content="c")], one)


def test_empty_text_becomes_a_space_where_it_would_be_refused() -> None:
    messages: list[LLMMessage] = [user(""), AssistantMessage(content="ends ", source="a")]
    assert [out["content"] for out in messages_to_openai(messages, Dialect("claude-3-haiku", ALL))] == [" ", "ends"]
    assert messages_to_openai([user("")], OPENAI)[0]["content"] == ""


def test_tools_carry_the_choice_and_no_tools_carry_none() -> None:
    tool = ToolSchema(name="f", description="d", strict=True)
    forced = request_body(ModelCall("create", (user("x"),), (tool,), {"name": "f"}), OPENAI, {"model": "m"})
    without = request_body(
        ModelCall("create", (user("x"),), (), "none"), OPENAI, {"model": "m", "parallel_tool_calls": False}
    )
    assert forced["tool_choice"] == {"type": "function", "function": {"name": "f"}}
    assert forced["tools"] == [
        {"type": "function", "function": {"name": "f", "description": "d", "parameters": {}, "strict": True}}
    ]
    assert without.keys() == {"model", "messages"}


def test_arguments_of_the_call_win_over_the_config() -> None:
    call = ModelCall("create", (), extra_create_args={"temperature": 1})
    assert request_body(call, OPENAI, {"temperature": 0, "seed": 3}) == {"temperature": 1, "seed": 3, "messages": []}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (ModelCall("create", (user("x"),), (ToolSchema(name="f"),)), "does not support function calling"),
        (ModelCall("create", (UserMessage(content=[Image(data=PIXEL)], source="u"),)), "does not support vision"),
        (ModelCall("create", (user("x"),), json_output=True), "does not support JSON output"),
    ],
)
def test_what_the_model_cannot_do_is_refused_before_anything_is_sent(call: ModelCall, message: str) -> None:
    with pytest.raises(ModelRefused, match=message) as caught:
        request_body(call, Dialect("m", NOTHING), {})
    assert "Model capabilities" in caught.value.fix


def test_a_tool_name_that_cannot_be_sent_is_the_authors_error() -> None:
    with pytest.raises(ConfigError, match="add numbers"):
        request_body(ModelCall("create", (), (ToolSchema(name="add numbers"),)), OPENAI, {})


def test_strict_schemas_are_closed_at_every_level_and_leave_the_original_alone() -> None:
    inner: JsonObject = {"type": "object", "properties": {"b": {"type": "string"}}}
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "array", "items": inner}}}
    closed = strict_schema(schema)
    assert closed["required"] == ["a"]
    assert '"additionalProperties"' not in str(schema)
    assert str(closed).count("additionalProperties") == 2
