"""The files that a script of this machine may import from: read by name, within its folder, with bounds."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from studio.code.other_files import OtherFile
from studio.components.python_text import MAX_CHARACTERS
from studio.errors import ConfigError, TooLarge

MAX_PARTS = 20
"""Of the full name of a module."""


class ScriptFolder:
    """Files in the folder of a script, and in the current folder where that is around it, as Python finds them.

    Nothing outside of the two is read, also not by a symbolic link, and no folder is listed.

    Args:
        script: The script.
        current: The current folder.
    """

    def __init__(self, script: Path, current: Path) -> None:
        self._current = current.resolve()
        self._folder = script.resolve().parent
        self._roots = [self._folder]
        if self._folder.is_relative_to(self._current) and self._folder != self._current:
            self._roots.append(self._current)
        self._found: dict[str, tuple[str, ...]] = {}
        """The package of each file, by the file's name."""

    def find(self, module: str) -> OtherFile | None:
        """The file of a module, by its full name; None where there is none.

        Raises:
            ConfigError: It leads out of the folder, is no text, or cannot be read.
            TooLarge: It is longer than any script.
        """
        parts = tuple(module.split("."))
        if len(parts) > MAX_PARTS or not all(part.isidentifier() for part in parts):
            return None
        for root in self._roots:
            for path, package in (
                (root.joinpath(*parts[:-1], f"{parts[-1]}.py"), parts[:-1]),
                (self._init(root, parts), parts),
            ):
                if path.is_file():
                    return self._read(path, root, package)
        return None

    def package_of(self, file: str, level: int) -> str | None:
        """Full name of the package that a relative import of a file begins in; None if that is outside.

        Args:
            file: Name of the file; empty for the script itself.
            level: Number of dots of the import.
        """
        of_script = self._folder.relative_to(self._roots[-1]).parts if level > 1 else ()
        package = self._found[file] if file else of_script
        kept = len(package) - (level - 1)
        return ".".join(package[:kept]) if kept >= 0 else None

    @staticmethod
    def _init(root: Path, parts: tuple[str, ...]) -> Path:
        return root.joinpath(*parts, "__init__.py")

    def _read(self, path: Path, root: Path, package: tuple[str, ...]) -> OtherFile:
        name = str(path.relative_to(self._current)) if path.is_relative_to(self._current) else str(path)
        real = path.resolve()
        if not real.is_relative_to(root):
            raise ConfigError(f"{name} leads out of the folder of the script.", fix="Copy the file into the folder.")
        try:
            text = _text(real)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"{name} cannot be read as text.", fix="Check its permissions; save it as UTF-8."
            ) from error
        self._found[name] = package
        return OtherFile(name, text)


def _text(path: Path) -> str:
    """The text of a file, and not of a device or a pipe, which may never end."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    with os.fdopen(descriptor, "rb") as file:
        about = os.fstat(descriptor)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(f"{path} is a device or a pipe.")
        content = file.read(4 * MAX_CHARACTERS + 1)
    if len(content) > 4 * MAX_CHARACTERS:
        raise TooLarge(f"{path.name} is longer than any script.", fix="Write what the team needs in the script.")
    return content.decode("utf-8-sig")
