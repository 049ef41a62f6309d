"""What people may tell a run. Each command is decided and applied at once, then waits until it is in the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from studio.errors import Conflict
from studio.runs.live import STOPPED_AT_QUESTION, Ending, LiveRun
from studio.runs.log import Draft
from studio.runs.state import Reason, RunAlreadyEnded, RunState

CommandName = Literal["pause", "resume", "step", "stop", "cancel", "answer"]


@dataclass(frozen=True, slots=True)
class Command:
    """One command and who gave it; `request_id` and `text` belong to `answer`."""

    name: CommandName
    by: str
    request_id: str = ""
    text: str = ""

    def draft(self) -> Draft:
        about_answer = {"request_id": self.request_id, "text": self.text} if self.name == "answer" else {}
        return Draft("command", {"command": self.name, "by": self.by, **about_answer})


async def obey(run: LiveRun, command: Command) -> None:
    """Carry the command out. One that asks for what is so already changes nothing and is not logged.

    Raises:
        RunAlreadyEnded: The run takes no more commands.
        Conflict: The run's state does not allow this one.
    """
    if run.is_closed or run.ending is not None:
        if command.name == "cancel" and not run.is_closed:
            run.cancel_task()  # what hangs at its end is told again
            return
        raise RunAlreadyEnded("The run has ended; it takes no more commands.", fix="Start a new run of the team.")
    await _COMMANDS[command.name](run, command)


async def _pause(run: LiveRun, command: Command) -> None:
    if run.is_stopping:
        raise Conflict("The run is stopping after this turn.", fix="Cancel it to end it now.")
    if run.gate.is_open:
        run.gate.pause("user")
        await run.write(command.draft())


async def _resume(run: LiveRun, command: Command) -> None:
    if run.gate.is_open:
        if run.pending is not None:
            raise Conflict("The run waits for an answer, not for you to resume it.", fix="Answer its question.")
        return
    await _open_gate(run, command, "resume", run.gate.resume)


async def _step(run: LiveRun, command: Command) -> None:
    if run.state is not RunState.PAUSED:
        raise Conflict("Only a paused run can be stepped.", fix="Pause it first.")
    if run.pending is not None:
        raise Conflict("The run waits for an answer.", fix="Answer its question.")
    await _open_gate(run, command, "step", run.gate.step)


async def _stop(run: LiveRun, command: Command) -> None:
    if run.pending is not None:  # its turn cannot end without the answer that nobody is going to give
        await _end_now(run, command, STOPPED_AT_QUESTION)
        return
    if run.is_stopping:
        return
    run.stop_after_turn()
    await _open_gate(run, command, "stop", run.gate.resume)


async def _cancel(run: LiveRun, command: Command) -> None:
    await _end_now(run, command, Ending(RunState.CANCELLED, "user", "Cancelled."))


async def _answer(run: LiveRun, command: Command) -> None:
    run.human.answer(command.request_id, command.text)
    if run.gate.is_held:
        await run.change(RunState.PAUSED, run.gate.reason, before=[command.draft()])
    else:
        await run.change(RunState.RUNNING, "answer", before=[command.draft()])


async def _open_gate(run: LiveRun, command: Command, reason: Reason, opening: Callable[[], None]) -> None:
    is_waiting_there = run.state is RunState.PAUSED and run.pending is None
    opening()
    if is_waiting_there:
        await run.change(RunState.RUNNING, reason, before=[command.draft()])
    else:
        await run.write(command.draft())


async def _end_now(run: LiveRun, command: Command, ending: Ending) -> None:
    run.ending = ending
    await run.write(command.draft())
    if not run.is_being_cancelled:  # by somebody who did not have to wait for the log
        run.cancel_task()


_COMMANDS: Mapping[CommandName, Callable[[LiveRun, Command], Awaitable[None]]] = {
    "pause": _pause,
    "resume": _resume,
    "step": _step,
    "stop": _stop,
    "cancel": _cancel,
    "answer": _answer,
}
