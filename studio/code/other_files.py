"""Files beside a script that it imports names from: read as the script is, never executed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from studio.code.findings import InvalidPython, Position, Problems
from studio.code.scope import Binding, Imported, Scope, import_bindings_of
from studio.code.source import Source, parse_source
from studio.code.vocabulary import is_of_another_file
from studio.errors import ConfigError, TooLarge

MAX_FILES = 100
MAX_ALL_CHARACTERS = 2_000_000
"""Of all files together."""
MAX_DEEP = 12
"""Files that import one another; each takes some frames of Python's stack."""
FIX = "Write what the team needs in this script."


@dataclass(frozen=True, slots=True)
class OtherFile:
    """One file beside a script.

    Args:
        name: As messages name it; the same for the same file.
        text: What it holds.
    """

    name: str
    text: str


class OtherFiles(Protocol):
    """The files that a script may import from."""

    def find(self, module: str) -> OtherFile | None:
        """The file of a module, by its full name; None where there is none.

        Raises:
            ConfigError: There is one, and it may not or cannot be read.
        """
        ...

    def package_of(self, file: str, level: int) -> str | None:
        """Full name of the package that a relative import of a file begins in; None if that is outside.

        Args:
            file: Name of the file; empty for the script itself.
            level: Number of dots of the import.
        """
        ...


class Modules:
    """The names of files beside a script; each file is read once, when it is first imported from.

    Args:
        files: Where they are; None if nothing but the script is at hand.
        read: Reads the statements of a file into a scope, as those of a script.
        problems: Takes what is wrong.
    """

    def __init__(self, files: OtherFiles | None, read: Callable[[Source, Scope], None], problems: Problems) -> None:
        self._files = files
        self._read = read
        self._problems = problems
        self._scopes: dict[str, Scope] = {}
        """By the names of files; of one that is being read, what it has so far."""
        self._unread: set[str] = set()
        self.names_of: dict[int, Scope] = {}
        """Names around each function that is a tool, by its identity."""
        self._characters = 0
        self._depth = 0

    def bindings(self, node: ast.Import | ast.ImportFrom, source: Source) -> dict[str, Binding]:
        """The names that an import statement binds: as another file has them, where it is at hand."""
        place = source.place(node)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            module = self._absolute(f"{'.' * node.level}{node.module or ''}.", source)
            scope = self._scope_of(module.rstrip("."), place)
            return {name: found for name, found in scope.names.items() if name[:1] != "_"} if scope else {}
        found: dict[str, Binding] = {}
        for name, imported in import_bindings_of(node):
            absolute = Imported(self._absolute(imported.dotted, source), imported.as_json)
            is_name = isinstance(node, ast.ImportFrom)
            found[name] = (self.find(absolute.dotted, place) if is_name else None) or absolute
        return found

    def find(self, dotted: str, place: Position, followed: int = 0) -> Binding | None:
        """What a full name stands for in another file; None where there is no such file or name.

        Args:
            dotted: The full name.
            place: Where it is used.
            followed: How many modules that files import under a name of their own led to it; one may lead to itself.
        """
        if self._files is None or followed > MAX_DEEP or not is_of_another_file(dotted):
            return None
        parts = dotted.split(".")
        for split in range(len(parts) - 1, 0, -1):
            scope = self._scope_of(".".join(parts[:split]), place)
            if scope is not None:
                found = scope.names.get(parts[split])
                if isinstance(found, Imported) and split + 1 < len(parts):  # a module that the file imports
                    return self.find(".".join([found.dotted, *parts[split + 1 :]]), place, followed + 1)
                return found if split + 1 == len(parts) else None
        return None

    def _absolute(self, dotted: str, source: Source) -> str:
        """The full name of what a relative import names; the name as it is where that is not at hand."""
        name = dotted.lstrip(".")
        if name == dotted or self._files is None:
            return dotted
        package = self._files.package_of(source.name, len(dotted) - len(name))
        if package is None:
            return dotted
        return f"{package}.{name}" if package else name

    def _scope_of(self, module: str, place: Position) -> Scope | None:
        """The names of the file of a module, if there is one that can be read."""
        if self._files is None or not module or module in self._unread:
            return None
        try:
            found = self._files.find(module)
            if found is not None and found.name not in self._scopes:
                self._open(found)
        except (ConfigError, TooLarge) as error:
            self._unread.add(module)
            message = f"{module!r} is another file, which is not read. {error.what}"
            self._problems.warn("other_file", message, error.fix or FIX, place)
            return None
        return self._scopes[found.name] if found is not None else None

    def _open(self, file: OtherFile) -> None:
        self._characters += len(file.text)
        if len(self._scopes) >= MAX_FILES or self._characters > MAX_ALL_CHARACTERS or self._depth >= MAX_DEEP:
            raise TooLarge("The script imports more files than are read.", fix=FIX)
        try:
            source = parse_source(file.text, file.name)
        except InvalidPython as error:
            first = error.findings[0]
            raise ConfigError(f"Line {first.place.line} of {file.name}: {first.message}", fix=first.fix) from error
        scope = self._scopes[file.name] = Scope()
        self._depth += 1
        try:
            self._read(source, scope)
        finally:
            self._depth -= 1
