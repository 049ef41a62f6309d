"""No name, label or page uses a word that the glossary has replaced.

`vocabulary.toml` lists these words. Those under `not_yet` are still in use: their counts may shrink, never grow.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from tests.docs.pages import PAGES

ROOT = Path(__file__).resolve().parents[2]
VOCABULARY = Path(__file__).with_name("vocabulary.toml")
GLOSSARY = ROOT / "docs/reference/glossary.md"
MIGRATIONS = ROOT / "studio/store/migrations"
REVIEWS = ROOT / "docs/design/reviews-2026-11.md"
"""Quotes what readers met."""

JS_NAME = re.compile(r"\b(?:class|function|const|let)\s+(\w+)")
CSS_NAME = re.compile(r"\.([a-z][\w-]*)(?=[^{}]*\{)")
ROUTE = re.compile(r"@\w+\.(?:get|post|put|patch|delete)\(\s*\"([^\"]+)\"")


def vocabulary() -> tuple[dict[str, list[str]], dict[str, dict[str, int]]]:
    """The retired words of each sort, and how often each is still in use."""
    read = tomllib.loads(VOCABULARY.read_text(encoding="utf-8"))
    return cast("dict[str, list[str]]", read["retired"]), cast("dict[str, dict[str, int]]", read["not_yet"])


def files(folder: str, *endings: str) -> list[Path]:
    found = [path for ending in endings for path in sorted((ROOT / folder).rglob(f"*.{ending}"))]
    return [path for path in found if not path.is_relative_to(MIGRATIONS)]


def python_names(tree: ast.AST) -> Iterator[str]:
    """Names that a module defines: classes, functions, constants and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        if isinstance(node, ast.ClassDef | ast.Module):
            for each in node.body:
                targets = each.targets if isinstance(each, ast.Assign) else []
                targets = [each.target] if isinstance(each, ast.AnnAssign) else targets
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def names() -> Iterator[str]:
    """Every name of ours in Python, JavaScript, CSS and routes."""
    for path in files("studio", "py"):
        yield from python_names(ast.parse(path.read_bytes()))
    for path in files("frontend/static/js", "js"):
        yield from JS_NAME.findall(path.read_text(encoding="utf-8"))
    for path in files("frontend/static/css", "css"):
        yield from set(CSS_NAME.findall(path.read_text(encoding="utf-8")))
    for path in files("studio/web", "py"):
        for route in ROUTE.findall(path.read_text(encoding="utf-8")):
            yield from re.findall(r"[\w-]+", route)


def modules() -> Iterator[str]:
    for path in [*files("studio", "py"), *files("frontend/static/js", "js")]:
        yield path.stem
        if path.name == "__init__.py":
            yield path.parent.name


def texts() -> Iterator[str]:
    """What people read: pages of the documentation, templates, and the sources of labels and messages."""
    shown = [*files("studio", "py"), *files("frontend/static/js", "js"), *files("frontend/templates", "html")]
    for path in [*PAGES, *shown]:
        if path not in (GLOSSARY, REVIEWS):
            yield " ".join(path.read_text(encoding="utf-8").split())


@cache
def in_use(sort: str) -> Counter[str]:
    """How often each retired word of a sort is used."""
    retired = vocabulary()[0][sort]
    if sort == "text":
        everything = "\n".join(texts())
        return Counter({word: found for word in retired if (found := everything.count(word))})
    every = list(names() if sort == "names" else modules())
    if sort == "names":
        every = [*every, *(f"{name.split('_')[0]}_" for name in every if name.isupper() and "_" in name)]
    return Counter(name for name in every if name in set(retired))


@pytest.mark.slow
@pytest.mark.parametrize("sort", ["names", "modules", "text"])
def test_retired_words_do_not_come_back(sort: str):
    allowed = vocabulary()[1].get(sort, {})
    found = in_use(sort)
    assert found == allowed, "Use the term of docs/reference/glossary.md; lower a count that has shrunk."


@pytest.mark.parametrize("sort", ["names", "modules", "text"])
def test_only_retired_words_are_still_to_go(sort: str):
    retired, not_yet = vocabulary()
    assert set(not_yet.get(sort, {})) <= set(retired[sort])
    assert len(set(retired[sort])) == len(retired[sort])


def test_every_name_is_found():
    source = "MOST_ROWS = 1\nclass Purse:\n    came: int\n    async def told(self): ..."
    assert set(python_names(ast.parse(source))) == {"MOST_ROWS", "Purse", "came", "told"}
    assert JS_NAME.findall("export class Lift {}\nconst tail = 1;") == ["Lift", "tail"]
    assert CSS_NAME.findall(".purse, .bell:hover { top: 1.5px }") == ["purse", "bell"]
