"""Tool functions as part of a script: which source texts can stand there as a plain `def`."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue


@dataclass(frozen=True)
class FunctionSource:
    """A function that can be written into a script, with the imports it names.

    Args:
        wants_token: Whether it has a parameter `cancellation_token`.
        bindings: Each name that the imports bind, with its import statement.
    """

    name: str
    source: str
    wants_token: bool
    bindings: tuple[tuple[str, str], ...]


def read_function(source: str, global_imports: JsonValue) -> FunctionSource | None:
    """The function in a tool's source; None where it must stay text.

    It must be one function whose text Python would give back unchanged; defining it must run nothing (no decorator, no
    default but a literal); and what it imports must be there on every machine.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    function = tree.body[0]
    bindings = import_bindings(global_imports)
    if bindings is None or not all(_is_always_there(statement) for _, statement in bindings):
        return None
    if function.decorator_list or not _is_given_back(source):
        return None
    defaults = [*function.args.defaults, *(item for item in function.args.kw_defaults if item is not None)]
    if getattr(function, "type_params", []) or not all(map(_is_literal, defaults)):
        return None
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    wants_token = any(parameter.arg == "cancellation_token" for parameter in parameters)
    return FunctionSource(function.name, source, wants_token, tuple(bindings))


def import_bindings(global_imports: JsonValue) -> list[tuple[str, str]] | None:
    """The names that a tool's `global_imports` bind, each with its statement; None for an unknown form."""
    if not isinstance(global_imports, list):
        return None
    found: list[tuple[str, str]] = []
    for item in global_imports:
        statements = list(_statements(item))
        if not statements:
            return None
        found.extend(statements)
    return found


def _statements(item: JsonValue) -> Iterator[tuple[str, str]]:
    match item:
        case str():
            yield item.partition(".")[0], f"import {item}"
        case {"module": str(module), "imports": list(names)}:
            for name in names:
                match name:
                    case str():
                        yield name, f"from {module} import {name}"
                    case {"name": str(original), "alias": str(alias)}:
                        yield alias, f"from {module} import {original} as {alias}"
                    case _:
                        return
        case {"name": str(original), "alias": str(alias)}:
            yield alias, f"import {original} as {alias}"
        case _:
            return


def _is_given_back(source: str) -> bool:
    """Whether `inspect.getsource` would give this text for the function, standing in a longer module."""
    if not source.endswith("\n") or source.endswith("\n\n"):
        return False
    lines = [*source.splitlines(keepends=True), "\n", "\n", "rest = None\n"]
    return "".join(inspect.getblock(lines)) == source


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _is_always_there(statement: str) -> bool:
    """Whether an import statement names a module of the standard library."""
    module = statement.split()[1].partition(".")[0]
    return module in sys.stdlib_module_names
