"""Rows of JSONL, CSV and TSV with their lines; all rows that cannot be read are told at once."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components import parse_json
from studio.errors import Finding, InvalidDocument, StudioError, TooLarge
from studio.evaluation.mistakes import PlacedFinding
from studio.evaluation.suites import MAX_CASES
from studio.importers.parts import Location


@dataclass
class Rows:
    """What stands in the rows of a file, and the mistakes of those that cannot be read."""

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


def read_jsonl(text: str, rows: Rows) -> None:
    """Read one object a line."""
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


def read_table(text: str, rows: Rows, delimiter: str) -> Sequence[str]:
    """Read rows of cells by the names in the first one, and give back these names.

    Raises:
        InvalidDocument: There is no row.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    columns: list[str] = []
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
                rows.add(line, dict(zip(columns, cells, strict=False)))
    if not columns:
        raise InvalidDocument(f"{rows.file!r} has no rows.", fix="Name the columns in the first row.")
    return columns


def _check_columns(columns: Sequence[str], rows: Rows) -> None:
    for name in sorted({name for name in columns if columns.count(name) > 1}):
        rows.refuse(1, f"There are several columns {name!r}.", "Give each column a name of its own.")
