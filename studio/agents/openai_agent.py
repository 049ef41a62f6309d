"""An agent over OpenAI's Responses API, which keeps the conversation and has tools of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from pydantic import Field, JsonValue, PrivateAttr, ValidationInfo, field_validator

from studio import effects
from studio.agents.base import ChatAgent, Step
from studio.agents.cleanup import release_all
from studio.agents.kept_answers import KeepAs, keep_answer
from studio.agents.responses import Answer, asked, builtin_tool, function_tool, input_item, output_items, streamed
from studio.agents.tool_round import Toolbox, broken_off
from studio.components import Capability, DefaultEnv, JsonObject, SecretRef
from studio.components.secrets import placeholders_filled_in
from studio.effects import EffectRequest
from studio.egress import Guard, http_client
from studio.errors import RunFailed
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    CancellationToken,
    FunctionExecutionResult,
    Image,
    ModelClientStreamingChunkEvent,
    MultiModalMessage,
    Response,
    TextMessage,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    linked,
)
from studio.models.connection import Connection, trusted
from studio.models.headers import references_within_braces
from studio.models.info import max_output_tokens
from studio.models.openai_services import OPENAI, exact_address, is_this_machine
from studio.models.sdk import own_settings_only
from studio.models.service_errors import translated
from studio.models.spending import (
    FOR_TOOLS_TOKENS,
    Spending,
    TokenBound,
    answer_limit,
    limit_in,
    max_schema_tokens,
    max_with_answer,
)
from studio.tools import BaseTool, StaticStreamWorkbench

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MAX_ROUNDS = 20
"""Rounds of tool calls in one turn; a model that wants more is going in circles."""
ADVANCED: JsonObject = {"x-advanced": True}


class OpenAIAgent(ChatAgent):
    """Answers with OpenAI's Responses API, which can store the conversation and search the web or files."""

    provider = "autogen_ext.agents.openai.OpenAIAgent"
    aliases = ("autogen_ext.agents.openai._openai_agent.OpenAIAgent", "studio.agents.OpenAIAgent")
    positional: ClassVar[tuple[str, ...]] = ("name", "description", "client", "model", "instructions", "tools")
    has_own_tools: ClassVar[bool] = True

    name: Annotated[str, Field(description="A word without spaces, unique in its team.", examples=["assistant"])]
    description: Annotated[str, Field(description="What this agent does. Other agents and selectors read it.")] = (
        "An agent that uses the OpenAI Responses API."
    )
    model: Annotated[str, Field(min_length=1, description="Model name at OpenAI.", examples=["gpt-4.1"])]
    instructions: Annotated[
        str,
        Field(
            description="System message, sent first.",
            examples=["You are a helpful assistant."],
            json_schema_extra={"x-multiline": True},
        ),
    ]
    tools: Annotated[
        list[
            Annotated[
                BaseTool | dict[str, JsonValue] | str,
                Field(
                    union_mode="left_to_right",
                    description='Tools of this agent, and built-in tools of OpenAI: "web_search_preview" or an object.',
                ),
            ]
        ]
        | None,
        Field(description='Tools of this agent, and built-in tools of OpenAI: "web_search_preview" or an object.'),
    ] = None
    temperature: Annotated[
        float | None, Field(ge=0, le=2, description="0 is most deterministic; higher values vary more. Default 1.")
    ] = 1.0
    max_output_tokens: Annotated[
        int | None, Field(ge=1, description="Upper bound on the length of one answer, with its reasoning.")
    ] = None
    json_mode: Annotated[bool, Field(description="Answer with a JSON object.")] = False
    store: Annotated[
        bool,
        Field(
            title="Store conversation",
            description="OpenAI stores the conversation. Off: all of it is sent with each call.",
        ),
    ] = True
    truncation: Annotated[
        Literal["auto", "disabled"],
        Field(
            description="`auto`: drop messages in the middle of a conversation that is too long. `disabled`: fail.",
            json_schema_extra=ADVANCED,
        ),
    ] = "disabled"
    keep_as: KeepAs = None
    stream: Annotated[bool | None, Field(description="Show the answer while the model writes it.")] = None
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("OPENAI_API_KEY"),
        Field(description="Reference to the key: `env:NAME` or `secret:name`, never the key itself."),
    ] = None
    base_url: Annotated[
        str | None, Field(description="Address of another service with OpenAI's Responses API. Empty: OpenAI.")
    ] = None

    _given_client: AsyncOpenAI | None = PrivateAttr(default=None)
    _connection: Connection[Any] = PrivateAttr(default_factory=lambda: Connection[Any]())
    _toolbox: Toolbox | None = PrivateAttr(default=None)
    _response_id: str | None = PrivateAttr(default=None)
    _kept_tokens: int | None = PrivateAttr(default=None)
    """Of the conversation that the service keeps, where it has told."""
    _history: list[JsonObject] = PrivateAttr(default_factory=list[JsonObject])
    _unsent: list[JsonObject] = PrivateAttr(default_factory=list[JsonObject])
    """What goes to the service next: the service refuses an input that lacks the results of its calls."""
    _heard: Sequence[BaseChatMessage] | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, client: AsyncOpenAI | None = None, **data: Any) -> None:
        """Make one from fields; `client`, as AutoGen's scripts give it, takes the place of key and address."""
        named = self._name_arguments(args, data)
        given = named.pop("client", None) or client
        super().__init__(**named)
        self._given_client = given

    @field_validator("tools")
    @classmethod
    def _are_tools(
        cls, tools: list[BaseTool | dict[str, JsonValue] | str] | None, info: ValidationInfo
    ) -> list[BaseTool | dict[str, JsonValue] | str] | None:
        for tool in tools or ():
            if not isinstance(tool, BaseTool):
                builtin_tool(tool, str(info.data.get("model")))
        return tools

    @property
    def address(self) -> str:
        """Base URL of the service."""
        return self.base_url or OPENAI.base_url

    @property
    def _key(self) -> SecretRef:
        return self.api_key or SecretRef(f"env:{OPENAI.key_env}")

    def capabilities(self) -> Iterator[Capability]:
        host, reference = exact_address(self.address), self._key.reference
        if self.api_key is not None or self.base_url is None:
            yield Capability("secret", f"Sends the secret {reference} to {host}.", f"{reference} to {host}")
        for secret in references_within_braces(self.address):
            text = f"Sends the secret {secret.reference} to {host}."
            yield Capability("secret", text, f"{secret.reference} to {host}")
        yield Capability("host", f"Sends the conversation to {host}.", host)
        yield Capability("spend", f"Spends tokens of {self.model} at {host}.", f"{self.model} at {host}")
        for tool in self.tools or ():
            url = tool.get("server_url") if isinstance(tool, dict) else None
            if url:
                yield Capability("host", f"Lets {host} ask the MCP server at {url}.", f"{url} through {host}")

    @property
    def produced_message_types(self) -> Sequence[type[BaseChatMessage]]:
        return (TextMessage, MultiModalMessage)

    def on_messages_stream(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> AsyncGenerator[Step, None]:
        steps = self._answer(messages, cancellation_token)
        return keep_answer(steps, self.keep_as) if self.keep_as else steps

    async def _answer(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None
    ) -> AsyncGenerator[Step, None]:
        token, message_id = cancellation_token or CancellationToken(), effects.new_id()
        inner: list[BaseMessage] = []
        self._unsent = [*self._unsent, *(input_item(message) for message in messages)]
        self._heard = messages
        for _ in range(MAX_ROUNDS):
            answer: Answer | None = None
            async with aclosing(self._ask(self._unsent, token)) as items:
                async for item in items:
                    if isinstance(item, Answer):
                        answer = item
                    else:
                        yield ModelClientStreamingChunkEvent(content=item, source=self.name, full_message_id=message_id)
            assert answer is not None, "an ask that raises nothing ends with its answer"
            if not answer.calls:
                yield Response(chat_message=self._message(answer, message_id), inner_messages=inner)
                return
            async with aclosing(self._call(answer, token)) as steps:
                async for step in steps:
                    if step.is_kept:
                        inner.append(step)
                    yield step
        raise RunFailed(f"{self.name!r} asked for tools {MAX_ROUNDS} times in one turn.", fix="Check its tools.")

    async def _call(self, answer: Answer, token: CancellationToken) -> AsyncGenerator[BaseMessage, None]:
        """Make the calls; their results are what is sent next."""
        yield ToolCallRequestEvent(content=answer.calls, source=self.name, models_usage=answer.usage)
        results: list[FunctionExecutionResult] = []
        async with aclosing(self._tools_of_ours().run(answer.calls, token)) as items:
            async for item in items:
                if isinstance(item, list):
                    results = item
                    self._unsent = _results(results)
                else:
                    yield item
        yield ToolCallExecutionEvent(content=results, source=self.name)

    async def _ask(self, new: list[JsonObject], token: CancellationToken) -> AsyncGenerator[str | Answer, None]:
        """Send what is new, and what went before where the service does not keep it; one effect."""
        body = await self._body([*self._history, *new])
        create = self._create
        about = Spending(self, lambda: self._token_bound(body))
        request = EffectRequest("model", self.model, lambda: {"address": self.address, **body}, about=about)
        import openai

        async def whole() -> JsonValue:
            with translated(openai, self.address, self.model):
                return await asked(create(), _limited(body))

        async def pieces() -> AsyncGenerator[effects.StreamItem, None]:
            with translated(openai, self.address, self.model):
                async with aclosing(streamed(create(), _limited(body))) as items:
                    async for item in items:
                        yield item

        found: JsonValue = None
        if self.stream:
            stream = cast("AsyncGenerator[effects.StreamItem, None]", effects.stream(request, pieces))
            async with aclosing(stream):
                while found is None:
                    with linked(token):
                        item = await anext(stream)
                    if isinstance(item, str):
                        yield item
                    else:
                        found = item
        else:
            with linked(token):
                found = await effects.call(request, whole)
        answer = Answer.model_validate(found)
        self._response_id = answer.id
        self._kept_tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens
        self._unsent = _results([broken_off(call) for call in answer.calls])  # unless they give other ones
        self._history = [] if self.store else [*self._history, *new, *output_items(answer)]
        yield answer

    async def _body(self, items: list[JsonObject]) -> JsonObject:
        tools = [builtin_tool(tool, self.model) for tool in self.tools or () if not isinstance(tool, BaseTool)]
        tools += [function_tool(schema) for schema in await self._tools_of_ours().schemas()]
        wanted: dict[str, JsonValue] = {
            "temperature": self.temperature,
            "max_output_tokens": self.max_output_tokens,
            "tools": cast("JsonValue", tools or None),
            "text": {"format": {"type": "json_object"}} if self.json_mode else None,
            "previous_response_id": self._response_id if self.store else None,
        }
        return {
            "model": self.model,
            "instructions": self.instructions,
            "input": cast("JsonValue", items),
            "store": self.store,
            "truncation": self.truncation,
            **{name: value for name, value in wanted.items() if value is not None},
        }

    def _tools_of_ours(self) -> Toolbox:
        if self._toolbox is None:
            tools = [tool for tool in self.tools or () if isinstance(tool, BaseTool)]
            workbenches = [StaticStreamWorkbench(tools=tools)] if tools else []
            self._toolbox = Toolbox(self.name, workbenches, {})
        return self._toolbox

    @property
    def source(self) -> str:
        """Name by which the model's price is found."""
        return self.model

    @property
    def is_free(self) -> bool:
        """Whether nobody charges for what the model answers."""
        return is_this_machine(self.address)

    def is_charged(self, answer: JsonObject) -> bool:
        """Whether this answer was paid for."""
        del answer
        return True

    def _token_bound(self, body: JsonObject) -> TokenBound | None:
        """What a request takes at the most; None where the service runs tools itself, or keeps what it has not told."""
        has_own_tools = any(not isinstance(tool, BaseTool) for tool in self.tools or ())
        kept = self._kept_tokens if body.get("previous_response_id") else 0
        if has_own_tools or kept is None:
            return None
        longest = max_output_tokens(self.model)
        return max_with_answer(kept + FOR_TOOLS_TOKENS + max_schema_tokens(body), body, longest)

    def _create(self) -> Callable[..., Awaitable[Any]]:
        client = self._given_client or self._connection.get(self._connect)
        return cast("Callable[..., Awaitable[Any]]", client.responses.create)

    def _connect(self) -> AsyncOpenAI:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient

        # The environment's key only goes to the service it belongs to, never to a host that a config names.
        is_keyless = self.api_key is None and self.base_url is not None
        guard = Guard.for_url(self.address)
        client = AsyncOpenAI(
            api_key="none" if is_keyless else self._key.resolve(),
            base_url=placeholders_filled_in(self.address),
            http_client=http_client(
                guard, client_class=DefaultAsyncHttpxClient, follow_redirects=False, verify=trusted()
            ),
        )
        return own_settings_only(client, {})

    def _message(self, answer: Answer, message_id: str) -> BaseChatMessage:
        if answer.images:
            parts: list[str | Image] = [answer.text] if answer.text else []
            parts += [Image(data=data) for data in answer.images]
            return MultiModalMessage(content=parts, source=self.name, models_usage=answer.usage, id=message_id)
        return TextMessage(content=answer.text, source=self.name, models_usage=answer.usage, id=message_id)

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        return () if self._heard is messages else messages

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        self._response_id, self._history, self._unsent = None, [], []

    async def release(self) -> None:
        client = self._connection.release()
        parts = [client.close] if client is not None else []
        tools = [self._toolbox.stop] if self._toolbox is not None else []
        await release_all(*parts, *tools)

    async def save_state(self) -> Mapping[str, JsonValue]:
        history = cast("list[JsonValue]", list(self._history))
        unsent: JsonObject = {"unsent": list[JsonValue](self._unsent)} if self._unsent else {}
        return {"type": "OpenAIAgentState", "response_id": self._response_id, "history": history, **unsent}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        response_id = state.get("response_id")
        self._response_id = response_id if isinstance(response_id, str) else None
        self._history = cast("list[JsonObject]", list(cast("list[JsonValue]", state.get("history") or [])))
        self._unsent = cast("list[JsonObject]", list(cast("list[JsonValue]", state.get("unsent") or [])))


def _results(results: Sequence[FunctionExecutionResult]) -> list[JsonObject]:
    return [{"type": "function_call_output", "call_id": each.call_id, "output": each.content} for each in results]


def _limited(body: JsonObject) -> JsonObject:
    """The request with the limit of its answer that is in force here."""
    limit = answer_limit()
    return body if limit is None else {**body, "max_output_tokens": min(limit, limit_in(body) or limit)}
