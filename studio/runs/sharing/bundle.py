"""A run in one file: what it was started with and its whole log, to be read, kept and brought into another studio.

Reading is inert: a bundle is JSON inside one marked element of an HTML file, and nothing else of the file is looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from studio.components import extract_secrets, parse_json
from studio.components.document import MAX_BYTES
from studio.components.pointers import is_envelope
from studio.components.readable_json import well_formed_json
from studio.errors import InvalidDocument, TooLarge
from studio.messages import BaseChatMessage, Explanation, message_from_json
from studio.runs.journal.log import NO_CHANGES, Changes, EntryKind, JsonObject, LogEntry, RunRecord, RunStatus, Usage
from studio.runs.sharing.redaction import Removed, SecretRemover
from studio.runs.state import TRANSITIONS, Reason, RunState
from studio.runs.tasks import InvalidTask, task_text

FORMAT = "team-studio-run"
VERSION = 2
WITHOUT_FILES = 1
"""The version of a bundle without files, which studios of before can read."""
MAX_FILES = 500
OPENING = f'<script type="application/json" id="{FORMAT}">'
CLOSING = "</script>"
MAX_ENTRIES = 100_000
UNDER_WAY = "The run was still active when it was saved."
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""JSON inside a script element: whatever a text holds, it cannot end the element."""

Text = Annotated[str, Field(max_length=1_000_000)]
Short = Annotated[str, Field(max_length=300)]
Id = Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]


class InvalidBundle(InvalidDocument):
    """It is no run that a studio saved."""

    code = "invalid_bundle"


class BundledRun(BaseModel):
    """The run itself."""

    model_config = ConfigDict(extra="forbid")

    id: Id
    team_name: Short
    task: JsonValue
    task_text: Text
    state: RunState
    reason: Reason | Literal[""]
    detail: Text = ""
    usage: Usage = Usage()
    created_at: AwareDatetime
    started_at: AwareDatetime | None = None
    ended_at: AwareDatetime | None = None
    root_id: Id | None = None
    """Of a run that went on from another one: the oldest of the line."""
    changes: Changes = NO_CHANGES


class BundledEntry(BaseModel):
    """An entry of its log."""

    model_config = ConfigDict(extra="forbid")

    seq: int
    at: AwareDatetime
    kind: EntryKind
    body: JsonObject


class BundledFile(BaseModel):
    """A file of the run. The content is with the first of those that have it."""

    model_config = ConfigDict(extra="forbid", ser_json_bytes="base64", val_json_bytes="base64")

    name: Annotated[str, Field(min_length=1, max_length=4_000)]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    direction: Literal["in", "out"]
    agent: Short = ""
    seq: Annotated[int, Field(ge=0)] = 0
    content: bytes | None = None


class RemovedSecret(BaseModel):
    """A secret that stood in the run; only its name is told."""

    model_config = ConfigDict(extra="forbid")

    name: Short
    count: Annotated[int, Field(ge=1)]


