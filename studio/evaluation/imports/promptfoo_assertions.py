"""Assertions of promptfoo as scorers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import JsonObject
from studio.components.patterns import checked
from studio.errors import ConfigError
from studio.evaluation.imports.drafts import SuiteDraft, literal, plain_text
from studio.evaluation.imports.rubrics import Rubric, rubric_of, say_rubric
from studio.evaluation.scorers.judge import Seen
from studio.importers.parts import Location, Part

VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
RUBRICS: Mapping[str, str] = {
    "llm-rubric": "{}",
    "g-eval": "{}",
    "model-graded-closedqa": "{}",
    "factuality": "Agrees with these facts: {}",
    "model-graded-factuality": "Agrees with these facts: {}",
    "trajectory:goal-success": "Reaches this goal: {}",
}
"""What a model is asked, as a criterion."""
JUDGES = frozenset(
    {
        *("answer-relevance", "context-faithfulness", "context-recall", "context-relevance", "select-best"),
        *("similar", "conversation-relevance", "classifier", "moderation", "max-score", "search-rubric"),
    }
)
"""Those that need more than a criterion: passages, vectors, the web or other answers."""
CODE = frozenset({"javascript", "python", "ruby", "webhook", "is-valid-function-call", "is-sql", "contains-sql"})
_EXPECTED = re.compile(r"(not-)?([a-z][a-z:-]*?)(?:\((\d+(?:\.\d+)?)\))?(?::([\s\S]*))?\Z")
_ALIASES = {"grade": "llm-rubric", "fn": "javascript", "eval": "javascript", "file": "javascript"}


@dataclass
class Expectations:
    """What assertions become: scorers, rubrics for a judge, and texts for people to read."""

    scorers: list[JsonValue] = field(default_factory=list[JsonValue])
    rubrics: list[Rubric] = field(default_factory=list[Rubric])
    notes: list[str] = field(default_factory=list[str])


def read_assertions(
    draft: SuiteDraft, assertions: Part | None, fields: JsonObject, found: Expectations, became: str
) -> None:
    """Read a list of assertions.

    Args:
        fields: Those of the case; texts of assertions may be added.
    """
    for part in assertions.all_of() if assertions is not None else ():
        kind = _text(part, "type")
        if kind == "assert-set":
            why = "All of its assertions must hold here; there a share of them may do."
            draft.say("approximated", part.place, "`assert-set`", why, became=became)
            read_assertions(draft, part.get("assert"), fields, found, became)
            continue
        _read(draft, part, kind, fields, found, became)


def expected_of_cell(text: str, place: Location) -> Part:
    """The assertion that a cell of `__expected` is: `type: value`, or the answer itself."""
    match = _EXPECTED.match(text.strip())
    kind, value, threshold = "equals", text, ""
    if (
        match is not None
        and _is_type(wanted := _ALIASES.get(match[2], match[2]))
        and (match[4] or _needs_no_value(wanted))
    ):
        kind, value, threshold = f"{match[1] or ''}{wanted}", (match[4] or "").strip(), match[3] or ""
    entries = {"type": Part(place, kind), "value": Part(place, value)}
    if threshold:
        entries["threshold"] = Part(place, float(threshold))
    return Part(place, entries=entries)


def _is_type(kind: str) -> bool:
    return kind in _SCORERS or kind in RUBRICS or kind in JUDGES or kind in CODE


def _needs_no_value(kind: str) -> bool:
    return kind in ("is-json", "cost", "latency")


def _read(draft: SuiteDraft, part: Part, kind: str, fields: JsonObject, found: Expectations, became: str) -> None:
    base, what = kind.removeprefix("not-"), f"Assertion `{kind[:60]}`"
    value = part.get("value")
    given = value.plain() if value is not None else None
    if base in RUBRICS and not (isinstance(given, str) and given.startswith("file://")):
        _rubrics(draft, part, base, given, fields, found, became)
        return
    if base in JUDGES:
        rubric = VARIABLE.sub(r"{\1}", plain_text("" if given is None else given))
        found.notes.append(rubric if base == kind else f"must not hold: {rubric}")
        why, fix = "A judge asks only for criteria in words.", "Its text is kept in the notes of the case."
        draft.say("dropped", part.place, what, why, fix, became)
        return
    make = _SCORERS.get(base)
    if make is None or (isinstance(given, str) and given.startswith("file://")):
        is_code = base in CODE or make is not None
        why = "Code and files of a suite are never read or run." if is_code else "There is no such scorer."
        draft.say("dropped", part.place, what, why, "Say with scorers what it looks for.")
        return
    scorer = make(given, _number(part, "threshold"), fields)
    if scorer is None:
        draft.say("dropped", part.place, what, "Its value cannot be taken over.", "Add a scorer for it.")
        return
    found.scorers.append({"not": scorer} if base != kind else scorer)
    _tell(draft, part, base, what, became)


def _rubrics(
    draft: SuiteDraft, part: Part, base: str, given: JsonValue, fields: JsonObject, found: Expectations, became: str
) -> None:
    """What a model is asked becomes criteria of a judge; one that cannot is kept for people."""
    kind = _text(part, "type")
    goal = given.get("goal", "") if isinstance(given, dict) else given
    for each in goal if isinstance(goal, list) else [goal]:
        text = RUBRICS[base].replace("{}", _text_value(each, fields)) if each not in (None, "") else ""
        sees: Seen = "all" if base == "trajectory:goal-success" else "answer"
        rubric = rubric_of(text, is_wanted=base == kind, sees=sees)
        if say_rubric(draft, part.place, f"Assertion `{kind[:60]}`", rubric, became):
            found.rubrics.append(rubric)
        elif text:
            found.notes.append(text)


def _tell(draft: SuiteDraft, part: Part, base: str, what: str, became: str) -> None:
    weight = part.get("weight")
    value = part.get("value")
    is_json = base == "equals" and value is not None and not isinstance(value.plain(), str)
    if base in _APPROXIMATED and not is_json:
        draft.say("approximated", part.place, what, _APPROXIMATED[base], became=became)
    elif weight is not None and weight.value not in (None, 1):
        draft.say(
            "approximated", part.place, what, "A run passes if all scorers pass; there are no weights.", became=became
        )
    else:
        draft.say("exact", part.place, what, became=became)


_APPROXIMATED: Mapping[str, str] = {
    "equals": "Spaces at the ends of an answer do not count.",
    "starts-with": "Spaces at the ends of an answer do not count.",
    "rouge-n": "The F1 of words counts in place of ROUGE-N.",
    "contains-json": "The whole answer must be JSON.",
    "latency": "The whole run counts, not the call of one model.",
    "cost": "The whole run counts, not the call of one model.",
}


def _texts(value: JsonValue, fields: JsonObject) -> list[JsonValue]:
    """Texts as scorers take them; promptfoo parts a text by commas where it wants several."""
    listed = value if isinstance(value, list) else [each.strip() for each in plain_text(value).split(",")]
    return [_text_value(each, fields) for each in listed]


def _text_value(value: JsonValue, fields: JsonObject) -> str:
    """A text with `{name}` in place of `{{name}}`, of the variables that the case has."""
    text = plain_text("" if value is None else value)
    names = VARIABLE.findall(text)
    if not names:
        return literal(fields, text)
    if "{" in VARIABLE.sub("", text) or any(name not in fields for name in names):
        return literal(fields, VARIABLE.sub(lambda found: plain_text(fields.get(found[1], found[0])), text))
    return VARIABLE.sub(r"{\1}", text)


def _number(part: Part, name: str) -> float | None:
    found = part.get(name)
    value = found.value if found is not None else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


Maker = Callable[[JsonValue, float | None, JsonObject], JsonObject | None]


def _compared(name: str, *, case: bool, mode: str = "") -> Maker:
    def make(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
        del threshold
        if value is None:
            return None
        if name == "equals" and isinstance(value, dict | list):
            return {"same_json": {"value": value}}
        texts: JsonValue = _texts(value, fields) if mode else [_text_value(value, fields)]
        options: JsonObject = {"case": True} if case else {}
        return {name: {"text": texts, **options, **({"mode": mode} if mode == "any" else {})}}

    return make


def _regex(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
    del threshold, fields
    if not isinstance(value, str) or VARIABLE.search(value):
        return None
    try:
        return {"matches": checked(value)}
    except (ConfigError, ValueError):
        return None


def _json(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
    del threshold, fields
    return {"json": {"schema": value}} if isinstance(value, dict) else {"json": {}}


def _limit(name: str, unit: float) -> Maker:
    def make(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
        del value, fields
        return {"at_most": {name: threshold * unit}} if threshold is not None and threshold >= 0 else None

    return make


def _words(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
    least = 0.75 if threshold is None else threshold
    return {"words_f1": {"text": [_text_value(value, fields)], "at_least": least}} if 0 < least <= 1 else None


def _tool_used(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
    del threshold, fields
    named = value.get("name", value.get("pattern")) if isinstance(value, dict) else value
    names = [each for each in (named if isinstance(named, list) else [named]) if isinstance(each, str)]
    return {"calls": {"superset": [*names]}} if names else None


def _tool_sequence(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
    del threshold, fields
    steps = value.get("steps") if isinstance(value, dict) else value
    mode = "exact" if isinstance(value, dict) and value.get("mode") == "exact" else "in_order"
    names = [each.get("name") if isinstance(each, dict) else each for each in steps] if isinstance(steps, list) else []
    return {"calls": {mode: [*names]}} if names and all(isinstance(each, str) for each in names) else None


def _tool_arguments(value: JsonValue, threshold: float | None, fields: JsonObject) -> JsonObject | None:
    del threshold
    if not isinstance(value, dict) or not isinstance(name := value.get("name"), str):
        return None
    arguments = value.get("args", value.get("arguments"))
    rules: JsonObject = {
        key: {"equal": _text_value(each, fields) if isinstance(each, str) else each}
        for key, each in (arguments if isinstance(arguments, dict) else {}).items()
    }
    return {"calls": {"superset": [{"name": name, "arguments": rules, "no_others": value.get("mode") == "exact"}]}}


_SCORERS: Mapping[str, Maker] = {
    "equals": _compared("equals", case=True),
    "contains": _compared("includes", case=True),
    "icontains": _compared("includes", case=False),
    "contains-all": _compared("includes", case=True, mode="all"),
    "contains-any": _compared("includes", case=True, mode="any"),
    "icontains-all": _compared("includes", case=False, mode="all"),
    "icontains-any": _compared("includes", case=False, mode="any"),
    "starts-with": _compared("starts", case=True),
    "regex": _regex,
    "is-json": _json,
    "contains-json": _json,
    "cost": _limit("usd", 1),
    "latency": _limit("seconds", 0.001),
    "rouge-n": _words,
    "trajectory:tool-used": _tool_used,
    "trajectory:tool-sequence": _tool_sequence,
    "trajectory:tool-args-match": _tool_arguments,
}


def _text(part: Part, name: str) -> str:
    found = part.get(name)
    return found.text if found is not None else ""
