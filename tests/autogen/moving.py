"""Changes a script's import lines from AutoGen's names to the studio's, by the tables of the how-to page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "run-an-autogen-script.md"
_ROW = re.compile(r"^\| `([\w.]+)` \| (.+) \| `([\w.]+)` \|$", re.MULTILINE)
_IMPORT = re.compile(r"^( *)from (autogen_[\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_HAS_CONFIG_CLASS = re.compile(r"^from autogen_core import .*\bComponent\b", re.MULTILINE)
EVERYTHING = "everything else"

Table = dict[tuple[str, str], tuple[str, str]]


def moved(script: str) -> str:
    """The script with other import lines, and nothing else changed.

    Raises:
        KeyError: The page has no place for a name.
    """
    names, bases = tables()
    chosen = {**names, **bases} if _HAS_CONFIG_CLASS.search(script) else names

    def lines(found: re.Match[str]) -> str:
        indent, module, imported = found.groups()
        items = [item.strip() for item in imported.strip("()").split(",")]
        return "\n".join(f"{indent}{_line(chosen, module, item)}" for item in items if item)

    return _IMPORT.sub(lines, script)


def _line(table: Table, module: str, item: str) -> str:
    name, _, alias = item.partition(" as ")
    place, ours = table[(module, name)] if (module, name) in table else (table[(module, EVERYTHING)][0], name)
    shown = alias or name
    return f"from {place} import {ours}" + (f" as {shown}" if shown != ours else "")


@cache
def tables() -> tuple[Table, Table]:
    """From module and name to module and name: for every script, and for one whose classes have a config."""
    text = PAGE.read_text()
    every, _, with_config = text.partition("### Classes with their own config")
    assert with_config, "the page has no second table"
    return dict(_rows(every)), dict(_rows(with_config))


def _rows(text: str) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    for module, names, place in _ROW.findall(text):
        for name in names.split(", "):
            theirs, _, ours = name.replace("`", "").partition(" as ")
            yield (module, theirs), (place, ours or theirs)
