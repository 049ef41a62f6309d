"""Runs as files: a preview of what leaves, the file, and a file brought in."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Query, Request, Response
from pydantic import Field
from starlette.datastructures import UploadFile

from studio.components.deferred_model import DeferredModel
from studio.errors import InvalidDocument
from studio.runs.sharing.bundle import read_bundle, run_in
from studio.services.shared_files import keep_files
from studio.web.dependencies import StoreDep, ViewingDep
from studio.web.requests import AsciiJSONResponse, filename
from studio.web.router import StudioRouter
from studio.web.run_tests import make_test
from studio.web.sharing import share
from studio.web.views import Desk

router = StudioRouter(prefix="/api/runs", tags=["runs"])

WithFiles = Annotated[bool, Query(description="Whether files of the run are in it, up to 8 MB together.")]
FILE_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {"file": {"type": "string", "format": "binary"}},
                }
            },
            "text/html": {"schema": {"type": "string"}},
        },
    }
}


class RemovedOut(DeferredModel):
    """A secret that was taken out, by its name; `places` are the first few."""

    name: str
    count: int
    places: list[str]


class BundlePreviewOut(DeferredModel):
    """What the file would hold."""

    filename: str
    size_mb: float
    entry_count: int
    removed: list[RemovedOut]
    too_short: list[str]
    files_left_out: list[str] = Field(description="Files of the run that are not in the bundle.")


class ImportedRun(DeferredModel):
    id: str


@router.get(
    "/{run_id}/bundle/preview",
    summary="Preview the bundle of a run: its contents and what is redacted",
    response_model=BundlePreviewOut,
)
async def preview_bundle(run_id: str, viewing: ViewingDep, files: WithFiles = False) -> Response:
    return await viewing.show(_preview, [run_id], run_id, files)


async def _preview(desk: Desk, run_id: str, with_files: bool) -> Response:
    shared = await share(desk.store, desk.settings, desk.templates, run_id, with_files=with_files)
    packed = shared.packed
    out = BundlePreviewOut(
        filename=filename(packed.bundle.run.team_name, ".run.html"),
        size_mb=round(shared.size_mb, 3),
        entry_count=len(packed.bundle.entries),
        removed=[RemovedOut(name=one.name, count=one.count, places=one.places) for one in packed.removed],
        too_short=list(packed.too_short),
        files_left_out=list(shared.left_out),
    )
    return AsciiJSONResponse(out.model_dump(mode="json"))


@router.get(
    "/{run_id}/bundle",
    summary="Download a run as one HTML file with its team and log, without secrets",
    response_class=Response,
    responses={200: {"content": {"text/html": {}}}},
)
async def download_bundle(run_id: str, viewing: ViewingDep, files: WithFiles = False) -> Response:
    return await viewing.show(_bundle, [run_id], run_id, files)


async def _bundle(desk: Desk, run_id: str, with_files: bool) -> Response:
    shared = await share(desk.store, desk.settings, desk.templates, run_id, with_files=with_files)
    name = filename(shared.packed.bundle.run.team_name, ".run.html")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(shared.html.encode("utf-8", "replace"), media_type="application/octet-stream", headers=headers)


@router.get(
    "/{run_id}/test",
    summary="Download a pytest file that replays the run, with its recorded answers and team, as ZIP",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}}},
)
async def download_test(run_id: str, viewing: ViewingDep) -> Response:
    return await viewing.show(_test, [run_id], run_id)


async def _test(desk: Desk, run_id: str) -> Response:
    name, content = await make_test(desk.store, desk.settings, run_id)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/zip", headers=headers)


@router.post(
    "/import", status_code=201, summary="Import a run from a file; nothing in it runs", openapi_extra=FILE_BODY
)
async def import_run(
    request: Request, store: StoreDep, team_id: Annotated[str | None, Query(max_length=100)] = None
) -> ImportedRun:
    """The run is listed with the team `team_id`, if set."""
    bundle = await asyncio.to_thread(read_bundle, await _file(request))
    run, entries = await asyncio.to_thread(run_in, bundle, team_id)
    await store.run_imports.add_run(run, entries, files=await keep_files(store, bundle))
    return ImportedRun(id=run.id)


async def _file(request: Request) -> bytes:
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        return await request.body()
    async with request.form(max_files=1, max_fields=2) as form:
        file = form.get("file")
        if not isinstance(file, UploadFile):
            raise InvalidDocument("The form has no file.", fix="Send it in the field `file`.")
        return await file.read()
