"""What a run's log holds already, while the run does it again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from pydantic import JsonValue

from studio.effects import (
    Diverged,
    Divergence,
    EffectRequest,
    Effects,
    HumanAnswer,
    InjectedMessage,
    Match,
    Recorded,
    ReplayCursor,
    ReplayEffects,
)
from studio.effects.divergence import of_entry
from studio.messages import BaseMessage, Explanation, ModelClientStreamingChunkEvent
from studio.runs.active_run import CANCELLED, ActiveRun
from studio.runs.debugging.policy import STORED
from studio.runs.debugging.settings import set_breakpoints, set_policy
from studio.runs.edits import AppliedEdits
from studio.runs.journal.log import JsonObject, LogEntry, PendingInput, RunLog
from studio.runs.journal.pages import Entries as Entries
from studio.runs.journal.pages import read_log
from studio.runs.middleware.approvals import answers_question, recorded_decision
from studio.runs.replay.entries import to_body
from studio.runs.replay.unresolved import UnresolvedEffects, UnresolvedIntents
from studio.runs.state import PauseReason, RunState
from studio.runs.tasks import GivenContent, given_content

INTERRUPTS = frozenset({"interrupt", "hold"})
"""Logs of earlier versions call it `hold`."""
GATE = frozenset({"pause", "resume", "step", "stop"}) | INTERRUPTS
CLOSED = frozenset({"answer", "user", "step", "breakpoint"})
"""Why a run is in its state right after a question was decided."""


@dataclass(frozen=True)
class InheritedLog:
    """What a run repeats before it goes on.

    Args:
        entries: All there are.
        inherited: Up to which number they are another run's, whose people's commands are not about this one.
        match: How what is asked is told to be what was recorded.
        edits: Other texts for messages.
        results: Other results of what is asked, by the hash of the request.
    """

    entries: Entries
    inherited: int = 0
    match: Match = "exact"
    edits: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    results: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


class ReplaySource:
    """Leads a run over its log. Nothing of it is written again; after the last entry the run is as it was there."""

    def __init__(self, run: ActiveRun, log: InheritedLog) -> None:
        self._run = run
        self._log = log
        self._cursor = ReplayCursor(recorded_pages(log.entries), seen=self._seen, passed=self._passed, over=self._over)
        self._edits: AppliedEdits | None = None
        self._port: ReplayEffects | None = None
        self._unresolved = UnresolvedIntents()
        self._explanations = 0
        """In the log, less those that the team has given."""
        self._worked = ElapsedTime()
        self._last_command = ""
        self._is_cancelled = False
        self._question: PendingInput | None = None
        """Which the log has open here."""
        self._decision: JsonObject | None = None
        """Told by the entry before, to be believed if the next one closes the question with it."""

    def wrap(self, outer: Effects, recording: Effects) -> Effects:
        """The ports through which the run asks, given those of a run without a past and the innermost of them."""
        unresolved = UnresolvedEffects(outer, recording, self._unresolved, self._run, self._log.results)
        self._edits = AppliedEdits(unresolved, self._log.edits)
        self._port = ReplayEffects(self._cursor, self._edits, match=self._log.match, given=self._given)
        return self._port

    @property
    def has_reached_live_edge(self) -> bool:
        """Whether everything has happened again."""
        return self._cursor.is_over

    async def is_behind(self) -> bool:
        """Whether what is asked for now is in the log."""
        return await self._cursor.head() is not None

    def note_pull(self, *, is_held: bool) -> None:
        """Tell whether somebody waits for the team's next item."""
        assert self._port
        self._port.is_held = is_held

    async def is_recorded(self, item: BaseMessage) -> bool:
        """Whether the team has given this before.

        Raises:
            Diverged: It has given something else.
        """
        assert self._port
        if isinstance(item, ModelClientStreamingChunkEvent):
            return not self.has_reached_live_edge
        if isinstance(item, Explanation):
            return self._is_recorded_explanation()
        is_known = await self._port.happened(to_body(item)) is not None
        if is_known:
            self._run.debugger.edits.discard_repeated(item)
        return is_known

    async def end(self) -> None:
        """The team has come to its end.

        Raises:
            Diverged: More was recorded.
        """
        assert self._port
        if self._port.divergence:
            raise Diverged(self._port.divergence)
        if (rest := await self._cursor.head()) is not None:
            raise Diverged(Divergence(rest.seq, of_entry(rest), "the end of the run"))

    def _is_recorded_explanation(self) -> bool:
        is_known = not self.has_reached_live_edge or self._explanations > 0
        self._explanations -= is_known
        return is_known

    async def _given(self, request: EffectRequest, entry: Recorded) -> None:
        if entry.seq > self._log.inherited:
            self._worked.add(entry)
            if self._run.observer is not None:
                self._run.observer.effect_repeated(entry.body)
        self._unresolved.pop(request)
        self._run.human.forget(request.hash)

    def _seen(self, entry: Recorded) -> None:
        assert self._edits
        self._edits.note(entry)

    def _passed(self, entry: Recorded) -> None:
        if entry.name == "explanation":
            self._explanations += 1
        elif entry.seq > self._log.inherited:
            self._worked.add(entry)
            decision, self._decision = self._decision, None
            if entry.name == "intent":
                self._unresolved.add(entry)
            elif entry.name == "command":
                self._repeat_command(entry.body)
            elif entry.name == "state":
                self._turn(entry.body, decision)

    def _turn(self, body: JsonObject, decision: JsonObject | None) -> None:
        """Take note of a state. A decision counts only with the state that closed its question: both are written
        together, which no other command does, whatever was put into it."""
        question, pending = self._question, body.get("pending")
        self._question = PendingInput.model_validate(pending) if pending else None
        if (
            decision
            and question
            and not pending
            and body.get("reason") in CLOSED
            and answers_question(decision, question)
        ):
            self._run.human.recall_decision(question, recorded_decision(decision))

    def _repeat_command(self, body: JsonObject) -> None:
        """What a person has told the run at this place, as far as it still matters."""
        run, command = self._run, str(body.get("command"))
        if command in GATE:
            self._last_command = command
        match command:
            case "stop":
                run.request_stop_after_turn()
            case "cancel":
                self._is_cancelled = True
            case "breakpoints":
                set_breakpoints(run.debugger, {"breakpoints": body.get("breakpoints")}, STORED)
            case "policy":
                if body.keys() == {"command", "by", "policy"}:
                    set_policy(run.debugger, {"policy": body.get("policy")}, STORED)
            case "inject":
                source = str(body.get("source") or "user")
                text, metadata, pictures = _given(body)
                run.debugger.edits.inject(InjectedMessage(source, text, str(body.get("by")), metadata, pictures))
            case "answer":
                run.human.recall(str(body.get("request_id")), HumanAnswer(*_given(body)))
            case "decide":
                self._decision = body
            case _:
                pass

    def _over(self) -> None:
        """Be as the run was after its last entry."""
        run = self._run
        if run.state is RunState.PAUSED and run.pending is None:
            run.gate.pause(cast("PauseReason", run.status.reason), run.status.detail)
        elif self._last_command in {"pause", *INTERRUPTS}:
            run.gate.pause("user")
        elif self._last_command != "step":
            run.gate.resume()
        run.human.expect_answer(run.pending)
        if run.observer is not None:
            run.observer.add_elapsed(self._worked.seconds)
        run.live_edge_reached.set()
        if self._is_cancelled:
            run.interrupt(CANCELLED)


