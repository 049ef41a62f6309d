"""A suite: cases, what is expected of all of them, and how a run of a case is scored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.json_schema import JsonSchemaValue

from studio.components.deferred_model import DeferredModel
from studio.errors import Finding
from studio.evaluation.cases import MAX_SCORERS, CaseFields
from studio.evaluation.gates import SuiteGate
from studio.evaluation.people import People
from studio.evaluation.preferences import MAX_PREFERENCES, Preference
from studio.evaluation.scorers import Score, Scorer, ScorerEntry, Verdict, with_scorers
from studio.evaluation.scorers.base import unscored
from studio.evaluation.scorers.entry import nearest, with_inner
from studio.evaluation.transcript import Transcript

VERSION = 1
MAX_CASES = 10_000

Scorers = Annotated[list[ScorerEntry], Field(max_length=MAX_SCORERS)]


class Case(CaseFields):
    """A task, and what is expected of a run of it."""

    scorers: Annotated[Scorers, Field(description="Scorers of this case, beside those of the suite.")] = []
    people: Annotated[
        People | None,
        Field(description="The person who answers what the team asks in this case, in place of the suite's."),
    ] = None


@dataclass(frozen=True)
class ChosenTags:
    """Which cases of a suite are evaluated: those with a tag, and without another; "" for any."""

    only: str = ""
    without: str = ""

    def __bool__(self) -> bool:
        return bool(self.only or self.without)

    def __str__(self) -> str:
        parts = (f"only {self.only}" if self.only else "", f"without {self.without}" if self.without else "")
        return ", ".join(filter(None, parts))

    def fits(self, case: Case) -> bool:
        return (not self.only or self.only in case.tags) and self.without not in case.tags

    def findings(self, cases: Sequence[Case]) -> Iterator[Finding]:
        """What is wrong with it: a tag that no case has is a slip of the pen."""
        known = {tag for case in cases for tag in case.tags}
        for name, tag in (("only", self.only), ("without", self.without)):
            if tag and tag not in known:
                yield Finding("no_tag", f"No case has the tag {tag!r}.", nearest(tag, known), f"/{name}")


ALL_CASES = ChosenTags()


class Suite(DeferredModel):
    """Cases with their scorers, as a suite file holds them."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    suite: Annotated[str, Field(description="Name of the suite.", min_length=1, max_length=200)]
    version: Annotated[Literal[1], Field(description="Version of this format.")] = VERSION
    always: Annotated[Scorers, Field(description="Invariants: what must hold in every case.")] = []
    scorers: Annotated[Scorers, Field(description="Scorers of every case.")] = []
    people: Annotated[
        People | None,
        Field(description="The person who answers what the team asks: answers in their order, or an aim."),
    ] = None
    prefer: Annotated[
        list[Preference],
        Field(
            description="Questions by which a judge prefers one of two versions' answers, asked in both orders.",
            max_length=MAX_PREFERENCES,
        ),
    ] = []
    gate: Annotated[
        SuiteGate | None, Field(description="What a version must fulfil in `studio eval run`, or to go live.")
    ] = None
    cases: Annotated[list[Case], Field(description="The cases.", max_length=MAX_CASES)] = []

    def with_tags(self, tags: ChosenTags) -> Suite:
        """The suite with the chosen cases alone."""
        return self.model_copy(update={"cases": [case for case in self.cases if tags.fits(case)]}) if tags else self

    @property
    def all_scorers(self) -> Iterator[Scorer]:
        """Those of the suite and of its cases, as they stand there."""
        yield from self.always
        yield from self.scorers
        for case in self.cases:
            yield from case.scorers

    def with_changed(self, change: Callable[[Scorer], Scorer]) -> Suite:
        """The suite with each scorer changed, inside of any `not`."""

        def changed(scorers: Sequence[Scorer]) -> list[Scorer]:
            return [with_inner(each, change) for each in scorers]

        cases = [each.model_copy(update={"scorers": changed(each.scorers)}) for each in self.cases]
        own = {"always": changed(self.always), "scorers": changed(self.scorers)}
        return self.model_copy(update={**own, "cases": cases})

    def people_of(self, case: Case) -> People | None:
        """Who answers in runs of a case; None where to ask fails it."""
        return case.people or self.people

    @property
    def all_people(self) -> Iterator[People]:
        """Those of the suite and of its cases."""
        yield from (each for each in (self.people, *(case.people for case in self.cases)) if each is not None)

    def scorers_of(self, case: Case) -> list[Scorer]:
        """All scorers of a case, invariants first."""
        return [*self.always, *self.scorers, *case.scorers]


