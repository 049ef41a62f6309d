"""The forms of scorers: few plain controls, from the fields of their classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, cast

from studio.components import JsonObject
from studio.evaluation.scorers import SCORERS, Scorer
from studio.evaluation.scorers.entry import Not

ControlKind = Literal["text", "code", "lines", "calls", "number", "boolean", "choice", "json"]
"""`lines`: a text a line. `calls`: a name of a tool a line, or an expected call in JSON."""
GROUPS: Mapping[str, Sequence[str]] = {
    "Answer": ("includes", "equals", "starts", "matches", "number", "json", "same_json", "words_f1"),
    "Tool calls": ("calls", "never_calls", "before", "no_errors", "no_repeats"),
    "Run": ("at_most", "stopped_by", "asked_no_one", "speakers", "ends_with_speaker", "handoffs", "variables"),
}
"""In the order in which people look for them."""
HINTS: Mapping[ControlKind, str] = {
    "lines": "One a line.",
    "calls": 'One a line: the name of a tool, or JSON such as {"name": "refund", "arguments": {"amount": 20}}.',
    "json": "JSON.",
}


@dataclass(frozen=True)
class ScorerField:
    """A control. `choices` are those of a choice; `default` is what stands for nothing written.

    `is_folded`: it is one of several lists of which few people need another than the first.
    """

    name: str
    label: str
    kind: ControlKind
    help: str
    is_required: bool
    default: str
    choices: Sequence[str] = ()
    is_folded: bool = False


@dataclass(frozen=True)
class ScorerForm:
    """A scorer that can be chosen. `shorthand` is the field that a bare value stands for."""

    name: str
    label: str
    help: str
    shorthand: str
    fields: Sequence[ScorerField]


@lru_cache(maxsize=1)
def scorer_forms() -> Mapping[str, Sequence[ScorerForm]]:
    """The forms of all scorers by group. `not` has none: it is a mark of each."""
    others = [
        name for name, cls in SCORERS.items() if cls is not Not and not any(name in each for each in GROUPS.values())
    ]
    groups = {**GROUPS, "Other": others} if others else GROUPS
    return {title: [_form(SCORERS[name]) for name in names] for title, names in groups.items()}


def _form(cls: type[Scorer]) -> ScorerForm:
    schema = cast("JsonObject", cls.model_json_schema())
    properties = cast("Mapping[str, JsonObject]", schema.get("properties", {}))
    required = cast("Sequence[str]", schema.get("required", ()))
    fields = [_field(name, each, name in required) for name, each in properties.items()]
    fields = [
        replace(each, is_folded=each.kind in ("lines", "calls") and not each.is_required and each.name != cls.shorthand)
        for each in fields
    ]
    fields.sort(key=lambda each: (not each.is_required, each.name != cls.shorthand, each.name == "source"))
    text = " ".join((cls.__doc__ or "").split("\n\n")[0].split())
    return ScorerForm(cls.name, _label(cls.name), text, cls.shorthand, fields)


def _field(name: str, schema: JsonObject, is_required: bool) -> ScorerField:
    kind = _kind(schema)
    default = schema.get("default")
    shown = "" if default in (None, [], {}) or isinstance(default, bool) else str(default)
    choices = cast("Sequence[str]", schema.get("enum", ()))
    help_text = f"{schema.get('description', '')} {HINTS.get(kind, '')}".strip()
    return ScorerField(name, _label(name), kind, help_text, is_required, shown, choices)


def _kind(schema: JsonObject) -> ControlKind:
    variants = [each for each in cast("list[JsonObject]", schema.get("anyOf", [schema])) if each.get("type") != "null"]
    types = [each.get("type") for each in variants]
    if "enum" in schema:
        return "choice"
    for variant in variants:
        if variant.get("type") == "array":
            items = cast("JsonObject", variant.get("items", {}))
            return "lines" if items.get("type") == "string" else "calls" if "$ref" in items else "json"
    if "string" in types:
        return "code" if "contentMediaType" in schema else "text"
    if types and all(each in ("number", "integer") for each in types):
        return "number"
    return "boolean" if types == ["boolean"] else "json"


def _label(name: str) -> str:
    words = {"usd": "Dollars", "json": "JSON", "same_json": "Same JSON", "words_f1": "Words in common (F1)"}
    return words.get(name) or name.replace("_", " ").capitalize()
