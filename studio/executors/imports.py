"""Import statements as data, as tools and functions of executors name what their source uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator


def _module_name(name: str) -> str:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"{name!r} is not a module name.")
    return name


ModuleName = Annotated[str, AfterValidator(_module_name)]


@dataclass(frozen=True)
class Alias:
    """`import name as alias`, or one name of a `from` import."""

    name: ModuleName
    alias: ModuleName


@dataclass(frozen=True)
class ImportFromModule:
    """`from module import ...`."""

    module: ModuleName
    imports: Sequence[ModuleName | Alias]


Import = ModuleName | ImportFromModule | Alias


def import_statements(imports: Sequence[Import]) -> str:
    """The imports as Python, one statement a line."""
    return "".join(f"{_statement(item)}\n" for item in imports)


def _statement(item: Import) -> str:
    if isinstance(item, str):
        return f"import {item}"
    if isinstance(item, Alias):
        return f"import {item.name} as {item.alias}"
    names = (name if isinstance(name, str) else f"{name.name} as {name.alias}" for name in item.imports)
    return f"from {item.module} import {', '.join(names)}"
