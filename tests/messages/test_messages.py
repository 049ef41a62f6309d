from __future__ import annotations

import base64
import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from studio.agents import StructuredMessageFactory
from studio.errors import ConfigError
from studio.messages import (
    AgentEvent,
    AssistantMessage,
    BaseAgentEvent,
    BaseMessage,
    ChatMessage,
    FunctionCall,
    FunctionExecutionResult,
    HandoffMessage,
    Image,
    MultiModalMessage,
    RequestUsage,
    StructuredMessage,
    TextMessage,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    UserMessage,
    chat,
    made,
    message_from_json,
)

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n rest").decode()


class Answer(BaseModel):
    value: int


texts = st.text(max_size=20)
calls = st.builds(FunctionCall, id=texts, arguments=texts, name=texts)
results = st.builds(
    FunctionExecutionResult, content=texts, name=texts, call_id=texts, is_error=st.none() | st.booleans()
)
messages = st.one_of(
    st.builds(TextMessage, content=texts, source=texts, metadata=st.dictionaries(texts, texts, max_size=2)),
    st.builds(HandoffMessage, content=texts, source=texts, target=texts, context=st.just([])),
    st.builds(ToolCallRequestEvent, content=st.lists(calls, max_size=2), source=texts),
    st.builds(ToolCallExecutionEvent, content=st.lists(results, max_size=2), source=texts),
    st.builds(MultiModalMessage, content=st.lists(texts | st.just(Image(data=PNG)), max_size=3), source=texts),
)


@given(messages)
def test_a_message_survives_its_json(message: BaseMessage):
    body: dict[str, Any] = json.loads(json.dumps(message.dump()))
    assert message_from_json(body) == message


CALL = FunctionCall(id="1", name="add", arguments="{}")
USAGE = RequestUsage(prompt_tokens=1, completion_tokens=2)


@pytest.mark.parametrize(
    ("cls", "own"),
    [
        (TextMessage, {"content": "Hi"}),
        (HandoffMessage, {"content": "Go on", "target": "b", "context": [UserMessage(content="Hi", source="a")]}),
        (ToolCallRequestEvent, {"content": [CALL]}),
        (ToolCallExecutionEvent, {"content": [FunctionExecutionResult(content="3", name="add", call_id="1")]}),
    ],
)
def test_a_message_of_checked_values_is_what_validation_makes(cls: type[BaseMessage], own: dict[str, Any]):
    quick = made(cls, "a", USAGE, **own)
    checked = cls(source="a", models_usage=USAGE, id=quick.id, created_at=quick.created_at, **own)
    assert quick == checked
    assert list(vars(quick)) == list(vars(checked)) == list(cls.model_fields)
    assert quick.model_copy(update={"content": "Ho"}).id == quick.id
    assert quick.dump() == checked.dump()


def test_a_structured_message_names_its_content_and_survives_without_its_class():
    message = StructuredMessage[Answer](content=Answer(value=4), source="a")
    assert message.type == "StructuredMessage[Answer]"
    assert message_from_json(message.dump()).dump() == message.dump()


class Report(BaseModel):
    """What a structured message may say."""

    name: str = "Ann"
    share: float = 0.256
    count: int = 1_234_567
    words: list[str] = ["one", "two"]
    places: dict[str, int] = {"home": 3}


@pytest.mark.parametrize(
    ("template", "shown"),
    [
        ("{name}: {share}", "Ann: 0.256"),
        ("{share:.1%} of {count:,}", "25.6% of 1,234,567"),
        ("[{name:>6}] {name!r:^9}", "[   Ann]   'Ann'  "),
        ("{words[1]} {places[home]} {{x}}", "two 3 {x}"),
        ("{words}", "['one', 'two']"),
    ],
)
def test_a_structured_message_is_shown_as_its_format_says(template: str, shown: str):
    message = StructuredMessage[Report](content=Report(), source="a", format_string=template)
    assert message.to_text() == shown == template.format(**Report().model_dump())


HOSTILE_FORMATS = [
    "{name:>1500000000}",
    "{share:.999999999f}",
    "{name!r:>999999999}",
    "{name:{count}}",
    "{name:>{count}}",
    "{name:>\uff19\uff19\uff19\uff19\uff19\uff19\uff19}",
    "{name.__class__.__mro__}",
    "{words.append}",
    "{words[0].__class__}",
    "{name!x}",
    "{",
]


@pytest.mark.parametrize("template", HOSTILE_FORMATS)
def test_a_format_that_could_grow_or_look_inside_is_refused(template: str):
    message = StructuredMessage[Report](content=Report(), source="a", format_string=template)
    with pytest.raises(ConfigError, match="`format_string` cannot be filled in"):
        message.to_text()
    with pytest.raises(ValidationError, match="The format string cannot be filled in"):
        StructuredMessageFactory(json_schema=Report.model_json_schema(), format_string=template)


@pytest.mark.parametrize(
    "template",
    ["{name}" * 30_000, "{words}" * 30_000, "{name[0]}", "{words[x]}", "{words[7]}", "{places[7]}", "{}", "{0}"],
)
def test_a_format_that_becomes_too_long_or_finds_nothing_is_told(template: str):
    content = Report(name="n" * 1_000, words=["w" * 1_000])
    message = StructuredMessage[Report](content=content, source="a", format_string=template)
    with pytest.raises(ConfigError, match="`format_string` cannot be filled in"):
        message.to_text()


def test_an_unknown_type_is_refused():
    with pytest.raises(ValueError, match="No message has the type 'Nonsense'"):
        message_from_json({"type": "Nonsense"})


def test_a_picture_is_known_by_its_bytes():
    assert Image.from_uri(f"data:text/html;base64,{PNG}").mime_type == "image/png"
    with pytest.raises(ValueError, match="not a PNG"):
        Image.from_uri("data:image/png;base64,aGVsbG8gd29ybGQ=")
    with pytest.raises(ValueError, match="Only `data:`"):
        Image.from_uri("https://example.com/cat.png")


def test_a_multimodal_message_reads_well_as_text():
    message = MultiModalMessage(content=["Look:", Image(data=PNG)], source="user")
    assert message.to_text() == "Look:\n<image>"
    assert message.to_model_text() == "Look: [image]"


def test_equal_model_messages_have_equal_digests():
    assert UserMessage(content="a", source="u").digest == UserMessage(content="a", source="u").digest
    assert UserMessage(content="a", source="u").digest != AssistantMessage(content="a", source="u").digest


def test_the_unions_for_annotations_hold_every_message_and_event_that_has_a_type():
    told = {*get_args(get_args(AgentEvent)[0]), *get_args(ChatMessage)}
    ours = [cls for cls in vars(chat).values() if isinstance(cls, type) and issubclass(cls, BaseMessage)]
    written = {cls for cls in ours if "type" in cls.model_fields}
    assert written == {cls for cls in told if "type" in cls.model_fields}
    assert all(issubclass(cls, BaseAgentEvent) for cls in get_args(get_args(AgentEvent)[0]))
