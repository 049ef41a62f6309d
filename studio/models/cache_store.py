"""Where a chat completion cache keeps its answers. Only JSON is ever stored, so reading a store can run nothing."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, Self, cast, runtime_checkable

from pydantic import BeforeValidator, Field, JsonValue, PrivateAttr
from pydantic_core import to_json

from studio.components import Capability, Component, DefaultEnv, SecretRef
from studio.components.folders import file_capability, make_folder
from studio.egress import Guard
from studio.errors import ConfigError
from studio.messages import CreateResult
from studio.models.extras import needs_extra
from studio.models.redis_connections import protected_redis_now

if TYPE_CHECKING:
    from redis import Redis

logger = logging.getLogger(__name__)

CacheValue = JsonValue | CreateResult | list[str | CreateResult]
"""What a store is given: an answer, its pieces with the whole last, or plain JSON. It may give them back as JSON."""
DATABASE = "team-studio-cache.sqlite3"
BUSY_TIMEOUT_S = 5.0
REDIS_TIMEOUT_S = 5.0
"""A cache that answers later than this saves nothing."""


class CacheStore(Component):
    """Keeps answers by key."""

    component_type: ClassVar[str] = "cache_store"
    blocks: ClassVar[bool] = True
    """Whether a look-up waits for something, and is therefore made in a thread."""

    @classmethod
    def __class_getitem__(cls, _value_type: object) -> type[Self]:  # pyright: ignore[reportIncompatibleMethodOverride] -- Pydantic's makes generic models
        """The class itself: scripts may say in brackets of what type the values are, as in `InMemoryStore[str]()`."""
        return cls

    def get(self, key: str, default: CacheValue = None) -> CacheValue:
        """The value that was set under the key, or `default`."""
        raise NotImplementedError

    def set(self, key: str, value: CacheValue) -> None:
        """Keep a value under the key, in place of what was there."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of connections; the store can be used again afterwards."""


class InMemoryStore(CacheStore):
    """Stores answers in memory until the program ends."""

    provider = "autogen_core.InMemoryStore"
    aliases = (
        "autogen_core._cache_store.InMemoryStore",
        "autogen_ext.models.cache._chat_completion_cache.InMemoryStore",
        "studio.models.InMemoryStore",
        "InMemoryStore",
    )
    blocks = False

    _values: dict[str, CacheValue] = PrivateAttr(default_factory=dict[str, CacheValue])

    def get(self, key: str, default: CacheValue = None) -> CacheValue:
        return self._values.get(key, default)

    def set(self, key: str, value: CacheValue) -> None:
        self._values[key] = value


@runtime_checkable
class _HasDirectory(Protocol):
    """A `diskcache.Cache`, as scripts for AutoGen hand one over; only its place is used."""

    @property
    def directory(self) -> str: ...


def _place_of(value: object) -> object:
    return value.directory if isinstance(value, _HasDirectory) else value