class Bundle(BaseModel):
    """Everything in the file."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["team-studio-run"] = "team-studio-run"
    version: int = WITHOUT_FILES
    saved_at: AwareDatetime
    run: BundledRun
    component: JsonObject
    entries: Annotated[list[BundledEntry], Field(max_length=MAX_ENTRIES)]
    removed: Annotated[list[RemovedSecret], Field(max_length=1_000)] = []
    files: Annotated[list[BundledFile], Field(max_length=MAX_FILES)] = []


@dataclass(frozen=True)
class ExportedBundle:
    """A bundle that could be written, and what was taken out of it."""

    bundle: Bundle
    removed: Sequence[Removed]
    too_short: Sequence[str]
    """Secrets that were not looked for."""


def pack(run: RunRecord, entries: Iterable[LogEntry], remover: SecretRemover, *, saved_at: datetime) -> ExportedBundle:
    """Put a run together without its secrets.

    Raises:
        TooLarge: The log has more entries than a bundle may hold.
    """
    component, _ = extract_secrets(run.component)
    kept = [_packed_entry(entry, remover) for entry in entries]
    if len(kept) > MAX_ENTRIES:
        raise TooLarge(f"The run has more than {MAX_ENTRIES:,} entries.", fix="Share a shorter run.")
    status = run.status
    is_over = _is_over(status.state)
    if not is_over:
        body: JsonObject = {"state": "stopped", "reason": "user", "detail": UNDER_WAY}
        kept.append(BundledEntry(seq=len(kept) + 1, at=saved_at, kind="state", body=body))
    bundle = Bundle(
        saved_at=saved_at,
        run=BundledRun(
            id=run.id,
            team_name=remover.clean_text(run.team_name, "the team’s name"),
            task=remover.clean(run.task, "the task"),
            task_text=remover.clean_text(run.task_text, "the task"),
            state=status.state if is_over else RunState.STOPPED,
            reason=status.reason if is_over else "user",
            detail=remover.clean_text(status.detail, "how the run ended") if is_over else UNDER_WAY,
            usage=status.usage,
            created_at=run.created_at,
            started_at=run.started_at,
            ended_at=run.ended_at or saved_at,
            root_id=run.root_id,
            changes=Changes.model_validate(
                remover.clean(run.changes.without_reuse().model_dump(mode="json"), "what was changed")
            ),
        ),
        component=cast("JsonObject", remover.clean(component, "the team")),
        entries=kept,
        removed=[RemovedSecret(name=one.name, count=one.count) for one in remover.removed],
    )
    return ExportedBundle(bundle, remover.removed, remover.too_short)


def embedded(bundle: Bundle) -> str:
    """The bundle as an element of an HTML file.

    Raises:
        TooLarge: No studio would read it again.
    """
    text = bundle.model_dump_json(exclude=None if bundle.files else {"files"}).translate(_ESCAPES)
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        most = f"{MAX_BYTES // (1024 * 1024)} MB"
        raise TooLarge(f"The run is larger than the {most} limit of a bundle.", fix="Share a shorter run.")
    return f"{OPENING}{text}{CLOSING}"


def read_bundle(document: bytes) -> Bundle:
    """Find the bundle in a file and check every part of it; nothing is executed.

    Raises:
        TooLarge: The run is larger than a bundle may be.
        InvalidDocument: The file is no bundle, or a part of it is not what it should be.
    """
    text = document.decode("utf-8", "replace")
    if text.count(OPENING) != 1:
        raise InvalidBundle("The file contains no run.", fix="Choose a file that was saved with Share.")
    inside, closing, _ = text.partition(OPENING)[2].partition(CLOSING)
    if not closing:
        raise InvalidBundle("The file is incomplete.", fix="Download or copy it again.")
    return bundle_from(parse_json(inside, max_bytes=MAX_BYTES))


def bundle_from(value: JsonValue) -> Bundle:
    """Check every part of a bundle.

    Raises:
        InvalidDocument: It is none, or a part of it is not what it should be.
    """
    version = value.get("version") if isinstance(value, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise InvalidBundle("The file was saved by a newer studio.", fix="Update this studio.")
    try:
        bundle = Bundle.model_validate(value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = "".join(f"/{step}" for step in problem["loc"])[:200]
        raise InvalidBundle(f"The run cannot be read: {problem['msg']}.", where=where) from error
    return _checked(bundle)


def run_in(bundle: Bundle, team_id: str | None) -> tuple[RunRecord, list[LogEntry]]:
    """The run as a store keeps it, listed with a team where one is named."""
    run = bundle.run
    record = RunRecord(
        id=run.id,
        team_id=team_id,
        team_name=run.team_name,
        task_text=run.task_text,
        status=RunStatus(state=run.state, reason=run.reason, detail=run.detail, usage=run.usage),
        last_seq=len(bundle.entries),
        created_at=run.created_at,
        started_at=run.started_at,
        ended_at=run.ended_at,
        component=bundle.component,
        task=run.task,
        root_id=run.root_id,
        changes=run.changes,
    )
    entries = [LogEntry(run.id, entry.seq, entry.at, entry.kind, entry.body) for entry in bundle.entries]
    return record, entries


def _is_over(state: RunState) -> bool:
    """Whether a run has come to an end of its own: one that was interrupted could go on."""
    return state.is_final and state is not RunState.INTERRUPTED


def _checked(bundle: Bundle) -> Bundle:
    run = bundle.run
    if not _is_over(run.state) or run.reason not in TRANSITIONS[RunState.RUNNING].get(run.state, ()):
        raise InvalidBundle("The run in the file has not ended.", where="/run/state")
    if not is_envelope(bundle.component):
        raise InvalidBundle("The file contains no team.", where="/component")
    try:
        text = task_text(run.task)
    except InvalidTask as error:
        raise InvalidBundle("The task of the run cannot be read.", where="/run/task") from error
    component, _ = extract_secrets(bundle.component)
    return bundle.model_copy(
        update={
            "component": component,
            "entries": list(_checked_entries(bundle.entries)),
            "run": run.model_copy(update={"task_text": text}),
        }
    )


def _checked_entries(entries: Sequence[BundledEntry]) -> Iterator[BundledEntry]:
    for index, entry in enumerate(entries):
        where = f"/entries/{index}"
        if entry.seq != index + 1:
            raise InvalidBundle(f"Entry {index + 1} has the number {entry.seq}.", where=f"{where}/seq")
        yield entry.model_copy(update={"body": _checked_body(entry, f"{where}/body")})


def _checked_body(entry: BundledEntry, where: str) -> JsonObject:
    body = entry.body
    if entry.kind in ("message", "event", "explanation"):
        return _message_body(entry, where)
    missing = [name for name in _needed(entry) if not isinstance(body.get(name), str)]
    if missing:
        raise InvalidBundle(f"Entry {entry.seq} has no {missing[0]}.", where=f"{where}/{missing[0]}")
    if entry.kind == "state" and body["state"] not in set(RunState):
        raise InvalidBundle(f"Entry {entry.seq} has an unknown state.", where=f"{where}/state")
    return body


def _needed(entry: BundledEntry) -> tuple[str, ...]:
    """Texts that an entry has to have."""
    if entry.kind in ("effect", "intent"):
        return (entry.kind, "source", "request")
    return {"command": ("command",), "state": ("state", "reason")}.get(entry.kind, ())


class _Structured(BaseChatMessage):
    """An answer by a schema, whose class nobody knows here."""

    content: JsonObject
    format_string: str | None = None
    type: Short


def _message_body(entry: BundledEntry, where: str) -> JsonObject:
    """What is kept is what was understood, in the form that runs give it."""
    is_structured = str(entry.body.get("type")).startswith("StructuredMessage[")
    try:
        message = _Structured.model_validate(entry.body) if is_structured else message_from_json(entry.body)
    except ValueError as error:
        raise InvalidBundle(f"Entry {entry.seq} is not a readable message or event.", where=where) from error
    kind = "explanation" if isinstance(message, Explanation) else "message" if message.is_chat else "event"
    if kind != entry.kind:
        raise InvalidBundle(f"Entry {entry.seq} is no {entry.kind}.", where=where)
    return message.dump()


def _packed_entry(entry: LogEntry, remover: SecretRemover) -> BundledEntry:
    body = entry.body
    source = body.get("source") or body.get("command") or ""
    place = f"{'recorded answer' if entry.kind == 'effect' else entry.kind} {entry.seq} {source}".strip()
    clean = cast("JsonObject", remover.clean(well_formed_json(body), place))
    return BundledEntry(seq=entry.seq, at=entry.at, kind=entry.kind, body=clean)
