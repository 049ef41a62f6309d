"""Suite files: YAML or JSON, with the cases inside or in a JSONL or CSV file beside. Reading executes nothing."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, JsonValue, ValidationError
from typing_extensions import override

from studio.components import JsonObject, parse_json
from studio.components.document import MAX_BYTES
from studio.components.findings import findings_from
from studio.components.pointers import steps_of
from studio.errors import ConfigError, Finding, InvalidDocument, StudioError, TooLarge, first_findings
from studio.evaluation.scorers.entry import nearest_name
from studio.evaluation.suites import MAX_CASES, Case, Suite, findings_of
from studio.importers.parts import MAX_LENGTH, Budget, Location, Part, json_part, yaml_part

MAX_JSON_PARTS = 2_000_000
CASE_FIELDS = frozenset(Case.model_fields) - {"scorers", "fields", "origin"}
"""Columns of a CSV file with a meaning; all others are fields of the case."""

ReadBeside = Callable[[str], str]
"""Gives the text of a file beside the suite, by its name."""


@dataclass(frozen=True)
class PlacedFinding:
    """A finding and where it stands in the files."""

    finding: Finding
    place: Location

    def as_json(self) -> JsonObject:
        said: JsonObject = {"code": self.finding.code, "message": self.finding.message, "fix": self.finding.fix}
        return {**said, "where": self.finding.where, **self.place.as_json()}


class InvalidSuite(ConfigError):
    """One or more places of a suite file are wrong; `placed` lists all of them, up to 200."""

    code = "invalid_suite"

    def __init__(self, placed: Sequence[PlacedFinding]) -> None:
        first = placed[0]
        more = f" (and {len(placed) - 1} more)" if len(placed) > 1 else ""
        super().__init__(f"{first.finding.message}{more}", fix=first.finding.fix, where=str(first.place))
        self.placed = tuple(placed)

    @override
    def as_json(self) -> dict[str, object]:
        return {**super().as_json(), "findings": [each.as_json() for each in self.placed]}


@dataclass
class _Rows:
    """Cases that stand in a file of their own."""

    file: str
    values: list[JsonValue] = field(default_factory=list[JsonValue])
    lines: list[int] = field(default_factory=list[int])
    wrong: list[PlacedFinding] = field(default_factory=list[PlacedFinding])

    def add(self, line: int, value: JsonValue) -> None:
        if len(self.values) == MAX_CASES:
            raise TooLarge(f"{self.file!r} has more than {MAX_CASES:,} cases.", fix="Split the suite.")
        self.values.append(value)
        self.lines.append(line)

    def refuse(self, line: int, message: str, fix: str) -> None:
        self.wrong.append(PlacedFinding(Finding("wrong_row", message, fix), Location(self.file, line, 1)))


def read_suite(name: str, text: str, read_beside: ReadBeside, *, needs_cases: bool = True) -> Suite:
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
    return suite


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


_FIX = "Write `suite: name`, `scorers: [...]` and `cases: [...]`."


def read_cases(name: str, text: str) -> _Rows:
    """The cases of a JSONL or CSV file, as they are written.

    Raises:
        TooLarge: There are too many.
        InvalidDocument: The name ends otherwise, or the file has no columns.
    """
    if len(text) > MAX_BYTES:
        raise TooLarge(f"{name!r} has more than {MAX_BYTES // 2**20} MB.", fix="Split the suite.")
    rows = _Rows(name)
    if name.lower().endswith(".jsonl"):
        _read_jsonl(text, rows)
    elif name.lower().endswith(".csv"):
        _read_csv(text, rows)
    else:
        raise InvalidDocument(f"Cases cannot be read from {name!r}.", fix="Name a .jsonl or .csv file.")
    return rows


def _read_jsonl(text: str, rows: _Rows) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except StudioError as error:
            rows.refuse(number, f"This line is not JSON: {error.what}", "Write one object a line.")
            continue
        if isinstance(value, dict):
            rows.add(number, value)
        else:
            rows.refuse(number, "This line is not an object.", 'Write `{"task": "..."}`.')


def _read_csv(text: str, rows: _Rows) -> None:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    columns: list[str] = []
    line = 1
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            rows.refuse(reader.line_num, f"This is not CSV: {error}.", "Check the quotes.")
            break
        if not columns:
            columns = [cell.strip() for cell in cells]
            _check_columns(columns, rows)
        elif any(cells):
            if len(cells) > len(columns):
                what = f"This row has {len(cells)} cells, but there are {len(columns)} columns."
                rows.refuse(line, what, "Put texts with commas in quotes.")
            else:
                rows.add(line, _case_of(dict(zip(columns, cells, strict=False))))


def _check_columns(columns: Sequence[str], rows: _Rows) -> None:
    if "task" not in columns:
        raise InvalidDocument(f"{rows.file!r} has no column `task`.", fix="Name the columns in the first row.")
    for name in sorted({name for name in columns if columns.count(name) > 1}):
        rows.refuse(1, f"There are several columns {name!r}.", "Give each column a name of its own.")


def _case_of(cells: Mapping[str, str]) -> JsonObject:
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


def _place(where: str, root: Part, rows: _Rows | None) -> Location:
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
