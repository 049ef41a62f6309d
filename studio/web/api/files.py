"""Files: uploaded as the body of a request, kept once by content, and downloaded as attachments only."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated
from urllib.parse import quote

from fastapi import Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from studio.components.deferred_model import DeferredModel
from studio.errors import NotFound
from studio.files import FileUse, clean_name, default_use, named_type
from studio.services.archives import zipped
from studio.services.attachments import can_be_text, check_use, text_of
from studio.services.documents import PARQUET
from studio.services.file_comparison import compare_files
from studio.services.unpacking import unpack
from studio.store import Files
from studio.store.tables import File, RunFile
from studio.web.dependencies import DocumentsDep, SettingsDep, StoreDep
from studio.web.requests import filename
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["files"])
PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; sandbox; frame-ancestors 'self'; "
    "base-uri 'none'; form-action 'none'"
)
"""A page that code wrote is shown, and does nothing: it has no script, no origin, and reaches nothing."""
UPLOAD = "POST /api/files"
"""The route whose body is a file."""
MB = 1024 * 1024


class FileOut(DeferredModel):
    """A file that was uploaded. `id` and `name` go into the `files` of a task."""

    id: str
    name: str
    size: int
    media_type: str = Field(description="Found in the content.")
    sha256: str
    use: FileUse = Field(description="How agents get it when a task does not say.")
    can_be_text: bool = Field(description="Whether `use` may be `text`: it is text, or a document to be read.")


class UnpackedFile(DeferredModel):
    """A file of a ZIP."""

    id: str
    name: str = Field(description="Without its folders.")
    size: int


class UnpackedOut(DeferredModel):
    """What was in a ZIP."""

    files: list[UnpackedFile]
    left_out: list[str] = Field(description="Names of files that were not kept, with the reason.")


@router.post(
    "/files",
    status_code=201,
    summary="Upload a file: the body is its content, whatever the content type says",
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
)
async def upload_file(
    request: Request,
    store: StoreDep,
    settings: SettingsDep,
    name: Annotated[str, Query(max_length=4000, description="Path parts and control characters are removed.")] = "",
) -> FileOut:
    """A file that no run uses is deleted after a day."""
    file = await store.files.add(request.stream(), max_bytes=settings.max_file_mb * MB)
    clean = clean_name(name)
    return FileOut(
        id=file.sha256,
        name=clean,
        size=file.size,
        media_type=named_type(file.media_type, clean),
        sha256=file.sha256,
        use=default_use(file.media_type, file.size),
        can_be_text=can_be_text(file, clean),
    )


class RunFileOut(DeferredModel):
    """A file of a run. `number` counts them from 1: code may write the same name again, and each content is kept."""

    number: int
    id: str = Field(description="Attaches it to another task.")
    name: str = Field(description="Of what code wrote, the path in its folder.")
    size: int
    media_type: str
    direction: str = Field(description='"in" for attached files, "out" for those that code wrote.')
    agent: str = Field(description="Whose code wrote it.")
    seq: int = Field(description="The last entry of the log before it came up.")
    at: datetime
    use: FileUse


@router.get("/runs/{run_id}/files", summary="List the files of a run, in the order in which they came up")
async def list_run_files(run_id: str, store: StoreDep) -> list[RunFileOut]:
    await store.runs.summary(run_id)
    return [_run_file(use, file) for use, file in await store.run_files.list(run_id)]


def _run_file(use: RunFile, file: File) -> RunFileOut:
    return RunFileOut(
        **use.model_dump(include={"number", "name", "direction", "agent", "seq", "at"}),
        id=file.sha256,
        size=file.size,
        media_type=named_type(file.media_type, use.name),
        use=default_use(file.media_type, file.size),
    )


@router.get(
    "/runs/{run_id}/files/archive",
    summary="Download all files of a run as ZIP",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/zip": {}}}},
)
async def download_archive(run_id: str, store: StoreDep) -> StreamingResponse:
    """Of several files of one name, all are in it, numbered from the second on."""
    run = await store.runs.summary(run_id)
    files = await store.run_files.list(run_id)
    content = zipped(store.files, [(use.name, file) for use, file in files])
    headers = download_headers(filename(run.team_name, ".files.zip"))
    return StreamingResponse(content, media_type="application/octet-stream", headers=headers)


@router.get(
    "/runs/{run_id}/files/{number}",
    summary="Download a file of a run by its number",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def download_run_file(
    run_id: str, number: Annotated[int, Path(ge=1, le=10_000)], store: StoreDep
) -> StreamingResponse:
    use, file = await store.run_files.get(run_id, number)
    return download(store.files, file, clean_name(use.name))


@router.get(
    "/runs/{run_id}/files/{number}/page",
    summary="Show a file that is HTML, in a frame of the studio: without scripts, network and links",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/html": {}}}},
)
async def show_page(run_id: str, number: Annotated[int, Path(ge=1, le=10_000)], store: StoreDep) -> StreamingResponse:
    use, file = await store.run_files.get(run_id, number)
    if named_type(file.media_type, use.name) != "text/html":
        raise NotFound("The file is no HTML page.", fix="Download it.")
    headers = {"Content-Security-Policy": PAGE_POLICY, "Content-Length": str(file.size), "Content-Encoding": "identity"}
    return StreamingResponse(store.files.read(file), media_type="text/html; charset=utf-8", headers=headers)


class TableOut(DeferredModel):
    """The first rows of a table, its head first."""

    rows: list[list[str]]
    is_cut: bool = Field(description="Whether the file has more rows or columns.")


@router.get("/runs/{run_id}/files/{number}/table", summary="Read the first rows of a Parquet file of a run")
async def read_table(
    run_id: str, number: Annotated[int, Path(ge=1, le=10_000)], store: StoreDep, documents: DocumentsDep
) -> TableOut:
    """Up to 5,000 rows of 40 columns, read in a process of its own."""
    use, file = await store.run_files.get(run_id, number)
    if named_type(file.media_type, use.name) != PARQUET:
        raise NotFound("The file is no Parquet file.", fix="Download it.")
    found = await documents.read_table(file)
    return TableOut(rows=[[*row] for row in found.rows], is_cut=found.is_cut)


class PieceOut(DeferredModel):
    state: str = Field(description='"kept", "removed" or "added".')
    text: str


class ChangedRowOut(DeferredModel):
    number: int
    before: list[str] | None
    after: list[str] | None


class FileChangesOut(DeferredModel):
    """What differs between two files: `pieces` of text, `rows` of a table below its `head`, or nothing but `kind`."""

    kind: str = Field(description='"same", "text", "table", "picture" or "other".')
    pieces: list[PieceOut] = []
    head: list[str] = []
    rows: list[ChangedRowOut] = []
    is_cut: bool = Field(description="Whether only the beginning was compared, or is given.")


@router.get(
    "/runs/{run_id}/files/{number}/changes", summary="Compare a file of a run with another one, or of another run"
)
async def compare_run_files(
    run_id: str,
    number: Annotated[int, Path(ge=1, le=10_000)],
    store: StoreDep,
    to_number: Annotated[int, Query(ge=1, le=10_000, description="The file after the changes.")],
    to_run: Annotated[str, Query(max_length=100, description="Its run; the same one by default.")] = "",
) -> FileChangesOut:
    before, one = await store.run_files.get(run_id, number)
    after, other = await store.run_files.get(to_run or run_id, to_number)
    found = await compare_files(store.files, (before.name, one), (after.name, other))
    return FileChangesOut.model_validate(asdict(found))


class FileTextOut(DeferredModel):
    """What agents would read of a file whose text goes into the prompt."""

    characters: int
    tokens: int = Field(description="About so many; each model counts on its own.")
    pages: int | None = Field(description="Of a PDF.")
    is_cut: bool = Field(description="Whether the file holds more text than goes into the prompt.")


@router.get("/files/{file_id}/text", summary="Measure the text that a file adds to a prompt; documents are read")
async def measure_file_text(
    file_id: str, store: StoreDep, documents: DocumentsDep, name: Annotated[str, Query(max_length=4000)] = ""
) -> FileTextOut:
    """The `name` says which kind of document the content is."""
    file, clean = await store.files.get(file_id), clean_name(name)
    check_use(file, clean, "text", "")
    found = await text_of(store.files, documents, file, clean)
    return FileTextOut(characters=found.characters, tokens=found.tokens, pages=found.pages, is_cut=found.is_cut)


@router.post("/files/{file_id}/unpack", summary="Keep each file of an uploaded ZIP as a file of its own")
async def unpack_file(file_id: str, store: StoreDep, settings: SettingsDep) -> UnpackedOut:
    """Hidden files are left out."""
    found = await unpack(store.files, await store.files.get(file_id), max_bytes=settings.max_file_mb * MB)
    files = [UnpackedFile(id=file.sha256, name=name, size=file.size) for name, file in found.files]
    return UnpackedOut(files=files, left_out=[*found.left_out])


@router.get(
    "/files/{file_id}",
    summary="Download a file by the ID that its upload gave",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def download_file(
    file_id: str, store: StoreDep, name: Annotated[str, Query(max_length=4000)] = ""
) -> StreamingResponse:
    return download(store.files, await store.files.get(file_id), clean_name(name))


def download(files: Files, file: File, name: str) -> StreamingResponse:
    """The file under a name, portion by portion."""
    headers = download_headers(name) | {"Content-Length": str(file.size)}
    return StreamingResponse(files.read(file), media_type="application/octet-stream", headers=headers)


def download_headers(name: str) -> dict[str, str]:
    """By which a browser never shows the content, and takes it for no type that it would run."""
    plain = name.encode("ascii", "replace").decode().replace("?", "_")
    return {
        "Content-Disposition": f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}",
        "Content-Encoding": "identity",  # it is not compressed on the way, which costs more than it saves here
        "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    }
