"""Finds pages and headings by words: in a title before a heading, in a heading before the text.

A word of the query stands for all words that begin with it. All words of a query must be there, but for those that only
make it a question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from studio.help.rendering import Passage

MAX_QUERY = 200
MAX_WORDS = 8
MAX_OF_A_PAGE = 3
EXCERPT_CHARS = 160
WORD = re.compile(r"\w+")
SMALL_WORDS = frozenset(
    WORD.findall("a an and are at can do does for from how i in is it my of on or the this to what where with")
)
"""Looked for only where a query has no others: "how do I stop a team" is about *stop* and *team*."""

IN_TITLE, IN_HEADING, IN_TEXT, IN_PAGE = range(4)
"""The better the place, the lower the rank. Last: the words are on the page, but under different headings."""


class Hit(NamedTuple):
    """A page, or a place in one. `heading` is empty for the page as a whole."""

    url: str
    title: str
    section: str
    heading: str
    excerpt: str


class _SearchText(NamedTuple):
    """A passage with its words as the search looks for them."""

    passage: Passage
    heading: str
    text: str


@dataclass(frozen=True)
class Indexed:
    """A page as the search looks through it."""

    title: str
    url: str
    section: str
    title_words: str
    words: str
    places: tuple[_SearchText, ...]

    @classmethod
    def from_passages(cls, title: str, url: str, section: str, passages: Sequence[Passage]) -> Indexed:
        places = tuple(
            _SearchText(each, _folded(each.heading.text if each.heading else ""), _folded(each.text))
            for each in passages
        )
        title_words = _folded(title)
        words = "".join([title_words, *(place.heading + place.text for place in places)])
        return cls(title, url, section, title_words, words, places)


def search(pages: Sequence[Indexed], query: str, limit: int) -> Sequence[Hit]:
    """The best hits first; among equals in the order of the table of contents."""
    asked = WORD.findall(query[:MAX_QUERY].casefold())
    words = [f" {word}" for word in [word for word in asked if word not in SMALL_WORDS] or asked][:MAX_WORDS]
    ranked = [found for page in pages for found in _hits(page, words)] if words else []
    return [hit for _, hit in sorted(ranked, key=lambda found: found[0])[:limit]]


def _hits(page: Indexed, words: Sequence[str]) -> Iterator[tuple[int, Hit]]:
    if not _has(page.words, words):
        return
    in_title = _has(page.title_words, words)
    if in_title:
        yield IN_TITLE, _hit(page, page.places[0], words)
    found = sorted(
        (
            (_rank(page, place, words), place)
            for place in page.places
            if place.passage.heading or not in_title
            if _has(page.title_words + place.heading + place.text, words)
            if _has_any(place.heading + place.text, words)
        ),
        key=lambda ranked: ranked[0],
    )
    for rank, place in found[: MAX_OF_A_PAGE - in_title]:
        yield rank, _hit(page, place, words)
    if not found and not in_title:
        yield IN_PAGE, _hit(page, page.places[0], words)


def _rank(page: Indexed, place: _SearchText, words: Sequence[str]) -> int:
    is_named = _has(page.title_words + place.heading, words) and _has_any(place.heading, words)
    return IN_HEADING if is_named else IN_TEXT


def _hit(page: Indexed, place: _SearchText, words: Sequence[str]) -> Hit:
    heading = place.passage.heading
    url = f"{page.url}#{heading.anchor}" if heading else page.url
    return Hit(url, page.title, page.section, heading.text if heading else "", _excerpt(place.passage.text, words))


def _excerpt(text: str, words: Sequence[str]) -> str:
    """The text from a little before the first word that was asked for."""
    flat = " ".join(text.split())
    found = re.search("|".join(rf"\b{re.escape(word[1:])}" for word in words), flat, re.IGNORECASE)
    start = max(0, (found.start() if found else 0) - EXCERPT_CHARS // 4)
    start = flat.find(" ", start) + 1 if start else 0
    cut = flat[start : start + EXCERPT_CHARS]
    whole = cut if start + EXCERPT_CHARS >= len(flat) else cut.rpartition(" ")[0] + " …"
    return f"… {whole}" if start else whole


def _has(folded: str, words: Sequence[str]) -> bool:
    return all(word in folded for word in words)


def _has_any(folded: str, words: Sequence[str]) -> bool:
    return any(word in folded for word in words)


def _folded(text: str) -> str:
    """Its words in lower case, each behind a space."""
    return "".join(f" {word}" for word in WORD.findall(text.casefold()))
