"""Galleries that were imported or shipped, and the user's own library."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

from sqlalchemy import insert
from sqlmodel import col, select
from sqlmodel.ext.asyncio.session import AsyncSession

from studio.errors import Forbidden, NotFound
from studio.store.database import Database
from studio.store.json_text import json_text
from studio.store.postgres import Readable
from studio.store.tables import Gallery, JsonObject, table_of, without

Origin = Literal["shipped", "file", "url", "paste", "library"]
LIBRARY = "library"


@dataclass(frozen=True, slots=True)
class GallerySummary:
    """A gallery as a list shows it."""

    id: str
    name: str
    origin: str
    source: str
    updated_at: datetime


class Galleries:
    """The galleries of this studio. Their config is the gallery's own JSON, kept as it came."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, name: str, config: JsonObject, *, origin: Origin, source: str = "") -> Gallery:
        """Add an imported gallery; the same file twice makes two."""
        gallery = _new(str(uuid4()), name, config, origin, source)
        row = {**dict(gallery), "config": await json_text(config)}
        async with self._database.write() as session:
            await (await session.connection()).execute(insert(table_of(Gallery)), row)
        return gallery

    async def put(self, gallery_id: str, name: str, config: JsonObject, *, origin: Origin, source: str = "") -> Gallery:
        """Add or replace a gallery under an id of the caller's choice, such as a shipped one of a newer version."""
        async with self._database.write() as session:
            gallery = await session.get(Gallery, gallery_id)
            if gallery is None:
                gallery = _new(gallery_id, name, config, origin, source)
                session.add(gallery)
            elif (gallery.name, gallery.source) != (name, source) or gallery.config != config:
                gallery.name, gallery.source, gallery.config = name, source, config
                gallery.updated_at = datetime.now(UTC)
        return gallery

    async def list(self) -> Sequence[GallerySummary]:
        """All galleries: the library first, then by name."""
        query = select(Gallery).options(*without(Gallery.config))
        async with self._database.read() as session:
            rows = await session.exec(query.order_by(col(Gallery.id) != LIBRARY, col(Gallery.name), col(Gallery.id)))
            return [GallerySummary(row.id, row.name, row.origin, row.source, row.updated_at) for row in rows]

    async def versions(self, origin: Origin) -> Mapping[str, str | None]:
        """By the id of each gallery of this origin the version that it names; None where it cannot be read or names
        none."""
        version = Readable(col(Gallery.config))["metadata"]["version"].as_string()
        async with self._database.read() as session:
            return dict((await session.exec(select(Gallery.id, version).where(Gallery.origin == origin))).all())

    async def get_many(self, ids: Collection[str]) -> Sequence[Gallery]:
        """Those of the galleries that are there, in no order."""
        async with self._database.read() as session:
            return (await session.exec(select(Gallery).where(col(Gallery.id).in_(ids)))).all()

    async def get(self, gallery_id: str) -> Gallery:
        """Raises: NotFound. The library is there from the start, empty."""
        async with self._database.read() as session:
            gallery = await session.get(Gallery, gallery_id)
        if gallery is None and gallery_id == LIBRARY:
            return _new_library()
        if gallery is None:
            raise NotFound(f"There is no gallery {gallery_id!r}.", fix="It may have been deleted in another tab.")
        return gallery

    async def add_to_library(self, component: JsonObject, *, group: str) -> Gallery:
        """Put a component at the end of a group of the user's own library; a second copy of the same is not kept."""
        async with self._database.write() as session:
            library = await _library(session)
            config: JsonObject = json.loads(json.dumps(library.config))
            groups = config.setdefault("components", {})
            assert isinstance(groups, dict)
            members = groups.setdefault(group, [])
            assert isinstance(members, list)
            if component not in members:
                members.append(component)
                library.config = config
                library.updated_at = datetime.now(UTC)
        return library

    async def remove_from_library(self, *, group: str, index: int) -> Gallery:
        """Take a component out of the user's own library.

        Raises:
            NotFound: The group has no component at this index.
        """
        async with self._database.write() as session:
            library = await _library(session)
            config: JsonObject = json.loads(json.dumps(library.config))
            groups = config.get("components")
            members = groups.get(group) if isinstance(groups, dict) else None
            if not isinstance(members, list) or not 0 <= index < len(members):
                raise NotFound(f"The library has no component {index} among its {group}.")
            del members[index]
            library.config = config
            library.updated_at = datetime.now(UTC)
        return library

    async def delete(self, gallery_id: str) -> None:
        """Remove a gallery.

        Raises:
            NotFound: There is no such gallery.
            Forbidden: It is the user's own library.
        """
        if gallery_id == LIBRARY:
            raise Forbidden("The library cannot be deleted.", fix="Remove its components one by one.")
        async with self._database.write() as session:
            gallery = await session.get(Gallery, gallery_id)
            if gallery is None:
                raise NotFound(f"There is no gallery {gallery_id!r}.")
            await session.delete(gallery)


def publisher_of(gallery: Gallery) -> str:
    """Who answers for what a gallery holds: the address that it came from, else this copy of it alone.

    The name of a file and the author that a gallery names prove nothing, and a host may serve many people's files.
    Nobody published the user's own library.
    """
    if gallery.id == LIBRARY:
        return ""
    return f"url:{gallery.source}" if gallery.origin == "url" and gallery.source else f"gallery:{gallery.id}"


def _new(gallery_id: str, name: str, config: JsonObject, origin: Origin, source: str) -> Gallery:
    now = datetime.now(UTC)
    return Gallery(
        id=gallery_id, name=name, origin=origin, source=source, config=config, created_at=now, updated_at=now
    )


def _new_library() -> Gallery:
    config: JsonObject = {"name": "My library", "metadata": {}, "components": {}}
    return _new(LIBRARY, "My library", config, "library", "")


async def _library(session: AsyncSession) -> Gallery:
    library = await session.get(Gallery, LIBRARY, with_for_update=True)
    if library is None:
        library = _new_library()
        session.add(library)
    return library
