"""OpenAI's Responses API: what is sent, and what comes back, as plain JSON."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from studio.components import JsonObject
from studio.errors import ModelUnavailable
from studio.messages import BaseChatMessage, FunctionCall, Image, MultiModalMessage, RequestUsage, ToolSchema
from studio.models.service_errors import reported

BY_NAME = ("web_search", "web_search_preview", "image_generation", "local_shell")
"""Built-in tools that need no more than their name."""
NEEDED: Mapping[str, tuple[str, ...]] = {
    "file_search": ("vector_store_ids",),
    "computer_use_preview": ("display_height", "display_width", "environment"),
    "code_interpreter": ("container",),
    "mcp": ("server_label", "server_url"),
}
"""Built-in tools, and the fields that they cannot do without."""
SHELL_MODEL = "codex-mini-latest"
"""The only model that knows the built-in shell."""


class Answer(BaseModel):
    """What a model answered: text, pictures, or calls of functions."""

    id: str
    text: str = ""
    images: list[str] = []
    calls: list[FunctionCall] = []
    usage: RequestUsage


def builtin_tool(given: str | JsonObject, model: str) -> JsonObject:
    """A built-in tool as it is sent.

    Raises:
        ValueError: It is not known, lacks a field, or the model cannot use it.
    """
    tool: JsonObject = {"type": given} if isinstance(given, str) else given
    kind = str(tool.get("type"))
    if kind not in (*BY_NAME, *NEEDED):
        raise ValueError(f"There is no built-in tool {kind!r}; known are {', '.join((*BY_NAME, *NEEDED))}.")
    missing = [name for name in NEEDED.get(kind, ()) if tool.get(name) in (None, "", [])]
    if missing:
        raise ValueError(f"The built-in tool {kind!r} needs {', '.join(f'`{name}`' for name in missing)}.")
    if kind == "local_shell" and model != SHELL_MODEL:
        raise ValueError(f"The built-in tool 'local_shell' only works with the model {SHELL_MODEL!r}.")
    return tool


def function_tool(schema: ToolSchema) -> JsonObject:
    """A tool of ours as it is sent."""
    parameters = cast("JsonObject", dict(schema.get("parameters") or {"type": "object", "properties": {}}))
    return {
        "type": "function",
        "name": schema["name"],
        "description": schema.get("description", ""),
        "parameters": parameters,
        "strict": bool(schema.get("strict")),
    }


def input_item(message: BaseChatMessage) -> JsonObject:
    """A message of the conversation as it is sent; everybody else in the team is a user."""
    role = message.source if message.source in ("system", "assistant") else "user"
    if not isinstance(message, MultiModalMessage):
        return {"role": role, "content": message.to_text()}
    parts = [
        {"type": "input_image", "image_url": part.data_uri, "detail": "auto"}
        if isinstance(part, Image)
        else {"type": "input_text", "text": part}
        for part in message.content
    ]
    return {"role": "user", "content": cast("Any", parts)}


def output_items(answer: Answer) -> list[JsonObject]:
    """An answer as it is sent again where the service keeps no history."""
    said: list[JsonObject] = [{"role": "assistant", "content": answer.text}] if answer.text else []
    return [
        *said,
        *(
            {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}
            for call in answer.calls
        ),
    ]


async def asked(create: Callable[..., Awaitable[Any]], body: JsonObject) -> JsonObject:
    """Ask for a whole answer."""
    return _answer(await create(**body)).model_dump(mode="json")


async def streamed(create: Callable[..., Awaitable[Any]], body: JsonObject) -> AsyncGenerator[str | JsonObject, None]:
    """Ask for an answer in pieces: its text as it arrives, and last the whole of it."""
    stream = await create(**body, stream=True)
    async with stream:
        async for event in stream:
            match event.type:
                case "response.output_text.delta":
                    yield str(event.delta)
                case "response.completed" | "response.incomplete" | "response.failed":
                    yield _answer(event.response).model_dump(mode="json")
                    return
                case "error":
                    raise reported(str(event.message))
                case _:
                    pass  # the many events about parts that the whole answer holds, too
    raise ModelUnavailable("The model's answer ended before it was complete.", fix="Try again.")


def _answer(response: Any) -> Answer:
    # What a service that only speaks like OpenAI's leaves out counts as nothing.
    if getattr(response, "status", None) == "failed":
        raise reported(str(response.error.message if response.error else "The response failed."))
    usage = getattr(response, "usage", None)
    outputs = cast("Sequence[Any]", getattr(response, "output", None) or ())
    return Answer(
        id=str(response.id),
        text=str(response.output_text),
        images=[item.result for item in outputs if item.type == "image_generation_call" and item.result],
        calls=[
            FunctionCall(id=item.call_id, name=item.name, arguments=item.arguments)
            for item in outputs
            if item.type == "function_call"
        ],
        usage=RequestUsage(
            prompt_tokens=usage.input_tokens if usage else 0, completion_tokens=usage.output_tokens if usage else 0
        ),
    )
