"""A memory in a Chroma database."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar, cast

from pydantic import Field, JsonValue, PrivateAttr

from studio.components import Capability, JsonObject
from studio.components.folders import file_capability, make_folder
from studio.egress import Guard, put_behind_guard
from studio.errors import ConfigError
from studio.memory.embeddings import AnyEmbedding, DefaultEmbeddingFunctionConfig, Embed, OpenAIEmbedding
from studio.memory.service import (
    MemoryConfig,
    MemoryUnavailable,
    ServiceMemory,
    UnsuitableContent,
    config_of,
    content_from,
    numbered,
    searchable_text,
)
from studio.messages import MemoryContent
from studio.models.extras import needs_extra
from studio.models.headers import references_in, resolved_headers
from studio.models.openai_services import exact_address

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection  # pyright: ignore[reportMissingTypeStubs] -- it has none
    from chromadb.auth import UserIdentity
    from chromadb.config import Settings

T = TypeVar("T")
DEFAULT_PATH = "./chroma_db"
_HTTP_ONLY = ("host", "port", "ssl", "headers")


class ResetRefused(ConfigError, RuntimeError):
    """A memory was to be reset that must not be."""


class ChromaDBVectorMemory(ServiceMemory):
    """Stores memories in a Chroma database and retrieves those most similar to the last message."""

    provider = "autogen_ext.memory.chromadb.ChromaDBVectorMemory"
    aliases = ("autogen_ext.memory.chromadb._chromadb.ChromaDBVectorMemory", "studio.memory.ChromaDBVectorMemory")
    positional: ClassVar[tuple[str, ...]] = ("config",)

    client_type: Annotated[
        Literal["persistent", "http"],
        Field(description="`persistent`: local folder. `http`: Chroma server."),
    ] = "persistent"
    collection_name: Annotated[str, Field(min_length=1)] = "memory_store"
    distance_metric: Annotated[
        Literal["cosine", "l2", "ip"], Field(description="How distances between vectors are measured.")
    ] = "cosine"
    k: Annotated[int, Field(ge=1, title="Top k", description="Number of results for each query.")] = 3
    score_threshold: Annotated[
        float | None, Field(description="Only results at or above it (1 = identical). Empty: all.")
    ] = None
    allow_reset: Annotated[bool, Field(description="Allow `reset`, which empties the whole database.")] = False
    tenant: str = "default_tenant"
    database: str = "default_database"
    embedding_function_config: Annotated[
        AnyEmbedding, Field(title="Embedding function", description="Turns texts into vectors.")
    ] = Field(default_factory=DefaultEmbeddingFunctionConfig, description="The model that turns texts into vectors.")
    persistence_path: Annotated[
        str | None, Field(description=f"Folder of a persistent client. Empty: `{DEFAULT_PATH}`.")
    ] = None
    host: Annotated[str | None, Field(description="Host of the server. Empty: `localhost`.")] = None
    port: Annotated[int | None, Field(ge=1, le=65535, description="Port of the server. Empty: 8000.")] = None
    ssl: Annotated[bool | None, Field(title="Use TLS", description="Encrypt the connection to the server.")] = None
    headers: Annotated[
        dict[str, str] | None,
        Field(description="HTTP headers sent to the server. A value may reference a secret: `env:NAME`."),
    ] = None

    _embed: Embed | None = PrivateAttr(default=None)
    _client: ClientAPI | None = PrivateAttr(default=None)
    _collection: Collection | None = PrivateAttr(default=None)
    _lock: asyncio.Lock = PrivateAttr(default_factory=asyncio.Lock)

    def __init__(self, *args: Any, embedding_function: Embed | None = None, **data: Any) -> None:
        """Make one from fields, or as in AutoGen from `config=PersistentChromaDBVectorMemoryConfig(...)`.

        Args:
            args: The config object.
            embedding_function: Makes the vectors in place of the configured embedding; not part of the JSON.
            data: The fields, or `config`.
        """
        named = self._name_arguments(args, data)
        config = named.pop("config", None)
        if isinstance(config, MemoryConfig):
            named = {**dict(config), **named}
        super().__init__(**named)
        self._embed = embedding_function

    @property
    def address(self) -> str:
        """Where the database is."""
        if self.client_type == "persistent":
            return self.persistence_path or DEFAULT_PATH
        return f"{'https' if self.ssl else 'http'}://{self.host or 'localhost'}:{self.port or 8000}"

    def capabilities(self) -> Iterator[Capability]:
        if self.client_type == "persistent":
            yield file_capability("write", self.address, "Keeps a database in {}.")
        else:
            place = exact_address(self.address, self.headers)
            for secret in references_in(self.headers):
                text = f"Sends the secret {secret.reference} to {place}."
                yield Capability("secret", text, f"{secret.reference} to {place}")
            yield Capability("host", f"Stores memories at {place}.", place)
        yield from self.embedding_function_config.capabilities()

    def _settings(self) -> JsonObject:
        embedding = self.embedding_function_config.model_dump(mode="json", exclude={"api_key"}, exclude_none=True)
        return {
            "address": self.address,
            "tenant": self.tenant,
            "database": self.database,
            "collection": self.collection_name,
            "distance": self.distance_metric,
            "k": self.k,
            "score_threshold": self.score_threshold,
            "embedding": cast("JsonValue", embedding),
        }

    def _reminder(self, found: Sequence[MemoryContent]) -> str:
        return numbered("Relevant memory content", found)

    async def _find(self, text: str, options: Mapping[str, Any]) -> list[MemoryContent]:
        return await self._with_collection(lambda collection: self._search(collection, text, options))

    async def _keep(self, content: MemoryContent, item_id: str) -> None:
        text = searchable_text(content)
        if content.mime_type == "application/json" and not isinstance(content.content, dict):
            raise UnsuitableContent("JSON content must be a dict.", fix="Use the content type `text/plain`.")
        metadata = {**_flat(content.metadata or {}), "mime_type": content.mime_type}

        def add(collection: Collection) -> None:
            collection.add(
                ids=[item_id], documents=[text], metadatas=[metadata], embeddings=cast("Any", self._vectors([text]))
            )

        await self._with_collection(add)

    async def _forget(self) -> None:
        def empty(collection: Collection) -> None:
            ids = collection.get(include=[])["ids"]
            if ids:
                collection.delete(ids=ids)

        await self._with_collection(empty)

    async def reset(self) -> None:
        """Empty the whole database, whatever else is in it.

        Raises:
            ResetRefused: `allow_reset` is not set.
        """
        if not self.allow_reset:
            raise ResetRefused(
                "Resetting this memory is not allowed.", fix="Set “Allow reset”.", where="/config/allow_reset"
            )
        await self._with_collection(lambda _: cast("ClientAPI", self._client).reset())
        self._collection = None

    async def close(self) -> None:
        """Let go of the connection; it comes back when it is needed again."""
        async with self._lock:
            client, self._client, self._collection = self._client, None, None
            if client is not None:
                await asyncio.to_thread(_close, client)
            if isinstance(self._embed, OpenAIEmbedding):
                self._embed.close()
                self._embed = None

    async def _with_collection(self, use: Callable[[Collection], T]) -> T:
        """Do something with the collection, in a thread: the package's calls block."""
        with needs_extra("chromadb", "A Chroma memory"):
            from chromadb.errors import ChromaError

        import httpx

        try:
            async with self._lock:
                return await asyncio.to_thread(lambda: use(self._opened()))
        except (ChromaError, httpx.HTTPError, OSError) as error:
            raise MemoryUnavailable(
                f"The Chroma database at {self.address} gave no answer: {error}", fix="Check that it is running."
            ) from error
        except ValueError as error:  # how the package reports a server that is not there
            raise MemoryUnavailable(
                f"The Chroma database at {self.address} cannot be used: {error}", fix="Check its address and fields."
            ) from error

    def _opened(self) -> Collection:
        if self._collection is None:
            self._client = self._client or self._connect()
            self._collection = self._client.get_or_create_collection(
                self.collection_name,
                embedding_function=None,  # vectors are made here, so that the database needs no model
                metadata={"hnsw:space": self.distance_metric},
            )
        return self._collection

    def _connect(self) -> ClientAPI:
        import chromadb
        from chromadb.config import Settings

        settings = Settings(allow_reset=self.allow_reset, anonymized_telemetry=False)
        if self.client_type == "persistent":
            place = make_folder(self.address, self.capabilities())
            return chromadb.PersistentClient(str(place), settings, self.tenant, self.database)
        settings.chroma_api_impl = "chromadb.api.fastapi.FastAPI"
        settings.chroma_server_host = self.host or "localhost"
        settings.chroma_server_http_port = self.port or 8000
        settings.chroma_server_ssl_enabled = bool(self.ssl)
        settings.chroma_server_headers = resolved_headers(self.headers)
        return _guarded_client(Guard.for_url(self.address), settings, self.tenant, self.database)

    def _search(self, collection: Collection, text: str, options: Mapping[str, Any]) -> list[MemoryContent]:
        vectors = cast("Any", self._vectors([text]))
        answer = collection.query(
            query_embeddings=vectors, n_results=self.k, include=["documents", "metadatas", "distances"], **options
        )
        found: list[MemoryContent] = []
        rows = zip(
            answer["ids"][0],
            (answer["documents"] or [[]])[0],
            (answer["metadatas"] or [[]])[0],
            (answer["distances"] or [[]])[0],
            strict=True,
        )
        for item_id, document, metadata, distance in rows:
            score = self._score(float(distance))
            if self.score_threshold is None or score >= self.score_threshold:
                kept = {**cast("JsonObject", dict(metadata or {})), "score": score, "id": item_id}
                found.append(content_from(document or "", kept))
        return found

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        if self._embed is None:
            self._embed = self.embedding_function_config.make()
        return [[float(number) for number in vector] for vector in self._embed(texts)]

    def _score(self, distance: float) -> float:
        """Likeness from 0 to 1."""
        return 1.0 - distance / 2.0 if self.distance_metric == "cosine" else 1.0 / (1.0 + distance)

    @classmethod
    def coerce(cls, config: JsonObject, warn: Callable[[str, str], None]) -> JsonObject:
        if config.get("client_type") == "http" and config.get("persistence_path"):
            warn("A folder has no effect for a server; it is preserved.", "/persistence_path")
        if config.get("client_type") == "persistent" and any(config.get(name) for name in _HTTP_ONLY):
            warn("A server has no effect for a folder; it is preserved.", "/host")
        return config


