"""Clients of services as AutoGen's scripts call them and reach into them: `client._client` is the service's own."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any, ClassVar, cast
from warnings import warn

from pydantic import BaseModel, PrivateAttr

from studio import models as ours
from studio.autogen.compat_base import mix_in
from studio.autogen.core_runtime import parse_r1_content
from studio.autogen.dual_attribute import is_called_by_engine
from studio.autogen.models import FreedClient, ModelFamily
from studio.autogen.sdk_arguments import Beside, SdkArguments, take_beside
from studio.components import JsonObject, SecretRef
from studio.errors import ModelRefused, RunFailed
from studio.messages import CreateResult, Image, LLMMessage, UserMessage
from studio.models import openai_client
from studio.models.anthropic_client import BaseAnthropicClient
from studio.models.base import ModelCall
from studio.models.openai_request import join_system_messages, without_trailing_space
from studio.models.openai_services import service_of

_A_MODEL = "a Pydantic model class"
_ONE_MODEL = "Use json_output instead."
OPENAI_KEY = "OPENAI_API_KEY"
_SDKS = ("anthropic", "azure", "ollama", "openai")
_SYSTEM_MESSAGES = "Multiple and Not continuous system messages are not supported"


@contextmanager
def _told_by_the_sdk() -> Generator[None]:
    """Let what came of an error of the SDK be caught as that error, too, with all that it holds."""
    try:
        yield
    except RunFailed as error:
        cause = error.__cause__
        if type(cause).__module__.partition(".")[0] in _SDKS:
            ours_first = (type(error), type(cause))
            error.__class__ = type(type(error).__name__, ours_first, {"__module__": type(error).__module__})
            vars(error).update({**vars(cause), **vars(error)})
        raise


class FreedServiceClient(FreedClient):
    """Has the service's own client under AutoGen's name for it, and asks another that a script puts in its place."""

    _tools_are_called: ClassVar[str] = "provided"
    _format_is_old: ClassVar[str] = f"Using response_format will be deprecated. {_ONE_MODEL}"

    def __getattr__(self, name: str) -> Any:
        ask = _REACHED_FOR.get(name)
        return super().__getattr__(name) if ask is None else ask(self)

    def _connected(self) -> Any:
        put = vars(self).get("_client")
        return cast("Any", super())._connected() if put is None else put

    def get_create_args(self) -> JsonObject:
        """What goes into each request out of the config."""
        return cast("ours.ChatCompletionClient", self).create_arguments()

    @classmethod
    def _sdk(cls) -> SdkArguments:
        """What the SDK takes beside the fields."""
        return SdkArguments(frozenset(), frozenset())

    def _make_beside(self, args: tuple[Any, ...], data: dict[str, Any], init: Callable[..., None]) -> None:
        """Make the client by `init`, and keep the arguments that are for the SDK."""
        answer = data.get("response_format")
        if isinstance(answer, type):
            del data["response_format"]
            vars(self)["_answer_model"] = answer
        fields = (*type(self).model_fields, "model_capabilities")
        name = type(self).__name__
        vars(self)["_sdk_arguments"] = take_beside(name, fields, self._sdk(), data, lambda given: init(*args, **given))

    @property
    def _given_beside(self) -> Beside:
        return vars(self).get("_sdk_arguments") or Beside()

    def create_arguments(self) -> JsonObject:
        return {**cast("Any", super()).create_arguments(), **self._given_beside.request}

    def _common_arguments(self) -> dict[str, Any]:
        return {**cast("Any", super())._common_arguments(), **self._given_beside.client}

    async def create(self, messages: Sequence[LLMMessage], **arguments: Any) -> CreateResult:
        asked = self._as_asked(arguments)
        self._check_abilities(messages, asked)
        with _told_by_the_sdk():
            result = await super().create(messages, **asked)
        self._look_for_thought(result)
        return result

    async def create_stream(
        self, messages: Sequence[LLMMessage], **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        asked = self._as_asked(arguments)
        self._check_abilities(messages, asked)
        with _told_by_the_sdk():
            async with aclosing(super().create_stream(messages, **asked)) as items:
                async for item in items:
                    if isinstance(item, CreateResult):
                        self._look_for_thought(item)
                    yield item

    def _look_for_thought(self, result: CreateResult) -> None:
        """Warn where a model that thinks aloud has not done so."""
        is_thinker = cast("Any", self).model_info["family"] == ModelFamily.R1
        if is_thinker and result.thought is None and isinstance(result.content, str):
            parse_r1_content(result.content)

    def _check_abilities(self, messages: Sequence[LLMMessage], asked: Mapping[str, Any]) -> None:
        """Refuse what the model cannot do, in AutoGen's words.

        Raises:
            ValueError: The model's info says that it cannot.
        """
        able, wanted = cast("Any", self).model_info, asked.get("json_output")
        if asked.get("tools") and not able["function_calling"]:
            raise ValueError("Model does not support function calling and tools were provided")
        if wanted is True and not able["json_output"]:
            raise ValueError("Model does not support JSON output.")
        if isinstance(wanted, type) and not able["structured_output"]:
            raise ValueError("Model does not support structured output.")
        if not able["vision"] and any(map(_has_image, messages)):
            raise ValueError("Model does not support vision and image was provided")

    def _as_asked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call, with a model of the answer where the engine wants it.

        Raises:
            ValueError: The model is to call a tool that it is not given, or the answer is to follow two models.
        """
        asked = dict(arguments)
        self._check_choice(asked.get("tool_choice"), asked.get("tools") or ())
        extra = dict(asked.get("extra_create_args") or {})
        wanted = extra.get("response_format", vars(self).get("_answer_model"))
        if isinstance(wanted, type) and issubclass(wanted, BaseModel):
            if isinstance(asked.get("json_output"), type):
                raise ValueError(
                    f"response_format and json_output cannot be set to {_A_MODEL} at the same time. {_ONE_MODEL}"
                )
            warn(self._format_is_old, DeprecationWarning, stacklevel=3)
            extra.pop("response_format", None)
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

    def __init__(self, *args: Any, **data: Any) -> None:
        self._make_beside(args, data, super().__init__)

    @classmethod
    def _sdk(cls) -> SdkArguments:
        from anthropic import AsyncAnthropic
        from anthropic.lib.bedrock import AsyncAnthropicBedrock
        from anthropic.types.message_create_params import MessageCreateParamsBase

        client = AsyncAnthropicBedrock if "bedrock_info" in cls.model_fields else AsyncAnthropic
        return SdkArguments.from_signatures(MessageCreateParamsBase, client)

    async def _open_stream(self, arguments: dict[str, Any]) -> Any:
        from anthropic import AsyncStream

        stream = await cast("Any", super())._open_stream(arguments)
        if isinstance(stream, AsyncStream):
            return cast("Any", stream)
        return _events_in(stream if hasattr(stream, "__aenter__") else aclosing(stream))


