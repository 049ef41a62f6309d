"""Drives one run: pulls the team through the gate and logs what comes, before anybody sees it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from studio import effects
from studio.egress.attempts import listening
from studio.errors import RunFailed
from studio.executors.run_files import current_run_files
from studio.messages import (
    BaseMessage,
    Explanation,
    ModelClientStreamingChunkEvent,
    TaskResult,
    explained,
)
from studio.runs.active_run import ActiveRun, Ending
from studio.runs.concurrency import MAX_UNINTERRUPTED_S, CooperativeYield
from studio.runs.explanations import ExplanationWriter
from studio.runs.files import FilesOfRun
from studio.runs.middleware.stack import ReplayGuide, build_effects
from studio.runs.model_failures import ModelFailures
from studio.runs.prepare import PreparedRun, Stream
from studio.runs.redaction import redactor_for
from studio.runs.replay.entries import to_draft
from studio.runs.state import RunState
from studio.runs.tasks import task_message
from studio.sandbox.grants import enter

CLOSE_LIMIT_S = 10.0
"""How long a team may take to end; its clients have a shorter limit of their own."""

CANCELLED_INSIDE = Ending.failed(RunFailed("A component of the team canceled the run."))

logger = logging.getLogger(__name__)


async def drive(run: ActiveRun, prepared: PreparedRun, past: ReplayGuide | None = None) -> None:
    """Take the run from its first entry to its last, over those that are in its log already.

    Started only by the supervisor, in its task group.
    """
    run.begun.set()
    attempts = ModelFailures(run, prepared.names)
    try:
        with listening(attempts.log_failure):
            ending = run.ending or await _run_team(run, prepared, past)
    except asyncio.CancelledError:
        if run.is_cancelled_from_outside():
            raise  # the process is going down in a way that we did not ask for: not ours to swallow
        ending = run.ending or CANCELLED_INSIDE
    except Exception as error:  # noqa: BLE001  the one broad catch: a run must not end its siblings
        ending = Ending.failed(error, attempts.failed_call(error))
    await run.end(ending)


async def _run_team(run: ActiveRun, prepared: PreparedRun, past: ReplayGuide | None) -> Ending:
    player = prepared.player
    redactor_for(run.redactor, prepared.component, prepared.secrets)
    enter(prepared.grants, run.id)
    current_run_files.set(FilesOfRun(prepared.files, run) if prepared.files else None)
    if past is None:
        run.live_edge_reached.set()
    port = build_effects(run, player, prepared.names, past, prepared.answers)
    explanations = (
        ExplanationWriter(run, player, port.now) if past is None else None
    )  # what was told in a past is to be found there
    with effects.use(port), explained(explanations):
        async with _closing(player.run_stream(task_message(prepared.new.task))) as stream:
            if past is not None:
                ending = await _catch_up(run, stream, past)
                if ending is not None:
                    return ending
            return await _pull(run, stream, past)


async def _catch_up(run: ActiveRun, stream: Stream, past: ReplayGuide) -> Ending | None:
    """Let happen again what is in the log; how the run ends, where it does so on the way."""
    rest = CooperativeYield()
    while await past.is_behind():
        await rest.yield_if_due()
        past.note_pull(is_held=False)
        item = await anext(stream, None)
        past.note_pull(is_held=True)
        if item is None or isinstance(item, TaskResult):
            await past.end()
            await run.wait_written()
            return _ending(run, item)
        await (_handle if item.is_kept else _log_item)(run, item, past)
    return None


async def _pull(run: ActiveRun, stream: Stream, past: ReplayGuide | None) -> Ending:
    gate, clock = run.gate, asyncio.get_running_loop().time
    rested_at = clock()
    is_begun = False  # whatever happens to it, a run that has asked anything of the world tells what its task was
    await run.wait_at_gate()
    async for item in stream:
        if isinstance(item, TaskResult):
            await run.wait_written()  # a run whose messages are lost did not end well
            return _ending(run, item)
        may_be_held = await (_handle if item.is_kept else _log_item)(run, item, past)
        if item.is_kept and not is_begun:
            await run.wait_written()
            is_begun = True
        elif clock() - rested_at > MAX_UNINTERRUPTED_S:
            await asyncio.sleep(0)  # commands and other runs have their turn
            rested_at = clock()
        if may_be_held and not gate.is_open:
            await run.wait_at_gate()
    await run.wait_written()
    return _ending(run, None)


async def _handle(run: ActiveRun, item: BaseMessage, past: ReplayGuide | None) -> bool:
    """Put a message or event on its way into the log, unless it is there; the run may be held behind it."""
    is_known = past is not None and await past.is_recorded(item)
    if item.is_chat and run.observer is not None:
        run.observer.message_added(item.source)
    if not is_known:
        await run.append(to_draft(item))
    run.debugger.note_item(item, run)
    return True


async def _log_item(run: ActiveRun, item: BaseMessage, past: ReplayGuide | None) -> bool:
    """Take what no result holds, unless it is in the log; whether the run may be held behind it."""
    if isinstance(item, Explanation):
        if past is None or not await past.is_recorded(item):
            run.buffer(to_draft(item))  # part of the step that follows, and none itself
        return run.debugger.note_explanation(item)
    if not isinstance(item, ModelClientStreamingChunkEvent):
        return await _handle(run, item, past)
    if past is None or not await past.is_recorded(item):
        await run.flush()  # a piece is not shown before what was said ahead of it
        run.add_chunk(item.source, item.full_message_id, item.content)
    return False


def _ending(run: ActiveRun, result: TaskResult | None) -> Ending:
    why = (result.stop_reason if result else None) or ""
    if run.is_stopping:
        return Ending(RunState.STOPPED, "user", why)
    return Ending(RunState.FINISHED, "condition" if why else "end", why)


@asynccontextmanager
async def _closing(stream: Stream) -> AsyncGenerator[Stream]:
    """Close the team and its clients at the end, within bounds; that they cannot is no failure of the run."""
    try:
        yield stream
    finally:
        try:
            async with asyncio.timeout(CLOSE_LIMIT_S):
                await stream.aclose()
        except Exception as error:  # noqa: BLE001  the run has its result by now, or an error that matters more
            logger.warning("The clients of a team could not be closed: %s", error)
