"""Markdown of one page to HTML that a page of the studio may hold, with its headings and its words for the search."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from studio.help.markup import FindPicture, SafeHtml, image

NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
SIDES = {"text-align:right": "end", "text-align:center": "center"}
"""Markdown-it aligns by inline styles, which the Content-Security-Policy blocks."""

FindPage = Callable[[str], str | None]
"""The address in the studio of what a link names; None where Help does not have it."""


class Heading(NamedTuple):
    """A heading below the title: 2 is the highest level."""

    level: int
    anchor: str
    text: str


class Passage(NamedTuple):
    """What stands under one heading; that before the first one has none."""

    heading: Heading | None
    text: str


class Rendered(NamedTuple):
    """One page. The title is not part of `html`: a page of the studio shows it in its head."""

    title: str
    html: str
    headings: tuple[Heading, ...]
    passages: tuple[Passage, ...]


def render(text: str, find_page: FindPage, find_picture: FindPicture) -> Rendered:
    """Render the Markdown of a page. No HTML in it passes, but for what `studio.help.markup` knows."""
    tokens = _markdown().parse(text)
    title, tokens = _without_title(tokens)
    headings = tuple(_with_anchors(tokens))
    for token in tokens:
        _lead_links(token.children or (), find_page)
    html = _Renderer(find_picture).render(tokens, _markdown().options, {})
    return Rendered(title, str(html), headings, tuple(_passages(tokens, headings)))


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


class _Renderer(RendererHTML):
    """Each method renders the token of its name."""

    def __init__(self, find_picture: FindPicture) -> None:
        super().__init__()
        self._find_picture = find_picture
        self._safe = SafeHtml(find_picture)

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del options, env
        return image(self._find_picture(str(tokens[idx].attrs["src"])), _words(tokens[idx].children or ()))

    def html_inline(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del options, env
        return self._safe.clean(tokens[idx].content)

    def html_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.html_inline(tokens, idx, options, env)

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del options, env
        language = tokens[idx].info.split(maxsplit=1)[0] if tokens[idx].info.strip() else ""
        name = f' class="{escape(language)}"' if language else ""
        return f'<pre tabindex="0"><code{name}>{escape(tokens[idx].content)}</code></pre>\n'

    def code_block(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.fence(tokens, idx, options, env)

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del tokens, idx, options, env
        return '<div class="table-scroll" tabindex="0" role="group" aria-label="Table"><table class="table">\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del tokens, idx, options, env
        return "</table></div>\n"

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del options, env
        tag = _cell_tag(tokens[idx], tokens[idx + 1])
        side = SIDES.get(str(tokens[idx].attrs.get("style", "")), "")
        return f'<{tag} data-align="{side}">' if side else f"<{tag}>"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return self.td_open(tokens, idx, options, env)

    def th_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        del options, env
        return f"</{_cell_tag(tokens[idx], tokens[idx - 1])}>"


def _cell_tag(cell: Token, content: Token) -> str:
    """A head without words heads nothing: Markdown has no table without a head."""
    return cell.tag if content.content else "td"


def _words(tokens: Iterable[Token]) -> str:
    """The text of inline tokens."""
    return "".join(
        _words(token.children or ()) if token.type == "image" else " " if token.type == "softbreak" else token.content
        for token in tokens
        if token.type != "html_inline"
    )


def _without_title(tokens: list[Token]) -> tuple[str, list[Token]]:
    for start, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h1":
            return _words(tokens[start + 1].children or ()), [*tokens[:start], *tokens[start + 3 :]]
    return "", tokens


def _with_anchors(tokens: Sequence[Token]) -> Iterator[Heading]:
    """Give each heading an anchor, named as GitHub names it, so that links work in both places."""
    seen: dict[str, int] = {}
    for token, content in pairwise(tokens):
        if token.type == "heading_open":
            text = _words(content.children or ())
            anchor = NOT_IN_ANCHORS.sub("", text.lower()).replace(" ", "-")
            seen[anchor] = count = seen.get(anchor, -1) + 1
            heading = Heading(int(token.tag[1:]), f"{anchor}-{count}" if count else anchor, text)
            token.attrSet("id", heading.anchor)
            yield heading


def _lead_links(tokens: Iterable[Token], find_page: FindPage) -> None:
    """Lead links between pages through the studio; a link to what Help does not have stays as its words."""
    tag = "a"
    for token in tokens:
        if token.type == "link_open":
            address = str(token.attrs["href"])
            found = address if "://" in address or address.startswith(("#", "mailto:")) else find_page(address)
            tag = "a" if found else "span"
            token.attrs = {"href": found} if found else {}
            if "://" in address:
                token.attrSet("rel", "noreferrer")
        if token.type in ("link_open", "link_close"):
            token.tag = tag


def _passages(tokens: Sequence[Token], headings: Sequence[Heading]) -> Iterator[Passage]:
    ahead = iter(headings)
    heading: Heading | None = None
    words: list[str] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "heading_open":
            yield Passage(heading, " ".join(words))
            heading, words = next(ahead), []
        elif token.type in ("fence", "code_block"):
            words.append(token.content)
        elif token.type == "inline" and not (before and before.type == "heading_open"):
            words.append(_words(token.children or ()))
    yield Passage(heading, " ".join(words))
