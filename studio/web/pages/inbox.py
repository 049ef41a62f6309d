"""The open questions of all runs on one page, which fetches them from the API."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from studio.web.dependencies import TemplatesDep

router = APIRouter(include_in_schema=False)


@router.get("/inbox")
async def inbox_page(request: Request, templates: TemplatesDep) -> Response:
    return templates.page(request, "pages/inbox.html", title="Inbox", nav="inbox")
