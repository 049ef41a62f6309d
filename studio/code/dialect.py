"""Whose words a script is written in: the studio's own, or, in exporters, those of another framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from studio.code.defaults import is_default
from studio.code.functions import FunctionSource
from studio.code.layout import Call, Expression, Items, Name, Text
from studio.code.names import Imports, public_package
from studio.components import Component, SecretRef


class Writer(Protocol):
    """Writes values, and imports what they need."""

    imports: Imports
    variable: Callable[[str, Expression], Name]
    """Assigns a value above what is being written, to a variable of this name or one like it, and gives that."""

    def expression(self, value: object, where: str, slot: str = "") -> Expression:
        """The value as an expression."""
        ...


RUN = """async def main() -> None:
    task = " ".join(sys.argv[1:]) or input("Task: ")
    await Console({builder}().run_stream(task=task), output_stats=True)


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except StudioError as error:
        sys.exit(str(error))"""

PRINT = """if __name__ == "__main__":
    print(json.dumps({builder}().dump_component(), indent=2))"""


class Dialect:
    """The studio's own words."""

    run = RUN
    """How a script runs its team."""
    run_needs: tuple[tuple[str, str], ...] = (("studio.console", "Console"), ("studio.errors", "StudioError"))
    show = PRINT
    """How a script shows a component that is neither a team nor an agent."""
    run_modules: tuple[str, ...] = ("asyncio", "sys")
    show_modules: tuple[str, ...] = ("json",)
    modules: Mapping[str, str] = {name: f"import {name}" for name in ("asyncio", "json", "sys")}
    """Modules that a script may import, with their statements: their names are taken."""
    any_import = False
    """Whether a tool is a function of the script also if it imports what is not part of Python."""
    keeps_notes = True
    """Whether a script holds labels and notes in a table of its own."""
    builds_inner_teams = False
    """Whether a team within a team has a builder of its own, so that it can be made again for each run."""
    names: tuple[str, ...] = ()
    """What a script may define besides: not free for anything else."""
    imported: tuple[tuple[str, str], ...] = ()
    """What a script may import under its own name, by package: not free for anything else."""

    def place_of(self, cls: type) -> tuple[str, str]:
        """The module that a class is imported from, and its name there."""
        return public_package(cls), cls.__name__

    def knows(self, cls: type[BaseModel]) -> bool:
        """Whether there is a class for a plain object; others are written as dictionaries."""
        del cls
        return True

    def secret(self, reference: str, where: str, imports: Imports) -> Expression:
        """The value of a secret."""
        del where
        scheme, _, name = reference.partition(":")
        if scheme == "env":
            return Call(imports.use("studio.components", "env"), (Text(name),))
        return Call(imports.name_of(SecretRef), (Text(reference),))

    def text(self, value: str, where: str, imports: Imports) -> Expression:
        """A text in a field."""
        del where, imports
        return Text(value)

    def is_written(self, owner: BaseModel, name: str, value: object, where: str) -> bool:
        """Whether a constructor must be given a field: not where it would come to the value by itself."""
        del where
        values = {each: getattr(owner, each) for each in type(owner).model_fields}
        field: FieldInfo = type(owner).model_fields[name]
        return not is_default(field, value, values)

    def has(self, value: object, where: str) -> bool:
        """Whether an entry of a list can be written."""
        del value, where
        return True

    def call(self, name: str, part: Component, arguments: dict[str, Expression], where: str, values: Writer) -> Call:
        """The call that makes a part.

        Args:
            name: Of its class in the script.
            part: The component.
            arguments: Those that the constructor must be given.
            where: JSON pointer of the component.
            values: Writes further values.
        """
        del part, where, values
        return Call(name, named=tuple(arguments.items()))

    def function_tool(self, name: str, function: FunctionSource, arguments: dict[str, Expression]) -> Call:
        """The call that makes a tool of a function of the script: `FunctionTool(add, description="…")`.

        Args:
            name: Of the tool's class in the script.
            function: What the script defines; what it says itself is left out.
            arguments: Those that the constructor must be given.
        """
        if function.reads_names:  # else a reader would take the script's imports for the tool's
            arguments.setdefault("global_imports", Items(()))
        own_name = arguments.get("name")
        is_own_name = isinstance(own_name, Text) and own_name.value == function.name
        known = {"source_code", "has_cancellation_support", *(["name"] if is_own_name else [])}
        named = {field: value for field, value in arguments.items() if field not in known}
        return Call(name, (Name(function.name),), tuple(named.items()))

    def made(self, name: str, part: Component, imports: Imports) -> str:
        """The class of what a builder gives, where `name` is what makes the part in the script."""
        del part, imports
        return name

    def foreword(self) -> Sequence[str]:
        """What the script says at its top, below what it is, a paragraph or an item each: known when all is written."""
        return ()

    def blocks(self) -> Sequence[str]:
        """What stands above the builders: known when all is written."""
        return ()

    def needs_variable(self, part: Component) -> bool:
        """Whether a part cannot be written where it is used."""
        del part
        return False

    def comments(self, where: str) -> tuple[str, ...]:
        """What is said above the arguments of a call: each a line, and never code."""
        del where
        return ()
