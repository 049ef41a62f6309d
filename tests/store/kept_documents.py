"""Documents of knowledge bases, without reading files, and what is found in them."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from studio.knowledge import cut_passages
from studio.store import Store
from studio.store.knowledge import ReadDocument
from studio.store.knowledge_tables import KnowledgeDocument


async def parts(content: bytes) -> AsyncGenerator[bytes]:
    yield content


async def read(store: Store, name: str, text: str) -> ReadDocument:
    file = await store.files.add(parts(text.encode()), max_bytes=10**9)
    return ReadDocument(name, file.sha256, file.size, "text/plain", "", None, len(text), cut_passages(text))


async def kept(store: Store, base_id: str, name: str, text: str) -> KnowledgeDocument:
    document, is_new = await store.knowledge.add(base_id, await read(store, name, text), "ann")
    assert is_new
    return document


async def found(store: Store, base_id: str, query: str) -> list[str]:
    return [hit.file for hit in await store.knowledge.search(base_id, query, 5)]
