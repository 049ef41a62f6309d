"""Clients for Claude, at Anthropic or in Amazon Bedrock."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Generator, Iterator
from contextlib import aclosing, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field, PrivateAttr

from studio.components import DefaultEnv, JsonObject, SecretRef
from studio.components.secrets import placeholders_filled_in
from studio.egress import Guard, http_client
from studio.errors import ConfigError
from studio.messages import CreateResult, FunctionCall
from studio.models.anthropic_answer import Answer, AnswerFold, Event, whole_answer
from studio.models.anthropic_fields import AnthropicFields, BedrockInfo
from studio.models.anthropic_request import Blocks, request_body
from studio.models.base import ModelCall
from studio.models.connection import Connection, trusted
from studio.models.extras import needs_extra
from studio.models.headers import resolved_headers
from studio.models.sdk import own_settings_only
from studio.models.service_errors import no_completion, texts_in, translated

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.lib.bedrock import AsyncAnthropicBedrock
    from anthropic.types import Message

ANTHROPIC = "https://api.anthropic.com"
KEYLESS = "none"
"""Sent to a gateway for which no key is configured, so that the SDK does not send the environment's."""
DEFAULT_TIMEOUT_S = 600.0
MAX_REMEMBERED = 256
"""Tool calls whose thoughts are kept to go back to the service; older ones are no longer asked for."""
_OF_THE_SDK = frozenset(
    ("model", "max_tokens", "messages", "system", "tools", "tool_choice", "thinking", "stop_sequences", "metadata")
)
"""Arguments that every version of the SDK knows by name; the others go into the body as they are."""


class BaseAnthropicClient(AnthropicFields):
    """What the clients for Anthropic and Bedrock have in common."""

    _connection: Connection[AsyncAnthropic | AsyncAnthropicBedrock] = PrivateAttr(default_factory=lambda: Connection())
    _signed: dict[str, Blocks] = PrivateAttr(default_factory=dict[str, Blocks])

    def _make_client(self, common: dict[str, Any]) -> AsyncAnthropic | AsyncAnthropicBedrock:
        """The SDK's client; `common` holds the arguments that both take."""
        raise NotImplementedError

    @contextmanager
    def _translated_frames(self) -> Generator[None]:
        """Turn errors of what frames the pieces of a stream, inside the block, into `ModelUnavailable`."""
        yield

    async def close(self) -> None:
        client = self._connection.release()
        if client is not None:
            await client.close()

    async def _create(self, call: ModelCall) -> CreateResult:
        arguments = self._arguments(call)
        with needs_extra("anthropic", type(self).__name__):
            import anthropic
        with translated(anthropic, self.address, self.model):
            create = cast("Callable[..., Awaitable[Message]]", self._connected().messages.create)
            return self._remember(whole_answer(await create(**arguments, stream=False)))

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        fold = AnswerFold()
        async with aclosing(self._events(self._arguments(call))) as events:
            async for event in events:
                for text in texts_in(fold.add, event, self.address):
                    yield text
        for text in fold.frame.end():
            yield text
        yield self._remember(fold.answer)

    async def _events(self, arguments: dict[str, Any]) -> AsyncGenerator[Event, None]:
        with needs_extra("anthropic", type(self).__name__):
            import anthropic
        with translated(anthropic, self.address, self.model), self._translated_frames():
            async with await self._open_stream(arguments) as stream:
                events: AsyncIterable[Event] = stream
                if isinstance(stream, anthropic.AsyncStream):  # its JSON, of which no objects are made
                    response = cast("anthropic.AsyncStream[object]", stream).response
                    client = cast("AsyncAnthropic", self._connected())
                    plain = anthropic.AsyncStream[object](cast_to=object, response=response, client=client)
                    events = cast("AsyncIterable[Event]", plain)
                async for event in events:
                    yield event

    async def _open_stream(self, arguments: dict[str, Any]) -> Any:
        """Ask for an answer in pieces."""
        create = cast("Callable[..., Awaitable[Any]]", self._connected().messages.create)
        return await create(**arguments, stream=True)

    def _arguments(self, call: ModelCall) -> dict[str, Any]:
        body = request_body(call, self.info, self.create_arguments(), self._signed)
        named: dict[str, Any] = {name: value for name, value in body.items() if name in _OF_THE_SDK}
        rest: JsonObject = {name: value for name, value in body.items() if name not in _OF_THE_SDK}
        return {**named, "extra_body": rest} if rest else named

    def _connected(self) -> AsyncAnthropic | AsyncAnthropicBedrock:
        return self._connection.get(
            lambda: own_settings_only(
                self._make_client(self._common_arguments()), resolved_headers(self.default_headers)
            )
        )

    def _common_arguments(self) -> dict[str, Any]:
        with needs_extra("anthropic", type(self).__name__):
            from anthropic import DefaultAsyncHttpxClient

        common: dict[str, Any] = {
            "base_url": placeholders_filled_in(self.address),
            "timeout": self.timeout or DEFAULT_TIMEOUT_S,
            # A redirect would carry the conversation to a host that nobody approved.
            "http_client": http_client(
                Guard.for_url(self.address),
                client_class=DefaultAsyncHttpxClient,
                follow_redirects=False,
                verify=trusted(),
            ),
        }
        return common if self.max_retries is None else {**common, "max_retries": self.max_retries}

    def _remember(self, answer: Answer) -> CreateResult:
        result = answer.result()
        if thoughts := answer.signed_thoughts():
            self._signed.update({call.id: thoughts for call in _calls_in(result)})
            for oldest in list(self._signed)[:-MAX_REMEMBERED]:
                del self._signed[oldest]
        return result


