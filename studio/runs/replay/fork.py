"""What a run is started with that goes on from another one: a fork, a re-run, a replay."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import JsonValue

from studio.components.readable_json import well_formed
from studio.effects import INJECTED_BY, InjectedMessage
from studio.errors import ConfigError
from studio.runs.journal.log import Changes, Draft, JsonObject, LogEntry, NewRun, Origin, RunRecord, RunStore
from studio.runs.replay.source import InheritedLog, entries_of
from studio.runs.tasks import task_text

FromSeq = int | Literal["failure"] | None


@dataclass(frozen=True)
class ForkOptions:
    """What a fork is to do otherwise.

    Args:
        component: Another team; None for the same.
        task: Another task; None for the same.
        edits: Other texts for messages, by their ids; None drops the message. That of the first one is the task.
        results: Other results of effects, by their numbers in the log.
    """

    component: JsonObject | None = None
    task: JsonValue = None
    edits: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    results: Mapping[int, JsonValue] = field(default_factory=dict[int, JsonValue])


async def make_fork(
    store: RunStore, record: RunRecord, seq: int, options: ForkOptions, origin: Origin = "fork"
) -> NewRun:
    """What a fork behind the entry `seq` is started with.

    It begins before everything that it changes, so that its own log shows the change: with the entries of its parent
    up to there as its first ones.

    Raises:
        ConfigError: There is no such entry, message or effect.
    """
    if not 0 <= seq <= record.last_seq:
        raise ConfigError(f"The run has no entry {seq}.", fix=f"Choose one up to {record.last_seq}.", where="/seq")
    place = await _place(store, record, seq, options)
    cut, task = place.cut, options.task if place.task is None else place.task
    is_other = options.component is not None and options.component != record.component
    changes = Changes(
        edits={**record.changes.edits, **place.edits},
        results=place.results,
        is_other_team=is_other or (record.changes.is_other_team and cut > 0),
        initial_state=record.changes.initial_state,
        mocks=() if is_other else record.changes.mocks,
        continues=record.changes.continues,
    )
    new = replace(_same(record), parent_seq=cut, origin=origin, changes=changes, first_message=place.said)
    if is_other:
        new = replace(new, component=options.component, team_revision=None)
    return new if task is None else replace(new, task=task, task_text=task_text(task))


async def make_rerun(store: RunStore, record: RunRecord, from_seq: FromSeq) -> NewRun:
    """What a re-run is started with: from the beginning, behind an entry, or from what made the run fail.

    Raises:
        ConfigError: There is no such entry, or the run did not fail.
    """
    if from_seq == "failure":
        from_seq = await _before_failure(store, record)
    return await make_fork(store, record, from_seq or 0, ForkOptions(), origin="rerun")


def make_replay(record: RunRecord) -> NewRun:
    """What a replay is started with: it has a log of its own from its first entry."""
    return replace(_same(record), origin="replay", changes=record.changes.without_reuse())


def inherited_log(store: RunStore, record: RunRecord) -> InheritedLog:
    """What a run repeats that goes on, or is replayed."""
    return _past(store, record.id, record.last_seq, record.parent_seq, record.changes)


def inherited_entries(store: RunStore, run_id: str, new: NewRun) -> InheritedLog:
    """What a run repeats that begins with entries of another one."""
    return _past(store, run_id, new.parent_seq, new.parent_seq, new.changes)


def start_of(new: NewRun, by: str) -> list[Draft]:
    """The first entries of a run's own."""
    body: JsonObject = {"command": new.origin or "start"}
    if new.parent_id:
        changes = new.changes.model_dump(
            mode="json", exclude_defaults=True, exclude={"initial_state", "continues", "mocks", "reuse"}
        )
        body |= {"from": new.parent_id, "seq": new.parent_seq, **({"changes": changes} if changes else {})}
    if new.changes.mocks:
        body["mocks"] = [mock.model_dump(mode="json") for mock in new.changes.mocks]
    if new.changes.reuse is not None:
        body["reuse"] = new.changes.reuse.model_dump(mode="json")
    said: JsonObject | None = new.first_message and {
        "command": "inject",
        "source": new.first_message.source,
        "text": new.first_message.text,
    }
    return [Draft("command", {**command, "by": by}) for command in (body, said) if command is not None]


