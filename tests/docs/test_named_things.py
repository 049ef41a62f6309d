"""What the documentation names exists: commands and their options, files and tests, routes, settings, anchors, imports.

What stands in code, within a line or as a block, is read; a sentence may say anything.
"""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
import typer.main
from typer.core import TyperCommand, TyperGroup

from studio.cli.app import app as cli
from studio.help import load_library
from studio.help.rendering import render
from studio.settings import Settings
from studio.web.app import create_app
from tests.docs.pages import PAGES, ROOT

GENERATED = {ROOT / "docs/reference/cli.md"}
"""Usage lines are no commands."""

FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
COMMAND = re.compile(r"(?:^ *(?:\$ )?|&& |; |-m |/)studio (?=[a-z-])(.*)")
FOLDERS = ("studio", "tests", "frontend", "scripts", "docs", "gallery", ".ci")
FILE = re.compile(rf"(?<![\w/.-])(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./{{}},*@<>-]+(?:::\w+)?")
SOURCE = re.compile(r"\w+\.(?:py|js|mjs|html|css)")
BUILT = ("studio/_docs", "studio/_frontend", "studio/_gallery")
"""Folders that are there in the wheel only."""
ROUTE = re.compile(r"(?:\b(GET|POST|PUT|PATCH|DELETE) )?(?<![\w.}])(/api/[\w/{}$*…-]+)")
OPEN = re.compile(r"\{[^/]*\}|\$\w+|\*|…|[A-Z_]+")
"""What stands for an id in a route."""
SETTING = re.compile(r"\bSTUDIO_[A-Z_]*[A-Z]\b")

pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


class Code(NamedTuple):
    """Code of a page: each line of a block, or what stands between backticks."""

    text: str
    is_block: bool


def blocks_of(page: Path) -> Iterator[tuple[str, str]]:
    """Language and text of each block."""
    for _, language, text in FENCE.findall(page.read_text(encoding="utf-8")):
        yield language, text


def code_of(page: Path) -> Iterator[Code]:
    for _, text in blocks_of(page):
        yield from (Code(line, True) for line in text.replace("\\\n", " ").splitlines())
    for _, text in SPAN.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        yield Code(" ".join(text.split()), False)


@cache
def commands() -> TyperGroup:
    return cast("TyperGroup", typer.main.get_command(cli))


def fault_of(words: list[str]) -> str:
    """What is wrong with a command, as far as its names go; its files need not be there."""
    command: TyperCommand | TyperGroup = commands()
    while isinstance(command, TyperGroup) and words and not words[0].startswith("-"):
        inner = command.commands.get(words[0])
        if inner is None:
            return f"there is no command {words[0]!r}"
        command, words = cast("TyperCommand | TyperGroup", inner), words[1:]
    options = {name for param in command.params for name in (*param.opts, *param.secondary_opts)} | {"--help"}
    return "".join(
        f"there is no option {word!r}"
        for word in words
        if word.startswith("-") and word.partition("=")[0] not in options
    )


