"""Suite files: YAML or JSON, with the cases inside or in a JSONL or CSV file beside. Reading executes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple, cast

import yaml
from pydantic import BaseModel, ValidationError

from studio.components import JsonObject
from studio.components.document import MAX_BYTES
from studio.components.findings import findings_from
from studio.components.pointers import steps_of
from studio.errors import Finding, InvalidDocument, TooLarge, first_findings
from studio.evaluation.mistakes import InvalidSuite, PlacedFinding
from studio.evaluation.scorers.entry import nearest_name
from studio.evaluation.suites import Case, Suite, findings_of
from studio.evaluation.tables import Rows, read_jsonl, read_table
from studio.importers.parts import MAX_LENGTH, Budget, Location, Part, json_part, yaml_part

MAX_JSON_PARTS = 2_000_000
CASE_FIELDS = frozenset(Case.model_fields) - {"scorers", "fields", "origin"}
"""Columns of a CSV file with a meaning; all others are fields of the case."""

ReadBeside = Callable[[str], str]
"""Gives the text of a file beside the suite, by its name."""


class PlacedSuite(NamedTuple):
    """A suite, and by the keys of its cases where they stand."""

    suite: Suite
    places: Mapping[str, Location]


def read_suite(name: str, text: str, read_beside: ReadBeside, *, needs_cases: bool = True) -> Suite:
    """The suite alone; as `read_placed_suite`."""
    return read_placed_suite(name, text, read_beside, needs_cases=needs_cases).suite


def read_placed_suite(name: str, text: str, read_beside: ReadBeside, *, needs_cases: bool = True) -> PlacedSuite:
    """Read a suite and check it against its cases. It takes seconds for the largest: call it in a thread.

    Args:
        name: Name of the file; JSON where it ends so.
        text: What is in it.
        read_beside: Reads the file that `cases` names.
        needs_cases: Whether a suite without cases is a mistake.

    Raises:
        InvalidSuite: With all that is wrong.
        InvalidDocument: It is neither YAML nor JSON.
        TooLarge: It is larger than a suite may be.
    """
    root = _root(name, text)
    document = root.plain()
    if not isinstance(document, dict):
        raise InvalidSuite([PlacedFinding(Finding("not_a_suite", "A suite is an object.", _FIX), root.place)])
    rows = None
    if isinstance(beside := document.get("cases"), str):
        rows = read_cases(beside, read_beside(beside))
        document["cases"] = rows.values
    placed = list(rows.wrong) if rows else []
    findings, suite = _checked(document, needs_cases=needs_cases)
    places = _places(name, text, root)
    placed += [PlacedFinding(each, _place(each.where, places, rows)) for each in first_findings(findings)]
    if placed or suite is None:
        raise InvalidSuite(placed)
    return PlacedSuite(suite, {case.key: _place(f"/cases/{n}", places, rows) for n, case in enumerate(suite.cases)})


def check_suite(document: JsonObject) -> Suite:
    """Check a suite that stands in no file. It takes seconds for the largest: call it in a thread.

    Raises:
        InvalidSuite: With all that is wrong.
    """
    findings, suite = _checked(document, needs_cases=False)
    placed = [PlacedFinding(each, Location("suite", pointer=each.where)) for each in first_findings(findings)]
    if placed or suite is None:
        raise InvalidSuite(placed)
    return suite


def write_suite(document: JsonObject) -> tuple[str, str]:
    """A suite as a file has it: `yaml` and the text, or `json` where the YAML would be too long to be read again."""
    in_json = json.dumps(document, ensure_ascii=False, indent=2)
    if len(in_json) <= MAX_LENGTH:
        in_yaml = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)
        if len(in_yaml) <= MAX_LENGTH:
            return "yaml", in_yaml
    return "json", in_json


_FIX = "Write `suite: name`, `scorers: [...]` and `cases: [...]`."


def read_cases(name: str, text: str) -> Rows:
    """The cases of a JSONL or CSV file, as they are written.

    Raises:
        TooLarge: There are too many.
        InvalidDocument: The name ends otherwise, or the file has no columns.
    """
    if len(text) > MAX_BYTES:
        raise TooLarge(f"{name!r} has more than {MAX_BYTES // 2**20} MB.", fix="Split the suite.")
    rows = Rows(name)
    if name.lower().endswith(".jsonl"):
        read_jsonl(text, rows)
    elif name.lower().endswith(".csv"):
        columns = read_table(text, rows, ",")
        if "task" not in columns:
            raise InvalidDocument(f"{name!r} has no column `task`.", fix="Name the columns in the first row.")
        rows.values = [case_of(cast("dict[str, str]", cells)) for cells in rows.values]
    else:
        raise InvalidDocument(f"Cases cannot be read from {name!r}.", fix="Name a .jsonl or .csv file.")
    return rows


def case_of(cells: Mapping[str, str]) -> JsonObject:
    """The case of a row; empty cells are left out."""
    case: JsonObject = {}
    fields: JsonObject = {}
    for name, cell in cells.items():
        if not cell:
            continue
        if name == "tags":
            case["tags"] = [tag.strip() for tag in cell.split(",") if tag.strip()]
        elif name in CASE_FIELDS:
            case[name] = cell
        else:
            fields[name] = cell
    return {**case, "fields": fields} if fields else case


def _root(name: str, text: str) -> Part:
    if name.lower().endswith(".json"):
        return json_part(name, text, Budget(MAX_BYTES, MAX_JSON_PARTS))
    return yaml_part(name, text, Budget())


def _places(name: str, text: str, root: Part) -> Part:
    """The parts with lines: JSON is also YAML, as far as its places are concerned."""
    if root.place.line or len(text) > MAX_LENGTH:
        return root
    try:
        return yaml_part(name, text, Budget())
    except (InvalidDocument, TooLarge):
        return root


def _place(where: str, root: Part, rows: Rows | None) -> Location:
    steps = steps_of(where)
    if rows is not None and steps[:1] == ["cases"] and len(steps) > 1 and steps[1].isdecimal():
        return Location(rows.file, rows.lines[int(steps[1])], 1)
    return root.nearest(*steps).place


def _checked(document: JsonObject, *, needs_cases: bool = True) -> tuple[Iterable[Finding], Suite | None]:
    try:
        suite = Suite.model_validate(document)
    except ValidationError as error:
        names = {*Suite.model_fields, *Case.model_fields}
        found = findings_from(error, document, _no_class)
        return [replace(each, fix=nearest_name(each, names) or each.fix) for each in found], None
    return _more_findings(suite, needs_cases), suite


def _more_findings(suite: Suite, needs_cases: bool) -> Iterator[Finding]:
    if needs_cases and not suite.cases:
        yield Finding("no_cases", "The suite has no cases.", "Add cases, or name a file of them.", "/cases")
    yield from findings_of(suite)


def _no_class(provider: str) -> type[BaseModel] | None:
    del provider
    return None
