"""The tables of what came of reviews name tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLES = {"docs/design/reviews-2026-11.md": 4, "docs/design/first-hour.md": 3}
"""The columns of each; tests are in the third."""
NAMED = re.compile(r"`([^`]+)`")


@pytest.mark.parametrize(("table", "columns"), TABLES.items())
def test_each_test_that_is_named_exists(table: str, columns: int):
    missing: list[str] = []
    for line in (ROOT / table).read_text().splitlines():
        cells = line.split(" | ")
        file = ""
        for name in NAMED.findall(cells[2]) if len(cells) == columns else ():
            path, _, test = name.partition("::")
            file = path if path.endswith((".py", ".mjs")) else file
            source = ROOT / (file or path)
            if not source.is_file() or (test and f"def {test}(" not in source.read_text()):
                missing.append(f"{cells[0]}: {name}")
    assert missing == []