def words_of(line: str) -> list[str]:
    """The words of the first command of a line, as a shell reads them."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    words: list[str] = []
    for word in lexer:
        if set(word) <= set("|&;<>()"):
            break
        words.append(word)
    return words


@pages
def test_commands_and_their_options_exist(page: Path):
    if page in GENERATED:
        return
    faults = [
        f"{code.text}: {fault}"
        for code in code_of(page)
        if (found := COMMAND.search(code.text)) and (code.is_block or code.text.startswith("studio "))
        if (fault := fault_of(words_of(found[1])))
    ]
    assert faults == []


@pytest.mark.parametrize("line", ["fly", "users fly ada", "run team.json --fly", "serve --port 1 --fly | cat --x"])
def test_a_command_that_does_not_exist_is_seen(line: str):
    assert "fly" in fault_of(words_of(line))


def expanded(name: str) -> Iterator[str]:
    """`a/{b,c}.py` as `a/b.py` and `a/c.py`; what stands for something, as in `<package>`, as a pattern."""
    parts = [part[1:-1].split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^{}]*\})", name)]
    for chosen in product(*parts):
        yield re.sub(r"<[^<>]*>", "*", "".join(chosen))


def is_there(name: str) -> bool:
    path, _, test = name.partition("::")
    files = list(ROOT.glob(path.rstrip("/."))) if any(sign in path for sign in "*?[") else [ROOT / path.rstrip(".")]
    if test:
        return any(re.search(rf"\b(?:def|class) {test}\b", file.read_text()) for file in files if file.is_file())
    return any(file.exists() for file in files)


@pages
def test_files_and_tests_exist(page: Path):
    named = {
        name
        for code in code_of(page)
        for found in FILE.findall(code.text)
        if not found.startswith(BUILT)
        for name in expanded(found)
    }
    assert sorted(name for name in named if not is_there(name)) == []


@cache
def file_names() -> frozenset[str]:
    """The names of our files, without their folders."""
    found = (path for folder in FOLDERS if folder != "docs" for path in (ROOT / folder).rglob("*"))
    return frozenset(path.name for path in found if "node_modules" not in path.parts)


NOTES = sorted((ROOT / "docs/design").glob("*.md"))


@pytest.mark.parametrize("page", NOTES, ids=lambda page: page.name)
def test_files_that_a_note_on_the_design_names_without_their_folder_exist(page: Path):
    """Guides name files of their readers so."""
    named = {code.text for code in code_of(page) if not code.is_block and SOURCE.fullmatch(code.text)}
    assert sorted(named - file_names()) == []


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The methods of each route of the API."""
    document = create_app(Settings(data_dir=tmp_path_factory.mktemp("studio"))).openapi()
    paths = cast("dict[str, dict[str, Any]]", document["paths"])
    return {path: {method.upper() for method in methods} for path, methods in paths.items()}


def fits(named: str, route: str) -> bool:
    ours, theirs = named.strip("/").split("/"), route.strip("/").split("/")
    return len(ours) == len(theirs) and all(
        one == other or (other.startswith("{") and bool(OPEN.fullmatch(one))) or (one == "*")
        for one, other in zip(ours, theirs, strict=True)
    )


@pages
def test_routes_exist(page: Path, routes: dict[str, set[str]]):
    wrong = [
        f"{method} {path}".strip()
        for code in code_of(page)
        for method, path in ROUTE.findall(code.text)
        if not path.startswith("/api/openapi")
        if not any(fits(path, route) and (not method or method in methods) for route, methods in routes.items())
    ]
    assert wrong == []


@cache
def settings_in_code() -> frozenset[str]:
    """Settings of the studio, and variables that its scripts, tests and secrets read."""
    files = [path for folder in ("scripts", "studio", "tests", ".ci") for path in (ROOT / folder).rglob("*")]
    sources = (
        path.read_text(errors="ignore") for path in files if path.is_file() and path.suffix in ("", ".py", ".sh")
    )
    used = {name for source in sources for name in SETTING.findall(source)}
    return frozenset(used | {f"STUDIO_{name.upper()}" for name in Settings.model_fields})


@pages
def test_settings_exist(page: Path):
    named = {name for code in code_of(page) for name in SETTING.findall(code.text)}
    assert sorted(name for name in named - settings_in_code() if not name.startswith("STUDIO_SECRET_")) == []


@pages
def test_what_is_imported_in_python_exists(page: Path):
    wrong: list[str] = []
    for language, text in blocks_of(page):
        if language != "python":
            continue
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue  # a piece of a program, as in a list
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "studio":
                module = importlib.import_module(str(node.module))
                wrong += [f"{node.module}.{name.name}" for name in node.names if not hasattr(module, name.name)]
    assert wrong == []


def anchors_of(page: Path) -> set[str]:
    rendered = render(page.read_text(encoding="utf-8"), lambda _: None, lambda _: None)
    return {heading.anchor for heading in rendered.headings}


ANCHOR = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s:]*)#([^)\s]+)\)")


@pages
def test_links_to_headings_lead_to_one(page: Path):
    wrong = [
        f"{target}#{anchor}"
        for target, anchor in ANCHOR.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
        if anchor not in anchors_of(page.parent / target if target else page)
    ]
    assert wrong == []


def test_the_documentation_is_read_at_all():
    """What is looked for above is found in numbers, so that no pattern goes blind."""
    everything = [code for page in PAGES for code in code_of(page)]
    for pattern, least in ((COMMAND, 30), (FILE, 100), (ROUTE, 25), (SETTING, 25)):
        assert sum(bool(pattern.search(code.text)) for code in everything) > least, pattern.pattern
    assert len(load_library().pages) > 50
