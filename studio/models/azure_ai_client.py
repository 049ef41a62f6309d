"""The client of Azure AI's model inference API, which GitHub Models speaks, too."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import Field, JsonValue, PrivateAttr

from studio.components import Capability, DefaultEnv, JsonObject, SecretRef
from studio.messages import CreateResult
from studio.models.azure_token import TokenProvider
from studio.models.base import ModelCall
from studio.models.connection import Connection
from studio.models.extras import needs_extra
from studio.models.fields import (
    ADVANCED,
    Abilities,
    AnswerTokens,
    FrequencyPenalty,
    PresencePenalty,
    RequestLimit,
    ResponseFormat,
    Retries,
    Seed,
    StopSequences,
    TopP,
)
from studio.models.openai_answer import Fold, result_from
from studio.models.openai_request import Dialect, request_body
from studio.models.openai_services import exact_address
from studio.models.service import ServiceClient
from studio.models.service_errors import disconnected, no_completion, refused, sentence, texts_in, timed_out

if TYPE_CHECKING:
    from azure.ai.inference.aio import ChatCompletionsClient
    from azure.core.credentials import AccessToken

DEFAULT_TIMEOUT_S = 600.0
DEFAULT_RETRIES = 2
_CREATE_FIELDS = (
    "temperature",
    "max_tokens",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
    "seed",
    "stop",
    "response_format",
)
_STANDARD = frozenset(("model", "messages", "tools", "tool_choice", "stream", *_CREATE_FIELDS))
_PASS_THROUGH: JsonObject = {"extra-parameters": "pass-through"}
"""Without it the service refuses arguments that its API does not know.

