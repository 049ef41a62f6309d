"""Puts the galleries that come with the studio into the store: at the first start, and when they get a new version."""

from __future__ import annotations

import asyncio
from pathlib import Path

from studio.components import validate_component
from studio.galleries import Gallery, parse_gallery, shipped_galleries
from studio.store import Store

PUBLISHER = "Team Studio"


async def load_shipped_galleries(store: Store) -> None:
    """Add or upgrade each by id and version. What an operator revoked stays revoked until a new version comes."""
    known = {summary.id for summary in await store.galleries.list() if summary.origin == "shipped"}
    for file in shipped_galleries():
        gallery = await asyncio.to_thread(_read, file)
        if gallery.id in known and await _is_current(store, gallery):
            continue
        await store.galleries.put(gallery.id, gallery.name, gallery.dump(), origin="shipped")
        await _approve_code(store, gallery)


def _read(file: Path) -> Gallery:
    return parse_gallery(file.read_bytes(), name=file.stem)


async def _is_current(store: Store, gallery: Gallery) -> bool:
    stored = parse_gallery((await store.galleries.get(gallery.id)).config)
    return stored.metadata.get("version") == gallery.metadata.get("version")


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