class FreedOpenAIClient(FreedServiceClient):
    """OpenAI's clients are also told beside the conversation whether a stream tells its tokens."""

    _format_is_old: ClassVar[str] = (
        "Using response_format to specify the BaseModel for structured output type will be deprecated. "
        "Use json_output in create and create_stream instead."
    )

    def __init__(self, *args: Any, **data: Any) -> None:
        if "azure_endpoint" in type(self).model_fields:
            _fill_in(data, azure_endpoint="AZURE_OPENAI_ENDPOINT", api_version="OPENAI_API_VERSION")
        is_written_in_script = not is_called_by_engine(1)
        vars(self)["_sends_environment_key"] = is_written_in_script and data.get("api_key") is None
        self._make_beside(args, data, super().__init__)

    @classmethod
    def _sdk(cls) -> SdkArguments:
        from openai import AsyncAzureOpenAI, AsyncOpenAI
        from openai.types.chat.completion_create_params import CompletionCreateParamsBase

        client = AsyncAzureOpenAI if "azure_endpoint" in cls.model_fields else AsyncOpenAI
        return SdkArguments.from_signatures(CompletionCreateParamsBase, client, "extra_body")

    @property
    def address(self) -> str:
        """The service; as in AutoGen the environment may name another one than OpenAI's."""
        theirs = str(cast("Any", super()).address)
        elsewhere = os.environ.get("OPENAI_BASE_URL")
        return elsewhere if elsewhere and theirs == service_of("gpt-4o").base_url else theirs

    def _needed_secrets(self) -> Iterator[SecretRef]:
        """The environment's key also goes to an address that the script names, as in AutoGen; not to one in JSON."""
        is_sent = vars(self).get("_sends_environment_key") and getattr(self, "base_url", None)
        if is_sent and os.environ.get(OPENAI_KEY):
            yield SecretRef(f"env:{OPENAI_KEY}")
        else:
            yield from cast("Any", super())._needed_secrets()

    def _make_client(self, common: dict[str, Any]) -> Any:
        client = cast("Any", super())._make_client(common)
        for name in ("project", "organization"):
            if name in self._given_beside.client:
                setattr(client, name, self._given_beside.client[name])
        return client

    async def create_stream(
        self, messages: Sequence[LLMMessage], *, include_usage: bool | None = None, **arguments: Any
    ) -> AsyncGenerator[str | CreateResult, None]:
        arguments.pop("max_consecutive_empty_chunk_tolerance", None)  # empty pieces are passed over, however many
        if include_usage is not None:
            arguments["extra_create_args"] = _with_usage(arguments.get("extra_create_args") or {}, include_usage)
        async with aclosing(super().create_stream(messages, **arguments)) as items:
            async for item in items:
                yield item

    def _as_asked(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        asked = super()._as_asked(arguments)
        if isinstance(asked.get("json_output"), type) and "response_format" in (asked.get("extra_create_args") or {}):
            text = f"response_format is found in extra_create_args while json_output is set to {_A_MODEL}."
            warn(f"{text} The answer follows the json_output.", UserWarning, stacklevel=3)
        return asked

    def _check_abilities(self, messages: Sequence[LLMMessage], asked: Mapping[str, Any]) -> None:
        super()._check_abilities(messages, asked)
        if not cast("Any", self).model_info.get("multiple_system_messages"):
            try:
                join_system_messages(messages)
            except ModelRefused as error:
                text = f"{_SYSTEM_MESSAGES} if model_info['multiple_system_messages'] is False"
                raise ValueError(text) from error

    def _body(self, call: ModelCall) -> JsonObject:
        body: JsonObject = cast("Any", super())._body(call)
        if self._is_parsed_by_stand_in(call):
            body["response_format"] = cast("Any", call.json_output)
        return body

    def _is_parsed_by_stand_in(self, call: ModelCall) -> bool:
        """Whether a script has put something else in the place of what gives answers by a model in AutoGen."""
        if not isinstance(call.json_output, type):
            return False
        from openai.lib.streaming.chat import AsyncChatCompletionStreamManager as Manager

        completions = self._connected().beta.chat.completions
        doors = (completions.parse,) if call.kind == "create" else (completions.stream, Manager.__aenter__)
        return not all(str(door.__module__).startswith("openai.") for door in doors)

    async def _completion(self, body: JsonObject) -> Any:
        if isinstance(body.get("response_format"), type):
            return _doubted(await self._connected().beta.chat.completions.parse(**body))
        return _doubted(await cast("Any", super())._completion(body))

    async def _open_stream(self, body: JsonObject) -> Any:
        if isinstance(body.get("response_format"), type):
            return _stood_in(_pieces_in(self._connected().beta.chat.completions.stream(**body)))
        stream = await cast("Any", super())._open_stream(body)
        return stream if hasattr(stream, "__aenter__") else _stood_in(aclosing(stream))


@asynccontextmanager
async def _stood_in(opened: Any) -> AsyncGenerator[AsyncGenerator[Any, None]]:
    """A stream of pieces that a script has put in the service's place, while it is open."""
    async with opened as pieces:
        yield _to_the_end(pieces)


@asynccontextmanager
async def _pieces_in(events: Any) -> AsyncGenerator[AsyncGenerator[Any, None]]:
    """The pieces of an answer among the SDK's own events."""
    async with events as stream:
        yield (event.chunk async for event in stream if event.type == "chunk")


@asynccontextmanager
async def _events_in(opened: Any) -> AsyncGenerator[AsyncGenerator[Any, None]]:
    """The events of a stream that a script has put in the service's place."""
    async with opened as events:
        yield (_plain(each) async for each in events)


async def _to_the_end(pieces: Any) -> AsyncGenerator[Any, None]:
    """The pieces, and one that ends them if none did: only of a real service it means that it was cut off."""
    is_over = False
    async for piece in pieces:
        plain = _plain(piece)
        is_over = is_over or any(choice.get("finish_reason") for choice in plain["choices"])
        yield plain
    if not is_over:
        yield {"choices": [{"finish_reason": "unknown"}]}


def _plain(piece: Any) -> Any:
    """A piece that a script has made of the SDK's classes, or of its own, as the service's JSON would have it."""
    if isinstance(piece, list):
        return [_plain(each) for each in cast("list[Any]", piece)]
    if isinstance(piece, BaseModel):
        return piece.model_dump(warnings=False)
    if hasattr(piece, "__dict__"):
        return {name: _plain(each) for name, each in cast("dict[str, Any]", vars(piece)).items()}
    return piece


def _doubted(completion: Any) -> Any:
    """The answer, after a warning where its service does not keep to the API."""
    for choice in completion.choices or ():
        calls = choice.message.tool_calls or ()
        if calls and choice.finish_reason != "tool_calls":
            warn(f"Finish reason mismatch: {choice.finish_reason} beside tool calls.", UserWarning, stacklevel=2)
        for call in calls:
            if not isinstance(call.function.arguments, str):
                text = f"Tool call function arguments field is not a string: {call.function.arguments}."
                warn(text, UserWarning, stacklevel=2)
    return completion


class BaseOpenAIChatCompletionClient(
    FreedOpenAIClient,
    openai_client.BaseOpenAIChatCompletionClient,
    stands_for=openai_client.BaseOpenAIChatCompletionClient,
):
    """Asks with a client of the service that the script has made."""

    _given_arguments: Mapping[str, Any] = PrivateAttr(default_factory=dict[str, Any])

    def __init__(self, client: Any, *, create_args: Mapping[str, Any], **data: Any) -> None:
        super().__init__(model=create_args.get("model", "unknown"), **data)
        self._client, self._given_arguments = client, create_args

    @property
    def address(self) -> str:
        return str(self._client.base_url)

    def create_arguments(self) -> JsonObject:
        return dict(self._given_arguments)


_REACHED_FOR: Mapping[str, Callable[[Any], Any]] = {
    "_client": lambda client: client._connected(),
    "_create_args": lambda client: client.get_create_args(),
    "_model_name": lambda client: client.model,
    "_rstrip_last_assistant_message": lambda _: without_trailing_space,
    "_raw_config": lambda client: {name: value for name, value in client if value is not None},
}
"""Under AutoGen's private names."""


def _fill_in(data: dict[str, Any], **variables: str) -> None:
    """Take what is missing from the environment, as the SDK does."""
    for name, variable in variables.items():
        if data.get(name) is None and os.environ.get(variable):
            data[name] = os.environ[variable]


def _has_image(message: LLMMessage) -> bool:
    return isinstance(message, UserMessage) and any(isinstance(part, Image) for part in message.content)


def _with_usage(extra: Mapping[str, Any], include_usage: bool) -> dict[str, Any]:
    options: dict[str, Any] = extra.get("stream_options") or {}
    if options.get("include_usage", include_usage) != include_usage:
        raise ValueError("include_usage and extra_create_args['stream_options']['include_usage'] say different things.")
    return {**extra, "stream_options": {**options, "include_usage": include_usage}}


mix_in(openai_client.BaseOpenAIChatCompletionClient, FreedOpenAIClient)
mix_in(BaseAnthropicClient, FreedAnthropicClient)
