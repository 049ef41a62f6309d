"""The table of the reviews of November 2026 names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/design/reviews-2026-11.md"
NAMED = re.compile(r"`([^`]+)`")


def test_each_test_that_is_named_exists():
    missing: list[str] = []
    for line in TABLE.read_text().splitlines():
        cells = line.split(" | ")
        file = ""
        for name in NAMED.findall(cells[2]) if len(cells) == 4 else ():
            path, _, test = name.partition("::")
            file = path if path.endswith((".py", ".mjs")) else file
            source = ROOT / (file or path)
            if not source.is_file() or (test and f"def {test}(" not in source.read_text()):
                missing.append(f"{cells[0]}: {name}")
    assert missing == []
