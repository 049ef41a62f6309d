"""Calls the functions of scorers in Python, in the sandbox, as far as a person approved exactly their source."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pydantic import ValidationError

from studio.components import Capability, JsonObject
from studio.errors import StudioError, ToolFailed
from studio.evaluation.scorers import Scorer
from studio.evaluation.scorers.entry import unwrapped
from studio.evaluation.scorers.python import FUNCTION, PythonScorer, call_arguments
from studio.evaluation.suites import Case, Suite
from studio.evaluation.transcript import Transcript
from studio.runs.admission import ApprovalSource
from studio.sandbox import Jail, JailUnavailable, Limits, UnavailableJail, run_function

NOT_APPROVED = "The scorer is not approved yet. An approver decides when an evaluation starts."
MAX_GIVEN = 2_000_000
"""Characters of JSON that a function is given."""


def code_capabilities(suite: Suite) -> Sequence[Capability]:
    """What a person approves before the suite judges anything."""
    found = {each.capability.hash: each.capability for each in _in_python(suite.all_scorers)}
    return [*found.values()]


def stored_code(document: JsonObject) -> Sequence[Capability]:
    """The same of a stored suite; nothing where another release kept it, and this one finds mistakes in it."""
    try:
        return code_capabilities(Suite.model_validate(document))
    except ValidationError:
        return ()


def unavailable_code(suite: Suite, jail: Jail) -> JailUnavailable | None:
    """Why this machine cannot confine the scorers of a suite; None where it can, or where they are no code."""
    return jail.refusal() if isinstance(jail, UnavailableJail) and code_capabilities(suite) else None


async def unapproved_code(suite: Suite, approvals: ApprovalSource, team_id: str) -> Sequence[Capability]:
    """The scorers that no person approved for the team."""
    wanted = {each.hash: each for each in await asyncio.to_thread(code_capabilities, suite)}
    if not wanted:
        return ()
    allowed = await approvals.active_for(wanted, team_id=team_id)
    return [each for key, each in wanted.items() if key not in allowed]


async def with_code_scores(
    suite: Suite, case: Case, run: Transcript, approvals: ApprovalSource, team_id: str
) -> Transcript:
    """The run with what the functions of the suite say of it.

    Args:
        suite: Has the functions.
        case: What the run is of.
        run: What is judged.
        approvals: Asked for each run: what is revoked meanwhile is called no more.
        team_id: The team whose run it is.
    """
    scorers = {each.source: each for each in _in_python(suite.scorers_of(case))}
    if not scorers or run.ending != "ended":
        return run
    allowed = await approvals.active_for({each.capability.hash for each in scorers.values()}, team_id=team_id)
    refused: dict[str, JsonObject] = {
        source: {"refused": NOT_APPROVED} for source, each in scorers.items() if each.capability.hash not in allowed
    }
    scorers = {source: each for source, each in scorers.items() if source not in refused}
    if not scorers:
        return replace(run, replies={**run.replies, **refused})
    given = await asyncio.to_thread(call_arguments, run, case)
    if len(await asyncio.to_thread(json.dumps, given)) > MAX_GIVEN:
        error: JsonObject = {"error": f"The run has more than {MAX_GIVEN:,} characters."}
        return replace(run, replies={**run.replies, **refused, **dict.fromkeys(scorers, error)})
    replies = {source: await _reply(each, given) for source, each in scorers.items()}
    return replace(run, replies={**run.replies, **refused, **replies})


async def _reply(scorer: PythonScorer, given: JsonObject) -> JsonObject:
    try:
        limits = Limits(scorer.seconds)
        return await run_function(imports="", source=scorer.source, function=FUNCTION, arguments=given, limits=limits)
    except ToolFailed as error:
        is_late = isinstance(error.__cause__, TimeoutError)
        why = f"It took longer than {scorer.seconds:g} s and was stopped." if is_late else error.what
        return {"error": why, "stopped": why}
    except StudioError as error:
        return {"error": error.what}


def _in_python(scorers: Iterable[Scorer]) -> Iterator[PythonScorer]:
    for each in scorers:
        inner = unwrapped(each)
        if isinstance(inner, PythonScorer):
            yield inner
