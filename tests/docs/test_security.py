"""Each rule of the threat model names tests, and they exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/explanation/security.md"
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_each_rule_names_a_test_that_exists():
    rules = PAGE.read_text().split("## Rules that hold")[1].split("\n## ")[0]
    rows = [line for line in rules.splitlines() if line.startswith("| ") and line != "| Rule | Test |"]
    assert len(rows) > 10
    for row in rows:
        named = NAMED.findall(row)
        assert named, f"No test holds: {row}"
        for file, test in named:
            tree = ast.parse((ROOT / file).read_text())
            functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
            assert test in functions, f"{file} has no {test}"
