"""The base of model clients: one call, one effect."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol, cast

from pydantic import BaseModel, JsonValue, PrivateAttr

from studio import effects
from studio.components import Component, JsonObject
from studio.effects import EffectRequest, LiveEffects, canonical_json, current
from studio.errors import ModelUnavailable
from studio.messages import (
    CancellationToken,
    CreateResult,
    Image,
    LLMMessage,
    Prompt,
    RequestUsage,
    ToolSchema,
    digest_over,
    linked,
)
from studio.models.info import ModelInfo, known_info
from studio.models.spending import (
    DEFAULT_MAX_OUTPUT_TOKENS,
    Read,
    Spending,
    TokenBound,
    answer_limit,
    limit_in,
    max_prompt_tokens,
    max_schema_tokens,
    max_with_answer,
)

ToolChoice = Literal["auto", "required", "none"] | dict[Literal["name"], str]
"""What the model may do about tools; `{"name": ...}` demands that one."""

TOKENS_PER_MESSAGE = 4
TOKENS_PER_IMAGE = 765
"""What OpenAI charges for a picture of 1024 by 1024 in high detail."""
BYTES_PER_TOKEN = 4
NO_ARGUMENTS: Mapping[str, JsonValue] = MappingProxyType({})
NOTHING = RequestUsage.model_construct(prompt_tokens=0, completion_tokens=0)


class HasSchema(Protocol):
    """A tool, as far as a model client is concerned."""

    @property
    def schema(self) -> ToolSchema: ...


class ModelCall(NamedTuple):
    """One question to a model, complete and unchangeable.

    Args:
        kind: Whether the answer is wanted whole or in pieces.
        messages: The conversation, oldest first.
        tools: What the model may call.
        tool_choice: Whether it may, must or must not call one.
        json_output: True for JSON, False for text, a Pydantic model for its schema; None leaves it to the client.
        extra_create_args: Further arguments for the service, over those of the client's config.
    """

    kind: Literal["create", "create_stream"]
    messages: Sequence[LLMMessage]
    tools: tuple[ToolSchema, ...] = ()
    tool_choice: ToolChoice = "auto"
    json_output: bool | type[BaseModel] | None = None
    extra_create_args: Mapping[str, JsonValue] = NO_ARGUMENTS

    def _head(self) -> JsonObject:
        """Everything but the messages, as plain JSON."""
        wanted = self.json_output
        json_output: JsonValue = (
            {"name": wanted.__name__, "schema": cast("JsonValue", wanted.model_json_schema())}
            if isinstance(wanted, type)
            else wanted
        )
        head: JsonObject = {
            "kind": self.kind,
            "tools": cast("list[JsonValue]", list(self.tools)),
            "tool_choice": cast("JsonValue", self.tool_choice),
            "json_output": json_output,
        }
        return {**head, "extra_create_args": dict(self.extra_create_args)} if self.extra_create_args else head

    def as_json(self) -> JsonObject:
        """`{kind, messages, tools, tool_choice, json_output}` as plain JSON; what the log shows as the exact prompt."""
        return {**self._head(), "messages": [message.json_body for message in self.messages]}

    @property
    def digest(self) -> str:
        """Equal for equal calls; made of the messages' own digests, so it costs nothing per earlier message."""
        kind, messages, tools, choice, json_output, arguments = self
        is_plain = not tools and json_output is None and not arguments
        head = _plain_head(kind, choice) if is_plain and isinstance(choice, str) else canonical_json(self._head())
        return f"{head}\n{digest_over(messages)}"


@cache
def _plain_head(kind: Literal["create", "create_stream"], choice: Literal["auto", "required", "none"]) -> str:
    return canonical_json(ModelCall(kind, (), tool_choice=choice)._head())  # pyright: ignore[reportPrivateUsage]


_new_tuple: Callable[..., ModelCall] = tuple.__new__  # pyright: ignore  whose type says nothing of its items


@dataclass(slots=True)
class Spent:
    """Tokens that a client has used: in its last call, and in all."""

    last: RequestUsage = NOTHING
    prompt_count: int = 0
    completion_count: int = 0
    last_call: ModelCall | None = None
    last_answered: RequestUsage = NOTHING
    """What the answer to the last call says of it."""

    def add(self, call: ModelCall, answered: RequestUsage, counted: RequestUsage) -> None:
        """Count one more call, and note what its answer says of it."""
        self.last = counted
        self.prompt_count += counted.prompt_tokens
        self.completion_count += counted.completion_tokens
        self.last_call = call
        self.last_answered = answered

    def last_read(self) -> Read | None:
        """What the model was asked last, and the service's count of it."""
        call = self.last_call
        return None if call is None else Read(call.messages, call.tools, self.last_answered.prompt_tokens)


