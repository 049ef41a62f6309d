"""Files of the machine that a command or a test names, read with bounds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from studio.components import MAX_BYTES
from studio.errors import InvalidDocument, SetupError, TooLarge

if TYPE_CHECKING:
    from studio.evaluation.suite_file import PlacedSuite


def read_bytes(file: Path) -> bytes:
    """The bytes of a file or, for `-`, of standard input.

    Raises:
        SetupError: The file cannot be read.
        TooLarge: It is larger than a document may be; it is not read at all.
    """
    if str(file) == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            raise TooLarge(
                f"{str(file)!r} has {size / 1e6:.0f} MB; the limit is {MAX_BYTES / 1e6:.0f} MB.",
                fix="Split it, or remove what does not belong to a team.",
            )
        return file.read_bytes()
    except OSError as error:
        raise SetupError(
            f"{str(file)!r} cannot be read: {error.strerror}.", fix="Check its name and permissions."
        ) from error


def read_suite_file(file: Path) -> PlacedSuite:
    """The suite of a file, with the cases of a file beside it, and where they stand.

    Raises:
        InvalidSuite: With all that is wrong.
        SetupError: A file cannot be read.
    """
    from studio.evaluation.suite_file import read_placed_suite  # it loads all scorers, which most commands do not need

    text = _text(file)

    def read_beside(name: str) -> str:
        """Only a file of the suite's own folder, so that a suite cannot have others read."""
        beside = file.parent / name
        if beside.is_symlink() or Path(name).name != name or not beside.is_file():
            raise InvalidDocument(
                f"There is no file {name!r} beside the suite.", fix="Put the cases into the folder of the suite."
            )
        return _text(beside)

    return read_placed_suite(file.name, text, read_beside)


def _text(file: Path) -> str:
    try:
        return read_bytes(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SetupError(f"{str(file)!r} is not UTF-8 text.", fix="Save it as UTF-8.") from error
