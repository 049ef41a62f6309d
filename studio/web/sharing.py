"""A run as a file to give away: what is in it, what was taken out of it, and how it looks without a studio."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from markupsafe import Markup
from pydantic import JsonValue

from studio.components.secrets import references_within
from studio.errors import TooLarge
from studio.messages import Image
from studio.runs import LogEntry, RunRecord
from studio.runs.comparing.steps import RunStep, steps_in
from studio.runs.journal.pages import MAX_WHOLE_BYTES, read_whole
from studio.runs.sharing.bundle import MAX_ENTRIES, VERSION, Bundle, BundledFile, ExportedBundle, embedded, pack
from studio.runs.sharing.redaction import SecretRemover
from studio.services.run_comparison import duration
from studio.services.shared_files import PackedFiles, pack_files
from studio.settings import Settings
from studio.store import Store
from studio.web.assets.assets import find_frontend
from studio.web.auth.access_token import access_token
from studio.web.observability import THE_TOKEN, key_variables
from studio.web.templates import Templates

PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
MB = 1024 * 1024


@dataclass(frozen=True)
class BundleLine:
    """A message or event as the file shows it; `level` says from which detail on."""

    step: RunStep
    level: str
    pictures: Sequence[str]
    number: int


@dataclass(frozen=True)
class SharedRun:
    """A run that was packed, and its file."""

    packed: ExportedBundle
    html: str
    left_out: Sequence[str] = ()
    """Names of the files of the run, whose contents are not in the file."""

    @property
    def size_mb(self) -> float:
        return len(self.html.encode("utf-8", "replace")) / MB


async def share(
    store: Store, settings: Settings, templates: Templates, run_id: str, *, with_files: bool = False
) -> SharedRun:
    """Pack a run and write its file.

    Raises:
        NotFound: There is no such run.
        TooLarge: No studio would take the file.
    """
    run = await store.runs.get(run_id)
    entries = await whole_log(store, run_id, max_bytes=settings.max_upload_mb * MB)
    secrets = await known_secrets(store, settings, run)
    files = await pack_files(store, run_id, secrets) if with_files else PackedFiles((), ())
    shared = await asyncio.to_thread(_share, run, entries, files.files, secrets, settings, templates)
    if with_files:
        return replace(shared, left_out=files.left_out)
    names = dict.fromkeys(use.name for use, _ in await store.run_files.list(run_id))
    return replace(shared, left_out=[*names])


def _share(
    run: RunRecord,
    entries: Sequence[LogEntry],
    files: Sequence[BundledFile],
    secrets: Mapping[str, str],
    settings: Settings,
    templates: Templates,
) -> SharedRun:
    packed = pack(run, entries, SecretRemover(secrets), saved_at=datetime.now(UTC))
    if files:
        bundle = packed.bundle.model_copy(update={"files": [*files], "version": VERSION})
        packed = replace(packed, bundle=bundle)
    shared = SharedRun(packed, _html(packed.bundle, templates))
    if shared.size_mb > settings.max_upload_mb:
        most = f"{settings.max_upload_mb} MB"
        raise TooLarge(f"The file would exceed the limit of {most} for imports.", fix="Share a shorter run.")
    return shared


async def whole_log(store: Store, run_id: str, *, max_bytes: int = MAX_WHOLE_BYTES) -> list[LogEntry]:
    """All entries.

    Raises:
        TooLarge: They are more than a bundle may hold.
    """
    return await read_whole(store.runs, run_id, max_entries=MAX_ENTRIES, max_bytes=max_bytes)


async def known_secrets(store: Store, settings: Settings, run: RunRecord) -> dict[str, str]:
    """Every secret that this studio knows, by its reference."""
    resolve = await store.secrets.source()
    stored = [f"secret:{secret.name}" for secret in await store.secrets.list()]
    references = {*stored, *(f"env:{name}" for name in key_variables()), *_references(run.component)}
    found = {reference: value for reference in sorted(references) if (value := resolve(reference))}
    return {**found, THE_TOKEN: access_token(settings)}


def _references(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield from references_within(value)
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _references(item)


def _html(bundle: Bundle, templates: Templates) -> str:
    css = (find_frontend() / "static/css/bundle.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    run = bundle.run
    start, end = run.started_at or run.created_at, run.ended_at or bundle.saved_at
    return templates.text(
        "bundle.html",
        bundle=bundle,
        run=run,
        lines=list(_lines(bundle)),
        took=duration((end - start).total_seconds()),
        tokens=run.usage.prompt_tokens + run.usage.completion_tokens,
        component_text=json.dumps(bundle.component, indent=2, ensure_ascii=False),
        css=Markup(css),
        csp=f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'",
        data=Markup(embedded(bundle)),
    )


def _lines(bundle: Bundle) -> Iterator[BundleLine]:
    entries = [LogEntry(bundle.run.id, entry.seq, entry.at, entry.kind, entry.body) for entry in bundle.entries]
    bodies = {entry.seq: entry.body for entry in entries}
    numbers: dict[str, int] = {}
    for step in steps_in(entries):
        number = numbers.setdefault(step.source, len(numbers))
        yield BundleLine(step, _level(step), list(_pictures(bodies[step.seq].get("content"))), number % 6)


def _level(step: RunStep) -> str:
    if step.type == "ThoughtEvent":
        return "thought"
    if step.type.startswith("Code") or (step.type.startswith("Tool") and step.type.endswith("Event")):
        return "tool"
    return "event" if step.type.endswith("Event") else "message"


def _pictures(content: JsonValue) -> Iterator[str]:
    """Pictures as `data:` addresses, their type read from their first bytes."""
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and isinstance(data := part.get("data"), str):
            try:
                image = Image(data=data)
            except ValueError:
                continue
            if image.mime_type in PICTURES:
                yield image.data_uri
