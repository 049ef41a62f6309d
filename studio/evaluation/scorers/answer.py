"""Scorers of what the team answers."""

from __future__ import annotations

import json
import math
import re
from abc import abstractmethod
from collections import Counter
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, ValidationError, field_validator
from typing_extensions import override

from studio.components import JsonObject
from studio.components.patterns import MAX_STEPS, PatternText, compiled
from studio.errors import ConfigError
from studio.evaluation.cases import CaseFields, as_text
from studio.evaluation.scorers.base import Score, Scorer, failed, passed, shown, unscored
from studio.evaluation.transcript import Said, Transcript
from studio.models.schema_model import model_from_schema

MAX_ANSWER = 1_000_000
"""Characters of an answer that are looked at."""
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_FENCE = re.compile(r"\A\s*```[a-zA-Z]*\n(.*?)\n?```\s*\Z", re.DOTALL)
_WORD = re.compile(r"\w+")


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownVariableType]


Text = Annotated[str, Field(max_length=100_000)]
Texts = Annotated[
    list[Text], BeforeValidator(_as_list, json_schema_input_type=str | list[str]), Field(min_length=1, max_length=1_000)
]


class AnswerScorer(Scorer):
    """Judges the answer: the last message of the team unless told."""

    source: Annotated[
        str, Field(description="Whose last message; `*` is all that the team said. Empty: the team's last message.")
    ] = ""

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        found = [each for each in run.turns if self.source in ("", "*", each.source)]
        if not found:
            return failed(f"{self.source or 'The team'} said nothing.")
        said = found if self.source == "*" else found[-1:]
        text = "\n".join(each.text for each in said)
        if len(text) > MAX_ANSWER:
            return unscored(f"The answer has more than {MAX_ANSWER:,} characters.")
        return self.score_answer(text, case, said)

    @abstractmethod
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        """Judge the text of the answer, which these messages are."""

    def expected(self, texts: list[str], case: CaseFields) -> list[str]:
        """Texts with the values of the case, a list of which counts as several."""
        return [each for text in texts for each in case.texts(text)]


class _ComparedText(AnswerScorer):
    shorthand: ClassVar[str] = "text"

    text: Annotated[Texts, Field(description="One or more texts.")]
    case: Annotated[bool, Field(description="Whether capital letters count.")] = False

    def folded(self, text: str) -> str:
        return text.strip() if self.case else text.strip().casefold()


class Equals(_ComparedText):
    """The answer is one of these texts, apart from spaces around it."""

    name: ClassVar[str] = "equals"

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        wanted = self.expected(self.text, case)
        if self.folded(answer) in {self.folded(each) for each in wanted}:
            return passed("The answer is as expected.", [said[-1].seq])
        return failed(f"The answer is {shown(answer)}, not {' or '.join(map(shown, wanted[:5]))}.", [said[-1].seq])


class Includes(_ComparedText):
    """The answer includes all, or any, of these texts."""

    name: ClassVar[str] = "includes"

    mode: Annotated[Literal["all", "any"], Field(description="How many of several texts must be there.")] = "all"

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        folded, wanted = self.folded(answer), self.expected(self.text, case)
        missing = [each for each in wanted if self.folded(each) not in folded]
        if not missing or (self.mode == "any" and len(missing) < len(wanted)):
            return passed("The answer includes what is expected.", [said[-1].seq])
        return failed(f"The answer does not include {' or '.join(map(shown, missing[:5]))}.", [said[-1].seq])


class Starts(_ComparedText):
    """The answer starts with one of these texts."""

    name: ClassVar[str] = "starts"

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        wanted = self.expected(self.text, case)
        if any(self.folded(answer).startswith(self.folded(each)) for each in wanted):
            return passed("The answer starts as expected.", [said[-1].seq])
        return failed(f"The answer does not start with {' or '.join(map(shown, wanted[:5]))}.", [said[-1].seq])


class Matches(AnswerScorer):
    """A regular expression of RE2 is found in the answer."""

    name: ClassVar[str] = "matches"
    shorthand: ClassVar[str] = "pattern"
    has_fields_of_cases: ClassVar[bool] = False

    pattern: Annotated[PatternText, Field(description="In the syntax of RE2.")]

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        pattern = compiled(self.pattern)
        if pattern.steps(answer) > MAX_STEPS:
            return unscored(f"The answer of {len(answer):,} characters is too long for this pattern.")
        if (found := pattern.search(answer)) is not None:
            return passed(f"The pattern matches {shown(found)}.", [said[-1].seq])
        return failed(f"The pattern does not match {shown(answer)}.", [said[-1].seq])


class Number(AnswerScorer):
    """The last number in the answer is this one. `####` before it, as in GSM8K, is not needed but understood."""

    name: ClassVar[str] = "number"
    shorthand: ClassVar[str] = "value"

    value: Annotated[float | str, Field(description="The number, or a text that ends with it.")]
    tolerance: Annotated[float, Field(description="Difference that still counts as equal.", ge=0)] = 0.0
    relative: Annotated[float, Field(description="The same as a share of the number.", ge=0, le=1)] = 0.0

    @override
    def problem(self, case: CaseFields) -> str:
        if lacking := super().problem(case):
            return lacking
        text = case.fill(as_text(self.value))
        return "" if last_number(text) is not None else f"{shown(text)} does not end with a number."

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        wanted, found = last_number(case.fill(as_text(self.value))), last_number(answer)
        if wanted is None:
            return unscored("The expected value does not end with a number.")
        if found is None:
            return failed(f"The answer has no number: {shown(answer)}.", [said[-1].seq])
        if abs(found - wanted) <= max(self.tolerance, self.relative * abs(wanted), 1e-9 * abs(wanted)):
            return passed(f"The last number is {found:g}.", [said[-1].seq])
        return failed(f"The last number is {found:g}, not {wanted:g}.", [said[-1].seq])