ChromaDBVectorMemoryConfig = config_of(
    ChromaDBVectorMemory, "ChromaDBVectorMemoryConfig", "Connection and query settings of the Chroma database."
)
PersistentChromaDBVectorMemoryConfig = config_of(
    ChromaDBVectorMemory,
    "PersistentChromaDBVectorMemoryConfig",
    "A Chroma database in a local folder.",
    base=ChromaDBVectorMemoryConfig,
    persistence_path=DEFAULT_PATH,
)
HttpChromaDBVectorMemoryConfig = config_of(
    ChromaDBVectorMemory,
    "HttpChromaDBVectorMemoryConfig",
    "A Chroma server.",
    base=ChromaDBVectorMemoryConfig,
    client_type="http",
    host="localhost",
    port=8000,
    ssl=False,
)


def _guarded_client(guard: Guard, settings: Settings, tenant: str, database: str) -> ClientAPI:
    """The package's client of a server. It asks the server while it is being made, over two connections of its own; so
    these are put behind the guard in the middle of that, each just before it is used for the first time."""
    from chromadb.api.client import Client

    class Guarded(Client):
        def get_user_identity(self) -> UserIdentity:
            _protect(self)
            return super().get_user_identity()

        def _validate_tenant_database(self, tenant: str, database: str) -> None:
            _protect(self._admin_client)
            super()._validate_tenant_database(tenant, database)

    def _protect(part: object) -> None:
        put_behind_guard(cast("Any", part)._server._session, guard)

    return Guarded(tenant, database, settings)


def _close(client: ClientAPI) -> None:
    cast("Any", client).close()
    for part in (client, getattr(client, "_admin_client", None)):
        session = getattr(getattr(part, "_server", None), "_session", None)
        if session is not None:  # the package leaves its connections to a server open
            session.close()


def _flat(metadata: JsonObject) -> dict[str, str | int | float | bool]:
    """Metadata as Chroma takes it: no lists, objects or nulls."""
    return {
        name: value if isinstance(value, str | int | float | bool) else json.dumps(value)
        for name, value in metadata.items()
        if value is not None
    }
