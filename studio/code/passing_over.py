"""Which statements of a script can be passed over: those that change nothing that was read.

What they set is not known afterwards. A component that needs it is refused there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from studio.code.new_names import names_set_by, new_names
from studio.code.parsed import ParsedValue
from studio.code.scope import Defined, Imported, Scope, Unread
from studio.code.vocabulary import AUTOGEN, find_type

READS = frozenset(
    (
        *("run", "run_stream", "dump_component", "close", "reset", "stop", "start", "pause", "resume"),
        *("save_state", "load_state", "on_messages", "on_messages_stream", "on_reset", "call_tool", "list_tools"),
        *("set", "total_usage", "actual_usage", "count_tokens", "remaining_tokens"),
        *(
            "create",
            "create_stream",
            "get_messages",
            "query",
            "load_component",
            "get",
            "items",
            "keys",
            "values",
            "copy",
            "index",
            "count",
        ),
    )
)
"""Methods that leave a component, a list or an object as it was read. What a component remembers is no part of it."""
HARMLESS = frozenset(
    (
        *("print", "len", "str", "repr", "int", "float", "bool", "isinstance", "type", "enumerate", "zip", "range"),
        *(
            "list",
            "tuple",
            "set",
            "dict",
            "sorted",
            "min",
            "max",
            "sum",
            "any",
            "all",
            "input",
            "Console",
            "dumps",
            "join",
        ),
    )
)
"""Functions that leave what they are given as it is."""
MAX_FUNCTIONS_DEEP = 10
Function = ast.FunctionDef | ast.AsyncFunctionDef


def changed_names(node: ast.AST, scope: Scope, *, depth: int = 0) -> set[str]:
    """Names of components, lists and objects that stand in the script above, and that a statement may change.

    Names that the statement sets itself may stand for parts of these, such as the variable of a loop.
    """
    inside = Scope(scope)
    new = new_names(node)
    for name in names_set_by(node):
        inside.names[name] = NEW if name in new else ANYTHING
    return {name for each in ast.walk(node) for name in _changed(each, inside, depth)}


def _changed(node: ast.AST, scope: Scope, depth: int) -> Iterator[str]:
    match node:
        case ast.Attribute(ctx=ast.Store() | ast.Del()) | ast.Subscript(ctx=ast.Store() | ast.Del()):
            yield from _read_root(node, scope)
        case ast.Call(func=ast.Attribute(value=target, attr=name)) if name not in READS and (
            roots := [*_read_root(target, scope)]
        ):
            yield from roots
        case ast.Call(func=func, args=args, keywords=keywords) if not _only_uses(func, scope, depth):
            for each in [*args, *(keyword.value for keyword in keywords)]:
                if isinstance(each, ast.Name):
                    yield from _read_root(each, scope)
        case _:
            pass


def _only_uses(func: ast.expr, scope: Scope, depth: int) -> bool:
    """Whether a function leaves what it is given as it is."""
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    found = scope.look(func.id) if isinstance(func, ast.Name) else None
    if isinstance(found, Imported) and (find_type(found.dotted) is not None or _is_class(found.dotted)):
        return True  # what is made of a component holds it, and does not change it
    if not isinstance(found, Defined):
        return name in HARMLESS or name in READS
    if depth >= MAX_FUNCTIONS_DEEP:
        return False
    inside = Scope(found.home.module)
    for each in parameters_of(found.node):
        inside.names[each.arg] = ANYTHING
    return not any(changed_names(each, inside, depth=depth + 1) for each in found.node.body)


def _is_class(dotted: str) -> bool:
    """Whether an imported name is a class of AutoGen's or ours, such as a message, by how it is written."""
    return dotted.startswith(("studio.", *(f"{each}." for each in AUTOGEN))) and dotted.rpartition(".")[2][:1].isupper()


def parameters_of(function: Function) -> list[ast.arg]:
    """All parameters by name."""
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def required_of(function: Function) -> list[ast.arg]:
    """The parameters without a default."""
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args]
    by_name = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return [*places[: len(places) - len(arguments.defaults)], *(each for each, default in by_name if default is None)]


def _read_root(node: ast.AST, scope: Scope) -> Iterator[str]:
    """The name of the component, list or object that this is, or is inside of."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Starred):
        node = node.value
    if isinstance(node, ast.Name):
        found = scope.look(node.id)
        if found is ANYTHING or (
            isinstance(found, ParsedValue) and (found.entries is not None or found.graph_steps is not None)
        ):
            yield node.id


NEW = Unread("", "", None)
"""Bound to a name that a statement gives only what cannot be a component, such as the result of a run."""
ANYTHING = Unread("", "", None)
"""Bound to a parameter, which may be given a component."""
