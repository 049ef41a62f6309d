"""Python of a bundle: its scripts, and the code cells of its notebooks, each as a module of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from studio.components import parse_document
from studio.errors import StudioError
from studio.importers.bundle import MAX_DOCUMENT, Bundle

SUFFIX = ".ipynb"
MAX_CELLS = 1_000
_KEEPING_CODE = ("%%capture", "%%time", "%%timeit", "%%prun")
"""Magics of a cell whose other lines are Python."""


def modules_in(bundle: Bundle) -> Iterator[tuple[str, str]]:
    """Names and texts of Python in a bundle; a cell is called after its notebook and its number from 1."""
    yield from bundle.named(".py")
    for name, text in bundle.named(SUFFIX):
        yield from ((f"{name}, cell {number}", code) for number, code in cells_of(text))


def is_cell(name: str) -> bool:
    """Whether a module of this name is a cell."""
    return f"{SUFFIX}, cell " in name.lower()


def cells_of(text: str) -> Iterator[tuple[int, str]]:
    """The code cells of a notebook with their numbers among all cells; none where it is no notebook."""
    try:
        document = parse_document(text, max_bytes=MAX_DOCUMENT)
    except StudioError:
        return
    cells = document.get("cells") if isinstance(document, dict) and "nbformat" in document else None
    for number, cell in enumerate(cells[:MAX_CELLS] if isinstance(cells, list) else [], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source")
        lines = source if isinstance(source, list) else [source]
        code = "".join(line for line in lines if isinstance(line, str))
        if code.strip():
            yield number, code


def without_magics(code: str) -> str:
    """A cell without lines for the notebook itself, each line in its place; empty if it is in another language."""
    if code.lstrip().startswith("%%") and not code.lstrip().startswith(_KEEPING_CODE):
        return ""
    return re.sub(r"(?m)^([ \t]*)[%!?].*$", r"\1pass", code)
