"""Configurations of promptfoo: prompts, tests and assertions; and its tables of tests."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.evaluation.imports.drafts import SuiteDraft, as_lines, field_name, judged_notes, plain_text
from studio.evaluation.imports.promptfoo_assertions import (
    VARIABLE,
    Expectations,
    expected_of_cell,
    read_assertions,
)
from studio.evaluation.imports.rows import TASKS
from studio.evaluation.imports.rubrics import judges_of
from studio.evaluation.suite_file import InvalidSuite
from studio.evaluation.tables import Rows, read_table
from studio.importers.parts import Location, Part

SOURCE = "promptfoo"
MARK = "__"
"""Columns that begin so are no variables."""
MAX_COMBINATIONS = 10_000


@dataclass(frozen=True)
class _Test:
    """A test: its variables, and what is expected."""

    place: Location
    variables: Mapping[str, JsonValue]
    assertions: Part | None
    description: str = ""
    tags: Sequence[str] = ()


def is_promptfoo(root: Part) -> bool:
    """Whether it is a configuration: tests with prompts or providers."""
    return root.get("tests") is not None and (root.get("prompts") is not None or root.get("providers") is not None)


def is_promptfoo_table(columns: Sequence[str]) -> bool:
    """Whether columns are those of a table of tests."""
    return any(name.startswith(MARK) for name in columns)


def import_promptfoo(draft: SuiteDraft, root: Part, files: Mapping[str, str]) -> str:
    """Make a case of each test with each prompt.

    Args:
        files: Texts that the configuration may name; no others are read.

    Raises:
        InvalidSuite: Rows of a table cannot be read.
    """
    draft.name = _text(root.get("description")) or draft.name
    if (providers := root.get("providers")) is not None:
        draft.say("dropped", providers.place, "Providers", "The team takes their place.")
    default = root.get("defaultTest")
    prompts = list(_prompts(draft, root.get("prompts"), files)) or [""]
    tests = list(_tests(draft, root.get("tests"), files))
    shared_variables = _variables(default)
    shared = _shared(draft, default, _common(tests, shared_variables))
    draft.begin_cases()
    for prompt_number, prompt in enumerate(prompts, 1):
        for test in tests:
            for variables in _combinations(draft, {**shared_variables, **test.variables}, test.place):
                mark = f"prompt {prompt_number}" if len(prompts) > 1 else ""
                _add(draft, prompt, test, variables, mark, shared)
    if len(prompts) > 1:
        why = "Each test is a case with each prompt, tagged with its number."
        draft.say("approximated", root.place, f"{len(prompts)} prompts", why, became="/cases")
    return SOURCE


def import_promptfoo_table(draft: SuiteDraft, rows: Rows) -> str:
    """Make a case of each row of a table of tests."""
    for test in _table_tests(draft, rows):
        _add(draft, "", test, test.variables, "")
    return SOURCE


def _add(
    draft: SuiteDraft,
    prompt: str,
    test: _Test,
    variables: Mapping[str, JsonValue],
    mark: str,
    shared: Sequence[str] = (),
) -> None:
    fields: JsonObject = {field_name(name): value for name, value in variables.items() if value not in (None, "")}
    found = Expectations()
    read_assertions(draft, test.assertions, fields, found, draft.here)
    task = _rendered(draft, prompt, variables, test.place) if prompt else _task(draft, variables, test.place)
    notes = "\n".join(each for each in (test.description, judged_notes([*shared, *found.notes])) if each)
    what = f"Test {test.description!r}" if test.description else "Test"
    tags: list[JsonValue] = [*test.tags, *([mark] if mark else [])]
    scorers = [*found.scorers, *judges_of(found.rubrics)]
    draft.add(test.place, task, what, fields=fields, scorers=scorers, notes=notes, tags=tags)


def _rendered(draft: SuiteDraft, prompt: str, variables: Mapping[str, JsonValue], place: Location) -> str:
    """The prompt with the variables in place of `{{name}}`; nothing of the template language is carried out."""
    text = VARIABLE.sub(lambda found: plain_text(variables.get(found[1], found[0])), prompt)
    if "{%" in prompt or "{{" in VARIABLE.sub("", prompt):
        why = "Only `{{name}}` is filled in; other parts of the template stand in the task as they are."
        draft.say("approximated", place, "Template of the prompt", why, became=f"{draft.here}/task")
    return text


def _task(draft: SuiteDraft, variables: Mapping[str, JsonValue], place: Location) -> str:
    """The task where no prompt says how variables are put together."""
    if len(variables) == 1:
        return plain_text(next(iter(variables.values())))
    main = next((name for name in TASKS if name in variables), "")
    if main:
        return plain_text(variables[main])
    why = "There is no prompt, so the task has a line for each variable."
    draft.say("approximated", place, "Variables", why, became=f"{draft.here}/task")
    return as_lines(variables)


def _shared(draft: SuiteDraft, default: Part | None, names: Sequence[str]) -> Sequence[str]:
    """Make assertions of all tests scorers of every case, and give back what only people can judge of them.

    Args:
        names: Variables that all cases have.
    """
    found = Expectations()
    if default is None:
        return found.notes
    fields: JsonObject = {name: "" for name in names}
    read_assertions(draft, default.get("assert"), fields, found, "/scorers")
    fields = {name: text for name, text in fields.items() if name not in names}
    if fields:  # texts that only a case can hold
        draft.say("dropped", default.place, "Assertions of all tests with braces", "Write them to the cases.")
        found.scorers = [each for each in found.scorers if not any(f"{{{name}}}" in str(each) for name in fields)]
        found.notes += [plain_text(fields[each.text[1:-1]]) for each in found.rubrics if each.text[1:-1] in fields]
        found.rubrics = [each for each in found.rubrics if not any(f"{{{name}}}" in each.text for name in fields)]
    draft.scorers += [*found.scorers, *judges_of(found.rubrics)]
    return found.notes


def _common(tests: Sequence[_Test], shared: Mapping[str, JsonValue]) -> Sequence[str]:
    """Names of variables that every case has as a field."""
    of_all = [
        {name for name, value in {**shared, **each.variables}.items() if value not in (None, "")} for each in tests
    ]
    return sorted(name for name in set[str]().union(*of_all).intersection(*of_all) if name == field_name(name))


def _variables(part: Part | None) -> Mapping[str, JsonValue]:
    found = part.get("vars") if part is not None else None
    value = found.plain() if found is not None else None
    return value if isinstance(value, dict) else {}


def _combinations(
    draft: SuiteDraft, variables: Mapping[str, JsonValue], place: Location
) -> Iterator[Mapping[str, JsonValue]]:
    """Each combination of the variables that are lists."""
    lists = {name: value for name, value in variables.items() if isinstance(value, list) and value}
    for number, chosen in enumerate(itertools.product(*lists.values())):
        if number == MAX_COMBINATIONS:
            draft.say("dropped", place, "Combinations of variables", f"There are more than {MAX_COMBINATIONS:,}.")
            return
        yield {**variables, **dict(zip(lists, chosen, strict=True))}


# --- prompts and tests, in the configuration or in files beside it ---


def _prompts(draft: SuiteDraft, prompts: Part | None, files: Mapping[str, str]) -> Iterator[str]:
    for part in prompts.all_of() if prompts is not None else ():
        raw = part.get("raw") or part.get("id") if part.entries else part
        text = _text(raw)
        if not text.startswith("file://"):
            yield text
            continue
        content = _file(draft, text, part.place, files)
        if content is not None:
            yield from (each.strip() for each in content.split("\n---\n") if each.strip())


def _tests(draft: SuiteDraft, tests: Part | None, files: Mapping[str, str]) -> Iterator[_Test]:
    for part in tests.all_of() if tests is not None else ():
        path = _text(part) or _text(part.get("path"))
        if not path:
            named = _text(part.get("description"))
            yield _Test(part.place, _variables(part), part.get("assert"), named)
            continue
        content = _file(draft, path, part.place, files)
        if content is None:
            continue
        name = PurePosixPath(path).name
        if not name.endswith(".csv"):
            draft.say("dropped", part.place, f"Tests of {path!r}", "Only CSV files are read beside it.")
            continue
        rows = Rows(name)
        read_table(content, rows, ",")
        yield from _table_tests(draft, rows)


def _file(draft: SuiteDraft, path: str, place: Location, files: Mapping[str, str]) -> str | None:
    name = PurePosixPath(path.removeprefix("file://")).name
    if name in files:
        return files[name]
    draft.say("asked", place, f"File {path[:100]!r}", "It was not given.", "Import it together with the configuration.")
    return None


def _table_tests(draft: SuiteDraft, rows: Rows) -> Iterator[_Test]:
    if rows.wrong:
        raise InvalidSuite(rows.wrong)
    if not rows.values:
        raise InvalidDocument(f"{rows.file!r} has no rows.", fix="Add rows below the names of the columns.")
    for value, line in zip(rows.values, rows.lines, strict=True):
        cells, place = cast("dict[str, str]", value), Location(rows.file, line, 1)
        assertions: list[Part] = []
        tags: list[str] = []
        for name, cell in cells.items():
            if not name.startswith(MARK) or not cell.strip():
                continue
            if name.startswith("__expected"):
                assertions.append(expected_of_cell(cell, place))
            elif name.startswith("__metadata:"):
                tags.append(f"{name.removeprefix('__metadata:')}: {cell}")
            elif name != "__description":
                draft.say("dropped", place, f"Column `{name}`", "A run passes if all its scorers pass.")
        yield _Test(
            place,
            {name: cell for name, cell in cells.items() if not name.startswith(MARK) and cell},
            Part(place, items=tuple(assertions)),
            cells.get("__description", ""),
            tags,
        )


def _text(part: Part | None) -> str:
    return part.text if part is not None else ""
