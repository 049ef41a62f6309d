"""Clients for OpenAI and for every service that speaks its chat completion API."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, cast

from pydantic import Field, PrivateAttr

from studio.components import Capability, DefaultEnv, JsonObject, SecretRef, Warn
from studio.components.secrets import MASK, placeholders_filled_in
from studio.egress import Guard, http_client
from studio.messages import CreateResult
from studio.models.azure_token import TokenProvider
from studio.models.base import ModelCall
from studio.models.connection import Connection, trusted
from studio.models.fields import ADVANCED
from studio.models.headers import resolved_headers
from studio.models.info import ModelFamily
from studio.models.openai_answer import Fold, Piece, result_from
from studio.models.openai_fields import OpenAIFields
from studio.models.openai_request import Dialect, request_body
from studio.models.openai_services import exact_address, service_of
from studio.models.sdk import own_settings_only
from studio.models.service_errors import texts_in, translated
from studio.models.spending import limit_in

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletion

_THINKING = (ModelFamily.GPT_5, ModelFamily.O1, ModelFamily.O3, ModelFamily.O4)
_LIMITS = ("max_tokens", "max_completion_tokens")
KEYLESS = "none"
"""Sent where no key is configured: servers on one's own machine want none, but the SDK wants something."""


class BaseOpenAIChatCompletionClient(OpenAIFields):
    """What the OpenAI and Azure clients have in common."""

    _connection: Connection[AsyncOpenAI] = PrivateAttr(default_factory=lambda: Connection())
    _sends_usage: bool = PrivateAttr(default=True)

    def _make_client(self, common: dict[str, Any]) -> AsyncOpenAI:
        """The SDK's client; `common` holds the arguments that both clients take."""
        raise NotImplementedError

    async def close(self) -> None:
        client = self._connection.release()
        if client is not None:
            await client.close()

    def _body(self, call: ModelCall) -> JsonObject:
        """What a request says."""
        return request_body(call, self._dialect(), self.create_arguments())

    async def _create(self, call: ModelCall) -> CreateResult:
        body = self._body(call)
        import openai

        with translated(openai, self.address, self.model):
            return result_from(await self._completion(body))

    async def _completion(self, body: JsonObject) -> ChatCompletion:
        """Ask for a whole answer."""
        create = cast("Callable[..., Awaitable[ChatCompletion]]", self._connected().chat.completions.create)
        return await create(**body, stream=False)

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        fold = Fold()
        async with aclosing(self._chunks(self._body(call))) as chunks:
            async for chunk in chunks:
                for text in texts_in(fold.add, chunk, self.address):
                    yield text
        for text in fold.end_thought():
            yield text
        yield fold.result()

    async def _chunks(self, body: JsonObject) -> AsyncGenerator[Piece, None]:
        import openai

        with translated(openai, self.address, self.model):
            async with await self._open_stream(body) as stream:
                pieces: AsyncIterable[Piece] = stream
                if isinstance(stream, openai.AsyncStream):  # its JSON, of which no objects are made
                    response = cast("openai.AsyncStream[object]", stream).response
                    plain = openai.AsyncStream[object](cast_to=object, response=response, client=self._connected())
                    pieces = cast("AsyncIterable[Piece]", plain)
                async for piece in pieces:
                    yield piece

    async def _open_stream(self, body: JsonObject) -> Any:
        """Begin a streamed answer; a service that knows no `stream_options` is asked again without."""
        import openai

        create = cast("Callable[..., Awaitable[Any]]", self._connected().chat.completions.create)
        options = body.pop("stream_options", None) or self.stream_options
        if options is None and self._sends_usage:
            try:
                return await create(**body, stream=True, stream_options={"include_usage": True})
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                if "stream_options" not in str(error):
                    raise
                self._sends_usage = False
        return await create(**body, stream=True, **({"stream_options": options} if options else {}))

    def limiting(self, limit: int, call: ModelCall) -> JsonObject:
        given = {**self.create_arguments(), **call.extra_create_args}
        within = min(limit, limit_in(given) or limit)
        # Models that think before they speak know only the newer name, and most other services only the older one.
        is_newer = self.info["family"] in _THINKING or "max_completion_tokens" in given
        return {name: within for name in _LIMITS if name in given} or {_LIMITS[is_newer]: within}

    def _connected(self) -> AsyncOpenAI:
        return self._connection.get(lambda: self._make_client(self._common_arguments()))

    def _common_arguments(self) -> dict[str, Any]:
        from openai import DefaultAsyncHttpxClient

        given = {"timeout": self.timeout, "max_retries": self.max_retries}
        common = {name: value for name, value in given.items() if value is not None}
        # A redirect would carry the conversation to a host that nobody approved.
        http = http_client(
            Guard.for_url(self.address), client_class=DefaultAsyncHttpxClient, follow_redirects=False, verify=trusted()
        )
        return {"http_client": http, **common}

    def _dialect(self) -> Dialect:
        return Dialect(
            self.model,
            self.info,
            add_name_prefixes=bool(self.add_name_prefixes),
            include_names=self.include_name_in_message is not False,
        )


