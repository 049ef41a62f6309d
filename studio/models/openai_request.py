"""A model call as OpenAI's chat completion API wants it: plain JSON, nothing sent from here."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel, JsonValue

from studio.components import JsonObject
from studio.components.readable_json import usable_name
from studio.errors import ModelRefused
from studio.messages import (
    AssistantMessage,
    FunctionExecutionResultMessage,
    Image,
    LLMMessage,
    SystemMessage,
    ToolSchema,
    UserMessage,
)
from studio.models.abilities import require, tool_name
from studio.models.base import ModelCall
from studio.models.info import ModelInfo

_NAMELESS_MODELS = ("mistral", "open-mistral", "open-mixtral", "codestral", "ministral", "pixtral")
"""Models whose service refuses `name` in a message."""
_NO_EMPTY_CONTENT = ("gemini-", "claude-")
"""Models whose service refuses empty content; they get a space."""


@dataclass(frozen=True)
class Dialect:
    """How one model wants its messages.

    Args:
        model: The model's name.
        info: What it can do.
        add_name_prefixes: Whether user messages begin with "NAME said:".
        include_names: Whether user messages carry their author in `name`.
    """

    model: str
    info: ModelInfo
    add_name_prefixes: bool = False
    include_names: bool = True


def request_body(call: ModelCall, dialect: Dialect, defaults: JsonObject) -> JsonObject:
    """The request's JSON.

    Args:
        call: What is asked.
        dialect: How the model wants it.
        defaults: Arguments from the client's config; those of the call win.

    Raises:
        ModelRefused: The model cannot do what the call wants.
        ConfigError: A tool's name is not usable.
    """
    body: JsonObject = {**defaults, **call.extra_create_args}
    body["messages"] = cast("list[JsonValue]", messages_to_openai(call.messages, dialect))
    if call.tools:
        body.update(_tool_arguments(call, dialect.info))
    else:
        body.pop("parallel_tool_calls", None)  # refused by the service without tools
    if call.json_output is not None:
        body["response_format"] = _response_format(call.json_output, dialect.info)
    return body


def messages_to_openai(messages: Sequence[LLMMessage], dialect: Dialect) -> list[JsonObject]:
    """The conversation in OpenAI's form."""
    if not dialect.info.get("multiple_system_messages"):
        messages = join_system_messages(messages)
    if dialect.model.startswith("claude-"):
        messages = without_trailing_space(messages)
    return [out for message in messages for out in _message(message, dialect)]


def _message(message: LLMMessage, dialect: Dialect) -> Iterator[JsonObject]:
    blank = " " if dialect.model.startswith(_NO_EMPTY_CONTENT) else ""
    if isinstance(message, SystemMessage):
        yield {"role": "system", "content": message.content or blank}
    elif isinstance(message, UserMessage):
        yield _user_message(message, dialect, blank)
    elif isinstance(message, AssistantMessage):
        yield _assistant_message(message, blank)
    else:
        yield from _tool_results(message)


def _tool_results(message: FunctionExecutionResultMessage) -> Iterator[JsonObject]:
    for result in message.content:
        yield {"role": "tool", "content": result.content, "tool_call_id": result.call_id}


def _user_message(message: UserMessage, dialect: Dialect, blank: str) -> JsonObject:
    prefix = f"{message.source} said:\n" if dialect.add_name_prefixes else ""
    content: JsonValue
    if isinstance(message.content, str):
        content = prefix + message.content or blank
    else:
        content = _parts(message.content, prefix, dialect.info)
    out: JsonObject = {"role": "user", "content": content}
    if dialect.include_names and not dialect.model.startswith(_NAMELESS_MODELS):
        out["name"] = usable_name(message.source)
    return out


def _parts(content: Sequence[str | Image], prefix: str, info: ModelInfo) -> list[JsonValue]:
    parts: list[JsonValue] = []
    for index, part in enumerate(content):
        if isinstance(part, str):
            parts.append({"type": "text", "text": prefix + part if index == 0 else part})
        else:
            require(info, "vision")
            parts.append(cast("JsonValue", part.to_openai_format()))
    return parts


def _assistant_message(message: AssistantMessage, blank: str) -> JsonObject:
    if isinstance(message.content, str):
        return {"role": "assistant", "content": message.content or blank}
    calls: list[JsonValue] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.content
    ]
    return {"role": "assistant", "content": message.thought or blank or None, "tool_calls": calls}


def join_system_messages(messages: Sequence[LLMMessage]) -> list[LLMMessage]:
    """One system message in place of several that follow each other.

    Raises:
        ModelRefused: They do not follow each other, and the model takes only one.
    """
    places = [index for index, message in enumerate(messages) if isinstance(message, SystemMessage)]
    if len(places) < 2:
        return list(messages)
    if places[-1] - places[0] != len(places) - 1:
        raise ModelRefused(
            "The conversation has several system messages, but the model takes only one.",
            fix="Set “Multiple system messages” under “Model capabilities” if it takes them, or remove the memory.",
        )
    joined = "\n".join(message.content for message in messages if isinstance(message, SystemMessage))
    return [*messages[: places[0]], SystemMessage(content=joined.rstrip()), *messages[places[-1] + 1 :]]


def without_trailing_space(messages: Sequence[LLMMessage]) -> list[LLMMessage]:
    """Claude refuses a conversation whose last message is its own and ends with white space."""
    out = list(messages)
    last = out[-1] if out else None
    if isinstance(last, AssistantMessage) and isinstance(last.content, str):
        out[-1] = AssistantMessage(content=last.content.rstrip(), thought=last.thought, source=last.source)
    return out


def _tool_arguments(call: ModelCall, info: ModelInfo) -> JsonObject:
    require(info, "function_calling")
    choice: JsonValue = (
        call.tool_choice
        if isinstance(call.tool_choice, str)
        else {"type": "function", "function": {"name": call.tool_choice["name"]}}
    )
    return {"tools": [openai_tool(schema) for schema in call.tools], "tool_choice": choice}


def openai_tool(schema: ToolSchema) -> JsonObject:
    """A tool as a request has it.

    Raises:
        ConfigError: Its name is not usable.
    """
    return {
        "type": "function",
        "function": {
            "name": tool_name(schema["name"]),
            "description": schema.get("description", ""),
            "parameters": cast("JsonValue", schema.get("parameters", {})),
            "strict": schema.get("strict", False),
        },
    }


def _response_format(json_output: bool | type[BaseModel], info: ModelInfo) -> JsonObject:
    if isinstance(json_output, bool):
        if json_output:
            require(info, "json_output")
        return {"type": "json_object" if json_output else "text"}
    require(info, "structured_output")
    schema = strict_schema(cast("JsonObject", json_output.model_json_schema()))
    return {
        "type": "json_schema",
        "json_schema": {"name": usable_name(json_output.__name__), "schema": schema, "strict": True},
    }


def strict_schema(schema: JsonObject) -> JsonObject:
    """The schema with every object closed and every property required, as OpenAI's strict mode demands.

    Source: OpenAI guide "Structured model outputs", section "Supported schemas".
    """
    out = copy.deepcopy(schema)
    _close_objects(out)
    return out


def _close_objects(node: JsonValue) -> None:
    if isinstance(node, list):
        for item in node:
            _close_objects(item)
    if not isinstance(node, dict):
        return
    properties = node.get("properties")
    if isinstance(properties, dict):
        node["additionalProperties"] = False
        node["required"] = list(properties)
    if node.get("default", 0) is None:
        node.pop("default")
    for child in node.values():
        _close_objects(child)
