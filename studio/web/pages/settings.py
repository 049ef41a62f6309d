"""Secrets, approvals, appearance and what this studio is."""

from __future__ import annotations

import platform
from importlib.metadata import version

from fastapi import APIRouter, Request, Response

from studio.components import component_classes
from studio.settings import Settings
from studio.store import Store
from studio.web.dependencies import SettingsDep, StoreDep, TeamChecksDep, TemplatesDep
from studio.web.fetch import MAX_BYTES
from studio.web.secret_list import secret_lines

router = APIRouter(include_in_schema=False)


@router.get("/settings")
async def settings_page(
    request: Request, store: StoreDep, checks: TeamChecksDep, templates: TemplatesDep, settings: SettingsDep
) -> Response:
    return templates.page(
        request,
        "pages/settings.html",
        title="Settings",
        nav="settings",
        secrets=await secret_lines(store, checks),
        approvals=await store.approvals.list(),
        about=await _about(store, settings),
    )


async def _about(store: Store, settings: Settings) -> list[tuple[str, str]]:
    teams, galleries = len(await store.teams.list()), len(await store.galleries.list())
    private = "allowed" if settings.allow_private_urls else "refused"
    return [
        ("Version", f"Team Studio {version('team-studio')}, Python {platform.python_version()}"),
        ("Data folder", str(settings.data_dir)),
        ("Teams", str(teams)),
        ("Galleries", str(galleries)),
        ("Components known", str(sum(1 for _ in component_classes()))),
        ("Largest upload", f"{settings.max_upload_mb} MB; from a URL {MAX_BYTES // (1024 * 1024)} MB"),
        ("Private addresses", f"{private} when a gallery is fetched from a URL"),
    ]
