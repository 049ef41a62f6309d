"""The client of Ollama's own API."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Iterator, Mapping
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Protocol, cast

from pydantic import Field, JsonValue, PrivateAttr, ValidationError

from studio.components import JsonObject, SecretRef
from studio.components.secrets import placeholders_filled_in
from studio.egress import MODEL_BYTES, Guard
from studio.egress.transport import guarded_transport
from studio.errors import ModelRefused
from studio.messages import CreateResult
from studio.models.base import ModelCall
from studio.models.connection import Connection, trusted
from studio.models.extras import needs_extra
from studio.models.fields import ADVANCED, Abilities, Headers
from studio.models.headers import resolved_headers
from studio.models.info import KnownInfo, known_info
from studio.models.ollama_request import ChatFold, chat_arguments
from studio.models.openai_services import host_of
from studio.models.service import ServiceClient
from studio.models.service_errors import disconnected, no_completion, refused, reported, sentence, translated_http
from studio.models.spending import limit_in

if TYPE_CHECKING:
    import httpx
    from ollama import AsyncClient, ChatResponse

PORT = 11434
OLLAMA = f"http://localhost:{PORT}"
OLLAMA_CLOUD = "https://ollama.com"
DEFAULT_TIMEOUT_S = 600.0
"""Between two bytes; a large model may take minutes to load."""
RETRIES = 2


class _Chatting(Protocol):
    """The SDK's client, as far as it is used; its own types are not complete."""

    async def chat(self, **arguments: Any) -> Any: ...


