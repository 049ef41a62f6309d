"""No name, label or page uses a word that the glossary has replaced.

`vocabulary.toml` lists these words. They stand nowhere but in the glossary's column "Formerly", in migrations, and in
the notes that quote reviews.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Collection, Iterator
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

JS_NAME = re.compile(r"\b(?:class|function|const|let)\s+(\w+)|^  (?:static |async |get |set )*(#?\w+)\(.*\{$", re.M)
CSS_NAME = re.compile(r"\.([a-z][\w-]*)(?=[^{}]*\{)")
ROUTE = re.compile(r"(?:@\w+\.(?:get|post|put|patch|delete)\(\s*|StudioRouter\(prefix=)\"([^\"]+)\"")


def retired(sort: str) -> list[str]:
    """The retired words of a sort."""
    read = tomllib.loads(VOCABULARY.read_text(encoding="utf-8"))
    return cast("dict[str, list[str]]", read["retired"])[sort]


def files(folder: str, *endings: str) -> list[Path]:
    found = [path for ending in endings for path in sorted((ROOT / folder).rglob(f"*.{ending}"))]
    return [path for path in found if not path.is_relative_to(MIGRATIONS)]


def python_names(tree: ast.AST) -> Iterator[str]:
    """Names that a module gives: to classes, functions, parameters, attributes and variables."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case _:
                pass


def names() -> Iterator[tuple[Path, str]]:
    """Every name of ours in Python, JavaScript, CSS and routes, and where it stands."""
    for path in [*files("studio", "py"), *files("scripts", "py")]:
        source = path.read_text(encoding="utf-8")
        parts = [part for route in ROUTE.findall(source) for part in re.findall(r"[\w-]+", route)]
        yield from ((path, name) for name in [*python_names(ast.parse(source)), *parts])
    for ending, pattern in (("js", JS_NAME), ("css", CSS_NAME)):
        for path in files(f"frontend/static/{ending}", ending):
            for match in pattern.finditer(path.read_text(encoding="utf-8")):
                yield path, match[match.lastindex or 0]


def modules() -> Iterator[str]:
    for path in [*files("studio", "py"), *files("frontend/static/js", "js")]:
        yield path.stem
        if path.name == "__init__.py":
            yield path.parent.name


def texts() -> Iterator[tuple[Path, str]]:
    """What people read: pages of the documentation, templates, and the sources of labels and messages."""
    shown = [*files("studio", "py"), *files("frontend/static/js", "js"), *files("frontend/templates", "html")]
    for path in [*PAGES, *shown]:
        if path not in (GLOSSARY, REVIEWS):
            yield path, " ".join(path.read_text(encoding="utf-8").split())


def is_retired(name: str, words: Collection[str]) -> bool:
    """Whether a name, private or not, is one of the words, or a constant that begins with one."""
    plain = name.lstrip("_#")
    return plain in words or (plain.isupper() and "_" in plain and f"{plain.split('_')[0]}_" in words)


@pytest.mark.slow
def test_names_are_not_retired():
    words = set(retired("names"))
    assert sorted(f"{where}: {name}" for where, name in names() if is_retired(name, words)) == []


def test_modules_are_not_retired():
    words = set(retired("modules"))
    assert sorted(name for name in modules() if name in words) == []


@pytest.mark.slow
def test_texts_do_not_say_what_is_retired():
    words = retired("text")
    assert [f"{where}: {word}" for where, text in texts() for word in words if word in text] == []


@pytest.mark.parametrize("sort", ["names", "modules", "text"])
def test_each_word_is_retired_once(sort: str):
    assert len(set(retired(sort))) == len(retired(sort))


def test_every_name_is_found():
    source = "MOST_ROWS = 1\nclass Purse:\n    came: int\n    async def told(me, of): me._take = [it for it in of]"
    found = set(python_names(ast.parse(source)))
    assert found == {"MOST_ROWS", "Purse", "came", "told", "me", "of", "_take", "it"}
    assert {name for name in found if is_retired(name, {"MOST_", "came", "take"})} == {"MOST_ROWS", "came", "_take"}
    assert JS_NAME.findall("export class Lift {\n  async #take(it) {\n") == [("Lift", ""), ("", "#take")]
    assert CSS_NAME.findall(".purse, .bell:hover { top: 1.5px }") == ["purse", "bell"]
    assert ROUTE.findall('StudioRouter(prefix="/api/tries") @router.get(\n"/{id}/told"') == ["/api/tries", "/{id}/told"]
