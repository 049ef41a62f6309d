"""Two runs side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.run_comparison import MOST_ROWS, compare_runs, duration

router = APIRouter(include_in_schema=False)
SHOWN_ROWS = 100


@router.get("/runs/{run_id}/compare/{other_id}")
async def compare_page(
    request: Request, run_id: str, other_id: str, store: StoreDep, templates: TemplatesDep
) -> Response:
    found = await compare_runs(store, run_id, other_id)
    shown = await found.window(0, SHOWN_ROWS)
    return templates.page(
        request,
        "pages/compare.html",
        title="Compare runs",
        nav="teams",
        comparison=found,
        window=shown,
        duration=duration,
    )


@router.get("/fragments/runs/{run_id}/compare/{other_id}")
async def compare_rows(
    run_id: str,
    other_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = SHOWN_ROWS,
    folded: bool = True,
) -> Response:
    """More rows; those of a fold are asked for with `folded=false`."""
    found = await compare_runs(store, run_id, other_id)
    shown = await found.window(start, limit, folded=folded)
    return templates.fragment("fragments/compare_rows.html", comparison=found, window=shown, duration=duration)
