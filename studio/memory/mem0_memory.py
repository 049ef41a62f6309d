"""A memory at Mem0."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any, ClassVar, cast
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, PrivateAttr, model_validator

from studio import effects
from studio.components import Capability, DefaultEnv, JsonObject, SecretRef, Warn, is_reference, references_within
from studio.components.folders import database_capability
from studio.components.secrets import filled_in
from studio.egress import Guard, HostRefused, http_client, put_behind_guard
from studio.memory.mem0_folders import IN_MEMORY, held_to_folders, places_in, texts_in
from studio.memory.service import MemoryUnavailable, ServiceMemory, config_of, numbered, searchable_text
from studio.messages import MemoryContent
from studio.models.connection import Connection, trusted
from studio.models.extras import needs_extra
from studio.models.openai_services import exact_address

CLOUD = "https://api.mem0.ai"
TIMEOUT_S = 300.0
_ADDED = ("score", "created_at", "updated_at", "categories")
"""What Mem0 tells about a memory beside its text."""
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError)
"""What the package raises for answers of services that are not as it expects."""


class Mem0Memory(ServiceMemory):
    """Stores memories with Mem0: in its cloud, or with its package and your own model."""

    provider = "autogen_ext.memory.mem0.Mem0Memory"
    aliases = ("autogen_ext.memory.mem0._mem0.Mem0Memory", "studio.memory.Mem0Memory")
    positional: ClassVar[tuple[str, ...]] = ("user_id", "limit", "is_cloud", "api_key", "config")
    foreign: ClassVar[frozenset[str]] = frozenset(("config",))

    user_id: Annotated[str | None, Field(description="Whose memories are used. Empty: a new ID for each run.")] = None
    limit: Annotated[int, Field(ge=1, description="Number of results for each query.")] = 10
    is_cloud: Annotated[
        bool, Field(title="Mem0 Platform", description="Store memories in Mem0's cloud. Off: use the local config.")
    ] = True
    api_key: Annotated[
        SecretRef | None,
        DefaultEnv("MEM0_API_KEY"),
        Field(description="Reference to the key of the Mem0 Platform: `env:NAME` or `secret:name`."),
    ] = None
    config: Annotated[
        dict[str, JsonValue] | None,
        Field(
            description="Local config, as Mem0's package takes it. A text may reference a secret: `env:NAME`.",
            json_schema_extra={"x-language": "json"},
        ),
    ] = None
    host: Annotated[
        str | None,
        Field(description="Address of your own Mem0 server.", json_schema_extra={"x-advanced": True}),
    ] = None

    _connection: Connection[Any] = PrivateAttr(default_factory=lambda: Connection[Any]())
    _connecting: asyncio.Lock = PrivateAttr(default_factory=asyncio.Lock)
    _user_id: str = PrivateAttr(default="")

    @model_validator(mode="after")
    def _has_a_config(self) -> Mem0Memory:
        if not self.is_cloud and self.config is None:
            raise ValueError("`config` is required when Mem0 runs here and not in the cloud.")
        return self

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        for where, text in texts_in(config.get("config"), "/config"):
            if where.endswith("key") and text and not is_reference(text):
                warn("A key is in plain text; reference a secret instead: `env:NAME`.", where)
        return config

    def capabilities(self) -> Iterator[Capability]:
        if not self.is_cloud:
            for _, text in texts_in(self.config, ""):
                for reference in references_within(text):
                    yield Capability("secret", f"Gives the secret {reference} to Mem0's package.", reference)
            detail = effects.canonical_json(self.config)
            yield Capability("host", "Contacts the services in Mem0's local config, or its default services.", detail)
            for place in sorted({*places_in(self.config or {}).values()} - {IN_MEMORY}):
                yield database_capability(place, "Keeps a database of Mem0 in {}.")
            return
        host, reference = exact_address(self.host or CLOUD), self._key.reference
        yield Capability("secret", f"Sends the secret {reference} to {host}.", f"{reference} to {host}")
        yield Capability("host", f"Stores memories at {host}.", host)

    @property
    def _key(self) -> SecretRef:
        return self.api_key or SecretRef("env:MEM0_API_KEY")

    @property
    def _user(self) -> str:
        if not self._user_id:
            self._user_id = self.user_id or effects.new_id()
        return self._user_id

    def _settings(self) -> JsonObject:
        where: JsonValue = self.host or CLOUD if self.is_cloud else self.config
        return {"where": where, "user": self._user, "limit": self.limit}

    def _reminder(self, found: Sequence[MemoryContent]) -> str:
        return numbered("Relevant memories", found)

    async def _find(self, text: str, options: Mapping[str, Any]) -> list[MemoryContent]:
        if not text.strip():
            return []  # Mem0 refuses to look for nothing
        filters = {"user_id": self._user, **options.get("filters", {})}
        rest = {name: value for name, value in options.items() if name not in ("filters", "limit")}
        asked = {"top_k": options.get("limit", self.limit), **rest}
        answer = await self._ask_mem0("search", text, filters=filters, **asked)
        results: object = answer.get("results") if isinstance(answer, dict) else answer
        return [_content(item) for item in cast("list[JsonObject]", results or [])]

    async def _keep(self, content: MemoryContent, item_id: str) -> None:
        del item_id  # Mem0 gives its own
        message = {"role": "user", "content": searchable_text(content)}
        await self._ask_mem0("add", [message], user_id=self._user, metadata=content.metadata or {})

    async def _forget(self) -> None:
        await self._ask_mem0("delete_all", user_id=self._user)

    async def close(self) -> None:
        """Let go of connections and files. What is remembered stays."""
        client = self._connection.release()
        if client is None:
            return
        if self.is_cloud:
            await client.async_client.aclose()
        else:
            await asyncio.to_thread(_close, client)

    async def _ask_mem0(self, method: str, *args: object, **arguments: object) -> JsonValue:
        import httpx
        from openai import OpenAIError

        with needs_extra("mem0", "A Mem0 memory"):
            from mem0.exceptions import MemoryError as Mem0Error  # pyright: ignore[reportMissingTypeStubs] -- it has none
        try:
            client = await self._connected()
            return cast("JsonValue", await getattr(client, method)(*args, **arguments))
        except (Mem0Error, OpenAIError, httpx.HTTPError, OSError, *_UNREADABLE) as error:
            if isinstance(error.__cause__, HostRefused):
                raise error.__cause__ from None
            where = self.host or CLOUD if self.is_cloud else "its local config"
            raise MemoryUnavailable(
                f"Mem0 at {where} gave no answer: {error}", fix="Check the key, the config and the service."
            ) from error

    async def _connected(self) -> Any:
        _be_silent()
        make = self._make_cloud_client if self.is_cloud else self._make_local_client
        async with self._connecting:
            client = self._connection.release() or await asyncio.to_thread(make)  # it asks the service, and blocks
            return self._connection.get(lambda: client)

    def _make_cloud_client(self) -> Any:
        host = self.host or CLOUD
        http = http_client(Guard.for_url(host), timeout=TIMEOUT_S, verify=trusted())
        return _cloud_client_class()(self._key.resolve(), host, http)

    def _make_local_client(self) -> Any:
        from mem0 import AsyncMemory  # pyright: ignore[reportMissingTypeStubs] -- it has none

        config = held_to_folders(self.config or {}, self.capabilities())
        _check_hosts(config)
        client = AsyncMemory.from_config(cast("dict[str, Any]", _resolved(config)))
        _protect(client.llm)
        _protect(client.embedding_model)
        return client


Mem0MemoryConfig = config_of(Mem0Memory, "Mem0MemoryConfig", "Connection and user of Mem0.")


def _content(item: JsonObject) -> MemoryContent:
    metadata = dict(cast("JsonObject", item.get("metadata") or {}))
    metadata.update({name: item[name] for name in _ADDED if item.get(name) is not None})
    return MemoryContent(content=str(item.get("memory", "")), mime_type="text/plain", metadata=metadata)


def _close(client: Any) -> None:
    """Close all that Mem0's package opened; its own `close` leaves the vectors' database locked."""
    client.close()
    for part in (client.vector_store, client._entity_store, client.embedding_model, client.llm):
        close = getattr(getattr(part, "client", None), "close", None)
        if close is not None:
            close()


def _cloud_client_class() -> type[Any]:
    from mem0 import AsyncMemoryClient  # pyright: ignore[reportMissingTypeStubs] -- it has none

    class Client(AsyncMemoryClient):
        def _validate_api_key(self) -> str | None:
            """Ask whose key it is, as the package does when its client is made, but from behind the guard."""
            import httpx

            guard = Guard.for_url(self.host)
            with http_client(guard, client_class=httpx.Client, timeout=TIMEOUT_S, verify=trusted()) as http:
                answer = http.get(f"{self.host}/v1/ping/", headers=dict(self.async_client.headers))
                answer.raise_for_status()
                owner = cast("dict[str, str | None]", answer.json())
            self.org_id, self.project_id = owner.get("org_id"), owner.get("project_id")
            return owner.get("user_email")

    return Client


def _protect(part: Any) -> None:
    """Put the client of a model's service behind the guard, if it speaks HTTP with httpx, as most of them do."""
    import httpx
    import httpx2

    http = getattr(getattr(part, "client", None), "_client", None)
    if isinstance(http, httpx.Client | httpx2.Client):
        put_behind_guard(http, Guard.for_url(str(http.base_url)))


def _check_hosts(config: JsonValue) -> None:
    """Look once where the addresses in a config lead: databases below Mem0's package make connections by themselves.

    Raises:
        HostRefused: One of them leads where no team has any business.
    """
    for _, text in texts_in(config, ""):
        if "://" in text:
            parts = urlsplit(text)
            host, port = parts.hostname or "", parts.port or 443
            with suppress(OSError):  # an unknown name leads nowhere
                Guard.for_host(host, port).addresses_now(host, port)


def _be_silent() -> None:
    """Mem0's package reports each call to its maker, and keeps a database for that, unless told otherwise."""
    from mem0.memory import main, telemetry  # pyright: ignore[reportMissingTypeStubs] -- it has none

    telemetry.MEM0_TELEMETRY = False
    main.MEM0_TELEMETRY = False  # a copy that was made at the import
    if telemetry.client_telemetry.posthog is not None:
        telemetry.client_telemetry.close()
        telemetry.client_telemetry.posthog = None


def _resolved(value: JsonValue) -> JsonValue:
    """The config with the values of the secrets that it names."""
    if isinstance(value, str):
        return filled_in(value)
    if isinstance(value, dict):
        return {name: _resolved(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_resolved(item) for item in value]
    return value
