"""Data sets of pydantic-evals: cases with inputs and expected outputs, and evaluators by name."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.evaluation.imports.drafts import SuiteDraft, field_name, judged_notes, literal, plain_text
from studio.evaluation.imports.rows import task_of_object
from studio.evaluation.imports.rubrics import Rubric, judges_of, rubric_of, say_rubric
from studio.importers.parts import Part

SOURCE = "pydantic-evals"


def is_pydantic_evals(root: Part) -> bool:
    """Whether it has cases with inputs."""
    cases = root.get("cases")
    return cases is not None and bool(cases.items) and cases.items[0].get("inputs") is not None


def import_pydantic_evals(draft: SuiteDraft, root: Part) -> str:
    """Make a case of each case, and scorers of evaluators."""
    cases = root.get("cases")
    draft.name = _text(root, "name") or draft.name
    rubrics: list[Rubric] = []
    notes: list[str] = []
    shared: list[tuple[Part, str, JsonValue]] = []
    for part, name, value in _evaluators(root):
        if name == "LLMJudge":
            fields: JsonObject = {}
            _read_rubric(draft, part, value, fields, rubrics, notes, "/scorers")
            if fields:  # a text with `{name}`, which only a field of a case can hold
                rubrics.pop()
                notes.extend(map(plain_text, fields.values()))
        else:
            shared.append((part, name, value))
    draft.scorers += judges_of(rubrics)
    draft.begin_cases()
    for part in cases.items or () if cases is not None else ():
        _add(draft, part, notes, shared)
    return SOURCE


def _add(draft: SuiteDraft, part: Part, shared_notes: list[str], shared: list[tuple[Part, str, JsonValue]]) -> None:
    expected = part.get("expected_output")
    target = expected.plain() if expected is not None else None
    inputs, metadata = part.get("inputs"), part.get("metadata")
    kept = metadata.plain() if metadata is not None else None
    fields: JsonObject = {field_name(name): each for name, each in kept.items()} if isinstance(kept, dict) else {}
    scorers: list[JsonValue] = []
    rubrics: list[Rubric] = []
    notes = [*shared_notes]
    for place, name, value in [*shared, *_evaluators(part)]:
        if name == "LLMJudge":
            _read_rubric(draft, place, value, fields, rubrics, notes, f"{draft.here}/scorers")
        elif (scorer := _scorer(name, value, target, fields)) is not None:
            scorers.append(scorer)
        else:
            why = "It checks types or runs code of its own."
            draft.say("dropped", place.place, f"Evaluator `{name}`", why, "Say with scorers what it looks for.")
    task = task_of_object(draft, part.place, inputs.plain() if inputs is not None else None)
    if target is not None and not scorers:
        draft.say(
            "asked",
            part.place,
            "Expected output",
            "No evaluator compares it. It is the target of the case.",
            "Add a scorer such as `same_json`.",
            f"{draft.here}/target",
        )
    draft.add(
        part.place,
        task,
        f"Case {_text(part, 'name')!r}",
        id=_text(part, "name"),
        target=target,
        fields=fields,
        scorers=[*scorers, *judges_of(rubrics)],
        notes=judged_notes(notes),
    )


def _scorer(name: str, value: JsonValue, target: JsonValue, fields: JsonObject) -> JsonObject | None:
    """The scorer of an evaluator; None where there is none."""
    options: Mapping[str, JsonValue] = value if isinstance(value, dict) else {}
    if name == "EqualsExpected":
        return None if target is None else _equals(target, fields, is_target=True)
    if name == "Equals":
        return _equals(options.get("value", value), fields)
    if name == "Contains":
        text = options.get("value", value)
        case = options.get("case_sensitive", True) is not False
        return {"includes": {"text": literal(fields, plain_text(text)), "case": case}}
    if name == "MaxDuration":
        seconds = options.get("seconds", value)
        return {"at_most": {"seconds": seconds}} if isinstance(seconds, int | float) else None
    if name == "AgentCalledTool" and isinstance(tool := options.get("tool_name"), str):
        return {"calls": {"superset": [tool]}}
    return None


def _equals(value: JsonValue, fields: JsonObject, *, is_target: bool = False) -> JsonObject:
    if not isinstance(value, str):
        return {"same_json": {"value": "{target}" if is_target else value}}
    return {"equals": {"text": "{target}" if is_target else literal(fields, value), "case": True}}


def _evaluators(part: Part) -> list[tuple[Part, str, JsonValue]]:
    found = part.get("evaluators")
    listed: list[tuple[Part, str, JsonValue]] = []
    for each in found.all_of() if found is not None else ():
        if each.entries:
            name, value = next(iter(each.entries.items()))
            listed.append((each, name, value.plain()))
        elif each.text:
            listed.append((each, each.text, None))
    return listed


def _read_rubric(
    draft: SuiteDraft,
    part: Part,
    value: JsonValue,
    fields: JsonObject,
    rubrics: list[Rubric],
    notes: list[str],
    became: str,
) -> None:
    """Make a rubric a criterion of a judge, or keep it for people."""
    text = plain_text(value.get("rubric", "") if isinstance(value, dict) else "" if value is None else value)
    rubric = rubric_of(literal(fields, text))
    if say_rubric(draft, part.place, "Evaluator `LLMJudge`", rubric, became):
        rubrics.append(rubric)
    elif text:
        notes.append(text)


def _text(part: Part, name: str) -> str:
    found = part.get(name)
    return plain_text(found.plain()) if found is not None and not found.is_off else ""
