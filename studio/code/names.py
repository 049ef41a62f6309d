"""Names of an exported script: which are taken, where classes are imported from, what variables are called."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections import defaultdict
from collections.abc import Callable

_RESERVED = frozenset((*keyword.kwlist, *keyword.softkwlist, *dir(builtins)))


class Names:
    """Hands out names, each once."""

    def __init__(self, *taken: str) -> None:
        self._taken = {*_RESERVED, *taken}

    def is_free(self, name: str) -> bool:
        return name not in self._taken

    def claim(self, wanted: str) -> str:
        """The wanted name, or the first of `wanted_2`, `wanted_3`, … that is free."""
        name, number = wanted, 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name


class Imports:
    """The import lines of an exported script."""

    def __init__(self, names: Names, place_of: Callable[[type], tuple[str, str]]) -> None:
        self._names = names
        self._place_of = place_of
        self._known: dict[tuple[str, str], str] = {}
        self._used: set[tuple[str, str]] = set()
        self.modules: set[str] = set()
        """Modules of Python that are imported as they are."""

    def reserve(self, cls: type) -> None:
        """Keep a class's name for it, whether or not it is used."""
        self.keep(*self._place_of(cls))

    def keep(self, package: str, name: str) -> None:
        """Keep a name for what a package has under it, whether or not it is used."""
        self._name(package, name)

    def name_of(self, cls: type) -> str:
        """Import a class from the package that says it, and give the name it has in the script."""
        return self.use(*self._place_of(cls))

    def use(self, package: str, name: str) -> str:
        """Import a name from a package."""
        self._used.add((package, name))
        return self._name(package, name)

    def _name(self, package: str, name: str) -> str:
        known = self._known.get((package, name))
        if known is None:
            known = self._known[package, name] = self._names.claim(name)
        return known

    def lines(self) -> list[str]:
        """The import statements, by package."""
        packages: dict[str, list[str]] = defaultdict(list)
        for (package, name), known in self._known.items():
            if (package, name) not in self._used:
                continue
            packages[package].append(name if known == name else f"{name} as {known}")
        return [_from_import(package, sorted(packages[package], key=_isort_key)) for package in sorted(packages)]


def public_package(cls: type) -> str:
    """The shortest package on the way to a class's module that has it under its own name."""
    steps = cls.__module__.split(".")
    for length in range(1, len(steps)):
        package = ".".join(steps[:length])
        module = sys.modules.get(package)
        if getattr(module, cls.__name__, None) is cls:
            return package
    return cls.__module__


def snake_case(text: str) -> str:
    """A variable's name made from any text: `OpenAIChatCompletionClient` gives `open_ai_chat_completion_client`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", text)
    plain = re.sub(r"\W+", "_", spaced, flags=re.ASCII).strip("_").lower()
    return plain if plain and not plain[0].isdigit() else f"part_{plain}".rstrip("_")


def _isort_key(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as ruff and isort order them."""
    kind = 0 if name.isupper() else 1 if name[:1].isupper() else 2
    return kind, name


def _from_import(package: str, names: list[str]) -> str:
    line = f"from {package} import {', '.join(names)}"
    if len(line) <= 100:
        return line
    inside = "".join(f"    {name},\n" for name in names)
    return f"from {package} import (\n{inside})"
