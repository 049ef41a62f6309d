"""A run that this process drives: its status, its place in the log, and the things that control it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_json

from studio.components.readable_json import well_formed, well_formed_json
from studio.components.redaction import Redactor
from studio.errors import StudioError
from studio.runs.concurrency import Notifier, unwrap_single
from studio.runs.debugging.debugger import Debugger
from studio.runs.gate import Gate
from studio.runs.human import HumanPort
from studio.runs.journal.buffers import ChunkBuffer, RecentEntries
from studio.runs.journal.log import (
    Body,
    Draft,
    EntryKind,
    JsonObject,
    Lease,
    LeaseLost,
    LogEntry,
    LogUnavailable,
    PendingInput,
    QuestionKind,
    RunLog,
    RunStatus,
    Usage,
)
from studio.runs.journal.writer import LogWriter
from studio.runs.observer import RunObserver
from studio.runs.spending.costs import with_effect
from studio.runs.state import EndReason, IllegalTransition, PauseReason, Reason, RunState, check_transition
from studio.runs.view import RunView

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ends. `detail` is a sentence for its viewer."""

    state: RunState
    reason: EndReason
    detail: str = ""
    error: JsonObject | None = None

    @classmethod
    def failed(cls, error: Exception, culprit: JsonObject | None = None) -> Ending:
        """What a viewer is told of an error: those raised on purpose speak for themselves. `culprit` says what else is
        known of where it came from."""
        cause = unwrap_single(error)
        if isinstance(cause, StudioError):
            body = cast("JsonObject", cause.as_json()["error"])
        else:
            logger.error("A run failed with an unexpected error.", exc_info=cause)
            message = f"{type(cause).__name__}: {cause}"
            body: JsonObject = {"code": "unexpected", "message": message, "fix": "", "where": ""}
        return cls(RunState.FAILED, "error", str(body["message"]), {**body, **(culprit or {})})


_WAITS_FOR: Mapping[QuestionKind, PauseReason] = {
    "input": "input",
    "approval": "approval",
    "budget": "budget",
    "outcome": "approval",
    "breakpoint": "breakpoint",
}

MAX_BUFFERED_S = 0.2
"""How long an entry waits for the next one; runs whose models answer at once seldom get there."""

STOPPED_AT_QUESTION = Ending(RunState.STOPPED, "user", "Stopped while it waited for an answer.")
IDLE = Ending(RunState.PAUSED, "shutdown")
CANCELLED = Ending(RunState.CANCELLED, "user", "Cancelled.")


