"""What people may tell a run. Each command is decided and applied at once, then waits until it is in the log."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StringConstraints, ValidationError, model_validator

from studio.components.redaction import Redactor
from studio.effects import HumanAnswer, InjectedMessage
from studio.errors import ConfigError, Conflict
from studio.runs.active_run import STOPPED_AT_QUESTION, ActiveRun, Ending
from studio.runs.debugging.settings import Breakpoints, Rules, set_breakpoints, set_policy
from studio.runs.human import check_answer
from studio.runs.journal.log import Draft, JsonObject
from studio.runs.middleware.approvals import (
    DECISION_KINDS,
    Decision,
    apply_decision,
    close_question,
    decision_draft,
)
from studio.runs.spending.limits import Budget
from studio.runs.state import Reason, RunAlreadyEnded, RunState
from studio.runs.stepping import StepKind
from studio.runs.tasks import MAX_FILES, given_content

CommandName = Literal[
    "pause",
    "interrupt",
    "resume",
    "continue",
    "step",
    "stop",
    "cancel",
    "answer",
    "decide",
    "edit",
    "inject",
    "breakpoints",
    "policy",
    "budget",
]
"""To continue is to resume, also a run that nobody drives any more."""

PAUSED_ONLY = "Interrupted: the model is asked again when the run resumes."


Form = TypeVar("Form", bound=BaseModel)


class _Data(BaseModel):
    """What a command carries besides who gave it; most carry nothing."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class _Step(_Data):
    until: StepKind = "event"


class _Edit(_Data):
    message_id: str
    text: Annotated[str | None, Field(max_length=1_000_000)] = None
    """What the message says from now on; None drops it."""


class _Answer(_Data):
    files: Annotated[list[JsonValue], Field(max_length=MAX_FILES)] = []
    """As in a task."""


class _InjectedMessage(_Answer):
    text: Annotated[str, StringConstraints(max_length=1_000_000)]
    source: Annotated[str, Field(max_length=200)] = ""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.text.strip() and not self.files:
            raise ValueError("Write a message")
        return self


class _NewLimits(_Data):
    limits: Budget


DATA: Mapping[CommandName, type[BaseModel]] = {
    "step": _Step,
    "answer": _Answer,
    "decide": Decision,
    "edit": _Edit,
    "inject": _InjectedMessage,
    "breakpoints": Breakpoints,
    "policy": Rules,
    "budget": _NewLimits,
}
"""The form of the data of a command; the others take none."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command and who gave it. What its data holds is the sender's word, so it has fields of its own and no others.

    `request_id` and `text` belong to `answer`, `request_id` also to `decide`. One that came from another process has an
    `id`, by which the log tells that it has been carried out.

    Raises:
        ConfigError: The data does not have the command's form.
    """

    name: CommandName
    by: str
    request_id: str = ""
    text: str = ""
    data: JsonObject = field(default_factory=dict[str, JsonValue])
    id: str = ""

    def __post_init__(self) -> None:
        self.parse(BaseModel)

    def parse(self, form: type[Form]) -> Form:
        """The data in the form of this command."""
        try:
            found = DATA.get(self.name, _Data).model_validate(self.data)
        except ValidationError as error:
            first = error.errors()[0]
            raise ConfigError(
                f"Invalid data for the command `{self.name}`: {first['msg']}.",
                fix="Send only the fields of the command.",
                where="/" + "/".join(map(str, first["loc"])),
            ) from error
        assert isinstance(found, form)
        return found

    def redacted(self, redactor: Redactor) -> Command:
        """The same, in case a person has told the run what it must not tell."""
        if not redactor:
            return self
        data = cast("JsonObject", redactor.clean(self.data))
        return replace(self, text=redactor.clean_text(self.text), data=data)

    def draft(self) -> Draft:
        about_answer = {"request_id": self.request_id, "text": self.text} if self.name == "answer" else {}
        return Draft("command", {**self.data, **about_answer, "command": self.name, "by": self.by, **self.origin})

    @property
    def origin(self) -> JsonObject:
        """By which the log tells that it has been carried out."""
        return {"id": self.id} if self.id else {}


async def dispatch(run: ActiveRun, command: Command) -> None:
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
    await _COMMANDS[command.name](run, command.redacted(run.redactor))


async def _pause(run: ActiveRun, command: Command) -> None:
    _refuse_while_stopping(run)
    if run.gate.is_open:
        run.gate.pause("user")
        await run.write(command.draft())


async def _interrupt(run: ActiveRun, command: Command) -> None:
    """As a pause, but a model that is being asked now is given up, and asked again when the run goes on."""
    _refuse_while_stopping(run)
    if run.state is RunState.PAUSED:
        return
    run.gate.pause("user", PAUSED_ONLY)
    run.debugger.in_flight.interrupt()
    run.chunks.clear()  # what an abandoned model has written so far is written anew
    await run.write(command.draft())


async def _resume(run: ActiveRun, command: Command) -> None:
    if _at_breakpoint(run):
        run.gate.resume()
        await _release_interrupted_call(run, command)
    elif run.gate.is_open:
        if run.pending is not None:
            raise Conflict("The run waits for an answer, not for you to resume it.", fix="Answer its question.")
    else:
        await _open_gate(run, command, "resume", run.gate.resume)