def last_number(text: str) -> float | None:
    """The last number of a text: the first one after the last `####` where there is one."""
    behind = text.rpartition("####")
    found = _NUMBER.findall(behind[2])
    if not found:
        return None
    number = float((found[0] if behind[1] else found[-1]).replace(",", ""))
    return number if math.isfinite(number) else None


class Json(AnswerScorer):
    """The answer is JSON, and fits a schema if there is one. A fenced block around it is allowed."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    name: ClassVar[str] = "json"
    has_fields_of_cases: ClassVar[bool] = False

    json_schema: Annotated[JsonObject | None, Field(alias="schema", description="JSON schema of an object.")] = None

    @field_validator("json_schema")
    @classmethod
    def _is_schema(cls, value: JsonObject | None) -> JsonObject | None:
        if value is not None:
            try:
                model_from_schema(value, "Answer")
            except ConfigError as error:
                raise ValueError(error.what) from error
        return value

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        places = [said[-1].seq]
        try:
            value = parsed_answer(answer)
            if self.json_schema is not None:
                model_from_schema(self.json_schema, "Answer").model_validate(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = "".join(f"/{step}" for step in first["loc"])
            return failed(f"The JSON does not fit the schema at {where or 'its top'}: {first['msg']}.", places)
        except (ValueError, RecursionError):
            return failed(f"The answer is not JSON: {shown(answer)}.", places)
        return passed("The answer is JSON as expected.", places)


class SameJson(AnswerScorer):
    """The answer is JSON equal to this value."""

    name: ClassVar[str] = "same_json"

    value: Annotated[JsonValue, Field(description="The expected value; `{target}` alone is the target as it is.")]
    ignore: Annotated[list[str], Field(description="JSON pointers that do not count.", max_length=100)] = []

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        wanted = _target_or_filled(self.value, case)
        try:
            found = parsed_answer(answer)
            if isinstance(wanted, str) and self.value == "{target}":
                wanted = json.loads(wanted)
        except (ValueError, RecursionError):
            return failed(f"The answer is not JSON: {shown(answer)}.", [said[-1].seq])
        where = _first_difference(found, wanted, "", frozenset(self.ignore))
        if where is None:
            return passed("The answer is the expected JSON.", [said[-1].seq])
        return failed(f"The JSON differs at {where or 'its top'}.", [said[-1].seq])


class WordsF1(AnswerScorer):
    """The words of the answer and of a text overlap enough. The score is F1 of both."""

    name: ClassVar[str] = "words_f1"
    shorthand: ClassVar[str] = "text"

    text: Annotated[Texts, Field(description="The best of several counts.")]
    at_least: Annotated[float, Field(description="Score from which it passes.", gt=0, le=1)] = 0.5

    @override
    def score_answer(self, answer: str, case: CaseFields, said: list[Said]) -> Score:
        value = max((_f1(answer, each) for each in self.expected(self.text, case)), default=0.0)
        verdict = passed if value >= self.at_least else failed
        return verdict(f"The words overlap with F1 {value:.2f}; {self.at_least:.2f} is needed.", [said[-1].seq], value)


def parsed_answer(answer: str) -> JsonValue:
    """The JSON that an answer is.

    Raises:
        ValueError: It is none.
        RecursionError: It is nested too deeply.
    """
    fenced = _FENCE.match(answer)
    return json.loads(fenced[1] if fenced else answer)


def _target_or_filled(value: JsonValue, case: CaseFields) -> JsonValue:
    if isinstance(value, str):
        return case.target if value == "{target}" else case.fill(value)
    if isinstance(value, list):
        return [_target_or_filled(each, case) for each in value]
    if isinstance(value, dict):
        return {key: _target_or_filled(each, case) for key, each in value.items()}
    return value


def _first_difference(found: JsonValue, wanted: JsonValue, where: str, ignored: frozenset[str]) -> str | None:
    """The pointer of the first value that differs."""
    if where in ignored:
        return None
    if isinstance(found, dict) and isinstance(wanted, dict):
        pairs = [(key, found.get(key), wanted.get(key)) for key in {**wanted, **found}]
        one_sided = {key for key in {**wanted, **found} if (key in found) != (key in wanted)}
    elif isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        pairs = [(str(at), *both) for at, both in enumerate(zip(found, wanted, strict=True))]
        one_sided = set[str]()
    else:
        return None if found == wanted and isinstance(found, bool) == isinstance(wanted, bool) else where
    for key, one, other in pairs:
        pointer = f"{where}/{key.replace('~', '~0').replace('/', '~1')}"
        if key in one_sided and pointer not in ignored:
            return pointer
        if (inner := _first_difference(one, other, pointer, ignored)) is not None:
            return inner
    return None


def _f1(answer: str, expected: str) -> float:
    one, other = Counter(_WORD.findall(answer.casefold())), Counter(_WORD.findall(expected.casefold()))
    common = (one & other).total()
    return 2 * common / (one.total() + other.total()) if common else 0.0