class OpenAIChatCompletionClient(BaseOpenAIChatCompletionClient):
    """Calls OpenAI, or any service with its API: Ollama, vLLM, LM Studio, Gemini and others."""

    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    aliases = (
        "autogen_ext.models.openai._openai_client.OpenAIChatCompletionClient",
        "autogenstudio.datamodel.types.OpenAIChatCompletionClient",
        "autogenstudio.gallery.builder.OpenAIChatCompletionClient",
        "studio.models.OpenAIChatCompletionClient",
        "OpenAIChatCompletionClient",
        "openai_chat_completion_client",
    )
    positional: ClassVar[tuple[str, ...]] = ()

    base_url: Annotated[
        str | None,
        Field(
            description="Address of an OpenAI-compatible service, such as `http://localhost:11434/v1` for Ollama. "
            "Empty: OpenAI.",
            json_schema_extra={"x-service": "openai"},
        ),
    ] = None
    organization: Annotated[
        str | None, Field(description="ID of the organization that is billed.", json_schema_extra=ADVANCED)
    ] = None

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        coerced = super().coerce(config, warn)
        if coerced.get("api_key") == MASK:
            return {**coerced, "api_key": f"env:{service_of(str(coerced.get('model'))).key_env}"}
        return coerced

    @property
    def address(self) -> str:
        return self.base_url or service_of(self.model).base_url

    def _needed_secrets(self) -> Iterator[SecretRef]:
        # The environment's key only goes to the service it belongs to, never to a host that a config names.
        if self.api_key is None and self.base_url is None:
            yield SecretRef(f"env:{service_of(self.model).key_env}")

    def _make_client(self, common: dict[str, Any]) -> AsyncOpenAI:
        from openai import AsyncOpenAI

        secret = next(self._needed_secrets(), self.api_key)
        key = secret.resolve() if secret is not None else KEYLESS
        client = AsyncOpenAI(base_url=placeholders_filled_in(self.address), api_key=key, **common)
        return own_settings_only(client, resolved_headers(self.default_headers), self.organization)


class AzureOpenAIChatCompletionClient(BaseOpenAIChatCompletionClient):
    """Calls a model deployed in Azure OpenAI."""

    provider = "autogen_ext.models.openai.AzureOpenAIChatCompletionClient"
    aliases = (
        "autogen_ext.models.openai._openai_client.AzureOpenAIChatCompletionClient",
        "autogenstudio.gallery.builder.AzureOpenAIChatCompletionClient",
        "studio.models.AzureOpenAIChatCompletionClient",
        "AzureOpenAIChatCompletionClient",
        "azure_openai_chat_completion_client",
    )

    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("AZURE_OPENAI_API_KEY"),
        Field(description="Reference to the key: `env:NAME` or `secret:name`, never the key itself."),
    ] = None
    azure_endpoint: Annotated[
        str,
        Field(
            min_length=1,
            description="Address of the Azure OpenAI resource.",
            examples=["https://NAME.openai.azure.com/"],
        ),
    ]
    api_version: Annotated[
        str, Field(min_length=1, description="Version of the Azure OpenAI API.", examples=["2024-10-21"])
    ]
    azure_deployment: Annotated[str | None, Field(description="Name of the deployment. Empty: the model's name.")] = (
        None
    )
    azure_ad_token: Annotated[
        SecretRef | None,
        DefaultEnv("AZURE_OPENAI_AD_TOKEN"),
        Field(
            description="Reference to a Microsoft Entra ID token, used instead of an API key.",
            json_schema_extra=ADVANCED,
        ),
    ] = None
    azure_ad_token_provider: Annotated[
        TokenProvider | None,
        Field(description="Gets Microsoft Entra ID tokens, used instead of an API key.", json_schema_extra=ADVANCED),
    ] = None

    @property
    def address(self) -> str:
        return self.azure_endpoint

    def _needed_secrets(self) -> Iterator[SecretRef]:
        if self.api_key is None and self.azure_ad_token is None and self.azure_ad_token_provider is None:
            yield SecretRef("env:AZURE_OPENAI_API_KEY")

    def capabilities(self) -> Iterator[Capability]:
        yield from super().capabilities()
        if self.azure_ad_token_provider is not None:
            host = exact_address(self.address, self._headers())
            yield Capability("secret", f"Sends an Entra ID token to {host}.", f"Entra ID token to {host}")

    async def close(self) -> None:
        await super().close()
        if self.azure_ad_token_provider is not None:
            await self.azure_ad_token_provider.close()

    def _make_client(self, common: dict[str, Any]) -> AsyncOpenAI:
        from openai import AsyncAzureOpenAI

        if self.azure_ad_token_provider is not None:
            credential: dict[str, Any] = {"azure_ad_token_provider": self.azure_ad_token_provider.token}
        elif self.azure_ad_token is not None:
            credential = {"azure_ad_token": self.azure_ad_token.resolve()}
        else:
            credential = {"api_key": next(self._needed_secrets(), cast("SecretRef", self.api_key)).resolve()}
        client = AsyncAzureOpenAI(
            azure_endpoint=placeholders_filled_in(self.azure_endpoint),
            azure_deployment=self.azure_deployment or self.model,
            api_version=self.api_version,
            **credential,
            **common,
        )
        return own_settings_only(client, resolved_headers(self.default_headers))
