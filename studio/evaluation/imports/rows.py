"""Rows of a table or of JSONL: of a spreadsheet, Inspect, OpenAI evals, GSM8K and HumanEval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.evaluation.imports.drafts import SuiteDraft, as_lines, field_name, plain_text
from studio.evaluation.suite_file import CASE_FIELDS, InvalidSuite, case_of
from studio.evaluation.tables import Rows
from studio.importers.parts import Location

TASKS = ("task", "input", "question", "prompt", "query", "instruction", "problem", "message", "text")
TARGETS = (
    *("target", "ideal", "expected", "expected_output", "answer", "reference", "ground_truth", "output", "label"),
    *("solution", "completion"),
)
IDS = ("id", "task_id", "case_id", "uid", "key", "name")
OWN = frozenset(CASE_FIELDS) | {"fields", "scorers", "origin"}
"""Fields of a case of the studio."""

RUNS_TESTS = '''def score(run, case):
    """Run the tests of the case on the code of the answer: a block of code, or all of it."""
    fields, answer, fence = case["fields"], run["answer"], "`" * 3
    if fence in answer:
        answer = answer.split(fence)[1].partition("\\n")[2]
    name = fields["entry_point"]
    scope = {}
    try:
        if f"def {name}(" in answer:
            exec(case["task"], scope)  # what the task defines before the function
            exec(answer, scope)
        else:
            exec(case["task"] + answer, scope)  # the body alone
        exec(fields["test"], scope)
        scope["check"](scope[name])
    except AssertionError as error:
        return [False, f"A test of {name} failed. {error}".strip()]
    except Exception as error:
        return [False, f"{type(error).__name__}: {error}"]
    return [True, f"All tests of {name} pass."]
'''
"""The scorer of HumanEval. It is a suggestion like any other source: a person reads and approves it before it runs."""


def import_rows(draft: SuiteDraft, rows: Rows, *, is_table: bool) -> str:
    """Make a case of each row, and give back the key of the source.

    Raises:
        InvalidSuite: Rows cannot be read; all of them are told.
        InvalidDocument: No field can be the task.
    """
    if rows.wrong:
        raise InvalidSuite(rows.wrong)
    objects = [_unwrapped(cast("JsonObject", value)) for value in rows.values]
    places = [Location(rows.file, line, 1) for line in rows.lines]
    if not objects:
        raise InvalidDocument(f"{rows.file!r} has no rows.", fix="Name the columns in the first row, then add rows.")
    names = list(dict.fromkeys(name for each in objects for name in each))
    if "task" in names:
        return _own(draft, objects, places, is_table=is_table)
    if {"prompt", "test", "entry_point"} <= set(names):
        return _humaneval(draft, objects, places)
    return _mapped(draft, objects, places, names)


def _unwrapped(row: JsonObject) -> JsonObject:
    """The row of OpenAI's hosted evals, which stands in `item`."""
    inner = row.get("item")
    return inner if len(row) <= 2 and isinstance(inner, dict) else row


def _own(draft: SuiteDraft, objects: Sequence[JsonObject], places: Sequence[Location], *, is_table: bool) -> str:
    for row, place in zip(objects, places, strict=True):
        case = case_of({name: plain_text(value) for name, value in row.items()}) if is_table else row
        fields = dict(cast("JsonObject", case.get("fields") or {}))
        fields |= {field_name(name): value for name, value in case.items() if name not in OWN}
        known = {name: value for name, value in case.items() if name in OWN and name not in ("task", "fields")}
        draft.add(place, plain_text(case.get("task", "")), "", **known, fields=fields)
    draft.say("exact", places[0], f"{len(objects):,} rows", became="/cases")
    _guess(draft, {"includes": "{target}"}, objects, "target", places[0])
    return "rows"


def _mapped(draft: SuiteDraft, objects: Sequence[JsonObject], places: Sequence[Location], names: Sequence[str]) -> str:
    task, target = _first(names, TASKS), _first(names, TARGETS)
    if not task:
        listed = ", ".join(f"`{name[:40]}`" for name in names[:12])
        raise InvalidDocument(
            f"No field can be the task; the fields are {listed}.", fix="Name one of them `task`, or `question`."
        )
    case_id = _first(names, IDS)
    draft.say("exact", places[0], f"Field `{task}`", became="/cases/0/task")
    if target:
        draft.say("exact", places[0], f"Field `{target}`", became="/cases/0/target")
    for row, place in zip(objects, places, strict=True):
        text = _task(draft, place, row.get(task))
        text += _choices(draft, place, row.get("choices"))
        rest = {
            name for name in row if name not in (task, target, case_id, "choices", "files", "sandbox", "setup", "tags")
        }
        _drop(draft, place, row, ("files", "sandbox", "setup"))
        fields = _fields({name: row[name] for name in row if name in rest})
        tags = row.get("tags")
        draft.add(
            place,
            text,
            id=plain_text(row[case_id]) if row.get(case_id) is not None else "",
            target=row.get(target),
            fields=fields,
            tags=tags if isinstance(tags, list) else [],
        )
    draft.say("exact", places[0], f"{len(objects):,} rows", became="/cases")
    return _add_scorers(draft, objects, places[0], task, target)


