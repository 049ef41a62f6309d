"""What leaves the studio when a run is shared, shown before it does."""

from __future__ import annotations

from fastapi import Response

from studio.web.dependencies import ViewingDep
from studio.web.router import StudioRouter
from studio.web.sharing import share
from studio.web.views import Desk

router = StudioRouter(include_in_schema=False)


@router.get("/runs/{run_id}/share")
async def share_page(run_id: str, viewing: ViewingDep, files: bool = False) -> Response:
    return await viewing.show(_page, [run_id], run_id, files)


async def _page(desk: Desk, run_id: str, with_files: bool) -> Response:
    shared = await share(desk.store, desk.settings, desk.templates, run_id, with_files=with_files)
    bundle = shared.packed.bundle
    size = f"{shared.size_mb:.1f} MB" if shared.size_mb >= 1 else f"{shared.size_mb * 1024:.0f} KB"
    return desk.templates.page(
        desk.request,
        "pages/share.html",
        title="Share run",
        nav="teams",
        packed=shared.packed,
        bundle=bundle,
        size=size,
        left_out=shared.left_out,
        with_files=with_files,
    )
