"""Clients of services as AutoGen's scripts call them and reach into them: `client._client` is the service's own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any, ClassVar, cast
from warnings import warn

from pydantic import BaseModel

from studio import models as ours
from studio.autogen.freed import mix_in
from studio.autogen.models import FreedClient
from studio.components import JsonObject
from studio.messages import CreateResult, LLMMessage
from studio.models.anthropic_client import BaseAnthropicClient
from studio.models.openai_client import BaseOpenAIChatCompletionClient

_TWO_MODELS = "be set to a Pydantic model class"
_ONE_MODEL = "Use json_output instead."


class FreedServiceClient(FreedClient):
    """Has the service's own client under AutoGen's name for it, and asks another that a script puts in its place."""

    _tools_are_called: ClassVar[str] = "provided"

    def __getattr__(self, name: str) -> Any:
        ask = _REACHED_FOR.get(name)
        return super().__getattr__(name) if ask is None else ask(self)

    def _connected(self) -> Any:
        put = vars(self).get("_client")
        return cast("Any", super())._connected() if put is None else put

    def get_create_args(self) -> JsonObject:
        """What goes into each request out of the config."""
        return cast("ours.ChatCompletionClient", self).create_arguments()

    async def create(self, messages: Sequence[LLMMessage], **arguments: Any) -> CreateResult:
        return await super().create(messages, **self._as_asked(arguments))

    async def create_stream(
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        async with aclosing(super().create_stream(messages, **self._as_asked(arguments))) as items:
            async for item in items:
                yield item

    def _as_asked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call, with a model of the answer where the engine wants it.

        Raises:
            ValueError: The model is to call a tool that it is not given, or the answer is to follow two models.
        """
        asked = dict(arguments)
        self._check_choice(asked.get("tool_choice"), asked.get("tools") or ())
        extra = dict(asked.get("extra_create_args") or {})
        wanted = extra.get("response_format")
        if isinstance(wanted, type) and issubclass(wanted, BaseModel):
            if isinstance(asked.get("json_output"), type):
                raise ValueError(f"response_format and json_output cannot {_TWO_MODELS} at the same time. {_ONE_MODEL}")
            warn("Using response_format will be deprecated. Use json_output instead.", DeprecationWarning, stacklevel=3)
            del extra["response_format"]
            asked.update(json_output=wanted, extra_create_args=extra)
        return asked

    def _check_choice(self, choice: Any, tools: Sequence[Any]) -> None:
        if choice is None or isinstance(choice, str):
            return
        name = choice.schema["name"]
        if not tools:
            raise ValueError("tool_choice specified but no tools provided")
        if name not in {(tool if isinstance(tool, dict) else tool.schema)["name"] for tool in tools}:
            raise ValueError(f"tool_choice references '{name}' but it's not in the {self._tools_are_called} tools")


class FreedAnthropicClient(FreedServiceClient):
    """Anthropic's clients."""

    _tools_are_called: ClassVar[str] = "available"


class FreedOpenAIClient(FreedServiceClient):
    """OpenAI's clients are also told beside the conversation whether a stream tells its tokens."""

    async def create_stream(
        self, messages: Sequence[LLMMessage], *, include_usage: bool | None = None, **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        arguments.pop("max_consecutive_empty_chunk_tolerance", None)  # empty pieces are passed over, however many
        if include_usage is not None:
            arguments["extra_create_args"] = _with_usage(arguments.get("extra_create_args") or {}, include_usage)
        async with aclosing(super().create_stream(messages, **arguments)) as items:
            async for item in items:
                yield item

    async def _open_stream(self, body: JsonObject) -> Any:
        stream = await cast("Any", super())._open_stream(body)
        return stream if hasattr(stream, "__aenter__") else _Stream(stream)


class _Stream:
    """Pieces of an answer from a stand-in for the service's client, to be closed as its own streams are."""

    def __init__(self, pieces: AsyncGenerator[Any, None]) -> None:
        self._pieces = pieces

    async def __aenter__(self) -> AsyncGenerator[Any, None]:
        return self._pieces

    async def __aexit__(self, *_error: object) -> None:
        await self._pieces.aclose()

    def __aiter__(self) -> AsyncGenerator[Any, None]:
        return self._pieces


_REACHED_FOR: Mapping[str, Callable[[Any], Any]] = {
    "_client": lambda client: client._connected(),
    "_create_args": lambda client: client.get_create_args(),
    "_model_name": lambda client: client.model,
    "_raw_config": lambda client: {name: value for name, value in client if value is not None},
}
"""Under AutoGen's private names."""


def _with_usage(extra: Mapping[str, Any], include_usage: bool) -> dict[str, Any]:
    options: dict[str, Any] = extra.get("stream_options") or {}
    if options.get("include_usage", include_usage) != include_usage:
        raise ValueError("include_usage and extra_create_args['stream_options']['include_usage'] say different things.")
    return {**extra, "stream_options": {**options, "include_usage": include_usage}}


mix_in(BaseOpenAIChatCompletionClient, FreedOpenAIClient)
mix_in(BaseAnthropicClient, FreedAnthropicClient)
