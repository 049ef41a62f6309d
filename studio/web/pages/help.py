"""Help: the documentation of the studio, to read and to search."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import Query, Request, Response
from fastapi.responses import FileResponse

from studio.help import MAX_QUERY, Library, load_library
from studio.web.dependencies import TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
MAX_HITS = 20
KEPT = {"Cache-Control": "private, max-age=3600"}
Asked = Annotated[str, Query(max_length=MAX_QUERY)]


@router.get("/help")
async def help_index(request: Request, templates: TemplatesDep, q: Asked = "") -> Response:
    library = await _library()
    return templates.page(
        request,
        "pages/help.html",
        title="Help",
        nav="help",
        page=library.index,
        query=q,
        hits=library.search(q, MAX_HITS),
        neighbours=None,
    )


@router.get("/fragments/help")
async def help_hits(templates: TemplatesDep, q: Asked = "") -> Response:
    return templates.fragment("fragments/help_hits.html", query=q, hits=(await _library()).search(q, MAX_HITS))


@router.get("/help/pictures/{picture}")
async def help_picture(picture: str) -> Response:
    return FileResponse((await _library()).picture(picture), headers=KEPT)


@router.get("/help/{section}/{page}")
async def help_page(request: Request, templates: TemplatesDep, section: str, page: str) -> Response:
    library = await _library()
    found = library.page(section, page)
    return templates.page(
        request,
        "pages/help.html",
        title=found.title,
        nav="help",
        page=found,
        query="",
        hits=[],
        neighbours=library.neighbours(found),
    )


async def _library() -> Library:
    """The pages are rendered at the first call; the event loop goes on meanwhile."""
    return await asyncio.to_thread(load_library)
