"""Secrets, appearance, what this studio is, and whether it is in order."""

from __future__ import annotations

import platform

from fastapi import Request, Response

from studio.components import component_classes
from studio.doctor import Level, examine
from studio.models.service_list import model_services
from studio.services.secret_list import secret_lines
from studio.settings import Settings
from studio.store import Store
from studio.store.worker_lease import BEAT_S
from studio.version import VERSION
from studio.web.api.connections import connections
from studio.web.dependencies import PersonDep, SettingsDep, StoreDep, TeamChecksDep, TemplatesDep
from studio.web.fetch import MAX_BYTES
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
SHOWN_RUNS = 100
SEVERITY = (Level.OK, Level.WARN, Level.BAD)


@router.get("/settings")
async def settings_page(
    request: Request,
    store: StoreDep,
    checks: TeamChecksDep,
    templates: TemplatesDep,
    settings: SettingsDep,
    person: PersonDep,
) -> Response:
    return templates.page(
        request,
        "pages/settings.html",
        title="Settings",
        nav="settings",
        secrets=await secret_lines(store, checks),
        approval_count=await store.approvals.count(),
        connection_count=len(await store.connections.list()),
        may_examine=person.may("admin"),
        about=await _about(store, settings),
    )


@router.get("/settings/models")
async def models_page(request: Request, store: StoreDep, checks: TeamChecksDep, templates: TemplatesDep) -> Response:
    return templates.page(
        request,
        "pages/models.html",
        title="Models",
        nav="settings",
        connections=await connections(store, checks),
        services=model_services(),
    )


@router.get("/settings/health")
async def health_page(request: Request, store: StoreDep, templates: TemplatesDep, settings: SettingsDep) -> Response:
    found = await examine(settings, store)
    worst_first = sorted(found, key=lambda finding: -SEVERITY.index(finding.level))
    return templates.page(
        request,
        "pages/health.html",
        title="Health",
        nav="settings",
        findings=worst_first,
        bad_count=sum(finding.level is Level.BAD for finding in found),
        warn_count=sum(finding.level is Level.WARN for finding in found),
    )


@router.get("/settings/workers")
async def workers_page(request: Request, store: StoreDep, templates: TemplatesDep) -> Response:
    workers = await store.workers.list()
    return templates.page(
        request,
        "pages/workers.html",
        title="Workers",
        nav="settings",
        is_shared=store.is_shared,
        workers=workers,
        names={worker.id: worker.name for worker in workers},
        runs=await store.workers.runs(SHOWN_RUNS),
        run_count=sum(worker.run_count for worker in workers),
        queue=await store.workers.queue(),
        silent_from_s=2 * BEAT_S,
    )


async def _about(store: Store, settings: Settings) -> list[tuple[str, str]]:
    teams, galleries = await store.teams.count(), len(await store.galleries.list())
    private = "allowed" if settings.allow_private_urls else "refused"
    return [
        ("Version", f"Team Studio {VERSION}, Python {platform.python_version()}"),
        ("Data folder", str(settings.data_dir)),
        ("Teams", str(teams)),
        ("Galleries", str(galleries)),
        ("Components known", str(sum(1 for _ in component_classes()))),
        ("Largest upload", f"{settings.max_upload_mb} MB; from a URL {MAX_BYTES // (1024 * 1024)} MB"),
        (
            "Code typed in the builder",
            "approved without a further review" if settings.trust_typed_code else "reviewed before approval",
        ),
        ("Private addresses", f"{private} unless listed"),
    ]
