"""Scorers of how a run went: who spoke, why it stopped, and what it took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, JsonValue, model_validator
from typing_extensions import override

from studio.evaluation.cases import CaseFields
from studio.evaluation.scorers.base import Name, Score, Scorer, failed, passed, shown, unscored
from studio.evaluation.scorers.calls import MODES
from studio.evaluation.scorers.sequences import Mode, mismatch
from studio.evaluation.transcript import Transcript

MICRO = 1_000_000
ExpectedNames = Annotated[list[Name], Field(max_length=200)]


class _NamesScorer(Scorer):
    """Names in an order."""

    shorthand: ClassVar[str] = "in_order"
    has_fields_of_cases: ClassVar[bool] = False

    exact: Annotated[ExpectedNames | None, Field(description="These in this order, and no others.")] = None
    in_order: Annotated[ExpectedNames | None, Field(description="These in this order; others may be between.")] = None
    any_order: Annotated[ExpectedNames | None, Field(description="These in any order, and no others.")] = None
    subset: Annotated[ExpectedNames | None, Field(description="None but these; some may be missing.")] = None
    superset: Annotated[ExpectedNames | None, Field(description="These in any order, and others.")] = None

    @model_validator(mode="after")
    def _has_one_mode(self) -> _NamesScorer:
        if len(self._modes()) != 1:
            raise ValueError(f"Give exactly one of {', '.join(MODES)}.")
        return self

    def _modes(self) -> list[tuple[Mode, list[str]]]:
        return [(mode, names) for mode in MODES if (names := cast("list[str] | None", getattr(self, mode))) is not None]

    def compare(self, found: list[tuple[str, int]], what: str) -> Score:
        """Hold names and their entries against the expected ones."""
        ((mode, expected),) = self._modes()
        wrong = mismatch(mode, expected, [name for name, _ in found], str.__eq__)
        if wrong is None:
            return passed(f"The {what} are as expected.", [seq for _, seq in found])
        missing, extra = wrong
        said = [f"{expected[place]} is missing." for place in missing[:1]]
        said += [f"{found[place][0]} is not expected here." for place in extra[:1]]
        order = ", ".join(name for name, _ in found[:20]) or "none"
        return failed(f"{' '.join(said)} The {what} were: {order}.", [found[place][1] for place in extra])


class Speakers(_NamesScorer):
    """These participants spoke. One that speaks several times in a row counts each time."""

    name: ClassVar[str] = "speakers"

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        return self.compare([(each.source, each.seq) for each in run.turns], "speakers")


class Handoffs(_NamesScorer):
    """The conversation was handed to these participants."""

    name: ClassVar[str] = "handoffs"

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        return self.compare([(each.target, each.seq) for each in run.handoffs], "handoffs")


class EndsWithSpeaker(Scorer):
    """The last message is of this participant."""

    name: ClassVar[str] = "ends_with_speaker"
    shorthand: ClassVar[str] = "speaker"

    speaker: Annotated[Name, Field(description="Name of a participant.")]

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        if not run.turns:
            return failed("The team said nothing.")
        last = run.turns[-1]
        if last.source == case.fill(self.speaker):
            return passed(f"{last.source} spoke last.", [last.seq])
        return failed(f"{last.source} spoke last, not {case.fill(self.speaker)}.", [last.seq])


class StoppedBy(Scorer):
    """The team stopped for this reason: part of the sentence, or of the condition in words."""

    name: ClassVar[str] = "stopped_by"
    shorthand: ClassVar[str] = "reason"

    reason: Annotated[Name, Field(description="Part of the reason that the run shows.")]

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        wanted = case.fill(self.reason).casefold()
        if any(wanted in each.casefold() for each in (run.detail, *run.stopped_by)):
            return passed(f"The team stopped: {shown(run.detail)}.")
        return failed(f"The team stopped for another reason: {shown(run.detail)}.")


class AtMost(Scorer):
    """The run took no more than this."""

    name: ClassVar[str] = "at_most"

    usd: Annotated[float | None, Field(description="Dollars of all model calls.", ge=0)] = None
    tokens: Annotated[int | None, Field(description="Tokens of all model calls.", ge=0)] = None
    turns: Annotated[int | None, Field(description="Messages of participants.", ge=0)] = None
    calls: Annotated[int | None, Field(description="Tool calls, also those that failed.", ge=0)] = None
    seconds: Annotated[float | None, Field(description="From its start to its end.", ge=0)] = None

    @model_validator(mode="before")
    @classmethod
    def _needs_a_limit(cls, value: Any) -> Any:
        if not value or value is True:
            raise ValueError("Give a limit: usd, tokens, turns, calls or seconds.")
        return value

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        over = [
            f"{took} {what}, more than {limit:g}" for limit, number, took, what in self._limits(run) if number > limit
        ]
        if over:
            return failed(f"The run took {'; '.join(over)}.")
        if self.usd is not None and run.unpriced_calls:
            return unscored(f"The cost of {run.unpriced_calls} model calls is not known.")
        if self.seconds is not None and run.seconds is None:
            return unscored("How long the run took is not known.")
        return passed("The run stayed within its limits.")

    def _limits(self, run: Transcript) -> Iterator[tuple[float, float, str, str]]:
        dollars, seconds = run.micro_usd / MICRO, run.seconds or 0.0
        for limit, number, took, what in (
            (self.usd, dollars, f"{dollars:.4f}", "dollars"),
            (self.tokens, run.tokens, f"{run.tokens:,}", "tokens"),
            (self.turns, len(run.turns), f"{len(run.turns):,}", "turns"),
            (self.calls, len(run.calls), f"{len(run.calls):,}", "tool calls"),
            (self.seconds, seconds, f"{seconds:.1f}", "seconds"),
        ):
            if limit is not None:
                yield limit, number, took, what


class NoErrors(Scorer):
    """No tool call failed."""

    name: ClassVar[str] = "no_errors"

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        if not run.errors:
            return passed("No tool call failed.")
        return failed(run.errors[0][1], [seq for seq, _ in run.errors])


class AskedNoOne(Scorer):
    """No person was asked anything."""

    name: ClassVar[str] = "asked_no_one"

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        if not run.questions:
            return passed("No person was asked.")
        return failed(f"A person was asked {len(run.questions)} times.", run.questions)


class Variables(Scorer):
    """The context variables have these values at the end."""

    name: ClassVar[str] = "variables"

    equal: Annotated[dict[str, JsonValue], Field(description="Values by name.", min_length=1, max_length=100)]

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        for name, value in self.equal.items():
            wanted = case.fill(value) if isinstance(value, str) else value
            if name not in run.variables:
                return failed(f"{name} is not set at the end.")
            if run.variables[name] != wanted:
                return failed(f"{name} is {shown(str(run.variables[name]))} at the end.")
        return passed("The variables are as expected.")