async def _step(run: ActiveRun, command: Command) -> None:
    kind = command.parse(_Step).until
    if run.state is not RunState.PAUSED:
        raise Conflict("Only a paused run can be stepped.", fix="Pause it first.")
    if _at_breakpoint(run):
        run.gate.step(kind)
        await _release_interrupted_call(run, command)
        return
    if run.pending is not None:
        raise Conflict("The run waits for an answer.", fix="Answer its question.")
    await _open_gate(run, command, "step", lambda: run.gate.step(kind))


async def _stop(run: ActiveRun, command: Command) -> None:
    if run.pending is not None:  # its turn cannot end without the answer that nobody is going to give
        await _end_now(run, command, STOPPED_AT_QUESTION)
        return
    if run.is_stopping:
        return
    run.request_stop_after_turn()
    await _open_gate(run, command, "stop", run.gate.resume)


async def _cancel(run: ActiveRun, command: Command) -> None:
    await _end_now(run, command, Ending(RunState.CANCELLED, "user", "Cancelled."))


async def _answer(run: ActiveRun, command: Command) -> None:
    if run.pending is not None and run.pending.kind in DECISION_KINDS and run.pending.request_id == command.request_id:
        raise Conflict("This question takes a decision, not text.", fix="Use the command `decide`.")
    files = command.parse(_Answer).files
    if run.pending is not None and run.pending.request_id == command.request_id:
        check_answer(run.pending, command.text)
        if files and (run.pending.kind != "input" or "schema" in run.pending.details):
            raise ConfigError("This question takes no files.", fix="Answer it without files.", where="/files")
    run.human.answer(command.request_id, HumanAnswer(*given_content(command.text, files)))
    await close_question(run, command.draft())


async def _decide(run: ActiveRun, command: Command) -> None:
    pending, decision = run.pending, command.parse(Decision)
    apply_decision(run, command.request_id, decision, command.by)
    assert pending
    await close_question(run, decision_draft(pending, decision, command.by, command.origin))


async def _edit(run: ActiveRun, command: Command) -> None:
    """Change the last message, or drop it, before the team takes it up."""
    edits, given = run.debugger.edits, command.parse(_Edit)
    if run.state is not RunState.PAUSED or edits.editable_id != given.message_id or not edits.editable_id:
        raise Conflict(
            "The team has already processed this message, or the run is not paused.",
            fix="Pause right after a message to edit it, or fork the run from it.",
        )
    edits.edit(given.text)
    await run.write(command.draft())


async def _inject(run: ActiveRun, command: Command) -> None:
    """Put words into the conversation; the team hears them before its next turn."""
    _refuse_while_stopping(run)
    given = command.parse(_InjectedMessage)
    text, metadata, pictures = given_content(given.text, given.files)
    run.debugger.edits.inject(InjectedMessage(given.source or "user", text, command.by, metadata, pictures))
    await run.write(command.draft())


async def _breakpoints(run: ActiveRun, command: Command) -> None:
    if set_breakpoints(run.debugger, command.data):
        await run.write(command.draft())


async def _budget(run: ActiveRun, command: Command) -> None:
    """Note who has changed the run's limits; they are kept outside, and hold already."""
    await run.write(command.draft())


async def _policy(run: ActiveRun, command: Command) -> None:
    if set_policy(run.debugger, command.data):
        await run.write(command.draft())


def _refuse_while_stopping(run: ActiveRun) -> None:
    if run.is_stopping:
        raise Conflict("The run is stopping after this turn.", fix="Cancel it to end it now.")


def _at_breakpoint(run: ActiveRun) -> bool:
    """Whether the run waits before or behind a call of a tool, because of a breakpoint."""
    return run.pending is not None and run.pending.kind == "breakpoint"


async def _release_interrupted_call(run: ActiveRun, command: Command) -> None:
    pending = run.pending
    assert pending
    apply_decision(run, pending.request_id, Decision(hash=str(pending.details["hash"]), verdict="allow"), command.by)
    await close_question(run, command.draft(), "step" if command.name == "step" else "resume")


async def _open_gate(run: ActiveRun, command: Command, reason: Reason, opening: Callable[[], None]) -> None:
    is_waiting_there = run.state is RunState.PAUSED and run.pending is None
    opening()
    if is_waiting_there:
        await run.change_state(RunState.RUNNING, reason, before=[command.draft()])
    else:
        await run.write(command.draft())


async def _end_now(run: ActiveRun, command: Command, ending: Ending) -> None:
    run.ending = ending
    await run.write(command.draft())
    if not run.is_being_cancelled:  # by somebody who did not have to wait for the log
        run.cancel_task()


_COMMANDS: Mapping[CommandName, Callable[[ActiveRun, Command], Awaitable[None]]] = {
    "pause": _pause,
    "interrupt": _interrupt,
    "resume": _resume,
    "continue": _resume,
    "step": _step,
    "stop": _stop,
    "cancel": _cancel,
    "answer": _answer,
    "decide": _decide,
    "edit": _edit,
    "inject": _inject,
    "breakpoints": _breakpoints,
    "policy": _policy,
    "budget": _budget,
}