def _calls_in(result: CreateResult) -> list[FunctionCall]:
    return [] if isinstance(result.content, str) else result.content


class AnthropicChatCompletionClient(BaseAnthropicClient):
    """Calls Claude through Anthropic's API."""

    provider = "autogen_ext.models.anthropic.AnthropicChatCompletionClient"
    aliases = (
        "autogen_ext.models.anthropic._anthropic_client.AnthropicChatCompletionClient",
        "autogenstudio.gallery.builder.AnthropicChatCompletionClient",
        "studio.models.AnthropicChatCompletionClient",
        "AnthropicChatCompletionClient",
        "anthropic_chat_completion_client",
    )

    @property
    def address(self) -> str:
        return self.base_url or ANTHROPIC

    def _needed_secrets(self) -> Iterator[SecretRef]:
        # The environment's key only goes to the service it belongs to, never to a host that a config names.
        if self.api_key is None and self.base_url is None:
            yield SecretRef("env:ANTHROPIC_API_KEY")

    def _make_client(self, common: dict[str, Any]) -> AsyncAnthropic:
        from anthropic import AsyncAnthropic

        secret = next(self._needed_secrets(), self.api_key)
        return AsyncAnthropic(api_key=secret.resolve() if secret is not None else KEYLESS, **common)


class AnthropicBedrockChatCompletionClient(BaseAnthropicClient):
    """Calls Claude through Amazon Bedrock."""

    provider = "autogen_ext.models.anthropic.AnthropicBedrockChatCompletionClient"
    aliases = (
        "autogen_ext.models.anthropic._anthropic_client.AnthropicBedrockChatCompletionClient",
        "studio.models.AnthropicBedrockChatCompletionClient",
        "AnthropicBedrockChatCompletionClient",
    )

    model: Annotated[
        str,
        Field(
            min_length=1,
            description="Model ID at Bedrock.",
            examples=["anthropic.claude-haiku-4-5-20251001-v1:0"],
            json_schema_extra={"x-service": "bedrock"},
        ),
    ]
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("AWS_BEARER_TOKEN_BEDROCK"),
        Field(description="Reference to a Bedrock API key, used instead of the AWS keys: `env:NAME` or `secret:name`."),
    ] = None
    bedrock_info: Annotated[
        BedrockInfo | None, Field(description="AWS region and keys. Empty: region `us-east-1`.")
    ] = None

    @property
    def address(self) -> str:
        region = self.bedrock_info.aws_region if self.bedrock_info else "us-east-1"
        return self.base_url or f"https://bedrock-runtime.{region}.amazonaws.com"

    @contextmanager
    def _translated_frames(self) -> Generator[None]:
        framing = cast("type[Exception]", import_module("botocore.eventstream").ParserError)  # it has no types
        try:
            yield
        except framing as error:
            raise no_completion(self.address) from error

    def _make_client(self, common: dict[str, Any]) -> AsyncAnthropicBedrock:
        with needs_extra("anthropic", type(self).__name__):
            from anthropic.lib.bedrock import AsyncAnthropicBedrock

            import_module("boto3")  # the SDK signs with it, but only says so at the first request

        info = self.bedrock_info
        region = info.aws_region if info else "us-east-1"
        if self.api_key is not None:
            return AsyncAnthropicBedrock(api_key=self.api_key.resolve(), aws_region=region, **common)
        if info is None:
            raise ConfigError("Bedrock needs AWS keys or an API key.", fix="Fill in `bedrock_info` or `api_key`.")
        return AsyncAnthropicBedrock(
            aws_access_key=info.aws_access_key.resolve(),
            aws_secret_key=info.aws_secret_key.resolve(),
            aws_session_token=info.aws_session_token.resolve() if info.aws_session_token else None,
            aws_region=region,
            **common,
        )
