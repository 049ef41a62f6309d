"""Compiles a statement once for all studios of a test process."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Dialect
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.util import LRUCache

MAX_STATEMENTS = 2000


@contextmanager
def shared_statements() -> Generator[None]:
    """Let each engine for SQLite use what those before it have compiled.

    SQLAlchemy keeps compiled statements for one engine, and a server has two for as long as it runs. Tests start
    thousands of studios, and a fifth of the work of such a studio is to compile the same statements again.
    """
    dialects: dict[object, Dialect] = {}
    compiled: LRUCache[Any, Any] = LRUCache(MAX_STATEMENTS)

    def made(url: Any, **options: Any) -> AsyncEngine:
        engine = create_async_engine(url, **options)
        if engine.dialect.name == "sqlite":
            # What an engine sets in its dialect is how it isolates transactions, and what its first connection finds.
            known = dialects.setdefault(options.get("isolation_level"), engine.dialect)
            if known.server_version_info:
                engine.sync_engine.dialect = known
            engine.sync_engine.update_execution_options(compiled_cache=compiled)
        return engine

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("studio.store.database.create_async_engine", made)
        yield
