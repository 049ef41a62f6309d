"""The trash: deleted teams and runs, to restore or to delete for good."""

from __future__ import annotations

from fastapi import Request, Response

from studio.store.trash import KEPT_DAYS
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
PAGE = 200
"""Teams, and runs, that are shown: those deleted last."""


@router.get("/trash")
async def trash_page(request: Request, store: StoreDep, templates: TemplatesDep) -> Response:
    return templates.page(
        request,
        "pages/trash.html",
        title="Trash",
        groups=[
            ("team", "Teams", await store.trash.teams(limit=PAGE)),
            ("run", "Runs", await store.trash.runs(limit=PAGE)),
        ],
        count=await store.trash.count(),
        kept_days=KEPT_DAYS,
    )
