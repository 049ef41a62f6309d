"""The knowledge bases of the studio on this computer, for commands that work without a server."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager

from studio.cli.secrets import has_studio
from studio.components import Capability
from studio.knowledge import reading
from studio.settings import Settings


def reads_knowledge(needed: Iterable[Capability]) -> bool:
    """Whether something reads a knowledge base."""
    return any(capability.kind == "knowledge" for capability in needed)


@asynccontextmanager
async def stored_knowledge(settings: Settings, needed: Iterable[Capability]) -> AsyncGenerator[None]:
    """Let runs inside the block read the knowledge bases, where they do and there is a studio.

    Raises:
        SetupError: Its database cannot be opened.
    """
    if not reads_knowledge(needed) or not has_studio(settings):
        yield
        return
    from studio.services.knowledge_search import StoredKnowledge  # takes a while, and most teams read none
    from studio.store import open_store

    async with open_store(settings.data_dir, settings.database_url) as store:
        with reading(StoredKnowledge(store)):
            yield


async def knowledge_base_names(settings: Settings) -> Sequence[str] | None:
    """Of all that the studio has; None when there is no studio."""
    if not has_studio(settings):
        return None
    from studio.store import open_store

    async with open_store(settings.data_dir, settings.database_url) as store:
        return await store.knowledge.names()
