"""The little HTML that pages of the documentation may hold: pictures for two themes, keys and comments."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from html.parser import HTMLParser
from typing import NamedTuple

PLAIN_TAGS = frozenset({"kbd", "br"})


class Picture(NamedTuple):
    """Where a picture is served, and its size in pixels."""

    url: str
    width: int
    height: int


FindPicture = Callable[[str], Picture | None]
"""The picture that a page names; None where there is no such picture."""


def image(picture: Picture | None, alt: str, *, width: str = "", theme: str = "") -> str:
    """The tag of a picture, or its description where there is none. With its size the text below it stays in place.

    It leads to the picture alone, which a narrow page shows too small to read.
    """
    if picture is None:
        return escape(alt)
    wide = int(width) if width.isdecimal() else picture.width
    high = picture.height * wide // picture.width
    only = f' data-theme-only="{theme}"' if theme else ""
    url = escape(picture.url)
    shown = f'<img src="{url}" alt="{escape(alt)}" width="{wide}" height="{high}" loading="lazy">'
    return f'<a href="{url}"{only}>{shown}</a>'


class SafeHtml(HTMLParser):
    """Writes known tags anew, and everything else as text: no attribute is passed on, so nothing can run."""

    def __init__(self, find: FindPicture) -> None:
        super().__init__()
        self._find = find
        self._parts: list[str] = []
        self._dark = ""

    def clean(self, html: str) -> str:
        """The next piece of HTML of a page; a picture may come in several."""
        self._parts = []
        self.feed(html)
        return "".join(self._parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in PLAIN_TAGS:
            self._parts.append(f"<{tag}>")
        elif tag == "source" and "dark" in given.get("media", ""):
            self._dark = given.get("srcset", "")
        elif tag == "img":
            self._add_image(given)
        elif tag not in ("picture", "source"):
            self._parts.append(escape(self.get_starttag_text() or ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in PLAIN_TAGS:
            self._parts.append(f"</{tag}>")
        elif tag == "picture":
            self._dark = ""
        else:
            self._parts.append(escape(f"</{tag}>"))

    def handle_data(self, data: str) -> None:
        self._parts.append(escape(data))

    def _add_image(self, given: dict[str, str]) -> None:
        light, alt, width = self._find(given.get("src", "")), given.get("alt", ""), given.get("width", "")
        dark = self._find(self._dark) if self._dark else None
        if dark is None:
            self._parts.append(image(light, alt, width=width))
        else:
            self._parts.append(image(light, alt, width=width, theme="light"))
            self._parts.append(image(dark, alt, width=width, theme="dark"))
