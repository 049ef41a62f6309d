"""What leaves the studio when a run is shared, shown before it does."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from studio.web.dependencies import SettingsDep, StoreDep, TemplatesDep
from studio.web.sharing import share

router = APIRouter(include_in_schema=False)


@router.get("/runs/{run_id}/share")
async def share_page(
    request: Request, run_id: str, store: StoreDep, settings: SettingsDep, templates: TemplatesDep
) -> Response:
    shared = await share(store, settings, templates, run_id)
    bundle = shared.packed.bundle
    size = f"{shared.size_mb:.1f} MB" if shared.size_mb >= 1 else f"{shared.size_mb * 1024:.0f} KB"
    return templates.page(
        request, "pages/share.html", title="Share a run", nav="teams", packed=shared.packed, bundle=bundle, size=size
    )
