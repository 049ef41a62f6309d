"""A run as a test keeps it: one JSON object a line, the first of which says what was run, and how it ended."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Annotated, Literal, cast

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from studio import effects
from studio.components import check_bounds, extract_secrets, secret_source
from studio.effects import Diverged, Divergence, EffectRequest, Perform, Recorded, StreamItem
from studio.effects.divergence import of_item
from studio.errors import InvalidDocument
from studio.messages import BaseMessage, Explanation, TaskResult, explained
from studio.runs.concurrency import unwrap_single
from studio.runs.edits import AppliedEdits
from studio.runs.journal.log import NO_CHANGES, Changes, EntryKind, JsonObject, LogEntry, RunRecord
from studio.runs.replay.entries import to_body
from studio.runs.replay.source import recorded_pages
from studio.runs.sharing.redaction import SecretRemover
from studio.runs.state import RunState
from studio.runs.tasks import task_message
from studio.teams import Team

AT_ONCE = 200


@dataclass
class PlaybackResult:
    """What came of running the engine again."""

    items: list[JsonObject] = field(default_factory=list[JsonObject])
    """Messages and events, oldest first."""
    divergence: Divergence | None = None
    missing: str = ""
    """What was asked that nobody had recorded."""
    unanswered: EffectRequest | None = None
    """The last request, where it got no recorded answer."""
    stop_reason: str | None = None
    error: BaseException | None = None
    """What the run failed with, as it was recorded or because of a change."""
    is_over: bool = False
    """Whether everything that was recorded has happened again."""


async def play_back(
    team: Team, task: JsonValue, namespace: str, entries: Sequence[LogEntry], changes: Changes = NO_CHANGES
) -> PlaybackResult:
    """Take a team through its log, and see whether it ends where that does. Nothing is performed.

    Args:
        team: Fresh, as it was loaded for the run or changed since.
        task: What the run was to do.
        namespace: From which the ids of its messages follow.
        entries: The whole log, oldest first.
        changes: What the run did otherwise than the one that it went on from.
    """
    found = PlaybackResult()
    world = AppliedEdits(_Unrecorded(namespace, found), changes.edits)
    port = _repeating(found, world, entries)
    secret_token = secret_source.set(_no_secret)
    try:
        with effects.use(_Asking(port, found)), explained():
            await _pull(team, task, port, found)
    except Exception as error:  # noqa: BLE001  a run that failed fails again, with whatever it was
        found.error = unwrap_single(error)
    finally:
        secret_source.reset(secret_token)
    found.divergence = port.divergence
    found.is_over = port.cursor.is_over
    return found


async def _pull(team: Team, task: JsonValue, port: effects.ReplayEffects, found: PlaybackResult) -> None:
    stream: AsyncGenerator[BaseMessage | TaskResult, None] = team.run_stream(task=task_message(task))
    async with aclosing(stream):
        async for item in stream:
            if isinstance(item, TaskResult):
                found.stop_reason = item.stop_reason
                await port.cursor.head()  # to learn whether this was all
            elif item.is_kept and not isinstance(item, Explanation):
                body = to_body(item)
                if await port.happened(body) is None and port.cursor.is_over:
                    found.missing = f"It continued with {of_item(body)}."
                    return
                found.items.append(body)


def _no_secret(reference: str) -> None:
    del reference


class _Unrecorded(effects.Named):
    """The end of what is known: it gives ids as the run did, and refuses everything else."""

    def __init__(self, namespace: str, found: PlaybackResult) -> None:
        super().__init__(namespace)
        self._found = found

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        del perform
        raise self._refusal(request)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        del perform
        raise self._refusal(request)
        yield ""  # so that this is a generator

    def _refusal(self, request: EffectRequest) -> Exception:
        refusal = effects.NotRecorded(request)
        self._found.missing = self._found.missing or refusal.what
        return refusal


class _Asking(effects.EffectsMiddleware):
    """Keeps the newest request until it is answered."""

    def __init__(self, outer: effects.Effects, found: PlaybackResult) -> None:
        super().__init__(outer)
        self._found = found

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        self._found.unanswered = request
        return await super().call(request, perform)

    def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        self._found.unanswered = request
        return super().stream(request, perform)


def _repeating(found: PlaybackResult, world: AppliedEdits, entries: Sequence[LogEntry]) -> effects.ReplayEffects:
    async def given(request: EffectRequest, entry: Recorded) -> None:
        del request, entry
        found.unanswered = None

    return effects.ReplayEffects(
        effects.ReplayCursor(recorded_pages(_pages(entries)), seen=world.note), world, given=given
    )


async def _pages(entries: Sequence[LogEntry]) -> AsyncIterator[Sequence[LogEntry]]:
    for first in range(0, len(entries), AT_ONCE):
        yield entries[first : first + AT_ONCE]


VERSION = 1
RECORDED_KINDS: frozenset[EntryKind] = frozenset({"message", "event", "effect", "command"})
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


def record(run: RunRecord, entries: Iterable[LogEntry], remover: SecretRemover) -> Cassette:
    """Make a cassette of an ended run, without its secrets."""
    component, _ = extract_secrets(run.component)
    heading = Heading(
        namespace=run.namespace,
        team_name=run.team_name,
        task=remover.clean(run.task, "the task"),
        recorded_at=run.ended_at or run.created_at,
        state=run.status.state,
        detail=remover.clean_text(run.status.detail, "how the run ended"),
        component=cast("JsonObject", remover.clean(component, "the team")),
        changes=Changes.model_validate(
            remover.clean(run.changes.without_reuse().model_dump(mode="json"), "what was changed")
        ),
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


def what_differs(found: PlaybackResult, heading: Heading) -> str:
    """How a repeated run is unlike the recorded one, in a sentence; empty when it is not."""
    if found.divergence is not None:
        return Diverged(found.divergence).what
    if not found.is_over:
        return f"The team ended earlier than recorded: {found.stop_reason or found.error or 'it has had its turns'}."
    if found.missing and heading.state not in CUT_SHORT:
        return f"The team continued after the recorded end. {found.missing}"
    if heading.state is RunState.FINISHED and found.stop_reason is not None and found.stop_reason != heading.detail:
        return f"The team stopped for a different reason: {found.stop_reason!r} in place of {heading.detail!r}."
    if heading.state is RunState.FINISHED and found.error is not None:
        return f"The team failed at its end: {found.error}"
    return ""


def _kept(entries: Iterable[LogEntry], remover: SecretRemover) -> Iterator[CassetteEntry]:
    for entry in entries:
        if entry.kind in RECORDED_KINDS:
            body = cast("JsonObject", remover.clean(entry.body, f"{entry.kind} {entry.seq}"))
            yield CassetteEntry(seq=entry.seq, at=entry.at, kind=entry.kind, body=body)


def _line(part: BaseModel) -> str:
    return json.dumps(part.model_dump(mode="json"), ensure_ascii=True, separators=(",", ":")) + "\n"