class ChatCompletionClient(Component):
    """Asks a model. Subclasses say how; this class sees to it that each call is one recorded effect."""

    component_type: ClassVar[str] = "model"
    is_scripted: ClassVar[bool] = False
    """Whether it says what its author wrote, whatever it is asked."""

    if TYPE_CHECKING:  # each client declares the field itself, so that it does not stand first in its form
        model_info: ModelInfo | None = None

    _spent: Spent = PrivateAttr(default_factory=Spent)

    async def _create(self, call: ModelCall) -> CreateResult:
        """Ask the model and wait for the whole answer."""
        raise NotImplementedError

    def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        """Ask the model; text as it arrives, and last the whole answer."""
        raise NotImplementedError

    @property
    def info(self) -> ModelInfo:
        """What the model can do; careful guesses for a client that the studio cannot run."""
        return self.__dict__.get("model_info") or cast("ModelInfo", known_info(""))

    @property
    def source(self) -> str:
        """Who asks, in the log."""
        return type(self).__name__

    def settings(self) -> JsonObject:
        """What else decides about the answer and therefore belongs to the request's hash; never a secret's value."""
        return {}

    async def create(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[HasSchema | ToolSchema] = (),
        tool_choice: HasSchema | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, JsonValue] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> CreateResult:
        """Ask the model for its next message.

        Raises:
            ModelUnavailable: No complete answer came. Safe to retry.
            ModelRefused: The service rejected the request, or the model cannot do what is asked.
        """
        call = _make_call("create", messages, tools, tool_choice, json_output, extra_create_args)
        place = self._begin_call()
        task = cancellation_token.link_task() if cancellation_token is not None else None
        try:
            answer = await (self._create(call) if type(current()) is LiveEffects else self._ask_port(call))
        except BaseException:
            self._give_up_call(place)
            raise
        finally:
            if task is not None and cancellation_token is not None:
                cancellation_token.unlink_future(task)
        return self._count(call, answer)

    async def _ask_port(self, call: ModelCall) -> CreateResult:
        """As `_create`, through the port in force."""
        made: CreateResult | None = None
        recorded: JsonValue = None

        async def perform() -> JsonValue:
            nonlocal made, recorded
            made = await self._create(self.limited(call))
            recorded = _as_json(made)
            return recorded

        answer = await current().call(self.request_for(call), perform)
        # What the port has passed on as it was just made need not be read again.
        return CreateResult.model_validate(answer) if made is None or answer is not recorded else made

    async def create_stream(
        self,
        messages: Sequence[LLMMessage],
        *,
        tools: Sequence[HasSchema | ToolSchema] = (),
        tool_choice: HasSchema | Literal["auto", "required", "none"] = "auto",
        json_output: bool | type[BaseModel] | None = None,
        extra_create_args: Mapping[str, JsonValue] | None = None,
        cancellation_token: CancellationToken | None = None,
    ) -> AsyncGenerator[str | CreateResult, None]:
        """As `create`, but text is given as it arrives; the last item is the whole answer.

        The next piece is only fetched when it is asked for. Close the generator to give up the call.
        """
        call = _make_call("create_stream", messages, tools, tool_choice, json_output, extra_create_args)

        async def perform() -> AsyncIterator[effects.StreamItem]:
            async with aclosing(self._create_stream(self.limited(call))) as items:
                async for item in items:
                    yield item if isinstance(item, str) else _as_json(item)

        stream = cast("AsyncGenerator[effects.StreamItem, None]", effects.stream(self.request_for(call), perform))
        is_complete = False
        with self._turn():
            async with aclosing(stream):
                while not is_complete:
                    with linked(cancellation_token):
                        item = await anext(stream, None)
                    if item is None:
                        break
                    is_complete = not isinstance(item, str)
                    yield item if isinstance(item, str) else self._count(call, CreateResult.model_validate(item))
        if not is_complete:
            raise ModelUnavailable("The model's answer ended before it was complete.", fix="Try again.")

    def request_for(self, call: ModelCall) -> EffectRequest:
        """The call as the effects port is asked it."""
        settings = self.settings()
        prefix = canonical_json(settings) if settings else ""
        return EffectRequest(
            "model",
            self.source,
            lambda: {**call.as_json(), **({"client": settings} if settings else {})},
            lambda: f"{prefix}\n{call.digest}",
            about=Spending(self, partial(self.token_bound, call)),
        )

    def _begin_call(self) -> int:
        """Told of every call, also one that is answered from a log; what it returns is told when that is given up."""
        return 0

    def _give_up_call(self, place: int) -> None:
        """Told of a call that failed or that nobody waits for any more."""

    @contextmanager
    def _turn(self) -> Generator[None]:
        """Surrounds a call."""
        place = self._begin_call()
        try:
            yield
        except BaseException:
            self._give_up_call(place)
            raise

    def _count(self, call: ModelCall, result: CreateResult) -> CreateResult:
        usage = result.usage
        self._spent.add(call, usage, usage)
        return result

    def actual_usage(self) -> RequestUsage:
        """Tokens of the last call."""
        return self._spent.last

    def total_usage(self) -> RequestUsage:
        """Tokens of all calls of this client."""
        return RequestUsage(prompt_tokens=self._spent.prompt_count, completion_tokens=self._spent.completion_count)

    def count_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[HasSchema | ToolSchema] = ()) -> int:
        """Estimate the tokens of a conversation: four bytes each, and what wraps every message.

        Contexts that trim by tokens need a number that is the same everywhere and costs no download, not an exact one.
        """
        schemas = sum(_tokens_of(canonical_json(cast("JsonValue", _schema_of(tool)))) for tool in tools)
        return schemas + sum(_tokens_in(message) for message in messages)

    def remaining_tokens(self, messages: Sequence[LLMMessage], *, tools: Sequence[HasSchema | ToolSchema] = ()) -> int:
        """Tokens that still fit into the model's context; negative when the messages are too many."""
        return self.context_length() - self.count_tokens(messages, tools=tools)

    def context_length(self) -> int:
        """Length of the model's context in tokens."""
        raise NotImplementedError

    @property
    def is_free(self) -> bool:
        """Whether nobody charges for what it answers."""
        return False

    def is_charged(self, answer: JsonObject) -> bool:
        """Whether this answer was paid for."""
        del answer
        return True

    def create_arguments(self) -> JsonObject:
        """What goes into each request out of the config."""
        return {}

    def max_output_tokens(self) -> int:
        """Tokens of the longest answer that the model can be asked for."""
        return DEFAULT_MAX_OUTPUT_TOKENS

    def limited(self, call: ModelCall) -> ModelCall:
        """The call with the limit of its answer that is in force here."""
        limit = answer_limit()
        if limit is None:
            return call
        return call._replace(extra_create_args={**call.extra_create_args, **self.limiting(limit, call)})

    def limiting(self, limit: int, call: ModelCall) -> JsonObject:
        """The arguments that keep an answer within so many tokens."""
        own = limit_in({**self.create_arguments(), **call.extra_create_args})
        return {"max_tokens": min(limit, own or limit)}

    def token_bound(self, call: ModelCall) -> TokenBound | None:
        """What the call takes at the most; None when nobody can tell."""
        arguments = {**self.create_arguments(), **call.extra_create_args}
        wanted = call.json_output.model_json_schema() if isinstance(call.json_output, type) else None
        prompt = max_prompt_tokens(call.messages, call.tools, self._spent.last_read()) + max_schema_tokens(wanted)
        return max_with_answer(prompt, arguments, self.max_output_tokens())

    async def close(self) -> None:
        """Let go of connections; the client can be used again afterwards."""

    def closing(self) -> Sequence[Callable[[], Awaitable[object]]]:
        """What is to be called and awaited at the end of a run: nothing where the class has no connections."""
        return () if type(self).close is ChatCompletionClient.close else (self.close,)


