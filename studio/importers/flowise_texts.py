"""Texts of Flowise: HTML of its editor as Markdown, and references to what is known in a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html.parser import HTMLParser

from studio.importers import canvas_texts
from studio.importers.canvas_texts import Resolve

_EDITED = re.compile(r"\s*<(?:p|div|h[1-6]|ul|ol|blockquote|pre|table)\b", re.IGNORECASE)
"""How a text of the editor begins; others are plain, whatever tags they hold. Flowise decides so, too."""
_BLOCKS = ("p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table", "tr", "ul", "ol")
_MARKS = {"strong": "**", "b": "**", "em": "_", "i": "_", "code": "`"}
_PLACE = re.compile(r"\{\{([^{}\n]{1,300})\}\}")
_STEP = re.compile(r"[^.\[\]]+|\[-?\d+\]")
MAX_LISTS = 20
"""Lists in lists that are still indented."""


def steps_of(path: str) -> tuple[str, ...]:
    """The names and numbers of a path such as `plan[0].title`."""
    return tuple(each.strip("[]").strip() for each in _STEP.findall(path) if each.strip())


def plain(text: str) -> str:
    """A text as a model reads it: what the editor wrote as HTML is Markdown."""
    if not _EDITED.match(text):
        return text
    reader = _Markdown()
    reader.feed(text)
    reader.close()
    return reader.result()


def template(text: str, resolve: Resolve, missed: Callable[[str, str], None]) -> str:
    """A text with places for context variables; unknown references stay as they are written, and are told."""
    return canvas_texts.template(
        plain(text), _PLACE, lambda each: resolve(cleaned(each)), lambda each, why: missed(cleaned(each), why)
    )


def expression(text: str, resolve: Resolve) -> str:
    """A text as an expression: the value itself where it is one reference.

    Raises:
        Unsupported: A reference in it is not known.
    """
    return canvas_texts.expression(plain(text).strip(), _PLACE, lambda each: resolve(cleaned(each)))


def references(text: str) -> Sequence[str]:
    """What a text refers to."""
    return [cleaned(each) for each in _PLACE.findall(text)]


def cleaned(reference: str) -> str:
    return reference.replace("\\", "").strip()


class _Markdown(HTMLParser):
    """Writes Markdown. Unknown tags leave their text; time is linear in the text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._lists: list[int] = []
        self._is_verbatim = False

    def result(self) -> str:
        text = re.sub(r"[ \t]+\n", "\n", "".join(self._out))
        return re.sub(r"\n{3,}", "\n\n", text).strip()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  HTMLParser gives it
        if tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ul" else 1)
            self._out.append("\n")
        elif tag == "li":
            depth = min(len(self._lists), MAX_LISTS) - 1
            number = self._lists[-1] if self._lists else 0
            self._out.append(f"\n{'    ' * max(depth, 0)}{f'{number}.  ' if number else '*   '}")
            if number:
                self._lists[-1] += 1
        elif tag == "br":
            self._out.append("\n")
        elif tag == "pre":
            self._out.append("\n\n```\n")
            self._is_verbatim = True
        elif tag in _MARKS and not self._is_verbatim:
            self._out.append(_MARKS[tag])
        elif re.fullmatch("h[1-6]", tag):
            self._out.append(f"\n\n{'#' * int(tag[1])} ")
        elif tag in _BLOCKS and not self._lists:
            self._out.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
            self._out.append("\n" if self._lists else "\n\n")
        elif tag == "pre":
            self._out.append("\n```\n\n")
            self._is_verbatim = False
        elif tag in _MARKS and not self._is_verbatim:
            self._out.append(_MARKS[tag])
        elif tag in _BLOCKS and not self._lists:
            self._out.append("\n\n")

    def handle_data(self, data: str) -> None:
        self._out.append(data)