Source: Azure AI model inference API reference, "Extensibility".
"""


class AzureAIChatCompletionClient(ServiceClient):
    """Calls a model in Azure AI Foundry or GitHub Models."""

    provider = "autogen_ext.models.azure.AzureAIChatCompletionClient"
    aliases = (
        "autogen_ext.models.azure._azure_ai_client.AzureAIChatCompletionClient",
        "studio.models.AzureAIChatCompletionClient",
        "AzureAIChatCompletionClient",
    )

    model: Annotated[
        str,
        Field(
            min_length=1,
            description="Model name at the endpoint.",
            examples=["Phi-4"],
            json_schema_extra={"x-service": "azure-ai"},
        ),
    ]
    endpoint: Annotated[
        str,
        Field(
            min_length=1,
            description="Address of the Azure AI or GitHub Models endpoint.",
            examples=["https://models.github.ai/inference"],
        ),
    ]
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("AZURE_AI_API_KEY"),
        Field(
            description="Reference to an API key or a GitHub token: `env:NAME` or `secret:name`, never the key itself."
        ),
    ] = None
    token_provider: Annotated[
        TokenProvider | None, Field(description="Gets Microsoft Entra ID tokens, used instead of an API key.")
    ] = None
    temperature: Annotated[
        float | None, Field(ge=0, le=2, description="0 is most deterministic; higher values vary more.")
    ] = None
    max_tokens: AnswerTokens = None
    top_p: TopP = None
    frequency_penalty: FrequencyPenalty = None
    presence_penalty: PresencePenalty = None
    seed: Seed = None
    stop: StopSequences = None
    response_format: ResponseFormat = None
    model_extras: Annotated[
        dict[str, JsonValue] | None,
        Field(description="More parameters of the model, sent as they are.", json_schema_extra=ADVANCED),
    ] = None
    timeout: RequestLimit = None
    max_retries: Retries = None
    model_info: Abilities = None

    _connection: Connection[ChatCompletionsClient] = PrivateAttr(default_factory=lambda: Connection())

    @property
    def address(self) -> str:
        return self.endpoint

    def _needed_secrets(self) -> Iterator[SecretRef]:
        if self.api_key is None and self.token_provider is None:
            yield SecretRef("env:AZURE_AI_API_KEY")

    def capabilities(self) -> Iterator[Capability]:
        yield from super().capabilities()
        if self.token_provider is not None:
            host = exact_address(self.address, self._headers())
            yield Capability("secret", f"Sends an Entra ID token to {host}.", f"Entra ID token to {host}")

    def create_arguments(self) -> JsonObject:
        given = {name: getattr(self, name) for name in _CREATE_FIELDS}
        kept = {name: value for name, value in given.items() if value is not None}
        return {"model": self.model, **kept, **(self.model_extras or {})}

    async def close(self) -> None:
        client = self._connection.release()
        if client is not None:
            await client.close()
        if self.token_provider is not None:
            await self.token_provider.close()

    async def _create(self, call: ModelCall) -> CreateResult:
        from openai.types.chat import ChatCompletion

        request = self._request(call)
        with self._translated():
            answer = await self._asked(request)
            return result_from(ChatCompletion.construct(**answer))

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        fold = Fold()
        async with aclosing(self._updates(self._request(call, stream=True))) as updates:
            async for update in updates:
                for text in texts_in(fold.add, update, self.address):
                    yield text
        for text in fold.end_thought():
            yield text
        yield fold.result()

    async def _updates(self, request: JsonObject) -> AsyncGenerator[Mapping[str, Any], None]:
        with self._translated():
            async with aclosing(await self._asked(request)) as stream:
                async for update in stream:
                    yield update

    def _request(self, call: ModelCall, **stream: bool) -> JsonObject:
        """What the SDK is asked with: the body, and how to send it."""
        body = request_body(call, Dialect(self.model, self.info, include_names=False), self.create_arguments())
        extras = body.pop("model_extras", None)
        body = {**body, **(extras if isinstance(extras, dict) else {}), **stream}
        headers: JsonObject = {} if body.keys() <= _STANDARD else _PASS_THROUGH
        return {"body": body, "headers": headers, **stream}

    async def _asked(self, request: JsonObject) -> Any:
        complete = cast("Callable[..., Awaitable[Any]]", self._connected().complete)
        return await complete(**request)

    def _connected(self) -> ChatCompletionsClient:
        return self._connection.get(self._make_client)

    def _make_client(self) -> ChatCompletionsClient:
        with needs_extra("azure", type(self).__name__):
            from azure.ai.inference.aio import ChatCompletionsClient
            from azure.core.credentials import AzureKeyCredential

            from studio.models.azure_transport import GuardedTransport

        secret = next(self._needed_secrets(), self.api_key)
        credential: Any = _Credential(self.token_provider) if self.token_provider is not None else None
        if secret is not None and credential is None:
            credential = AzureKeyCredential(secret.resolve())
        return ChatCompletionsClient(
            self.endpoint,
            credential,
            retry_total=DEFAULT_RETRIES if self.max_retries is None else self.max_retries,
            permit_redirects=False,  # the conversation goes to no host that nobody approved
            transport=GuardedTransport(self.endpoint, self.timeout or DEFAULT_TIMEOUT_S),
        )

    @contextmanager
    def _translated(self) -> Generator[None]:
        """Turn errors of the SDK inside the block into `ModelUnavailable` or `ModelRefused`."""
        with needs_extra("azure", type(self).__name__):
            from azure.core import exceptions as azure
        try:
            yield
        except (azure.ServiceRequestTimeoutError, azure.ServiceResponseTimeoutError) as error:
            raise timed_out(self.address) from error
        except (azure.ServiceRequestError, azure.ServiceResponseError, azure.IncompleteReadError) as error:
            raise disconnected(error.inner_exception or error, self.address) from error
        except azure.DecodeError as error:
            raise no_completion(self.address) from error
        except azure.HttpResponseError as error:
            message = sentence(error.error.message if error.error and error.error.message else error.message)
            raise refused(error.status_code or 500, message, self.address, self.model) from error
        except ValueError as error:  # what the SDK raises for an event that it cannot read
            raise no_completion(self.address) from error


class _Credential:
    """A token provider as Azure's SDK wants it."""

    def __init__(self, provider: TokenProvider) -> None:
        self._provider = provider

    async def get_token(self, *scopes: str, **_: object) -> AccessToken:
        from azure.core.credentials import AccessToken

        del scopes  # the provider has its own
        # The provider keeps its tokens as long as they are good; asking again costs nothing.
        return AccessToken(await self._provider.token(), int(time.time()) + 60)

    async def close(self) -> None:
        """The provider is closed by its owner."""

    async def __aenter__(self) -> _Credential:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
