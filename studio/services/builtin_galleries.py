"""Puts the galleries that come with the studio into the store: at the first start, and when they get a new version."""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path

from pydantic import JsonValue

from studio.components import validate_component
from studio.errors import InvalidDocument
from studio.galleries import Gallery, parse_gallery, shipped_galleries
from studio.store import Store

PUBLISHER = "Team Studio"
UNREADABLE = "unreadable"
"""In place of the version of a gallery that is damaged; it is put back, and nothing is approved again."""


async def load_builtin_galleries(store: Store) -> None:
    """Add or upgrade each by id and version. What an operator revoked stays revoked until a new version comes."""
    known = {summary.id for summary in await store.galleries.list() if summary.origin == "shipped"}
    for file in shipped_galleries():
        gallery = await asyncio.to_thread(_read, file)
        stored = await _version(store, gallery) if gallery.id in known else None
        if stored == gallery.metadata.get("version"):
            continue
        await store.galleries.put(gallery.id, gallery.name, gallery.dump(), origin="shipped")
        if stored != UNREADABLE:
            await _approve_code(store, gallery)


@cache
def _read(file: Path) -> Gallery:
    return parse_gallery(file.read_bytes(), name=file.stem)


async def _version(store: Store, gallery: Gallery) -> JsonValue:
    """Which version is stored. The same document needs no second reading."""
    config = (await store.galleries.get(gallery.id)).config
    try:
        return (gallery if config == gallery.dump() else parse_gallery(config)).metadata.get("version")
    except InvalidDocument:
        return UNREADABLE


async def _approve_code(store: Store, gallery: Gallery) -> None:
    """Approve the Python that we publish ourselves. Hosts and secrets are still asked for: an approval of those would
    also hold for every other component that wants the same."""
    code = [
        capability
        for entry in gallery.entries
        for capability in validate_component(entry.component).capabilities
        if capability.kind == "python"
    ]
    await store.approvals.approve(code, by=PUBLISHER)
