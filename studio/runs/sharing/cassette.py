"""A run as a test keeps it: one JSON object a line, the first of which says what was run, and how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from studio.components import check_bounds, take_out_secrets
from studio.effects import Diverged
from studio.errors import InvalidDocument
from studio.runs.log import NO_CHANGES, Changes, EntryKind, JsonObject, LogEntry, RunRecord
from studio.runs.sharing.recall import Recalled
from studio.runs.sharing.redaction import Remover
from studio.runs.state import RunState

VERSION = 1
KEPT: frozenset[EntryKind] = frozenset({"message", "event", "effect", "command"})
"""Explanations follow from the rest, and of the states only the last matters."""
CUT_SHORT = frozenset({RunState.STOPPED, RunState.CANCELLED, RunState.INTERRUPTED})
"""Ends that did not come from the team, so that it goes on when it is repeated."""


class InvalidCassette(InvalidDocument):
    """It is no cassette, or one of a newer studio."""

    code = "invalid_cassette"


class Heading(BaseModel):
    """The first line. `component` is the team as it was when it was recorded."""

    model_config = ConfigDict(extra="forbid")

    format: Literal["team-studio-cassette"] = "team-studio-cassette"
    version: int = VERSION
    namespace: str
    """From which the ids of the messages follow: the run's id, or that of the oldest of its line."""
    team_name: str
    task: JsonValue
    recorded_at: AwareDatetime
    state: RunState
    detail: str = ""
    component: JsonObject
    changes: Changes = NO_CHANGES


class CassetteEntry(BaseModel):
    """A later line: an entry of the log."""

    model_config = ConfigDict(extra="forbid")

    seq: Annotated[int, Field(ge=1)]
    at: AwareDatetime
    kind: EntryKind
    body: JsonObject


class Cassette(BaseModel):
    """All of it."""

    heading: Heading
    entries: list[CassetteEntry]

    @property
    def log(self) -> list[LogEntry]:
        return [LogEntry(self.heading.namespace, one.seq, one.at, one.kind, one.body) for one in self.entries]

    def lines(self) -> str:
        """As a file holds it."""
        return "".join(_line(part) for part in (self.heading, *self.entries))


def record(run: RunRecord, entries: Iterable[LogEntry], remover: Remover) -> Cassette:
    """Make a cassette of an ended run, without its secrets."""
    component, _ = take_out_secrets(run.component)
    heading = Heading(
        namespace=run.namespace,
        team_name=run.team_name,
        task=remover.clean(run.task, "the task"),
        recorded_at=run.ended_at or run.created_at,
        state=run.status.state,
        detail=remover.clean_text(run.status.detail, "how the run ended"),
        component=cast("JsonObject", remover.clean(component, "the team")),
        changes=Changes.model_validate(remover.clean(run.changes.model_dump(mode="json"), "what was changed")),
    )
    return Cassette(heading=heading, entries=list(_kept(entries, remover)))


def read_cassette(text: str) -> Cassette:
    """Read the lines of a cassette.

    Raises:
        InvalidCassette: A line is not what it should be.
    """
    heading: Heading | None = None
    entries: list[CassetteEntry] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            check_bounds(value)
            if heading is None:
                heading = Heading.model_validate(value)
            else:
                entries.append(CassetteEntry.model_validate(value))
        except (ValueError, RecursionError, ValidationError, InvalidDocument) as error:
            raise InvalidCassette(
                f"Line {number} of the cassette cannot be read: {error}", where=f"line {number}"
            ) from error
    if heading is None:
        raise InvalidCassette("The cassette is empty.")
    if heading.version > VERSION:
        raise InvalidCassette("The cassette was made by a newer studio.", fix="Update `team-studio`.")
    return Cassette(heading=heading, entries=entries)


def what_differs(found: Recalled, heading: Heading) -> str:
    """How a repeated run is unlike the recorded one, in a sentence; empty when it is not."""
    if found.divergence is not None:
        return Diverged(found.divergence).what
    if not found.is_over:
        return f"The team ended earlier than it did: {found.stop_reason or found.error or 'it has had its turns'}."
    if found.missing and heading.state not in CUT_SHORT:
        return f"The team went on where it had ended. {found.missing}"
    if heading.state is RunState.FINISHED and found.stop_reason is not None and found.stop_reason != heading.detail:
        return f"The team stopped for another reason: {found.stop_reason!r} in place of {heading.detail!r}."
    if heading.state is RunState.FINISHED and found.error is not None:
        return f"The team failed at its end: {found.error}"
    return ""


def _kept(entries: Iterable[LogEntry], remover: Remover) -> Iterator[CassetteEntry]:
    for entry in entries:
        if entry.kind in KEPT:
            body = cast("JsonObject", remover.clean(entry.body, f"{entry.kind} {entry.seq}"))
            yield CassetteEntry(seq=entry.seq, at=entry.at, kind=entry.kind, body=body)


def _line(part: BaseModel) -> str:
    return json.dumps(part.model_dump(mode="json"), ensure_ascii=True, separators=(",", ":")) + "\n"
