"""Where an imported gallery comes from: an uploaded file, pasted text or a URL, all read the same way."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError
from starlette.datastructures import UploadFile

from studio import importers
from studio.errors import Conflict, InvalidDocument
from studio.galleries import Gallery, parse_gallery
from studio.importers import Imported
from studio.store.galleries import Origin
from studio.web.dependencies import PersonDep, SettingsDep
from studio.web.fetch import fetch_document
from studio.web.requests import RequestBody


class GalleryRequest(RequestBody):
    """Text or a URL; a file comes as multipart form instead."""

    text: str = Field("", description="JSON or YAML of a gallery, a list of components, or one component.")
    url: str = Field("", description="http or https address; the server fetches it once.")
    digest: str = Field("", description="SHA-256 from the preview; other content is refused.")


REQUEST_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {"schema": GalleryRequest.model_json_schema()},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}, "digest": {"type": "string"}},
                }
            },
        },
    }
}


@dataclass(frozen=True)
class GallerySource:
    """The bytes of a gallery and where they came from."""

    content: bytes
    origin: Origin
    source: str
    digest_wanted: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def name(self) -> str:
        """Its file name; of pasted text one that fits what it looks like."""
        if self.source:
            return PurePosixPath(urlsplit(self.source).path).name
        return importers.name_for(self.content[:10_000].decode("utf-8", "replace"))

    async def imported(self) -> Imported:
        """The team that another tool's file becomes.

        Raises:
            Conflict: It is not what was previewed.
            StudioError: It is of no other tool, or cannot be read.
        """
        self._require_previewed()
        return await asyncio.to_thread(lambda: importers.import_bundle(importers.bundle_of({self.name: self.content})))

    async def found(self) -> Gallery | Imported:
        """What it is: a gallery, or the team of another tool's file.

        Raises:
            Conflict: It is not what was previewed.
            StudioError: It is neither.
        """
        self._require_previewed()
        imported = await asyncio.to_thread(lambda: importers.import_foreign(self.name, self.content))
        return imported or await self.parsed()

    def _require_previewed(self) -> None:
        if self.digest_wanted and self.digest_wanted != self.digest:
            raise Conflict("The gallery changed since the preview.", fix="Preview it again.")

    async def parsed(self) -> Gallery:
        """Read it, off the event loop since it may be large.

        Raises:
            Conflict: It is not what was previewed.
            InvalidDocument: It holds no component.
        """
        self._require_previewed()
        stem = PurePosixPath(urlsplit(self.source).path).stem
        return await asyncio.to_thread(parse_gallery, self.content, name=stem)


async def _gallery_source(request: Request, settings: SettingsDep, person: PersonDep) -> GallerySource:
    if request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await _uploaded(request)
    try:
        asked = GalleryRequest.model_validate(await request.json())
    except ValidationError as error:
        raise RequestValidationError([{**e, "loc": ("body", *e["loc"])} for e in error.errors()]) from error
    if asked.url:
        person.must("admin")  # the server fetches it, from where the server is
        content = await fetch_document(asked.url, allow_private=settings.allow_private_urls)
        return GallerySource(content, "url", asked.url, asked.digest)
    if not asked.text.strip():
        raise InvalidDocument("Nothing to import.", fix="Choose a file, paste text or enter a URL.")
    return GallerySource(asked.text.encode(), "paste", "", asked.digest)


async def _uploaded(request: Request) -> GallerySource:
    async with request.form(max_files=1, max_fields=4) as form:
        file, digest = form.get("file"), form.get("digest")
        if not isinstance(file, UploadFile):
            raise InvalidDocument("The form has no file.", fix="Send it in the field `file`.")
        name = PurePosixPath((file.filename or "").replace("\\", "/")).name
        return GallerySource(await file.read(), "file", name, digest if isinstance(digest, str) else "")


GallerySourceDep = Annotated[GallerySource, Depends(_gallery_source)]
