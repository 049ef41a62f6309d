"""Scorers of tool calls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, ClassVar, cast

from pydantic import ConfigDict, Field, GetJsonSchemaHandler, JsonValue, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from typing_extensions import override

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.components.patterns import MAX_STEPS_AT_ONCE, PatternText, compiled
from studio.evaluation.cases import CaseFields, as_text
from studio.evaluation.scorers.base import Name, Names, Score, Scorer, failed, passed, unscored
from studio.evaluation.scorers.sequences import Mode, mismatch
from studio.evaluation.transcript import ToolCall, Transcript

MAX_CALLS = 1_000
"""Of a run that are held against the expected ones: each may be compared with each."""
MODES: tuple[Mode, ...] = ("exact", "in_order", "any_order", "subset", "superset")


class ExpectedArgument(DeferredModel):
    """What an argument must be: exactly one of these."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    equal: Annotated[JsonValue, Field(description="This value.")] = None
    ignore: Annotated[bool, Field(description="Anything, or nothing.")] = False
    one_of: Annotated[list[JsonValue] | None, Field(description="One of these values.", max_length=100)] = None
    matches: Annotated[PatternText | None, Field(description="Text in which this pattern is found.")] = None
    near: Annotated[float | None, Field(description="A number that is equal to six digits.")] = None

    @model_validator(mode="before")
    @classmethod
    def _spell_out(cls, value: object) -> object:
        fields = cast("dict[str, object]", value if isinstance(value, dict) else {})
        is_rule = len(fields) == 1 and fields.keys() <= set(cls.model_fields)
        return fields if is_rule else {"equal": cast("object", value)}

    @model_serializer
    def _written(self) -> JsonObject:
        """The one rule that was given: null is a value, too."""
        return {name: getattr(self, name) for name in self.model_fields_set}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [handler(schema), {"description": "The value itself."}]}

    def fits(self, value: JsonValue, case: CaseFields) -> bool:
        """Whether an argument that was given is as expected."""
        if self.ignore:
            return True
        if self.one_of is not None:
            return any(_same(_filled(each, case), value) for each in self.one_of)
        if self.matches is not None:
            pattern = compiled(self.matches)
            return isinstance(value, str) and pattern.steps(value) <= MAX_STEPS_AT_ONCE and bool(pattern.search(value))
        if self.near is not None:
            if not isinstance(value, int | float) or isinstance(value, bool):
                return False
            return abs(value - self.near) <= 1e-6 * max(abs(self.near), 1e-6)
        return _same(_filled(self.equal, case), value)


