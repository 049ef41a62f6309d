"""Names of a script and what they are bound to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from pydantic import JsonValue

from studio.code.findings import Position
from studio.code.functions import ScriptFunction
from studio.code.parsed import ParsedValue

Arguments = tuple[list[ParsedValue], dict[str, ParsedValue]]
"""What a call gives, by position and by name."""
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Home(Protocol):
    """The file that a function stands in."""

    @property
    def name(self) -> str:
        """Of the file; empty for the script itself."""
        ...

    @property
    def module(self) -> Scope:
        """Names of the file."""
        ...

    def run(self, function: Function, given: Arguments, place: Position) -> ParsedValue:
        """What the function returns."""
        ...

    def enter(self, function: Function, given: Arguments) -> None:
        """Read the function as a part of the program."""
        ...

    def function(self, node: Function) -> ScriptFunction:
        """The function as a tool."""
        ...


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that an import statement binds.

    Args:
        dotted: Full name of what it stands for.
        as_json: The import as a tool's config has it.
    """

    dotted: str
    as_json: JsonValue


@dataclass(frozen=True, slots=True)
class Defined:
    """A function that the script defines, or a file beside it.

    Args:
        home: Reads it, with the names of its own file.
    """

    node: Function
    home: Home


@dataclass(frozen=True, slots=True, eq=False)
class Unread:
    """A name whose value cannot be told without running the script.

    Args:
        message: Why, for a component that needs it.
        fix: What to write instead.
        place: Of what sets it.
    """

    message: str
    fix: str
    place: Position | None


@dataclass(frozen=True, slots=True, eq=False)
class ScriptClass(Unread):
    """A class that the script defines: no value, but a schema may be read of it, or a part may stand in for it.

    Args:
        scope: Names that it uses.
    """

    node: ast.ClassDef
    scope: Scope


Binding = ParsedValue | Imported | Defined | Unread


@dataclass
class Scope:
    """Names of the module or of one function."""

    outer: Scope | None = None
    names: dict[str, Binding] = field(default_factory=dict[str, Binding])
    assigned: dict[str, Position] = field(default_factory=dict[str, Position])
    """Where variables were given a value."""
    used: set[str] = field(default_factory=set[str])

    def find(self, name: str) -> Binding | None:
        """What a name stands for; it counts as used."""
        found = self.names.get(name)
        if found is not None:
            self.used.add(name)
            return found
        return self.outer.find(name) if self.outer else None

    def look(self, name: str) -> Binding | None:
        """The same, without counting as a use."""
        found = self.names.get(name)
        return found if found is not None or self.outer is None else self.outer.look(name)

    def assign(self, name: str, value: ParsedValue, place: Position) -> None:
        self.names[name] = value
        self.assigned[name] = place
        self.used.discard(name)

    def unused(self) -> Iterator[tuple[str, Position]]:
        """Variables that nobody asked for."""
        for name, place in self.assigned.items():
            if name not in self.used:
                yield name, place


def import_bindings_of(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, Imported]]:
    """The names that an import statement binds."""
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            own: JsonValue = {"name": alias.name, "alias": alias.asname} if alias.asname else alias.name
            module = "." * node.level + (node.module or "")
            dotted = f"{module}{'' if module.endswith('.') else '.'}{alias.name}"
            imported = Imported(dotted, {"module": module, "imports": [own]})
            yield alias.asname or alias.name, imported
        elif alias.asname:
            yield alias.asname, Imported(alias.name, {"name": alias.name, "alias": alias.asname})
        else:
            yield alias.name.partition(".")[0], Imported(alias.name.partition(".")[0], alias.name)
