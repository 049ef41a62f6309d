"""What a person decides about a call of a tool, and how the question about it is closed."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.errors import Conflict
from studio.runs.live import LiveRun
from studio.runs.log import Draft, JsonObject, PendingInput
from studio.runs.state import Reason, RunState

DECIDED = frozenset({"approval", "breakpoint"})
"""The kinds of questions that take a decision and no text."""


class Decision(BaseModel):
    """Whether a call is made, and with what; or, behind it, what it gave.

    `hash` is that of the request which the person has seen: a decision holds for these arguments and no others.
    `arguments` take the place of those that the model wrote, `text` that of the result.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hash: str
    verdict: Literal["allow", "deny"]
    reason: Annotated[str, Field(max_length=20_000)] = ""
    arguments: JsonObject | None = None
    text: Annotated[str, Field(max_length=1_000_000)] | None = None
    is_error: bool = False


class Decided(Decision):
    """A decision with who made it: a person, a rule of the team, or the clock."""

    by: str


def take_decision(run: LiveRun, request_id: str, decision: Decision, by: str) -> None:
    """Hand a decision to the call that waits for it. It counts once, for this question and these arguments.

    Raises:
        Conflict: The run does not wait for it.
    """
    pending = run.pending
    if pending is None or pending.kind not in DECIDED or pending.request_id != request_id:
        raise Conflict(
            "The run does not wait for this decision.", fix="It may have been made in another tab, or too late."
        )
    if decision.hash != pending.details.get("hash"):
        raise Conflict(
            "The decision is about other arguments than those of the call that waits.", fix="Look at the call again."
        )
    if decision.text is not None and "result" not in pending.details:
        raise Conflict("The tool has not been called yet; there is no result to change.", fix="Allow or refuse it.")
    run.human.answer(request_id, Decided(**dict(decision), by=by).model_dump_json())


async def close_question(run: LiveRun, draft: Draft, reason: Reason = "answer") -> None:
    """Tell the log that what the run waited for has come."""
    if run.gate.is_held:
        await run.change(RunState.PAUSED, run.gate.reason, before=[draft], detail=run.gate.detail)
    else:
        await run.change(RunState.RUNNING, reason, before=[draft])


def decision_draft(question: PendingInput, decision: Decision, by: str) -> Draft:
    """The decision as the log tells of it, with what it was about."""
    body: JsonObject = {
        "command": "decide",
        "by": by,
        "request_id": question.request_id,
        "tool": question.details.get("tool"),
        **decision.model_dump(exclude_defaults=True),
    }
    return Draft("command", body)


def settles(body: JsonObject, question: PendingInput) -> bool:
    """Whether an entry of a log has the form of a decision about this question, and nothing beside it."""
    known = {"command", "request_id", "tool", *Decided.model_fields}
    about: JsonObject = {"request_id": question.request_id, "hash": question.details.get("hash")}
    return body.keys() <= known and question.kind in DECIDED and about.items() <= body.items()


def recorded_decision(body: JsonObject) -> str:
    """The decision that a log tells of, as whoever asked for it is given it."""
    return Decided.model_validate({name: body[name] for name in Decided.model_fields if name in body}).model_dump_json()
