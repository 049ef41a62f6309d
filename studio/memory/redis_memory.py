"""A memory in Redis."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeVar, cast
from urllib.parse import urlsplit

from pydantic import Field, PrivateAttr

from studio.components import Capability, DefaultEnv, JsonObject, SecretRef, Warn
from studio.egress import Guard
from studio.errors import RunFailed
from studio.memory.embeddings import HUGGING_FACE, Embed, sentence_transformer
from studio.memory.service import (
    MemoryConfig,
    MemoryUnavailable,
    ServiceMemory,
    config_of,
    content_from,
    searchable_text,
)
from studio.messages import MemoryContent
from studio.models.connection import Connection
from studio.models.extras import needs_extra
from studio.models.redis_connections import protected_redis

if TYPE_CHECKING:
    from redis.asyncio import Redis

T = TypeVar("T")
Vector = Sequence[float]


class NoVectors(RunFailed, ValueError):
    """A memory that only knows what came last was asked for what is most like a text."""

    code = "no_vectors"


class RedisMemory(ServiceMemory):
    """Stores memories in Redis and retrieves those most similar to the last message, or the latest.

    The studio computes similarity itself and exactly, so any Redis works, even without search modules.
    """

    provider = "autogen_ext.memory.redis_memory.RedisMemory"
    aliases = (
        "autogen_ext.memory.redis.RedisMemory",
        "autogen_ext.memory.redis._redis_memory.RedisMemory",
        "studio.memory.RedisMemory",
    )
    positional: ClassVar[tuple[str, ...]] = ("config",)

    redis_url: Annotated[str, Field(description="Address without a password. Enter the password below.")] = (
        "redis://localhost:6379"
    )
    password: Annotated[
        SecretRef | None,
        DefaultEnv("REDIS_PASSWORD"),
        Field(description="Reference to the password: `env:NAME` or `secret:name`."),
    ] = None
    index_name: Annotated[str, Field(min_length=1)] = "chat_history"
    prefix: Annotated[str, Field(description="Prefix of the keys in Redis.")] = "memory"
    sequential: Annotated[bool, Field(description="Return the latest memories in order instead of searching.")] = False
    distance_metric: Annotated[
        Literal["cosine", "ip", "l2"], Field(description="How distances between vectors are measured.")
    ] = "cosine"
    algorithm: Annotated[
        Literal["flat", "hnsw"],
        Field(
            description="Stored for compatibility: every search is exact (flat).",
            json_schema_extra={"x-advanced": True},
        ),
    ] = "flat"
    top_k: Annotated[int, Field(ge=1, description="Number of results for each query.")] = 10
    datatype: Annotated[
        Literal["uint8", "int8", "float16", "float32", "float64", "bfloat16"],
        Field(
            title="Data type",
            description="Precision of stored vectors; always full.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = "float32"
    distance_threshold: Annotated[float, Field(ge=0, description="Results farther away are ignored.")] = 0.7
    model_name: Annotated[str | None, Field(description="Embedding model of the package sentence-transformers.")] = (
        "sentence-transformers/all-mpnet-base-v2"
    )

    _embed: Embed | None = PrivateAttr(default=None)
    _connection: Connection[Redis] = PrivateAttr(default_factory=lambda: Connection[Any]())

    def __init__(self, *args: Any, embedding_function: Embed | None = None, **data: Any) -> None:
        """Make one from fields, or as in AutoGen from `config=RedisMemoryConfig(...)`.

        Args:
            args: The config object.
            embedding_function: Makes the vectors in place of `model_name`; not part of the JSON.
            data: The fields, or `config`.
        """
        named = self._name_arguments(args, data)
        config = named.pop("config", None)
        if isinstance(config, MemoryConfig):
            named = {**dict(config), **named}
        super().__init__(**named)
        self._embed = embedding_function

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        if re.match(r"\w+://[^/@]*:[^/@]+@", str(config.get("redis_url", ""))):
            warn("The address contains a password in plain text; store it as a secret in `password`.", "/redis_url")
        return config

    @property
    def address(self) -> str:
        """The server, without user and password."""
        parts = urlsplit(self.redis_url)
        if parts.scheme == "unix":
            return f"unix://{parts.path}"
        return f"{parts.scheme}://{parts.hostname or 'localhost'}:{parts.port or 6379}"

    def capabilities(self) -> Iterator[Capability]:
        if self.password is not None:
            reference = self.password.reference
            yield Capability(
                "secret", f"Sends the secret {reference} to {self.address}.", f"{reference} to {self.address}"
            )
        yield Capability("host", f"Stores memories at {self.address}.", self.address)
        if not self.sequential and self.model_name:
            model = f"{HUGGING_FACE}/{self.model_name}"
            yield Capability("host", f"Downloads the embedding model {self.model_name}, once.", model)

    def _settings(self) -> JsonObject:
        names = ("index_name", "prefix", "sequential", "distance_metric", "top_k", "distance_threshold", "model_name")
        return {"address": self.address, **{name: getattr(self, name) for name in names}}

    def _reminder(self, found: Sequence[MemoryContent]) -> str:
        return "\n\n".join(str(item.content) for item in found)

    async def _find(self, text: str, options: Mapping[str, Any]) -> list[MemoryContent]:
        asked = self.model_copy(update=dict(options))
        if self.sequential and not asked.sequential:
            raise NoVectors("A sequential memory stores no vectors, so it cannot search.", fix="Turn `sequential` off.")
        start = -asked.top_k if asked.sequential else 0
        rows = await self._ask_redis(lambda redis: cast("Awaitable[list[str]]", redis.lrange(self._key, start, -1)))
        entries = [cast("JsonObject", json.loads(row)) for row in rows]
        chosen = entries if asked.sequential or not entries else await self._nearest(text, entries, asked)
        return [content_from(str(entry["text"]), cast("JsonObject", entry["metadata"])) for entry in chosen]

    async def _nearest(self, text: str, entries: list[JsonObject], asked: RedisMemory) -> list[JsonObject]:
        wanted = await self._vector(text)
        measure = _DISTANCES[self.distance_metric]
        vectors = [(cast("list[float]", entry["vector"]), entry) for entry in entries if entry.get("vector")]
        measured = [(measure(wanted, vector), entry) for vector, entry in vectors if len(vector) == len(wanted)]
        near = [pair for pair in measured if pair[0] <= asked.distance_threshold]
        return [entry for _, entry in sorted(near, key=lambda pair: pair[0])[: asked.top_k]]

    async def _keep(self, content: MemoryContent, item_id: str) -> None:
        text = searchable_text(content)
        metadata = {"mime_type": content.mime_type, **(content.metadata or {})}
        vector = [] if self.sequential else list(await self._vector(text))
        entry = json.dumps({"id": item_id, "text": text, "metadata": metadata, "vector": vector})
        await self._ask_redis(lambda redis: redis.rpush(self._key, entry))

    async def _forget(self) -> None:
        await self._ask_redis(lambda redis: redis.delete(self._key))

    async def close(self) -> None:
        """Let go of the connection. What is remembered stays."""
        client = self._connection.release()
        if client is not None:
            await client.aclose()

    @property
    def _key(self) -> str:
        return f"{self.prefix}:{self.index_name}"

    async def _vector(self, text: str) -> Vector:
        if self._embed is None:
            self._embed = await asyncio.to_thread(sentence_transformer, self.model_name or "")
        embed = self._embed
        return [float(number) for number in (await asyncio.to_thread(embed, [text]))[0]]

    async def _ask_redis(self, ask: Callable[[Redis], Awaitable[T]]) -> T:
        with needs_extra("redis", "A Redis memory"):
            from redis.exceptions import RedisError
        try:
            return await ask(self._connection.get(self._connect))
        except (RedisError, OSError) as error:
            raise MemoryUnavailable(
                f"Redis at {self.address} gave no answer: {error}", fix="Check the address and that it is running."
            ) from error

    def _connect(self) -> Redis:
        from redis.asyncio import Redis

        make = cast("Callable[..., Redis]", Redis.from_url)  # pyright: ignore[reportUnknownMemberType] -- untyped keywords
        password = {"password": self.password.resolve()} if self.password else {}
        client = make(self.redis_url, decode_responses=True, **password)
        is_local = self.redis_url.startswith("unix:")
        return client if is_local else protected_redis(client, Guard.for_url(self.address))


RedisMemoryConfig = config_of(RedisMemory, "RedisMemoryConfig", "Connection and query settings of Redis.")


def _cosine(a: Vector, b: Vector) -> float:
    lengths = math.hypot(*a) * math.hypot(*b)
    return 1.0 - _dot(a, b) / lengths if lengths else 1.0


def _dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


_DISTANCES: dict[str, Callable[[Vector, Vector], float]] = {
    "cosine": _cosine,
    "ip": lambda a, b: 1.0 - _dot(a, b),
    "l2": lambda a, b: sum((x - y) ** 2 for x, y in zip(a, b, strict=True)),
}
