"""The files of a source, in memory and within bounds. Nothing outside of what was given is opened."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NoReturn

from studio.errors import InvalidDocument, SetupError, TooLarge

MAX_FILES = 200
MAX_DOCUMENT = 5_000_000
"""Bytes of one file of JSON or YAML; Python has a bound of its own."""
MAX_TOGETHER = 20_000_000
"""Bytes of all files of a bundle."""
TEXTS = (".py", ".json", ".yaml", ".yml", ".md", ".ts", ".tsx", ".js", ".ipynb", ".jsonc", ".af", ".toml", ".txt")
"""What is read of a folder or ZIP file; everything else in it is passed over."""
AGENT_FOLDERS = (".claude", ".github")
"""Hidden folders in which agents in Markdown are kept."""
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Bundle:
    """Names with texts."""

    files: Mapping[str, str]

    def named(self, *suffixes: str) -> Iterator[tuple[str, str]]:
        """The files whose names end so."""
        return ((name, text) for name, text in self.files.items() if name.lower().endswith(suffixes))


def bundle_of(given: Mapping[str, bytes]) -> Bundle:
    """The bundle of uploaded files, of which one may be a ZIP file.

    Raises:
        TooLarge: Beyond the bounds.
        InvalidDocument: No text, or a ZIP file that is damaged or names paths outside of itself.
    """
    files: dict[str, str] = {}
    left = MAX_TOGETHER
    for name, content in given.items():
        unpacked = _unzipped(content, name) if content.startswith(_ZIP) else {name: content}
        for inner, data in unpacked.items():
            left -= len(data)
            if left < 0:
                _too_large(f"The files have more than {MAX_TOGETHER / 1e6:.0f} MB together.")
            files[inner] = _text_of(inner, data)
            if len(files) > MAX_FILES:
                _too_large(f"There are more than {MAX_FILES} files.")
    if not files:
        raise InvalidDocument("There is no file to read.", fix=f"Choose a file that ends in {', '.join(TEXTS[:5])}.")
    return Bundle(files)


def read_bundle(path: Path) -> Bundle:
    """The bundle of a file, a ZIP file or a folder.

    Raises:
        SetupError: It cannot be read.
        TooLarge: Beyond the bounds.
        InvalidDocument: As for `bundle_of`.
    """
    try:
        if not path.is_dir():
            return bundle_of({path.name: _bytes_of(path)})
        given: dict[str, bytes] = {}
        left = MAX_TOGETHER
        for file in _files_in(path):
            given[file.relative_to(path).as_posix()] = content = _bytes_of(file)
            left -= len(content)
            if left < 0:
                _too_large(f"The folder has more than {MAX_TOGETHER / 1e6:.0f} MB of text.")
            if len(given) > MAX_FILES:
                _too_large(f"The folder has more than {MAX_FILES} files.")
        return bundle_of(given)
    except OSError as error:
        fix = "Check its name and permissions."
        raise SetupError(f"{str(path)!r} cannot be read: {error.strerror}.", fix=fix) from error


def _files_in(folder: Path) -> Iterator[Path]:
    """Its texts; links are not followed, and hidden folders without agents passed over."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _is_passed_over(name) and name != "node_modules")
        for name in sorted(names):
            file = Path(place) / name
            if name.lower().endswith(TEXTS) and not name.startswith(".") and not file.is_symlink() and file.is_file():
                yield file


def _is_passed_over(folder: str) -> bool:
    return folder.startswith((".", "__")) and folder not in AGENT_FOLDERS


def _bytes_of(file: Path) -> bytes:
    with file.open("rb") as opened:
        return opened.read(MAX_TOGETHER + 1)


def _text_of(name: str, content: bytes) -> str:
    if len(content) > MAX_DOCUMENT:
        _too_large(f"{name!r} has {len(content) / 1e6:.0f} MB; the limit is {MAX_DOCUMENT / 1e6:.0f} MB.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidDocument(f"{name!r} is not UTF-8 text.", fix="Choose the file that you exported.") from error


def _unzipped(content: bytes, name: str) -> dict[str, bytes]:
    """The texts of a ZIP file; no more is unpacked than the bounds allow, whatever its headers say."""
    found: dict[str, bytes] = {}
    left = MAX_TOGETHER
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for info in archive.infolist()[: MAX_FILES * 50]:
                path = PurePosixPath(info.filename.replace("\\", "/"))
                if path.is_absolute() or ".." in path.parts or ":" in info.filename:
                    raise InvalidDocument(f"{name!r} names a path outside of itself.", fix="Pack the folder again.")
                is_link = stat.S_ISLNK(info.external_attr >> 16)
                is_hidden = any(_is_passed_over(part) for part in path.parts[:-1])
                if info.is_dir() or is_link or is_hidden or not path.name.lower().endswith(TEXTS):
                    continue
                with archive.open(info) as packed:
                    found[path.as_posix()] = data = packed.read(min(left, MAX_DOCUMENT) + 1)
                left -= len(data)
                if left < 0 or len(data) > MAX_DOCUMENT:
                    _too_large(f"{name!r} has more than {MAX_DOCUMENT / 1e6:.0f} MB in one file, or too much together.")
                if len(found) > MAX_FILES:
                    _too_large(f"{name!r} has more than {MAX_FILES} files.")
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise InvalidDocument(f"{name!r} is a damaged or encrypted ZIP file.", fix="Pack the folder again.") from error
    return found


def _too_large(what: str) -> NoReturn:
    raise TooLarge(what, fix="Choose only the files of the team.")
