"""The import hook: AutoGen's module names lead to ours. Only `python -m studio.autogen` installs it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from importlib.util import LazyLoader, find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from studio.autogen.compat_base import Freed, free
from studio.autogen.core import __version__
from studio.autogen.names import MODULES, PublicName, names_in
from studio.autogen.unsupported import advice
from studio.components import Component

READY = (
    "agents",
    "caches",
    "clients",
    "code_agents",
    "conditions",
    "executors",
    "http_tool",
    "mcp_tools",
    "memory",
    "messages",
    "models",
    "services",
    "teams",
    "tools",
    "workbenches",
)
for _room in READY:
    import_module(f"studio.autogen.{_room}")  # which says how its kind of component is freed
ROOTS = frozenset(module.partition(".")[0] for module in MODULES)


class _Finder(DistributionFinder):
    """Finds the modules of the table, and private ones inside them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if fullname.partition(".")[0] not in ROOTS:
            return None
        if fullname not in MODULES and not is_private(fullname):
            what = f"Team Studio has no counterpart of AutoGen's module {fullname!r}."
            raise ModuleNotFoundError(f"{what} {advice(fullname, MODULES)}", name=fullname)
        return ModuleSpec(fullname, _Loader(), origin="studio.autogen", is_package=True)

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterator[Distribution]:
        """AutoGen's packages, for scripts that ask which version there is."""
        name = (context or DistributionFinder.Context()).name
        if name is not None and name.replace("-", "_").lower() in ROOTS:
            yield _Version(name)


class _Version(Distribution):
    """Says only which version of AutoGen the names are those of."""

    def __init__(self, name: str) -> None:
        self._name = name

    def read_text(self, filename: str) -> str | None:
        lines = ("Metadata-Version: 2.1", f"Name: {self._name}", f"Version: {__version__}", "")
        return "\n".join(lines) if filename == "METADATA" else None

    def locate_file(self, path: str | os.PathLike[str]) -> Any:
        return Path(path)  # there are none


class _Loader(Loader):
    """Makes a module that looks its names up in the table when they are asked for."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Alias(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        module.__doc__ = f"{module.__name__}, as Team Studio has it."
        if module.__name__ == "autogen_core":
            _bring_pillow_along()


def _bring_pillow_along() -> None:
    """Let `import PIL` be enough for `PIL.Image`, as it is once AutoGen is imported; it is loaded when it is used."""
    if "PIL.Image" in sys.modules or find_spec("PIL") is None:
        return
    package = import_module("PIL")
    spec = find_spec("PIL.Image")
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules["PIL.Image"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    package.Image = module  # pyright: ignore[reportAttributeAccessIssue] -- a submodule


class _Alias(ModuleType):
    """A module of AutoGen's name whose contents are ours."""

    def __getattr__(self, name: str) -> object:
        if name == "__all__":
            return sorted(public_names(self.__name__))
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        for place in public_names_called(self.__name__, name):
            found = getattr(import_module(place.module), place.name, None)
            if found is not None:
                value = as_scripts_know_it(found)
                setattr(self, name, value)
                return value
        if f"{self.__name__}.{name}" in MODULES or is_private(name):
            raise AttributeError(name)  # a submodule: the import system looks for it next
        what = f"Team Studio has no counterpart of {name!r} in AutoGen's {self.__name__!r}."
        there = (f"{self.__name__}.{each}" for each in public_names(self.__name__))
        raise ImportError(f"{what} {advice(f'{self.__name__}.{name}', there)}", name=name)

    def __call__(self, *_arguments: object, **_data: object) -> object:
        """A private name that is not ours leads to a module, which a script may take for a function or a class."""
        raise ImportError(f"Team Studio has no counterpart of {self.__name__!r}. {advice(self.__name__, ())}")


def as_scripts_know_it(found: object) -> object:
    """Our class in the form that a script can derive from; anything else as it is."""
    if isinstance(found, type):
        cls = cast("type[object]", found)
        return free(cls) if issubclass(cls, Component) and not issubclass(cls, Freed) else cls
    return found


def is_private(name: str) -> bool:
    """Whether a dotted name leads through something private."""
    return any(part.startswith("_") and not part.startswith("__") for part in name.split("."))


def public_names(module: str) -> set[str]:
    """The names that `from module import *` gives."""
    return {
        place.shown
        for place in names_in(module)
        if not place.shown.startswith("_") and hasattr(import_module(place.module), place.name)
    }


def public_names_called(module: str, name: str) -> Iterator[PublicName]:
    """Where a name may be ours. A private module has what the packages around it have."""
    while module:
        yield from (place for place in names_in(module) if place.shown == name)
        if not is_private(module):
            return
        module = module.rpartition(".")[0]


def install() -> None:
    """Make AutoGen's names importable in this process; a second call does nothing."""
    if not any(isinstance(finder, _Finder) for finder in cast("list[object]", sys.meta_path)):
        sys.meta_path.insert(0, _Finder())
