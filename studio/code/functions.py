"""Tool functions as part of a script: which source texts can stand there as a plain `def`."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from studio.components.python_text import parsed

OFFERED = {"emit", "ContextVariables"}
"""Names that a tool finds in its process without importing them; in a script nobody would know what they are."""


@dataclass(frozen=True)
class FunctionSource:
    """A function that can be written into a script, with the imports it names.

    Args:
        wants_token: Whether it has a parameter `cancellation_token`.
        bindings: Each name that the imports bind, with its import statement.
        reads_names: Whether it uses names that it does not bind itself.
    """

    name: str
    source: str
    wants_token: bool
    bindings: tuple[tuple[str, str], ...]
    reads_names: bool


@dataclass(frozen=True)
class ScriptFunction:
    """A function that a script defines beside its components.

    Args:
        source: Its text, comments included.
        docstring: As Python gives it.
        reads: Names that it takes from the script around it.
    """

    name: str
    source: str
    docstring: str
    wants_token: bool
    reads: frozenset[str]


def script_function(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: Sequence[str]) -> ScriptFunction:
    """A function of a script, as `inspect.getsource` would give it.

    Args:
        function: Its definition, at the outermost level.
        lines: The script, each line with its end.
    """
    first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
    try:
        block = inspect.getblock(lines[first - 1 :])
    except (tokenize.TokenError, SyntaxError):  # of what follows; Python's two readers differ in odd places
        block = lines[first - 1 : function.end_lineno]
    source = "".join(block)
    docstring = ast.get_docstring(function, clean=False) or ""
    return ScriptFunction(function.name, source, docstring, _wants_token(function), names_read(function))


def names_read(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Names that a function uses and neither binds itself nor finds among Python's own."""
    used: set[str] = set()
    bound = {function.name}
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.ExceptHandler(name=str(name)):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias(name=name, asname=alias):
                bound.add(alias or name.partition(".")[0])
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                bound.add(name)
            case _:
                pass
    return frozenset(used - bound - set(dir(builtins)))


def read_function(source: str, global_imports: JsonValue, *, any_import: bool = False) -> FunctionSource | None:
    """The function in a tool's source; None where it must stay text.

    It must be one function whose text Python would give back unchanged; defining it must run nothing (no decorator, no
    default but a literal); what it imports must be there on every machine, or `any_import` allows it; and it uses
    nothing that only its own process offers.
    """
    try:
        tree = parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    function = tree.body[0]
    bindings = import_bindings(global_imports)
    if bindings is None or not (any_import or all(_is_always_there(statement) for _, statement in bindings)):
        return None
    if function.decorator_list or not _is_given_back(source):
        return None
    defaults = [*function.args.defaults, *(item for item in function.args.kw_defaults if item is not None)]
    if getattr(function, "type_params", []) or not all(map(_is_literal, defaults)):
        return None
    reads = names_read(function)
    if reads & OFFERED - {name for name, _ in bindings}:
        return None
    return FunctionSource(function.name, source, _wants_token(function), tuple(bindings), bool(reads))


def _wants_token(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return any(parameter.arg == "cancellation_token" for parameter in parameters)


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
    if not source.endswith("\n") or source.endswith("\n\n") or "\r" in source:
        return False
    lines = [f"{line}\n" for line in [*source[:-1].split("\n"), "", "", "rest = None"]]
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
