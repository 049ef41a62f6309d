"""A model call as Ollama's chat API wants it, and its answer as a `CreateResult`."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from pydantic import JsonValue

from studio.components import JsonObject
from studio.messages import (
    AssistantMessage,
    CreateResult,
    FinishReasons,
    FunctionCall,
    FunctionExecutionResultMessage,
    Image,
    LLMMessage,
    RequestUsage,
    SystemMessage,
    ToolSchema,
)
from studio.models.abilities import require, tool_name
from studio.models.base import ModelCall
from studio.models.info import ModelInfo
from studio.models.schema_model import inlined
from studio.models.service_errors import cut_short, no_answer
from studio.models.thought import ThoughtFrame, split_thought

if TYPE_CHECKING:
    from ollama import ChatResponse

_FINISH: dict[str, FinishReasons] = {"stop": "stop", "length": "length"}
_KEPT = frozenset(("type", "items", "description", "enum"))
"""What the SDK sends of an argument's schema."""
_SAID_BY_KEPT = frozenset((*_KEPT, "title", "default", "anyOf"))


def chat_arguments(call: ModelCall, info: ModelInfo, defaults: JsonObject) -> dict[str, Any]:
    """The arguments of the SDK's `chat`.

    Raises:
        ModelRefused: The model cannot do what the call wants.
        ConfigError: A tool's name is not usable.
    """
    arguments: dict[str, Any] = {**defaults, **call.extra_create_args}
    arguments["messages"] = [out for message in call.messages for out in _message(message, info)]
    if tools := _offered(call):
        require(info, "function_calling")
        arguments["tools"] = [ollama_tool(schema) for schema in tools]
    if isinstance(call.json_output, type):
        require(info, "structured_output")
        arguments["format"] = inlined(cast("JsonObject", call.json_output.model_json_schema()))
    elif call.json_output:
        require(info, "json_output")
        arguments["format"] = "json"
    elif call.json_output is False:
        arguments.pop("format", None)
    return arguments


def _offered(call: ModelCall) -> list[ToolSchema]:
    """The tools to offer: Ollama knows no choice, but a model cannot call what it is not shown."""
    if isinstance(call.tool_choice, dict):
        return [schema for schema in call.tools if schema["name"] == call.tool_choice["name"]]
    return [] if call.tool_choice == "none" else list(call.tools)


def _message(message: LLMMessage, info: ModelInfo) -> Iterator[dict[str, Any]]:
    if isinstance(message, SystemMessage):
        yield {"role": "system", "content": message.content}
    elif isinstance(message, AssistantMessage):
        yield _said(message)
    elif isinstance(message, FunctionExecutionResultMessage):
        for result in message.content:
            yield {"role": "tool", "content": result.content, "tool_name": result.name}
    elif isinstance(message.content, str):
        yield {"role": "user", "content": message.content}
    else:
        yield _with_pictures(message.content, info)


def _with_pictures(content: list[str | Image], info: ModelInfo) -> dict[str, Any]:
    texts = [part for part in content if isinstance(part, str)]
    # As bytes: the SDK would look for a file whose name is the base64 text.
    images = [base64.b64decode(part.data) for part in content if isinstance(part, Image)]
    if images:
        require(info, "vision")
    return {"role": "user", "content": "\n".join(texts), **({"images": images} if images else {})}


def _said(message: AssistantMessage) -> dict[str, Any]:
    if isinstance(message.content, str):
        return {"role": "assistant", "content": message.content}
    calls = [{"function": {"name": call.name, "arguments": _arguments(call.arguments)}} for call in message.content]
    return {"role": "assistant", "content": message.thought or "", "tool_calls": calls}


def _arguments(text: str) -> JsonObject:
    """The arguments as the object that the API wants; what is none is told as it was written."""
    try:
        found = cast("JsonValue", json.loads(text or "{}"))
    except json.JSONDecodeError:
        found = text
    return found if isinstance(found, dict) else {"arguments": found}


def ollama_tool(schema: ToolSchema) -> JsonObject:
    """A tool as a request has it.

    Raises:
        ConfigError: Its name is not usable.
    """
    parameters = cast("JsonObject", schema.get("parameters") or {})
    properties = cast("dict[str, JsonObject]", parameters.get("properties") or {})
    parameters: JsonObject = {
        "type": "object",
        "properties": {name: _property(prop) for name, prop in properties.items()},
        "required": parameters.get("required") or [],
    }
    function: JsonObject = {
        "name": tool_name(schema["name"]),
        "description": schema.get("description", ""),
        "parameters": parameters,
    }
    return {"type": "function", "function": function}


def _property(schema: JsonObject) -> JsonObject:
    """An argument's schema without what the SDK drops; the model is told that in the description."""
    out: JsonObject = {key: item for key, item in schema.items() if key in _KEPT}
    options = [option for option in cast("list[JsonObject]", schema.get("anyOf") or []) if option.get("type") != "null"]
    if len(options) == 1:
        return _property({**{key: item for key, item in schema.items() if key != "anyOf"}, **options[0]})
    if schema.keys() - _SAID_BY_KEPT or options:
        description = str(schema.get("description") or "")
        out["description"] = f"{description} JSON schema: {json.dumps(schema)}".strip()
    elif "type" not in out:
        out["type"] = "string"  # as AutoGen has it: a model must be told something
    return out


@dataclass
class ChatFold:
    """Takes a whole answer, or its pieces one by one, and makes a result of them."""

    text: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    calls: list[FunctionCall] = field(default_factory=list[FunctionCall])
    last: ChatResponse | None = None
    frame: ThoughtFrame = field(default_factory=ThoughtFrame)

    def add(self, part: ChatResponse) -> Iterator[str]:
        """Take one part; gives the text to show at once."""
        message = part.message
        if message.thinking:
            self.thoughts.append(message.thinking)
            yield from self.frame.thought(message.thinking)
        if message.content:
            self.text.append(message.content)
            yield from self.frame.text(message.content)
        for call in message.tool_calls or ():
            arguments = json.dumps(dict(call.function.arguments))
            # Ollama numbers no calls; the id is part of the recorded answer, so chance does no harm.
            self.calls.append(FunctionCall(id=f"call_{uuid4().hex[:12]}", name=call.function.name, arguments=arguments))
        if part.done:
            self.last = part

    def result(self) -> CreateResult:
        """The whole answer.

        Raises:
            ModelUnavailable: The stream ended before the service said that it was complete.
        """
        if self.last is None:
            raise cut_short() if self.text or self.calls else no_answer()
        text, thought = "".join(self.text), "".join(self.thoughts)
        inline, rest = (None, text) if self.calls else split_thought(text)
        usage = RequestUsage(
            prompt_tokens=self.last.prompt_eval_count or 0, completion_tokens=self.last.eval_count or 0
        )
        return CreateResult(
            finish_reason="function_calls" if self.calls else _FINISH.get(self.last.done_reason or "stop", "unknown"),
            content=self.calls or rest,
            usage=usage,
            cached=False,
            thought=(text or thought if self.calls else thought or inline) or None,
        )
