"""A scorer as suites write it, `{name: fields}`, read into its class and written again."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Annotated, Any, ClassVar, cast

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    JsonValue,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue, models_json_schema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema
from typing_extensions import override

from studio.components import JsonObject
from studio.components.findings import error_at, errors_at, findings_from
from studio.components.pointers import escape
from studio.errors import Finding
from studio.evaluation.cases import CaseFields
from studio.evaluation.scorers.answer import Equals, Includes, Json, Matches, Number, SameJson, Starts, WordsF1
from studio.evaluation.scorers.base import Score, Scorer
from studio.evaluation.scorers.calls import CalledBefore, CallsScorer, NeverCalls, NoRepeats
from studio.evaluation.scorers.judge import JudgeScorer
from studio.evaluation.scorers.python import PythonScorer
from studio.evaluation.scorers.run import (
    AskedNoOne,
    AtMost,
    EndsWithSpeaker,
    Handoffs,
    NoErrors,
    Speakers,
    StoppedBy,
    Variables,
)
from studio.evaluation.transcript import Transcript

SCHEMA_NAME = "Scorer"
PLACEHOLDER = "x-scorer"
"""Marks where an entry is, until the definitions are added: Pydantic follows references as it makes a schema."""


class _EntrySchema:
    """Pydantic's view of an entry."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        del source, handler
        return core_schema.no_info_plain_validator_function(
            read_entry, serialization=core_schema.plain_serializer_function_ser_schema(write_entry)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        del schema, handler
        return {PLACEHOLDER: True}


ScorerEntry = Annotated[Scorer, _EntrySchema()]
"""A scorer in a suite or a case."""


def read_entry(value: object) -> Scorer:
    """The scorer of an entry; a name alone is a scorer without fields.

    Raises:
        PydanticCustomError: With all that is wrong, and where.
    """
    if isinstance(value, Scorer):
        return value
    entry = {value: None} if isinstance(value, str) else value
    if not isinstance(entry, dict) or len(cast("JsonObject", entry)) != 1:
        raise error_at("not_a_scorer", "A scorer is an object with one key, its name.", "Write `{includes: text}`.", "")
    ((name, fields),) = cast("dict[str, JsonValue]", entry).items()
    cls = SCORERS.get(str(name))
    if cls is None:
        fix = nearest(str(name), SCORERS) or f"Choose one of {', '.join(SCORERS)}."
        raise error_at("unknown_scorer", f"There is no scorer {str(name)[:60]!r}.", fix, "")
    try:
        return cls.model_validate(fields)
    except ValidationError as error:
        raise _inside(error, str(name), cls, fields) from error


def write_entry(scorer: Scorer) -> JsonObject:
    """The entry of a scorer, as short as it can be."""
    if isinstance(scorer, Not):
        return {Not.name: write_entry(scorer.scorer)}
    fields: JsonObject = scorer.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return {scorer.name: fields}


class Not(Scorer):
    """Passes where another scorer fails. What that one cannot tell stays unscored."""

    name: ClassVar[str] = "not"
    shorthand: ClassVar[str] = "scorer"

    scorer: ScorerEntry

    @classmethod
    @override
    def spelled_out(cls, value: Any) -> Any:
        return {"scorer": value}

    @override
    def problem(self, case: CaseFields) -> str:
        return self.scorer.problem(case)

    @override
    def score(self, run: Transcript, case: CaseFields) -> Score:
        found = self.scorer.score(run, case)
        if found.value is None:
            return found
        verdict = "fail" if found.verdict == "pass" else "pass"
        return replace(found, verdict=verdict, reason=f"Not wanted: {found.reason}", value=1 - found.value)


SCORERS: Mapping[str, type[Scorer]] = {
    cls.name: cls
    for cls in (
        Speakers,
        Handoffs,
        CallsScorer,
        NeverCalls,
        CalledBefore,
        NoRepeats,
        StoppedBy,
        EndsWithSpeaker,
        AtMost,
        NoErrors,
        AskedNoOne,
        Variables,
        Equals,
        Includes,
        Starts,
        Matches,
        Number,
        Json,
        SameJson,
        WordsF1,
        PythonScorer,
        JudgeScorer,
        Not,
    )
}
"""All scorers by the names that suites use."""


def unwrapped(scorer: Scorer) -> Scorer:
    """What a scorer asks before any `not`."""
    while isinstance(scorer, Not):
        scorer = scorer.scorer
    return scorer


def with_inner(scorer: Scorer, change: Callable[[Scorer], Scorer]) -> Scorer:
    """The scorer with what is inside of any `not` changed."""
    if isinstance(scorer, Not):
        return scorer.model_copy(update={"scorer": with_inner(scorer.scorer, change)})
    return change(scorer)


def nearest(name: str, names: Iterable[str]) -> str:
    """A question whether a name of these was meant; empty where none is like it."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f"Did you mean `{close[0]}`?" if close else ""


def nearest_name(finding: Finding, names: Iterable[str]) -> str:
    """The same about a field that does not exist."""
    is_unknown = finding.code == "extra_forbidden"
    return nearest(finding.where.rpartition("/")[2], names) if is_unknown else ""


def with_scorers(schema: JsonSchemaValue) -> JsonSchemaValue:
    """A schema of a model that holds entries, with the definitions of all scorers."""
    definitions = {**schema.get("$defs", {}), **_scorer_definitions()}
    return cast("JsonSchemaValue", _referring({**schema, "$defs": definitions}))


def _scorer_definitions() -> dict[str, JsonSchemaValue]:
    """The JSON schemas of all entries and of what they refer to, by name."""
    _, schema = models_json_schema([(cls, "validation") for cls in SCORERS.values()])
    definitions: dict[str, JsonSchemaValue] = schema["$defs"]
    entries: list[JsonSchemaValue] = []
    for name, cls in SCORERS.items():
        long = definitions[cls.__name__]
        short = [long["properties"][cls.shorthand]] if cls.shorthand else []
        bare = [] if long.get("required") else [{"type": ["null", "boolean"]}]
        fields = {"$ref": f"#/$defs/{cls.__name__}"}
        entries.append(
            {
                "type": "object",
                "description": long.get("description", ""),
                "properties": {name: short[0] if cls is Not else {"anyOf": [fields, *short, *bare]}},
                "required": [name],
                "additionalProperties": False,
            }
        )
    bare_names = [name for name, cls in SCORERS.items() if not definitions[cls.__name__].get("required")]
    return {**definitions, SCHEMA_NAME: {"anyOf": [*entries, {"enum": bare_names}]}}


def _referring(schema: JsonValue) -> JsonValue:
    """The schema with references in place of the marks."""
    if isinstance(schema, list):
        return [_referring(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if PLACEHOLDER in schema:
        return {"$ref": f"#/$defs/{SCHEMA_NAME}"}
    return {key: _referring(each) for key, each in schema.items()}


def _inside(error: ValidationError, name: str, cls: type[Scorer], fields: JsonValue) -> PydanticCustomError:
    """The errors of a scorer's fields, with pointers from its entry."""
    document: JsonValue = cls.spelled_out(fields)
    is_short = not isinstance(fields, dict) or cls is Not
    found: list[Finding] = []
    for finding in findings_from(error, document, _no_class):
        where = finding.where
        if is_short and cls.shorthand:
            where = where.removeprefix(f"/{cls.shorthand}")
        fix = nearest_name(finding, cls.model_fields) or finding.fix
        found.append(Finding(f"scorer_{finding.code}", finding.message, fix, f"/{escape(name)}{where}"))
    return errors_at(found)


def _no_class(provider: str) -> type[BaseModel] | None:
    del provider
    return None