class ExpectedCall(DeferredModel):
    """A call that is expected. A bare name fits any arguments; arguments that are not named do not count."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[Name, Field(description="Name of the tool.")]
    arguments: Annotated[dict[str, ExpectedArgument], Field(description="Arguments that count.", max_length=100)] = {}
    no_others: Annotated[bool, Field(description="Whether other arguments are refused.")] = False

    @model_validator(mode="before")
    @classmethod
    def _spell_out(cls, value: object) -> object:
        return {"name": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [handler(schema), {"type": "string", "description": "Name of the tool."}]}

    def fits(self, call: ToolCall, case: CaseFields) -> bool:
        """Whether a call is the expected one."""
        if call.name != self.name:
            return False
        given = call.arguments if isinstance(call.arguments, dict) else {}
        if self.no_others and given.keys() - self.arguments.keys():
            return False
        return all(
            (key in given or rule.ignore) and rule.fits(given.get(key), case) for key, rule in self.arguments.items()
        )


Calls = Annotated[list[ExpectedCall], Field(max_length=100)]


class CallsScorer(Scorer):
    """The tools were called as expected. Calls that failed do not count unless told; handoffs do not count.

    A call is a name, or an object with `name` and `arguments`. An argument is a value, or an object with one of
    `equal`, `ignore`, `one_of`, `matches` and `near`. Arguments that are not named do not count, unless `no_others` is
    true.
    """

    name: ClassVar[str] = "calls"
    shorthand: ClassVar[str] = "in_order"

    exact: Annotated[Calls | None, Field(description="These calls in this order, and no others.")] = None
    in_order: Annotated[Calls | None, Field(description="These calls in this order; others may be between.")] = None
    any_order: Annotated[Calls | None, Field(description="These calls in any order, and no others.")] = None
    subset: Annotated[Calls | None, Field(description="No calls but these; some may be missing.")] = None
    superset: Annotated[Calls | None, Field(description="These calls in any order, and others.")] = None
    also_failed: Annotated[bool, Field(description="Whether calls that failed count, too.")] = False

    @model_validator(mode="after")
    def _has_one_mode(self) -> CallsScorer:
        if len(self._modes()) != 1:
            raise ValueError(f"Give exactly one of {', '.join(MODES)}.")
        return self

    def _modes(self) -> list[tuple[Mode, list[ExpectedCall]]]:
        return [(mode, calls) for mode in MODES if (calls := cast("Calls | None", getattr(self, mode))) is not None]

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        ((mode, expected),) = self._modes()
        found = [call for call in run.calls if call.has_succeeded or (self.also_failed and call.has_failed)]
        if len(found) > MAX_CALLS:
            return unscored(f"The run has more than {MAX_CALLS:,} calls.")
        wrong = mismatch(mode, expected, found, lambda wanted, call: wanted.fits(call, case))
        if wrong is None:
            return passed("The tools were called as expected.", [call.seq for call in found])
        missing, extra = wrong
        return failed(
            _reason([expected[place] for place in missing], [found[place] for place in extra], found, case),
            [found[place].seq for place in extra] or [call.seq for call in found],
        )


class NeverCalls(Scorer):
    """None of these tools was called, not even without success."""

    name: ClassVar[str] = "never_calls"
    shorthand: ClassVar[str] = "tools"

    tools: Annotated[Names, Field(description="Names of tools.")]

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        found = [call for call in run.calls if call.name in self.tools]
        if not found:
            return passed("None of the tools was called.")
        return failed(f"{found[0].name} was called.", [call.seq for call in found])


class CalledBefore(Scorer):
    """A tool was called before the first call of another one."""

    name: ClassVar[str] = "before"

    first: Annotated[Name, Field(description="The tool that must be called first.")]
    then: Annotated[Name, Field(description="The tool that may be called after it.")]

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        later = next((call for call in run.calls if call.name == self.then), None)
        if later is None:
            return passed(f"{self.then} was not called.")
        if any(call.name == self.first and call.has_succeeded and call.seq < later.seq for call in run.calls):
            return passed(f"{self.first} was called before {self.then}.", [later.seq])
        return failed(f"{self.then} was called before {self.first}.", [later.seq])


class NoRepeats(Scorer):
    """No agent makes the same tool call, or says the same, this many times."""

    name: ClassVar[str] = "no_repeats"
    shorthand: ClassVar[str] = "times"

    times: Annotated[int, Field(description="The number that is too many.", ge=2, le=1_000)] = 3

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        acts = [
            *(
                (f"{each.source} calls {each.name} with the same arguments", each.seq, _settled(each.arguments))
                for each in run.calls
            ),
            *((f"{each.source} says the same", each.seq, each.text) for each in run.turns),
        ]
        counted = Counter((what, detail) for what, _, detail in acts)
        for (what, detail), count in counted.items():
            if count >= self.times:
                places = [seq for other, seq, same in acts if (other, same) == (what, detail)]
                return failed(f"{what} {count} times.", places)
        return passed(f"Nothing was done {self.times} times.")


def _reason(
    missing: Sequence[ExpectedCall], extra: Sequence[ToolCall], found: Sequence[ToolCall], case: CaseFields
) -> str:
    said: list[str] = []
    if missing:
        said.append(f"Expected {_named(missing[0], found, case)}.")
    if extra:
        said.append(f"{extra[0].name} was called, which is not expected here.")
    return " ".join(said)


def _named(wanted: ExpectedCall, found: Sequence[ToolCall], case: CaseFields) -> str:
    """The expected call, with the argument by which the nearest one differs."""
    for call in found:
        if call.name == wanted.name and isinstance(call.arguments, dict):
            for key, rule in wanted.arguments.items():
                value = call.arguments.get(key)
                if not rule.fits(value, case):
                    return f"another {key} in a call of {wanted.name} than {_settled(value)[:100]}"
    return f"a call of {wanted.name}" + (" here" if any(call.name == wanted.name for call in found) else "")


def _filled(value: JsonValue, case: CaseFields) -> JsonValue:
    if value == "{target}":
        return case.target
    return case.fill(value) if isinstance(value, str) else value


def _same(wanted: JsonValue, found: JsonValue) -> bool:
    """Equal as JSON, where a number may be written as text."""
    if isinstance(wanted, bool) or isinstance(found, bool):
        return wanted is found
    if isinstance(wanted, str) != isinstance(found, str) and not isinstance(wanted, dict | list):
        return not isinstance(found, dict | list) and found is not None and as_text(wanted) == as_text(found)
    return wanted == found


def _settled(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