def _past(store: RunStore, run_id: str, until: int, inherited: int, changes: Changes) -> InheritedLog:
    return InheritedLog(
        entries_of(store, run_id, until=until),
        inherited=inherited,
        match="by position" if changes.is_other_team else "exact",
        edits=changes.edits,
        results=changes.results,
    )


def _same(record: RunRecord) -> NewRun:
    return NewRun(
        record.component,
        record.task,
        record.task_text,
        record.team_id,
        record.team_name,
        parent_id=record.id,
        root_id=record.namespace,
        session_id=record.session_id,
        team_revision=record.team_revision,
    )


@dataclass
class _ForkPoint:
    """Where a fork begins, and how what is changed reaches it."""

    cut: int
    results: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """By the hashes of their requests."""
    edits: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    task: JsonValue = None
    said: InjectedMessage | None = None
    """A message that a person handed in, which no agent says again."""

    def edit(self, entry: LogEntry, text: str | None, task: JsonValue) -> None:
        """Take up another text for a message; `task` is given where it is the first of all."""
        by, message_id = _handed_in_by(entry), str(entry.body.get("id"))
        if task is not None:
            self.task = _saying(task, text)
        elif by is None:
            self.edits[message_id] = text
        elif text is not None and entry.seq <= self.cut:
            self.said = InjectedMessage(str(entry.body.get("source")), well_formed(text), by)


async def _place(store: RunStore, record: RunRecord, seq: int, options: ForkOptions) -> _ForkPoint:
    """Results are those that are changed, and what other tools gave meanwhile, that they are not called again."""
    missing, place = {*options.edits, *options.results}, _ForkPoint(seq)
    beside: dict[str, JsonValue] = {}
    if options.task is not None:
        missing.add("")
    if not missing:
        return place
    is_first = True
    async for page in entries_of(store, record.id):
        for entry in page:
            found: str | int | None = None
            body = entry.body
            if entry.kind == "effect" and entry.seq in options.results:
                found = entry.seq
                place.results[str(body.get("request"))] = options.results[entry.seq]
            elif body.get("effect") == "tool" and place.results and entry.seq <= seq and "result" in body:
                beside[str(body.get("request"))] = body["result"]
            elif entry.kind in ("message", "event"):
                found = "" if "" in missing else str(body.get("id"))
                if found in options.edits:
                    place.edit(entry, options.edits[found], record.task if is_first else None)
                is_first = False
            if found in missing:
                missing.discard(found)
                place.cut = min(place.cut, entry.seq - 1)
    if missing:
        raise ConfigError(f"The run has nothing named {next(iter(missing))!r}.", where="/changes")
    place.results = {**beside, **place.results}
    return place


def _handed_in_by(entry: LogEntry) -> str | None:
    metadata = entry.body.get("metadata")
    by = metadata.get(INJECTED_BY) if isinstance(metadata, dict) else None
    return None if by is None else str(by)


def _saying(task: JsonValue, text: str | None) -> JsonValue:
    """The task with other words and the same pictures."""
    if text is None:
        raise ConfigError("The task cannot be removed.", fix="Enter another text.", where="/edits")
    if not isinstance(task, list):
        return text
    return [*([text] if text else []), *(part for part in task if not isinstance(part, str))]


async def _before_failure(store: RunStore, record: RunRecord) -> int:
    if record.status.state.value != "failed":
        raise ConfigError("The run has not failed.", fix="Choose the entry to run again from.")
    failed = 0
    async for page in entries_of(store, record.id):
        for entry in page:
            if entry.kind == "effect" and "error" in entry.body:
                failed = entry.seq
            elif entry.kind == "message":
                failed = 0  # the team got over it
    return (failed or record.last_seq) - 1
