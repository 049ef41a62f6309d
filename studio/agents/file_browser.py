"""Local files and folders as pages of text, within one folder."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from studio.components.folders import private_entries
from studio.components.patterns import Pattern, compiled
from studio.models.extras import MissingExtra, needs_extra

PAGE_CHARACTERS = 1024 * 5
MAX_CHARACTERS_OF_A_QUERY = 200
MAX_FILE = 50_000_000
"""Bytes of a file that is opened at all."""
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)  # a pipe there would make it wait forever
_PAGES = (".html", ".htm")
"""Text that reads better as Markdown, where the package for it is installed."""


class Page(NamedTuple):
    """What a path shows: a file's text, a folder's list, or why there is neither."""

    path: str
    title: str | None
    text: str
    is_paged: bool = True


def read_page(base: Path, path: str) -> Page:
    """Open a path inside `base`. A path outside, or one that leads over a symbolic link, is not found."""
    try:
        place = Path(os.path.normpath(base / Path(path).expanduser()))
        with _opened(base, place.relative_to(base).parts) as handle:
            return _page(base, place, handle)
    except (OSError, ValueError, RuntimeError):
        return _failed(path, "FileNotFoundError", f"File not found: {path}")


def _page(base: Path, place: Path, handle: int) -> Page:
    found = os.fstat(handle)
    if stat.S_ISDIR(found.st_mode):
        return Page(str(place), None, _listing(base, place, handle), is_paged=False)
    if not stat.S_ISREG(found.st_mode):
        return _failed(str(place), "UnsupportedFormatException", f"Cannot preview '{place}' as Markdown.")
    if found.st_size > MAX_FILE:
        return _failed(str(place), "FileTooLarge", f"'{place}' is larger than {MAX_FILE} bytes.")
    with os.fdopen(os.dup(handle), "rb") as file:
        return _file(place, file.read(MAX_FILE))


@contextmanager
def _opened(base: Path, parts: Sequence[str]) -> Generator[int]:
    """A handle of what lies below a folder. No link is followed on the way, whatever is put there meanwhile, and
    nothing that the studio keeps is opened under another name.

    Raises:
        OSError: There is no such thing, or a link.
    """
    private = private_entries()
    handle = os.open(base, READ)
    try:
        for part in parts:
            below = os.open(part, READ | getattr(os, "O_NOFOLLOW", 0), dir_fd=handle)
            os.close(handle)
            handle = below
            found = os.fstat(handle)
            if (found.st_dev, found.st_ino) in private:
                raise FileNotFoundError(part)
        yield handle
    finally:
        os.close(handle)


def _file(place: Path, content: bytes) -> Page:
    text = _text_in(content)
    if text is None:
        return _converted(place, content)
    if place.suffix.lower() in _PAGES and find_spec("markitdown") is not None:
        return _converted(place, content)
    return Page(str(place), None, text)


def _text_in(content: bytes) -> str | None:
    if b"\0" in content[:4096]:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _converted(place: Path, content: bytes) -> Page:
    """A document that is not text, as Markdown."""
    try:
        with needs_extra("files", "Reading a document that is not text"):
            from markitdown import MarkItDown, MarkItDownException, StreamInfo
    except MissingExtra as error:
        return _failed(str(place), "MissingExtra", str(error))
    import io

    try:
        found = MarkItDown(enable_plugins=False).convert_stream(
            io.BytesIO(content), stream_info=StreamInfo(extension=place.suffix, filename=place.name)
        )
    except MarkItDownException:
        return _failed(str(place), "UnsupportedFormatException", f"Cannot preview '{place}' as Markdown.")
    return Page(str(place), found.title, found.markdown)


def _failed(path: str, title: str, text: str) -> Page:
    return Page(path, title, f"# {title}\n\n{text}")


def _listing(base: Path, folder: Path, handle: int) -> str:
    lines = [f"# Index of {folder}", "", "| Name | Size | Date Modified |", "| ---- | ---- | ------------- |"]
    if folder != base:
        lines.append("| .. (parent directory) | | |")
    with os.scandir(handle) as found_entries:
        entries = sorted(found_entries, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_symlink():
            continue
        found = os.stat(entry.name, dir_fd=handle, follow_symlinks=False)
        changed = datetime.fromtimestamp(found.st_mtime, UTC).strftime("%Y-%m-%d %H:%M")
        is_folder = stat.S_ISDIR(found.st_mode)
        lines.append(
            f"| {entry.name}{os.sep if is_folder else ''} | {'' if is_folder else found.st_size} | {changed} |"
        )
    return "\n".join(lines) + "\n"


class Viewport:
    """A long text, a page at a time."""

    def __init__(self, page: Page) -> None:
        self.path, self.title = page.path, page.title
        self.pages = _split(page.text) if page.is_paged else [page.text]
        self.number = 0
        self._query: str | None = None
        self._last_match: int | None = None

    @property
    def text(self) -> str:
        """What is in view."""
        return self.pages[self.number]

    def move(self, pages: int) -> None:
        """Scroll by whole pages, as far as there are any."""
        self.number = min(max(self.number + pages, 0), len(self.pages) - 1)

    def find(self, query: str) -> None:
        """Scroll to the page, from this one on, that holds the words; again from the top when none does."""
        if query == self._query and self.number == self._last_match:
            self.find_next()
            return
        self._query = query
        self._show_match(self.number)

    def find_next(self) -> None:
        """Scroll to the next page that holds the words last looked for."""
        if self._query is not None:
            self._show_match(0 if self._last_match is None else (self._last_match + 1) % len(self.pages))

    def _show_match(self, start: int) -> None:
        pattern = _pattern(self._query or "")
        order = [*range(start, len(self.pages)), *range(start)]
        self._last_match = next(
            (n for n in order if pattern and pattern.search(_words(self.pages[n])) is not None), None
        )
        if self._last_match is not None:
            self.number = self._last_match


def _split(text: str) -> list[str]:
    """Pages that end between words."""
    pages: list[str] = []
    start = 0
    while start < len(text):
        end = min(start + PAGE_CHARACTERS, len(text))
        space = re.compile(r"\s").search(text, end - 1)
        end = len(text) if space is None else space.end()
        pages.append(text[start:end])
        start = end
    return pages or [""]


def _words(text: str) -> str:
    words = " ".join(re.findall(r"\w+", text)).lower()
    return f" {words} "


def _pattern(query: str) -> Pattern | None:
    """Whole words in a row; a star stands for any text."""
    parts = re.findall(r"[\w*]+", query.lower()[:MAX_CHARACTERS_OF_A_QUERY])
    words = [part.replace("*", ".*") for part in parts]
    return compiled(f" {' '.join(words)} ") if any(word.strip(".*") for word in words) else None
