"""What is said when a limit is near, or does not allow the next call; and what a person may answer."""

from __future__ import annotations

import json
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from studio.effects import random_id
from studio.runs.journal.log import JsonObject, PendingInput
from studio.runs.spending.ledger import BudgetLine
from studio.runs.spending.limits import MAX_AMOUNTS, Measure

MICRO = 1_000_000


class Answer(BaseModel):
    """`raise` lets `by` more be spent, `allow` lets a call be made whose cost nobody can tell, `look` looks again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    action: Literal["raise", "stop", "allow", "look"] = "look"
    by: Annotated[int, Field(ge=0, le=MAX_AMOUNTS)] = 0


class BudgetExceeded(NamedTuple):
    """A limit that does not allow what is next.

    `why` is `unbounded` or `unpriced` when nobody can tell what it takes; `passes_studio_limit` whether such a call is
    then not held to the limit of all teams either.
    """

    line: BudgetLine
    measure: Measure
    estimate: int
    agent: str
    model: str
    why: str = ""
    passes_studio_limit: bool = False

    @property
    def is_passing(self) -> bool:
        """Whether other calls have set something aside that may be left when they are settled."""
        return not self.why and self.line.account.aside.get(self.measure, 0) > 0

    @property
    def whose(self) -> str:
        return scope_words(self.line)


def read_answer(text: str) -> Answer:
    """What was answered; what is no answer has the question asked again."""
    if text.strip() in ("stop", "allow"):
        return Answer.model_validate({"action": text.strip()})
    try:
        return Answer.model_validate(json.loads(text))
    except (ValidationError, ValueError):
        return Answer()


def lifts_studio_limit(pending: PendingInput | None, request_id: str, text: str) -> bool:
    """Whether an answer lets all teams together spend more today, which is for the studio's admins to allow."""
    if pending is None or (pending.kind, pending.request_id) != ("budget", request_id):
        return False
    action, details = read_answer(text).action, pending.details
    is_of_studio = details.get("scope") == "studio_day"
    return (action == "raise" and is_of_studio) or (
        action == "allow" and (is_of_studio or details.get("passes_studio_limit") is True)
    )


def question_of(short: BudgetExceeded, *, source: str) -> PendingInput:
    """The question to the person."""
    line, measure = short.line, short.measure
    details: JsonObject = {
        "scope": line.scope,
        "name": line.name,
        "measure": measure,
        "limit": line.limit(measure),
        "spent": line.account.spent(measure),
        "next_call_estimate": short.estimate,
        "model": short.model,
        "why": short.why,
        **({"passes_studio_limit": True} if short.passes_studio_limit else {}),
    }
    return PendingInput(request_id=random_id(), source=source, prompt=_prompt(short), kind="budget", details=details)


def warning_of(line: BudgetLine, measure: Measure) -> JsonObject:
    """An entry of the log that tells that four fifths of a limit are used."""
    spent, limit = line.account.spent(measure), line.limit(measure) or 0
    return {
        "command": "budget_warning",
        "by": "studio",
        "content": (
            f"{amount_words(measure, spent)} of {amount_words(measure, limit)} used: the budget of {scope_words(line)}."
        ),
        "scope": line.scope,
        "name": line.name,
        "measure": measure,
        "spent": spent,
        "limit": limit,
    }


def scope_words(line: BudgetLine) -> str:
    """What a limit is for, in words."""
    return {
        "run": "this run",
        "agent": line.name,
        "team_day": "this team for today",
        "studio_day": "all teams for today",
    }[line.scope]


def amount_words(measure: Measure, amount: int) -> str:
    """An amount as people read it."""
    if measure == "micro_usd":
        return f"${amount / MICRO:,.2f}" if amount >= MICRO // 10 or amount == 0 else f"${amount / MICRO:,.4f}"
    return f"{amount:,} {measure if amount != 1 else measure[:-1]}"


def _prompt(short: BudgetExceeded) -> str:
    measure, line = short.measure, short.line
    if short.why == "unpriced":
        return f"The price of {short.model} is unknown, and {short.whose} has a cost limit. Call the model anyway?"
    if short.why == "unbounded":
        return f"The next call of {short.model} cannot be estimated, and {short.whose} has a limit. Call it anyway?"
    spent, limit = amount_words(measure, line.account.spent(measure)), amount_words(measure, line.limit(measure) or 0)
    if measure in ("turns", "seconds"):
        return f"The budget of {short.whose} is used up: {spent} of {limit}."
    may = amount_words(measure, short.estimate)
    return f"{short.whose[0].upper()}{short.whose[1:]} has used {spent} of {limit}. The next call may need up to {may}."