def _make_call(
    kind: Literal["create", "create_stream"],
    messages: Sequence[LLMMessage],
    tools: Sequence[HasSchema | ToolSchema],
    tool_choice: HasSchema | Literal["auto", "required", "none"],
    json_output: bool | type[BaseModel] | None,
    extra_create_args: Mapping[str, JsonValue] | None,
) -> ModelCall:
    values = (
        kind,
        messages if type(messages) is Prompt else tuple(messages),
        tuple(map(_schema_of, tools)) if tools else (),
        tool_choice if isinstance(tool_choice, str) else {"name": tool_choice.schema["name"]},
        json_output,
        dict(extra_create_args) if extra_create_args else NO_ARGUMENTS,
    )
    return _new_tuple(ModelCall, values)  # the class itself takes twice as long


def _as_json(result: CreateResult) -> JsonObject:
    # `model_dump` without what it does for its other arguments, which takes as long again.
    return type(result).__pydantic_serializer__.to_python(result, mode="json")


def _schema_of(tool: HasSchema | ToolSchema) -> ToolSchema:
    return tool if isinstance(tool, dict) else tool.schema


def _tokens_of(text: str) -> int:
    return math.ceil(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN)


def _tokens_in(message: LLMMessage) -> int:
    content = message.content
    if isinstance(content, str):
        return TOKENS_PER_MESSAGE + _tokens_of(content)
    total = TOKENS_PER_MESSAGE
    for part in content:
        if isinstance(part, Image):
            total += TOKENS_PER_IMAGE
        else:
            total += _tokens_of(part if isinstance(part, str) else part.model_dump_json())
    return total