def _given(body: JsonObject) -> GivenContent:
    """What a person gave with a command, as it was given then."""
    files = body.get("files")
    return given_content(str(body.get("text")), files if isinstance(files, list) else ())


def entries_of(log: RunLog, run_id: str, *, until: int | None = None) -> Entries:
    """Pages of a run's log, of all kinds, up to the entry `until`."""
    return read_log(log, run_id, until=until)


async def recorded_pages(entries: Entries, *, until: int | None = None) -> AsyncIterator[Sequence[Recorded]]:
    """The same as a cursor takes them, up to the entry `until`."""
    async for page in entries:
        yield [_recorded(entry) for entry in page if until is None or entry.seq <= until]


def _recorded(entry: LogEntry) -> Recorded:
    if entry.kind == "effect":
        return Recorded(entry.seq, "effect", entry.body, entry.kind, entry.at)
    is_item = entry.kind in ("message", "event")
    return Recorded(entry.seq, "item" if is_item else "other", entry.body, entry.kind, entry.at)


class ElapsedTime:
    """Adds up the time between entries, given in the order of the log, as long as the run is at work."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._is_working = False
        self._last: datetime | None = None

    def add(self, entry: Recorded) -> None:
        """Take up the next entry of the run's own."""
        if entry.at is None:
            return
        is_taken_up = entry.name == "command" and entry.body.get("command") == "continue"
        if self._is_working and self._last is not None and not is_taken_up:
            self.seconds += max((entry.at - self._last).total_seconds(), 0.0)
        if entry.name == "state":
            self._is_working = entry.body.get("state") == RunState.RUNNING.value
        self._last = entry.at
