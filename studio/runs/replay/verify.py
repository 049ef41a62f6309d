"""Doing a whole run again from its record, with a log of its own that is compared, and asking nothing of the world."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.effects import (
    Diverged,
    Divergence,
    EffectRequest,
    Effects,
    EffectsMiddleware,
    NotRecorded,
    Perform,
    Recorded,
    ReplayCursor,
    ReplayEffects,
    StreamItem,
    Substitute,
    random_id,
)
from studio.effects.divergence import of_entry, of_item, of_request
from studio.messages import BaseMessage, Explanation, ModelClientStreamingChunkEvent
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.edits import AppliedEdits
from studio.runs.journal.log import Draft, PendingInput
from studio.runs.replay.entries import to_body
from studio.runs.replay.source import InheritedLog, recorded_pages
from studio.runs.state import RunState

RECORD_ENDS = Ending(RunState.FINISHED, "end", "The recording ends here.")


class Fixed(BaseModel):
    """A tool that gives the same text whenever it is called."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fixed: Annotated[str, Field(max_length=1_000_000)]
    is_error: bool = False


ToolMode = Literal["recorded", "live", "ask"] | Fixed
"""What a tool does in a replay: gives what is recorded, is called, or a person says what it gives."""


class ReplayVerification:
    """Leads a run over the log of another one.

    Args:
        run: The replay.
        log: The other one's.
        tools: What tools do; what is not named gives what is recorded.
        has_ended: Whether the other one came to its own end; more than it did is then a divergence.
    """

    def __init__(self, run: ActiveRun, log: InheritedLog, tools: Mapping[str, ToolMode], *, has_ended: bool) -> None:
        self._run = run
        self._log = log
        self._tools = tools
        self._has_ended = has_ended
        self._cursor = ReplayCursor(recorded_pages(log.entries), seen=self._seen, passed=self._passed)
        self._edits: AppliedEdits | None = None
        self._port: ReplayEffects | None = None
        run.live_edge_reached.set()

    def wrap(self, outer: Effects, recording: Effects) -> Effects:
        """The ports through which the run asks."""
        self._edits = AppliedEdits(_Refusing(outer, self._refused), self._log.edits)
        substitutes = {name: self._substitute(mode, outer, recording) for name, mode in self._tools.items()}
        self._port = ReplayEffects(
            self._cursor,
            self._edits,
            match=self._log.match,
            given=self._given,
            substitutes={name: each for name, each in substitutes.items() if each},
        )
        return self._port

    async def is_behind(self) -> bool:
        await self._run.wait_at_gate()
        return await self._cursor.head() is not None

    def note_pull(self, *, is_held: bool) -> None:
        assert self._port
        self._port.is_held = is_held

    async def is_recorded(self, item: BaseMessage) -> bool:
        """Never: everything is logged once more, after it was compared.

        Raises:
            Diverged: Something else was recorded.
        """
        assert self._port
        if isinstance(item, ModelClientStreamingChunkEvent | Explanation):
            return False
        body = to_body(item)
        if await self._port.happened(body) is None and self._cursor.is_over:
            raise Diverged(Divergence(self._cursor.last_seq + 1, "nothing more", of_item(body)))
        return False

    async def end(self) -> None:
        assert self._port
        if self._port.divergence:
            raise Diverged(self._port.divergence)
        if (rest := await self._cursor.head()) is not None:
            raise Diverged(Divergence(rest.seq, of_entry(rest), "the end of the run"))

    def _seen(self, entry: Recorded) -> None:
        assert self._edits
        self._edits.note(entry)

    def _passed(self, entry: Recorded) -> None:
        if entry.name == "command" and entry.body.get("command") == "stop":
            self._run.request_stop_after_turn()

    async def _given(self, request: EffectRequest, entry: Recorded) -> None:
        del request
        body = {name: value for name, value in entry.body.items() if name != "spent"}  # it costs nothing this time
        await self._run.append(Draft("effect", body))

    def _substitute(self, mode: ToolMode, outer: Effects, recording: Effects) -> Substitute | None:
        if isinstance(mode, Fixed):
            return partial(_tell, recording, lambda _: _ready(mode))
        if mode == "ask":
            return partial(_tell, recording, self._ask)
        return outer.call if mode == "live" else None

    async def _ask(self, request: EffectRequest) -> Fixed:
        prompt = f"What does {request.source} give?"
        question = PendingInput(
            request_id=random_id(), source=request.source, prompt=prompt, details={"request": request.body}
        )
        return Fixed(fixed=await self._run.human.open_question_of(question))

    async def _refused(self, request: EffectRequest) -> Exception:
        if self._has_ended:
            return Diverged(Divergence(self._cursor.last_seq + 1, "the end of the run", of_request(request)))
        if self._cursor.is_over:
            self._run.interrupt(RECORD_ENDS)
            await asyncio.get_running_loop().create_future()
        return NotRecorded(request)


class _Refusing(EffectsMiddleware):
    """Asks nothing of the world."""

    def __init__(self, outer: Effects, why: Callable[[EffectRequest], Awaitable[Exception]]) -> None:
        super().__init__(outer)
        self._why = why

    async def call(self, request: EffectRequest, perform: Perform) -> JsonValue:
        del perform
        raise await self._why(request)

    async def stream(
        self, request: EffectRequest, perform: Callable[[], AsyncIterator[StreamItem]]
    ) -> AsyncIterator[StreamItem]:
        del perform
        raise await self._why(request)
        yield ""


async def _ready(value: Fixed) -> Fixed:
    return value


async def _tell(
    recording: Effects, value_for: Callable[[EffectRequest], Awaitable[Fixed]], request: EffectRequest, _: Perform
) -> JsonValue:
    """Record what somebody says a tool gives."""

    async def known() -> JsonValue:
        value = await value_for(request)
        return request.tool.answer(value.fixed, value.is_error) if request.tool else value.fixed

    return await recording.call(replace(request, is_safe=True), known)