@dataclass(frozen=True)
class ScoredBy:
    """What one scorer says of a run; `is_invariant` where it belongs to all cases and must always hold."""

    scorer: str
    is_invariant: bool
    score: Score


@dataclass(frozen=True)
class RunScore:
    """What all scorers of a case say of a run."""

    case: str
    scores: tuple[ScoredBy, ...]

    @property
    def verdict(self) -> Verdict:
        """Pass where all pass; fail where one fails; otherwise unscored."""
        verdicts = {each.score.verdict for each in self.scores}
        return "fail" if "fail" in verdicts else "unscored" if verdicts != {"pass"} else "pass"

    @property
    def breaches(self) -> Iterator[ScoredBy]:
        """Invariants that do not hold."""
        return (each for each in self.scores if each.is_invariant and each.score.verdict == "fail")


def score_run(suite: Suite, case: Case, run: Transcript) -> RunScore:
    """Score a finished run as one of a case. It may take a second for a long answer: call it in a thread."""
    scorers = suite.scorers_of(case)
    scores = [
        ScoredBy(each.name, place < len(suite.always), _score(each, case, run)) for place, each in enumerate(scorers)
    ]
    return RunScore(case.key, tuple(scores))


def findings_of(suite: Suite) -> Iterator[Finding]:
    """What is wrong between the parts of a suite, with JSON pointers."""
    seen: dict[str, int] = {}
    for place, case in enumerate(suite.cases):
        where = f"/cases/{place}"
        if case.key in seen:
            what = (
                f"Cases {seen[case.key] + 1} and {place + 1} have the same {'ID' if case.id else 'task'}: {case.key}."
            )
            yield Finding(
                "same_case", what, "Give each case an ID of its own.", f"{where}/{'id' if case.id else 'task'}"
            )
        seen.setdefault(case.key, place)
        if not suite.scorers_of(case):
            yield Finding("no_scorer", f"Case {case.key} has no scorer.", "Add one to it or to the suite.", where)
        yield from _problems(case, case.scorers, f"{where}/scorers", "")
        for part in ("always", "scorers"):
            yield from _problems(case, getattr(suite, part), f"/{part}", where)
        people = suite.people_of(case)
        if people is not None and (problem := people.problem(case)):
            yield Finding("cannot_answer", f"People of case {case.key}: {problem}", "Change the case.", where)
        for asked in suite.prefer:
            if problem := asked.problem(case):
                yield Finding("cannot_score", f"Case {case.key}: {problem}", "Change the case or the question.", where)


def _problems(case: Case, scorers: Sequence[Scorer], where: str, at: str) -> Iterator[Finding]:
    for place, scorer in enumerate(scorers):
        if problem := scorer.problem(case):
            what = f"{scorer.name} cannot score case {case.key}: {problem}"
            yield Finding("cannot_score", what, "Change the case or the scorer.", at or f"{where}/{place}")


@lru_cache(maxsize=1)
def suite_schema() -> JsonSchemaValue:
    """The JSON schema of suite files, for editors."""
    schema = Suite.model_json_schema()
    cases = schema["properties"]["cases"]
    schema["properties"]["cases"] = {
        "description": "The cases, or the name of a JSONL or CSV file beside the suite.",
        "anyOf": [{key: cases[key] for key in ("type", "items", "maxItems")}, {"type": "string"}],
    }
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **with_scorers(schema)}


def _score(scorer: Scorer, case: Case, run: Transcript) -> Score:
    if run.ending == "failed":
        return Score("fail", f"The run failed: {run.detail}", 0.0)
    reasons = {
        "unavailable": f"A model service did not answer: {run.detail}",
        "cut_short": "The run was stopped before its end.",
        "active": "The run has not ended.",
    }
    return unscored(reasons[run.ending]) if run.ending in reasons else scorer.score(run, case)
