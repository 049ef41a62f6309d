"""A model call as Anthropic's messages API wants it: plain JSON, nothing sent from here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import (
    AssistantMessage,
    FunctionCall,
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
from studio.models.openai_request import strict_schema, without_trailing_space

Blocks = list[JsonObject]
SignedThoughts = Mapping[str, Blocks]
"""What the model thought and said before a tool call, signed by the service, by the id of the call."""

JSON_ONLY = "Answer with JSON only: no text around it and no code fence."
"""Stands in for the JSON mode that this API does not have."""
_NOTHING = "(nothing)"
"""The service refuses a message without text."""


def request_body(call: ModelCall, info: ModelInfo, defaults: JsonObject, signed: SignedThoughts) -> JsonObject:
    """The request's JSON.

    Args:
        call: What is asked.
        info: What the model can do.
        defaults: Arguments from the client's config; those of the call win.
        signed: Thoughts that must go back to the service beside the tool calls that they led to.

    Raises:
        ModelRefused: The model cannot do what the call wants.
        ConfigError: A tool's name is not usable.
    """
    body: JsonObject = {**defaults, **call.extra_create_args}
    messages = without_trailing_space(call.messages)
    system = [message.content for message in messages if isinstance(message, SystemMessage) and message.content]
    body["messages"] = [
        _message(message, info, signed) for message in messages if not isinstance(message, SystemMessage)
    ]
    system += _ask_for_json(call, info, body)
    if system:
        body["system"] = "\n".join(system)
    _add_tools(call, info, body)
    _fit_thinking(messages, signed, body)
    return body


def _message(
    message: UserMessage | AssistantMessage | FunctionExecutionResultMessage, info: ModelInfo, signed: SignedThoughts
) -> JsonObject:
    if isinstance(message, AssistantMessage):
        return {"role": "assistant", "content": _said(message, signed)}
    if isinstance(message, FunctionExecutionResultMessage):
        return {"role": "user", "content": [_result(message, index) for index in range(len(message.content))]}
    content = message.content
    if isinstance(content, str):
        return {"role": "user", "content": content or _NOTHING}
    return {"role": "user", "content": [_part(part, info) for part in content]}


def _said(message: AssistantMessage, signed: SignedThoughts) -> JsonValue:
    if isinstance(message.content, str):
        return message.content or _NOTHING
    before = next((signed[call.id] for call in message.content if call.id in signed), None)
    if before is None:
        before = [cast("JsonObject", {"type": "text", "text": message.thought})] if message.thought else []
    return [*before, *(_call(call) for call in message.content)]


def _call(call: FunctionCall) -> JsonObject:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": _arguments(call.arguments)}


def _arguments(text: str) -> JsonObject:
    """The arguments as the object that the API wants; what is none is told as it was written."""
    try:
        found = cast("JsonValue", json.loads(text or "{}"))
    except json.JSONDecodeError:
        found = text
    return found if isinstance(found, dict) else {"arguments": found}


def _result(message: FunctionExecutionResultMessage, index: int) -> JsonObject:
    result = message.content[index]
    block: JsonObject = {"type": "tool_result", "tool_use_id": result.call_id, "content": result.content}
    return {**block, "is_error": True} if result.is_error else block


def _part(part: str | Image, info: ModelInfo) -> JsonObject:
    if isinstance(part, str):
        return {"type": "text", "text": part or _NOTHING}
    require(info, "vision")
    return {"type": "image", "source": {"type": "base64", "media_type": part.mime_type, "data": part.data}}


def _ask_for_json(call: ModelCall, info: ModelInfo, body: JsonObject) -> Iterator[str]:
    """Set the format of the answer; gives what the model must be told about it."""
    configured = body.pop("response_format", None) in ("json_object", {"type": "json_object"})
    wanted = configured if call.json_output is None else call.json_output
    if isinstance(wanted, type):
        require(info, "structured_output")
        schema = strict_schema(cast("JsonObject", wanted.model_json_schema()))
        config = body.get("output_config")
        body["output_config"] = {
            **(config if isinstance(config, dict) else {}),
            "format": {"type": "json_schema", "schema": schema},
        }
    elif wanted:
        require(info, "json_output")
        yield JSON_ONLY


def _add_tools(call: ModelCall, info: ModelInfo, body: JsonObject) -> None:
    """Set tools and choice. A conversation that has tool calls must define tools even where none may be called now."""
    own = cast("list[JsonValue]", body.pop("tools", None) or [])
    choice = body.pop("tool_choice", None)
    if call.tools:
        require(info, "function_calling")
        body["tools"] = [*own, *(_tool(schema) for schema in call.tools)]
        body["tool_choice"] = _choice(call)
    elif own:
        body["tools"] = own
        body["tool_choice"] = {"type": choice} if isinstance(choice, str) else choice or {"type": "auto"}
    elif names := _called_tools(call.messages):
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in names]
        body["tool_choice"] = {"type": "none"}


def _choice(call: ModelCall) -> JsonObject:
    if isinstance(call.tool_choice, str):
        return {"type": "any" if call.tool_choice == "required" else call.tool_choice}
    return {"type": "tool", "name": call.tool_choice["name"]}


def _tool(schema: ToolSchema) -> JsonObject:
    parameters = cast("JsonObject", schema.get("parameters") or {})
    tool: JsonObject = {
        "name": tool_name(schema["name"]),
        "description": schema.get("description", ""),
        "input_schema": {"type": "object", **parameters},
    }
    return {**tool, "strict": True} if schema.get("strict") else tool


def _called_tools(messages: Sequence[LLMMessage]) -> list[str]:
    calls = (call for message in messages for call in _calls_of(message))
    return list(dict.fromkeys(call.name for call in calls))


def _calls_of(message: LLMMessage) -> list[FunctionCall]:
    if isinstance(message, AssistantMessage) and not isinstance(message.content, str):
        return message.content
    return []


def _fit_thinking(messages: Sequence[LLMMessage], signed: SignedThoughts, body: JsonObject) -> None:
    """Leave out what the service refuses beside thinking, or thinking where it is not possible.

    Source: Claude docs, "Extended thinking", sections on tool use and feature compatibility.
    """
    thinking = body.get("thinking")
    if not isinstance(thinking, dict) or thinking.get("type") == "disabled":
        return
    choice = body.get("tool_choice")
    is_forced = isinstance(choice, dict) and choice.get("type") in ("any", "tool")
    if is_forced or _lacks_signature(messages, signed):
        body["thinking"] = {"type": "disabled"}
        return
    body.pop("temperature", None)
    body.pop("top_k", None)


def _lacks_signature(messages: Sequence[LLMMessage], signed: SignedThoughts) -> bool:
    """Whether the last tool calls stand without the signed thoughts that led to them, as after a restart."""
    if not messages or not isinstance(messages[-1], FunctionExecutionResultMessage):
        return False
    last = next((message for message in reversed(messages) if _calls_of(message)), messages[-1])
    return not any(call.id in signed for call in _calls_of(last))
