"""What differs between two versions of a team, or between one and what a page holds; nothing is stored here."""

from __future__ import annotations

import asyncio
from typing import cast

from fastapi import Response
from pydantic import Field, JsonValue

from studio.components import JsonObject, extract_secrets
from studio.errors import InvalidDocument
from studio.services.changes import TeamLike, compare
from studio.store import Store, TeamDocument
from studio.web.dependencies import QUEUED, StoreDep, TemplatesDep
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/fragments", include_in_schema=False)


class Document(RequestBody):
    """What a page holds."""

    name: str = ""
    component: JsonObject
    layout: JsonObject = Field(default_factory=dict[str, JsonValue])


class Compared(RequestBody):
    """A version of a team, or a document."""

    team_id: str | None = None
    version: int | None = Field(None, ge=1, le=2**63 - 1)
    document: Document | None = None


class DiffRequest(RequestBody):
    before: Compared
    after: Compared


@router.post("/diff", dependencies=[QUEUED])
async def diff(body: DiffRequest, store: StoreDep, templates: TemplatesDep) -> Response:
    comparison = await compare(await _read(body.before, store), await _read(body.after, store))
    return await asyncio.to_thread(templates.fragment, "fragments/diff.html", comparison=comparison)


async def _read(side: Compared, store: Store) -> TeamLike:
    if side.document is not None:
        # Versions hold references; a key in the open would look like a change.
        clean, _ = await asyncio.to_thread(extract_secrets, side.document.component)
        return TeamDocument(side.document.name, cast("JsonObject", clean), side.document.layout)
    if side.team_id is None or side.version is None:
        raise InvalidDocument("Give `document`, or `team_id` and `version`.")
    return await store.teams.version(side.team_id, side.version)
