"""Calls the functions of scorers in Python, in the sandbox."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from studio.components import Capability, JsonObject
from studio.errors import StudioError
from studio.evaluation.scorers import Scorer
from studio.evaluation.scorers.entry import unwrapped
from studio.evaluation.scorers.python import FUNCTION, PythonScorer, call_arguments
from studio.evaluation.suites import Case, Suite
from studio.evaluation.transcript import Transcript
from studio.sandbox import Limits, run_function

MAX_GIVEN = 2_000_000
"""Characters of JSON that a function is given."""


def code_capabilities(suite: Suite) -> Sequence[Capability]:
    """What a person approves before the suite judges anything."""
    found = {each.capability.hash: each.capability for each in _in_python(suite.all_scorers)}
    return [*found.values()]


async def with_code_scores(suite: Suite, case: Case, run: Transcript) -> Transcript:
    """The run with what the functions of the suite say of it."""
    scorers = {each.source: each for each in _in_python(suite.scorers_of(case))}
    if not scorers or run.ending != "ended":
        return run
    given = await asyncio.to_thread(call_arguments, run, case)
    if len(await asyncio.to_thread(json.dumps, given)) > MAX_GIVEN:
        error: JsonObject = {"error": f"The run has more than {MAX_GIVEN:,} characters."}
        return replace(run, replies=dict.fromkeys(scorers, error))
    replies = {source: await _reply(each, given) for source, each in scorers.items()}
    return replace(run, replies=replies)


async def _reply(scorer: PythonScorer, given: JsonObject) -> JsonObject:
    try:
        limits = Limits(scorer.seconds)
        return await run_function(imports="", source=scorer.source, function=FUNCTION, arguments=given, limits=limits)
    except StudioError as error:
        return {"error": error.what}


def _in_python(scorers: Iterable[Scorer]) -> Iterator[PythonScorer]:
    for each in scorers:
        inner = unwrapped(each)
        if isinstance(inner, PythonScorer):
            yield inner