class DiskCacheStore(CacheStore):
    """Stores answers in a file on this machine.

    The file is SQLite of the studio's own and holds text. AutoGen uses the package diskcache, which reads its files
    with pickle: a person who can write into the directory could run code (CVE-2025-69872).
    """

    provider = "autogen_ext.cache_store.diskcache.DiskCacheStore"
    aliases = ("studio.models.DiskCacheStore", "DiskCacheStore")
    positional: ClassVar[tuple[str, ...]] = ("cache_instance",)

    directory: Annotated[
        str,
        BeforeValidator(_place_of),
        Field(min_length=1, description="Created if missing.", examples=["model-cache"]),
    ]

    def __init__(self, *args: Any, **data: Any) -> None:
        """Make one for a directory, or as in AutoGen for a `diskcache.Cache`, next to whose file it keeps its own."""
        named = self._name_arguments(args, data)
        if "cache_instance" in named:
            named["directory"] = named.pop("cache_instance")
        super().__init__(**named)

    def capabilities(self) -> Iterator[Capability]:
        yield file_capability("write", self.directory, "Keeps answers of the model in {}.")

    def get(self, key: str, default: CacheValue = None) -> CacheValue:
        with self._opened() as database:
            row = cast(
                "tuple[str] | None", database.execute("SELECT value FROM answers WHERE key = ?", (key,)).fetchone()
            )
        return default if row is None else _parsed(row[0], default)

    def set(self, key: str, value: CacheValue) -> None:
        with self._opened() as database, database:
            database.execute("INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, to_json(value).decode()))

    @contextmanager
    def _opened(self) -> Generator[sqlite3.Connection]:
        place = make_folder(self.directory, self.capabilities())
        try:
            with closing(sqlite3.connect(place / DATABASE, timeout=BUSY_TIMEOUT_S)) as database:
                database.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
                yield database
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(
                f"The model cache in {self.directory!r} cannot be used: {error}.", fix="Choose another directory."
            ) from error


class RedisStore(CacheStore):
    """Stores answers in Redis, so that several machines share them."""

    provider = "autogen_ext.cache_store.redis.RedisStore"
    aliases = ("studio.models.RedisStore", "RedisStore")
    positional: ClassVar[tuple[str, ...]] = ("redis_instance",)

    host: Annotated[str, Field(min_length=1)] = "localhost"
    port: Annotated[int, Field(ge=1, le=65535)] = 6379
    db: Annotated[int, Field(ge=0, description="Number of the Redis database.")] = 0
    username: str | None = None
    password: Annotated[
        SecretRef | None,
        DefaultEnv("REDIS_PASSWORD"),
        Field(description="Reference to the password: `env:NAME` or `secret:name`."),
    ] = None
    ssl: Annotated[bool, Field(title="Use TLS", description="Encrypt the connection.")] = False
    socket_timeout: Annotated[float | None, Field(gt=0, description="For each command, in seconds. Empty: 5.")] = None

    _client: Redis | None = PrivateAttr(default=None)
    _is_lent: bool = PrivateAttr(default=False)
    _has_warned: bool = PrivateAttr(default=False)

    def __init__(self, *args: Any, **data: Any) -> None:
        """Make one from fields, or as in AutoGen around a `redis.Redis`, which whoever made it closes."""
        named = self._name_arguments(args, data)
        client = cast("Redis | None", named.pop("redis_instance", None))
        super().__init__(**named if client is None else _settings_of(client))
        if client is not None:
            self._client, self._is_lent = client, True

    def capabilities(self) -> Iterator[Capability]:
        place = f"{'rediss' if self.ssl else 'redis'}://{self.host}:{self.port}"
        if self.password is not None:
            reference = self.password.reference
            yield Capability("secret", f"Sends the secret {reference} to {place}.", f"{reference} to {place}")
        yield Capability("host", f"Sends the keys of requests and the model's answers to {place}.", place)

    def get(self, key: str, default: CacheValue = None) -> CacheValue:
        found: CacheValue = default
        with self._forgiving():
            raw = cast("bytes | None", self._connected().get(key))
            found = default if raw is None else _parsed(raw, default)
        return found

    def set(self, key: str, value: CacheValue) -> None:
        with self._forgiving():
            self._connected().set(key, to_json(value))

    def close(self) -> None:
        if self._is_lent:
            return
        client, self._client = self._client, None
        if client is not None:
            client.close()

    @contextmanager
    def _forgiving(self) -> Generator[None]:
        """A run does not end because its cache is away: the model is asked instead."""
        with needs_extra("redis", "A Redis store"):
            from redis import RedisError
        try:
            yield
        except (RedisError, OSError) as error:
            if not self._has_warned:
                self._has_warned = True
                logger.warning("The model cache at %s:%s is not used: %s", self.host, self.port, error)

    def _connected(self) -> Redis:
        if self._client is None:
            from redis import Redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry

            limit_s = self.socket_timeout or REDIS_TIMEOUT_S
            client = Redis(
                host=self.host,
                port=self.port,
                db=self.db,
                username=self.username,
                password=self.password.resolve() if self.password is not None else None,
                ssl=self.ssl,
                socket_timeout=limit_s,
                socket_connect_timeout=limit_s,
                retry=Retry(NoBackoff(), 0),
            )
            self._client = protected_redis_now(client, Guard.for_host(self.host, self.port))
        return self._client


def _settings_of(client: Redis) -> dict[str, Any]:
    """The fields that say how a client connects, as far as it does so over the network."""
    from redis import ConnectionPool, SSLConnection

    pool = getattr(client, "connection_pool", None)
    if not isinstance(pool, ConnectionPool):
        return {}  # a client of a cluster, or a stand-in of a test
    given = pool.connection_kwargs
    names = ("host", "port", "db", "username", "password", "socket_timeout")
    settings = {name: given[name] for name in names if given.get(name) is not None}
    return {**settings, "ssl": issubclass(pool.connection_class, SSLConnection)}


def _parsed(text: str | bytes, default: CacheValue) -> CacheValue:
    """The value; what somebody else wrote and is no JSON counts as nothing."""
    try:
        return cast("JsonValue", json.loads(text))
    except ValueError:
        return default