class ActiveRun:
    """One run under way. All writing to its log goes through here, in the order of the calls.

    Args:
        lease: The right to write.
        log: Where to.
        status: As the log has it.
        last_seq: Number of the last entry that is in the log.
        namespace: From which the ids of its messages follow; its own id if left out.
    """

    def __init__(self, lease: Lease, log: RunLog, status: RunStatus, *, last_seq: int = 0, namespace: str = "") -> None:
        self.id = lease.run_id
        self.namespace = namespace or lease.run_id
        self.gate = Gate()
        self.chunks = ChunkBuffer()
        self.recent = RecentEntries(last_seq)
        self.notifier = Notifier()
        self.debugger = Debugger(self.gate, self.notifier.notify)
        self.human = HumanPort(self._wait_for_input)
        self.redactor = Redactor()
        """Knows the secrets that the run may read."""
        self.observer: RunObserver | None = None
        """Who counts turns and time."""
        self.begun = asyncio.Event()
        """Set at the first step of its task; one that is cancelled before that never takes it."""
        self.live_edge_reached = asyncio.Event()
        """Set when everything that is in the log has happened again."""
        self.is_gone = False
        """Whether nobody drives it here any more though it has not ended."""
        self.is_stopping = False
        self.is_closed = False
        """Whether the last entry is being written: nothing may come after it."""
        self.ending: Ending | None = None
        """How the run ends when its task is cancelled; set before cancelling it."""
        self._task: asyncio.Task[None] | None = None
        self._request_stop: Callable[[], None] | None = None
        self._cancel_count = 0
        self._rest_s: float | None = None
        self._rest_timer: asyncio.TimerHandle | None = None
        self._writer = LogWriter(lease, log, self._publish)
        self._meant = status  # with entries that are not committed yet, but for its usage
        self._usage = status.usage
        self._shown = status  # as committed
        self._viewed: tuple[RunStatus, dict[str, Any], RunView] | None = None
        """What the newest view is of, and the view."""
        self._last_seq = self._given_seq = last_seq
        self._held: list[Draft] = []
        self._held_timer: asyncio.TimerHandle | None = None

    @property
    def state(self) -> RunState:
        return self._meant.state

    @property
    def pending(self) -> PendingInput | None:
        return self._meant.pending

    @property
    def status(self) -> RunStatus:
        """With entries that are not committed yet."""
        return self._meant.with_usage(self._usage)

    @property
    def last_given_seq(self) -> int:
        """Number of the last entry, also of one that is not in the log yet."""
        return self._given_seq

    @property
    def usage(self) -> Usage:
        """With calls that are not committed yet."""
        return self._usage

    @property
    def view(self) -> RunView:
        """What is committed, for all to see.

        The same object for as long as it says the same: who follows a run looks with each word that a model writes.
        """
        shown = self._shown
        more: dict[str, Any] = {
            "is_finishing": shown.state is RunState.RUNNING and (self.is_stopping or not self.gate.is_open),
            "in_flight": self.debugger.finishing,
            "progress": self.debugger.in_flight.reporting(),
            "hits": dict(self.debugger.breakpoints.hits),
            "editable_id": self.debugger.edits.editable_id if shown.state is RunState.PAUSED else "",
            "last_seq": self._last_seq,
        }
        if self._viewed is None or self._viewed[0] is not shown or self._viewed[1] != more:
            self._viewed = shown, more, RunView(**dict(shown), **more)
        return self._viewed[2]

    def attach_task(self, task: asyncio.Task[None], *, request_stop: Callable[[], None]) -> None:
        """Tell which task drives this run, and how its team is asked to end after its turn."""
        self._task = task
        self._request_stop = request_stop

    def yield_after(self, seconds: float) -> None:
        """Leave the run, as it is in the log, when it has waited so long for a person."""
        self._rest_s = seconds

    @property
    def is_at_work(self) -> bool:
        """Whether something is under way that must not be broken off."""
        return any(flight.kind != "model" for flight in self.debugger.in_flight.listed())

    @property
    def is_waiting_for_answers(self) -> bool:
        """Whether the world has been asked something and has not answered yet."""
        return bool(self.debugger.in_flight.listed())

    def request_stop_after_turn(self) -> None:
        """Let the team end when its turn is done."""
        self.is_stopping = self.debugger.is_over = True
        if self._request_stop:
            self._request_stop()

    def cancel_task(self) -> None:
        """End the driving now; the driver then writes `ending`, as it does when it finds one at its beginning.

        Does nothing once the last entry is being written.
        """
        if self._task and self.begun.is_set() and not self.is_closed:
            self._cancel_count += 1
            self._task.cancel()

    @property
    def task(self) -> asyncio.Task[None] | None:
        """Which drives the run; None before there is one."""
        return self._task

    @property
    def is_shutting_down(self) -> bool:
        """Whether the run is being left here without having ended."""
        return self.is_gone or (self.ending is not None and not self.ending.state.is_final)

    @property
    def is_being_cancelled(self) -> bool:
        """Whether the task was told to end now."""
        return self._cancel_count > 0

    def interrupt(self, ending: Ending) -> asyncio.Task[None]:
        """End the driving now unless it is ending already; returns the task to wait for."""
        assert self._task
        if self.ending is None:
            self.ending = ending
            self.cancel_task()
        return self._task

    def is_cancelled_from_outside(self) -> bool:
        """Whether anybody but `cancel_task` cancelled the task that calls this; our own ones are now dealt with."""
        task = asyncio.current_task()
        assert task
        for _ in range(self._cancel_count):
            task.uncancel()
        return task.cancelling() > 0

    async def write(self, *drafts: Draft) -> None:
        """Append entries that change no state, and wait until they are in the log."""
        self._append(drafts)
        await self.wait_written()

    async def append(self, draft: Draft) -> None:
        """Append an entry without waiting for it, unless many wait already.

        Raises:
            LeaseLost, LogUnavailable: An entry before it was not taken; the run must end.
        """
        self.buffer(draft)
        if self._submit():
            await self.wait_written()

    async def wait_written(self) -> None:
        """Wait until all that was appended is in the log.

        Raises:
            LeaseLost, LogUnavailable: It never will be; the run must end.
        """
        await self._writer.wait_written()

    def buffer(self, draft: Draft) -> None:
        """Append an entry together with the next one: it costs no transaction of its own. Where that takes long, such
        as while a model thinks, it is appended alone, so that whoever looks on knows who has the word."""
        self._held.append(draft if draft.text else _showable(draft.kind, draft.body_json))
        if self._held_timer is None:
            self._held_timer = asyncio.get_running_loop().call_later(MAX_BUFFERED_S, self._flush_buffer)

    def _flush_buffer(self) -> None:
        self._held_timer = None
        if self._held and not self.is_closed:
            with suppress(LeaseLost, LogUnavailable):  # whoever adds the next entry is told
                self._submit()

    async def change_state(
        self,
        state: RunState,
        reason: Reason,
        *,
        before: Sequence[Draft] = (),
        detail: str = "",
        pending: PendingInput | None = None,
        error: JsonObject | None = None,
    ) -> None:
        """Go to another state, in one transaction with the entries `before`.

        Raises:
            IllegalTransition: The table of states does not allow it; nothing is written.
        """
        check_transition(self._meant.state, state, reason)
        detail = well_formed(detail)
        body: JsonObject = {"state": state.value, "reason": reason, "detail": detail}
        if pending:
            body["pending"] = cast("JsonValue", pending.model_dump())
        if error:
            body["error"] = error
        self._meant = RunStatus(state=state, reason=reason, detail=detail, pending=pending, usage=self._usage)
        if self.observer is not None:
            self.observer.state_changed(state)
        self._append([*before, Draft("state", body)])
        self._plan_yield()
        await self.wait_written()

    def record_effect(self, body: JsonObject) -> Awaitable[None] | None:
        """Log what the world answered; model replies add to the usage. Mostly there is nothing to wait for."""
        self._usage = with_effect(self._usage, body)
        self.buffer(_showable("effect", body))
        return self.wait_written() if self._submit() else None

    async def intend(self, body: JsonObject) -> str:
        """Log what is about to be done, with all before it; the key by which it can be told when it is done again."""
        self.buffer(Draft("intent", body))
        self._submit()
        key = f"{self.id}:{self._given_seq}"
        await self.wait_written()
        return key

    async def flush(self) -> None:
        """Append what is held, and wait until everything is in the log."""
        if self._held:
            self._submit()
        await self.wait_written()

    def add_chunk(self, source: str, message_id: str | None, text: str) -> None:
        """Show a piece of a message that is being written."""
        self.chunks.add(source, message_id, text, last_seq=self._last_seq)
        self.notifier.notify_of_piece()

    async def wait_at_gate(self) -> None:
        """Wait while the gate is closed; the log tells that the run waits, before it does."""
        while not self.gate.is_open:
            if self.pending is None and (self.state, self._meant.reason) != (RunState.PAUSED, self.gate.reason):
                await self.change_state(RunState.PAUSED, self.gate.reason, detail=self.gate.detail)
            await self.gate.wait_open()

    async def end(self, ending: Ending) -> None:
        """Write the last entry. When the log cannot take it, at least the pages of this process are told.

        A run that only stops here for a while, to go on from its log, is left as it is where it waits already.
        """
        self.is_closed = True
        self._rest_s = None
        self._plan_yield()
        self.chunks.clear()
        await self._writer.reset_failure()
        self.human.expect_answer(None)
        self.live_edge_reached.set()
        self.is_gone = not ending.state.is_final
        try:
            if self.is_gone and self.state is RunState.PAUSED:
                self.notifier.notify()
                return
            detail, error = self.redactor.clean_text(ending.detail), self.redactor.clean(ending.error)
            await self.change_state(ending.state, ending.reason, detail=detail, error=cast("JsonObject | None", error))
        except (LeaseLost, LogUnavailable, IllegalTransition) as error:  # none of them may end other runs
            logger.error("The end of run %s is not in its log: %s", self.id, error)
            self._shown = self.status
            self.notifier.notify()

    async def _wait_for_input(self, pending: PendingInput) -> None:
        pending = self._redacted(pending)
        if self.is_stopping:  # the turn that should end cannot, without an answer that nobody is going to give
            self.interrupt(STOPPED_AT_QUESTION)
            return
        if self.pending == pending and self.state is RunState.PAUSED:
            return  # it was asked before the server stopped
        await self.change_state(RunState.PAUSED, _WAITS_FOR[pending.kind], detail=pending.prompt, pending=pending)

    def _redacted(self, pending: PendingInput) -> PendingInput:
        """A tool server can ask with words of its own, which no answer of the world has brought."""
        shown: JsonObject = {"prompt": pending.prompt, "details": pending.details}
        clean = self.redactor.clean(shown)
        return pending if clean is shown else pending.model_copy(update=cast("JsonObject", clean))

    def _plan_yield(self) -> None:
        if self._rest_timer:
            self._rest_timer.cancel()
            self._rest_timer = None
        has_deadline = self.pending is not None and "until" in self.pending.details
        if self._rest_s is not None and self.state is RunState.PAUSED and not has_deadline:
            self._rest_timer = asyncio.get_running_loop().call_later(self._rest_s, self._yield)

    def _yield(self) -> None:
        if self.debugger.in_flight.listed():
            self._plan_yield()
        else:
            self.interrupt(IDLE)

    def _append(self, drafts: Sequence[Draft]) -> None:
        """Put entries behind all others; somebody waits for them."""
        for draft in drafts:
            self.buffer(draft)
        self._submit(is_awaited=True)

    def _submit(self, *, is_awaited: bool = False) -> bool:
        """Give the writer what is held; whether so much waits there now that one should wait for it."""
        drafts, self._held = self._held, []
        self._given_seq += len(drafts)
        return self._writer.add(drafts, self._meant, self._usage, is_awaited=is_awaited)

    def _publish(self, entries: Sequence[LogEntry], status: RunStatus) -> None:
        if entries and entries[-1].seq > self._last_seq:
            self._last_seq = entries[-1].seq
            self._shown = status
        self.recent.add(entries)
        if not self.chunks.is_empty:
            for entry in entries:
                if entry.kind in ("message", "event"):
                    self.chunks.drop(str(entry.body.get("source")))
        self.notifier.notify()


def _showable(kind: EntryKind, body: Body) -> Draft:
    """An entry with its text."""
    try:
        return Draft(kind, body, to_json(body).decode())
    except PydanticSerializationError:  # half a character, of a person
        return Draft(kind, cast("JsonObject", well_formed_json(body)))