class OllamaChatCompletionClient(ServiceClient):
    """Calls a model served by Ollama, on this machine or another."""

    provider = "autogen_ext.models.ollama.OllamaChatCompletionClient"
    aliases = (
        "autogen_ext.models.ollama._ollama_client.OllamaChatCompletionClient",
        "studio.models.OllamaChatCompletionClient",
        "OllamaChatCompletionClient",
        "ollama_chat_completion_client",
    )

    model: Annotated[
        str,
        Field(
            min_length=1,
            description="Model name, as in `ollama list`.",
            examples=["qwen3"],
            json_schema_extra={"x-service": "ollama"},
        ),
    ]
    host: Annotated[str | None, Field(description="Address of Ollama. Empty: this machine.")] = None
    options: Annotated[
        dict[str, JsonValue] | None,
        Field(description="Model options, such as `temperature` and `num_ctx`."),
    ] = None
    response_format: Annotated[
        dict[str, JsonValue] | str | None,
        Field(description="`json`, or a JSON schema. Empty: text.", json_schema_extra=ADVANCED),
    ] = None
    timeout: Annotated[
        float | None,
        Field(
            gt=0,
            description="Longest wait for the next part of an answer, in seconds. Empty: 600.",
            json_schema_extra=ADVANCED,
        ),
    ] = None
    follow_redirects: Annotated[bool, Field(json_schema_extra=ADVANCED)] = True
    headers: Headers = None
    model_info: Abilities = None

    _connection: Connection[AsyncClient] = PrivateAttr(default_factory=lambda: Connection())

    @property
    def address(self) -> str:
        return self.host or OLLAMA

    @property
    def is_free(self) -> bool:
        return host_of(self.address) != host_of(OLLAMA_CLOUD)

    def limiting(self, limit: int, call: ModelCall) -> JsonObject:
        given = {**self.create_arguments(), **call.extra_create_args}.get("options")
        options = given if isinstance(given, dict) else {}
        own = limit_in(options)
        return {"options": {**options, "num_predict": min(limit, own or limit)}}

    def known_abilities(self) -> KnownInfo:
        # The server itself holds every model to JSON or a schema, and puts system messages where they stand.
        info = known_info(self.model)
        return KnownInfo({**info, "json_output": True, "structured_output": True, "multiple_system_messages": True})

    def context_length(self) -> int:
        given = (self.options or {}).get("num_ctx")
        return given if isinstance(given, int) else super().context_length()

    def create_arguments(self) -> JsonObject:
        given: JsonObject = {"options": self.options, "format": _format_of(self.response_format)}
        return {"model": self.model, **{name: value for name, value in given.items() if value is not None}}

    def _headers(self) -> Mapping[str, str] | None:
        return self.headers

    def _needed_secrets(self) -> Iterator[SecretRef]:
        if host_of(self.address) == host_of(OLLAMA_CLOUD) and not self.headers:
            yield SecretRef("env:OLLAMA_API_KEY")

    async def close(self) -> None:
        client = self._connection.release()
        if client is not None:
            await client.close()

    async def _create(self, call: ModelCall) -> CreateResult:
        fold = ChatFold()
        arguments = chat_arguments(call, self.info, self.create_arguments())
        with self._translated():
            for _ in fold.add(await self._connected().chat(**arguments, stream=False)):
                pass
        return fold.result()

    async def _create_stream(self, call: ModelCall) -> AsyncGenerator[str | CreateResult, None]:
        fold = ChatFold()
        async with aclosing(self._parts(chat_arguments(call, self.info, self.create_arguments()))) as parts:
            async for part in parts:
                for text in fold.add(part):
                    yield text
        for text in fold.frame.end():
            yield text
        yield fold.result()

    async def _parts(self, arguments: dict[str, Any]) -> AsyncGenerator[ChatResponse, None]:
        with self._translated():
            parts = cast("AsyncGenerator[ChatResponse, None]", await self._connected().chat(**arguments, stream=True))
            async with aclosing(parts):
                async for part in parts:
                    yield part

    def _connected(self) -> _Chatting:
        return cast("_Chatting", self._connection.get(self._make_client))

    def _make_client(self) -> AsyncClient:
        with needs_extra("ollama", type(self).__name__):
            from ollama import AsyncClient

        import httpx

        from studio.models.retries import RetryingTransport  # brings httpx, which is slow to load

        headers = resolved_headers(self.headers)
        key = next(self._needed_secrets(), None)
        if key is not None:
            headers["authorization"] = f"Bearer {key.resolve()}"
        is_signed = any(name.lower() == "authorization" for name in headers)
        url = _url_of(self.address)
        transport = guarded_transport(httpx, Guard.for_url(url), limit=MODEL_BYTES, verify=trusted())
        return AsyncClient(
            host=placeholders_filled_in(url),
            headers=headers,
            follow_redirects=self.follow_redirects,
            timeout=self.timeout or DEFAULT_TIMEOUT_S,
            transport=RetryingTransport(transport, RETRIES),
            auth=None if is_signed else _without_key,
        )

    @contextmanager
    def _translated(self) -> Generator[None]:
        """Turn errors of the SDK inside the block into `ModelUnavailable` or `ModelRefused`."""
        with needs_extra("ollama", type(self).__name__):
            import httpx
            from ollama import ResponseError
        try:
            with translated_http(httpx, self.address):
                yield
        except ConnectionError as error:
            raise disconnected(error, self.address) from error
        except (json.JSONDecodeError, ValidationError) as error:
            raise no_completion(self.address) from error
        except ResponseError as error:
            message = sentence(str(error.error))
            if error.status_code == 404:
                raise ModelRefused(
                    f"Ollama at {self.address} says: {message}", fix=f"Run `ollama pull {self.model}`."
                ) from error
            if error.status_code < 400:  # sent in the middle of a stream
                raise reported(message) from error
            raise refused(error.status_code, message, self.address, self.model) from error


def _url_of(address: str) -> str:
    """The URL of a host as Ollama's users write it: `gpu-box`, `:8080`, `10.0.0.7:11434`, or a URL."""
    if "://" in address:
        return address
    host, slash, path = address.partition("/")
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not colon:
        name, port = host, str(PORT)
    return f"http://{name or '127.0.0.1'}:{port}{slash}{path}"


def _without_key(request: httpx.Request) -> httpx.Request:
    """Take off the key that the SDK finds in the environment: a config's host is not where it belongs."""
    request.headers.pop("authorization", None)
    return request


def _format_of(given: dict[str, JsonValue] | str | None) -> JsonValue:
    """`response_format` as Ollama's `format`; OpenAI's two ways to write it are understood."""
    if not isinstance(given, dict):
        return given
    if given.get("type") == "json_object":
        return "json"
    named = given.get("json_schema")
    return named.get("schema") if isinstance(named, dict) else given
