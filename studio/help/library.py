"""The pages that ship with the studio, in the order of their table of contents.

They are read once in a process. Only what was found in the folder then has an address: no path of a request leads to a
file. Both the number of pages and the size of each are bounded, and so is what is kept of them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from studio.errors import NotFound, SetupError
from studio.help.markup import Picture
from studio.help.search import Hit, Indexed, search

if TYPE_CHECKING:
    from studio.help.rendering import Heading, Rendered

HOME = "/help"
INDEX = "index.md"
SECTIONS = {
    "tutorial": "Tutorials",
    "how-to": "How-to guides",
    "reference": "Reference",
    "explanation": "Explanation",
}
"""The folders that ship; notes on the design do not."""
MAX_PAGES = 300
MAX_PAGE_BYTES = 1024 * 1024
PNG_SIZE = slice(16, 24)
"""Where a PNG file tells its width and height, four bytes each."""
LINK = re.compile(r"\]\(([\w./-]+\.md)\)")


@dataclass(frozen=True)
class Page:
    """A page of the documentation, rendered. `url` is its address in the studio, `section` the title of its folder."""

    url: str
    section: str
    rendered: Rendered

    @property
    def title(self) -> str:
        return self.rendered.title

    @property
    def html(self) -> str:
        return self.rendered.html

    @property
    def headings(self) -> Sequence[Heading]:
        return self.rendered.headings


@dataclass(frozen=True)
class Neighbours:
    """What stands before and after a page in its section."""

    previous: Page | None
    next: Page | None


class Library:
    """All pages, by their addresses."""

    def __init__(self, folder: Path) -> None:
        """Find what the folder holds; the pages are there after the last of the steps.

        Raises:
            SetupError: It holds too many pages.
        """
        self._folder = folder
        self._pictures = {f"{HOME}/pictures/{file.name}": file for file in sorted(folder.glob("*/images/*.png"))}
        self._sizes = {url: Picture(url, *_size_of(file)) for url, file in self._pictures.items()}
        self._names = dict.fromkeys([INDEX, *_names_in(folder)])
        self._rendered: dict[str, Page] = {}

    def steps(self) -> Iterator[None]:
        """Render one page with each step. Several may do so at once.

        Raises:
            SetupError: A page is too large.
        """
        for name in self._names:
            if name not in self._rendered:
                self._rendered[name] = self._page(name)
                yield

    def rendered(self) -> Self:
        """The same, after the last of the steps."""
        for _ in self.steps():
            pass
        return self

    @property
    def index(self) -> Page:
        return self._rendered[INDEX]

    @cached_property
    def pages(self) -> Mapping[str, Page]:
        """All but the index."""
        return {_url(name): self._rendered[name] for name in self._names if name != INDEX}

    @cached_property
    def _indexed(self) -> Sequence[Indexed]:
        return [
            Indexed.from_passages(page.title, page.url, page.section, page.rendered.passages)
            for page in self.pages.values()
        ]

    def page(self, section: str, name: str) -> Page:
        """The page of a section.

        Raises:
            NotFound: There is no such page.
        """
        found = self.pages.get(f"{HOME}/{section}/{name}")
        if found is None:
            raise NotFound(f"Help has no page {section + '/' + name!r}.", fix="Search Help for what you need.")
        return found

    def picture(self, name: str) -> Path:
        """The file of a picture.

        Raises:
            NotFound: There is no such picture.
        """
        found = self._pictures.get(f"{HOME}/pictures/{name}")
        if found is None:
            raise NotFound(f"Help has no image {name!r}.")
        return found

    def neighbours(self, page: Page) -> Neighbours:
        """The pages before and after one, in the same section."""
        pages = [each for each in self.pages.values() if each.section == page.section]
        at = pages.index(page)
        return Neighbours(pages[at - 1] if at else None, pages[at + 1] if at + 1 < len(pages) else None)

    def search(self, query: str, limit: int) -> Sequence[Hit]:
        """What answers to a few words: pages by title first, then headings, then text."""
        return search(self._indexed, query, limit)

    def _page(self, name: str) -> Page:
        from studio.help.rendering import render  # a start of the server need not wait for the parser of Markdown

        file = self._folder / name
        if file.stat().st_size > MAX_PAGE_BYTES:
            raise SetupError(f"The page {name!r} of the documentation is larger than {MAX_PAGE_BYTES:,} bytes.")
        here = posixpath.dirname(name)
        rendered = render(
            file.read_text(encoding="utf-8"),
            lambda address: self._url_of(here, address),
            lambda address: self._sizes.get(f"{HOME}/pictures/{posixpath.basename(address)}"),
        )
        return Page(_url(name), SECTIONS.get(here, ""), rendered)

    def _url_of(self, here: str, address: str) -> str | None:
        path, _, anchor = address.partition("#")
        name = posixpath.normpath(posixpath.join(here, path))
        return _url(name) + (f"#{anchor}" if anchor else "") if name in self._names else None


@cache
def _own_library() -> Library:
    return Library(find_docs())


def prepare_library() -> Iterator[None]:
    """Render the documentation of this studio, one page with each step: who searches first would wait.

    Raises:
        SetupError: Its files are not where the package expects them.
    """
    yield from _own_library().steps()


@cache
def load_library() -> Library:
    """The documentation of this studio. The first call renders what is not rendered yet: call it in a thread.

    Raises:
        SetupError: Its files are not where the package expects them.
    """
    return _own_library().rendered()


def find_docs() -> Path:
    """The copy inside the installed package, else the `docs` folder of the checkout that this file is in."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_docs", package.parent / "docs"):
        if (folder / INDEX).is_file():
            return folder
    raise SetupError(
        f"The documentation of the studio is missing in {str(package)!r}.",
        fix="Reinstall it: `pip install --force-reinstall team-studio`, or start it from a complete checkout.",
    )


def _names_in(folder: Path) -> list[str]:
    """The paths of all pages below the index, in the order in which that links to them."""
    found = [path.relative_to(folder).as_posix() for each in SECTIONS for path in sorted((folder / each).glob("*.md"))]
    if len(found) > MAX_PAGES:
        raise SetupError(f"The documentation has more than {MAX_PAGES} pages.")
    linked = LINK.findall((folder / INDEX).read_text(encoding="utf-8"))
    place = {name: at for at, name in reversed(list(enumerate(linked)))}
    return sorted(found, key=lambda name: place.get(name, len(linked)))


def _url(name: str) -> str:
    return HOME if name == INDEX else f"{HOME}/{name.removesuffix('.md')}"


def _size_of(file: Path) -> tuple[int, int]:
    with file.open("rb") as opened:
        size = opened.read(PNG_SIZE.stop)[PNG_SIZE]
    return int.from_bytes(size[:4]), int.from_bytes(size[4:])
