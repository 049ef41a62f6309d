"""Files of suites and teams, for `studio eval run`."""

from __future__ import annotations

import json
from pathlib import Path

from studio.components import JsonObject

SUITE = """\
suite: greetings
scorers:
  - includes: "{target}"
cases:
  - {id: morning, task: Greet me., target: morning}
  - {id: evening, task: Greet me late., target: evening}
"""
BOTH = "Good morning and good evening."


def written(folder: Path, name: str, content: str | JsonObject) -> Path:
    file = folder / name
    file.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return file


def many_cases(count: int) -> str:
    cases = "".join(f"  - {{id: case-{n}, task: Task {n}., target: morning}}\n" for n in range(count))
    return f'suite: greetings\nscorers:\n  - includes: "{{target}}"\ncases:\n{cases}'
