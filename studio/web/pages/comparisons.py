"""Two runs side by side."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Response

from studio.services.amounts import duration
from studio.services.run_comparison import MAX_ROWS, compare_runs
from studio.web.dependencies import ViewingDep
from studio.web.router import StudioRouter
from studio.web.views import Desk

router = StudioRouter(include_in_schema=False)
SHOWN_ROWS = 100


@router.get("/runs/{run_id}/compare/{other_id}")
async def compare_page(run_id: str, other_id: str, viewing: ViewingDep) -> Response:
    return await viewing.show(_page, [run_id, other_id], run_id, other_id)


async def _page(desk: Desk, run_id: str, other_id: str) -> Response:
    found = await compare_runs(desk.store, run_id, other_id)
    shown = await found.window(0, SHOWN_ROWS)
    return desk.templates.page(
        desk.request,
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
    viewing: ViewingDep,
    start: Annotated[int, Query(ge=0, le=2**31)] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS)] = SHOWN_ROWS,
    folded: bool = True,
) -> Response:
    """More rows; use `folded=false` for the rows of a fold."""
    return await viewing.show(_rows, [run_id, other_id], run_id, other_id, start, limit, folded, is_kept=True)


async def _rows(desk: Desk, run_id: str, other_id: str, start: int, limit: int, folded: bool) -> Response:
    found = await compare_runs(desk.store, run_id, other_id)
    shown = await found.window(start, limit, folded=folded)
    return desk.templates.fragment("fragments/compare_rows.html", comparison=found, window=shown, duration=duration)
