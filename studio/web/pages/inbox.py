"""The open questions of all runs on one page, which fetches them from the API."""

from __future__ import annotations

from fastapi import Request, Response

from studio.web.dependencies import TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)


@router.get("/inbox")
async def inbox_page(request: Request, templates: TemplatesDep) -> Response:
    return templates.page(request, "pages/inbox.html", title="Inbox", nav="inbox")