def _add_scorers(draft: SuiteDraft, objects: Sequence[JsonObject], place: Location, task: str, target: str) -> str:
    """How answers are judged, as far as the rows tell, and the key of the source."""
    answers = [row.get(target) for row in objects]
    if target and all(isinstance(each, str) and "####" in each for each in answers):
        draft.scorers.append({"number": "{target}"})
        draft.say("exact", place, "Answers with `####`", "The number after it is compared.", became="/scorers/0")
        return "gsm8k"
    if target == "ideal":
        _guess(draft, {"includes": {"text": "{target}", "mode": "any"}}, objects, target, place)
        return "openai-evals"
    _guess(draft, {"includes": "{target}"}, objects, target, place)
    return "inspect" if task == "input" else "rows"


def _humaneval(draft: SuiteDraft, objects: Sequence[JsonObject], places: Sequence[Location]) -> str:
    for row, place in zip(objects, places, strict=True):
        kept = {name: row.get(name) for name in ("entry_point", "canonical_solution", "test")}
        draft.add(place, plain_text(row.get("prompt")), id=plain_text(row.get("task_id", "")), fields=_fields(kept))
    draft.scorers.append({"python": {"source": RUNS_TESTS, "runs_answer": True}})
    draft.say("exact", places[0], f"{len(objects):,} rows", became="/cases")
    why = "A scorer in Python runs the tests of each case on the answer, in the sandbox."
    draft.say("asked", places[0], "Field `test`", why, "Approve it when you start an evaluation.", "/scorers/0")
    return "humaneval"


def _guess(draft: SuiteDraft, scorer: JsonObject, objects: Sequence[JsonObject], target: str, place: Location) -> None:
    """Suggest a scorer of targets where the rows have them."""
    having = sum(row.get(target) not in (None, "") for row in objects) if target else 0
    if having == len(objects):
        draft.guesses.append(scorer)
        why = "The rows do not say. The suite expects that the answer includes the target."
        draft.say("asked", place, "How answers are judged", why, "Choose another scorer if it is not so.", "/scorers/0")
    elif having:
        why = f"{len(objects) - having:,} of {len(objects):,} rows have no target, so no scorer of all cases uses it."
        draft.say("asked", place, "How answers are judged", why, "Add targets, or scorers to the cases.")


def _task(draft: SuiteDraft, place: Location, value: JsonValue) -> str:
    """The task of a row: a text, or the messages of a chat."""
    if not isinstance(value, list):
        return plain_text("" if value is None else value)
    messages = [each for each in value if isinstance(each, dict)]
    texts = [(str(each.get("role", "user")), _content(each.get("content"))) for each in messages]
    if len(texts) == 1:
        return texts[0][1]
    why = "A case has one task, so the messages are put together with who says them."
    draft.say("approximated", place, f"{len(texts)} chat messages", why, became=f"{draft.here}/task")
    return "\n\n".join(text if role == "user" and len(texts) == 1 else f"{role}: {text}" for role, text in texts)


def _content(value: JsonValue) -> str:
    if isinstance(value, list):
        return "\n".join(str(each.get("text", "")) for each in value if isinstance(each, dict))
    return plain_text("" if value is None else value)


def _choices(draft: SuiteDraft, place: Location, value: JsonValue) -> str:
    if not isinstance(value, list) or not value:
        return ""
    why = "They are put into the task, with letters."
    draft.say("approximated", place, f"{len(value)} choices", why, became=f"{draft.here}/task")
    return "\n\n" + "\n".join(f"{chr(65 + at % 26)}) {plain_text(each)}" for at, each in enumerate(value))


def _drop(draft: SuiteDraft, place: Location, row: Mapping[str, JsonValue], names: Sequence[str]) -> None:
    for name in names:
        if row.get(name):
            draft.say("dropped", place, f"Field `{name}`", "A case has only a task.")


def _fields(row: Mapping[str, JsonValue]) -> JsonObject:
    """Fields of a case; `metadata` is taken apart."""
    found: JsonObject = {}
    for name, value in row.items():
        if name == "metadata" and isinstance(value, dict):
            found |= {field_name(inner): each for inner, each in value.items()}
        elif value not in (None, ""):
            found[field_name(name)] = value
    return dict(list(found.items())[:100])


def _first(names: Sequence[str], wanted: Sequence[str]) -> str:
    """The name of a column that is like one of these, the first of them first."""
    by_key = {name.strip().lower().replace(" ", "_"): name for name in reversed(names)}
    return next((by_key[name] for name in wanted if name in by_key), "")


def task_of_object(draft: SuiteDraft, place: Location, value: JsonValue) -> str:
    """The task that the inputs of a case are: a text, or a main text with the other values after it."""
    if not isinstance(value, dict):
        return plain_text("" if value is None else value)
    main = _first(list(value), TASKS)
    rest = {name: each for name, each in value.items() if name != main}
    if not main:
        why = "The team gets text: a line for each value."
        draft.say("approximated", place, "Inputs that are an object", why, became=f"{draft.here}/task")
        return as_lines(value)
    if rest:
        why = f"`{main}` is the task; {', '.join(f'`{name}`' for name in rest)} stand in lines after it."
        draft.say("approximated", place, "Inputs that are an object", why, became=f"{draft.here}/task")
        return f"{plain_text(value[main])}\n\n{as_lines(rest)}"
    return plain_text(value[main])
