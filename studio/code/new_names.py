"""Names that a statement sets, and which of them cannot stand for a component of the script above."""

from __future__ import annotations

import ast
from collections.abc import Iterator

MAX_STEPS = 20
"""Names that are made of one another; of more, all are taken for what may be a component."""
GIVE_NEW = frozenset(
    (
        *("run", "run_stream", "on_messages", "on_messages_stream", "call_tool", "dump_component", "save_state"),
        *("create", "create_stream", "total_usage", "actual_usage", "get_messages", "query", "load_component", "dumps"),
    )
)
"""Methods whose results hold no component of the script: what a run says is data."""
FUNCTIONS_GIVE_NEW = frozenset(
    ("print", "len", "str", "repr", "int", "float", "bool", "isinstance", "input", "range", "Console")
)
"""Functions of which the same is true."""


def names_set_by(node: ast.AST) -> Iterator[str]:
    """The names that mean something else after a statement."""
    for each in ast.walk(node):
        match each:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (alias.asname or alias.name.partition(".")[0] for alias in names)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case _:
                pass


def new_names(node: ast.AST) -> set[str]:
    """Names that a statement gives only what is new: results of runs, texts, and parts of these."""
    given: dict[str, list[ast.expr | None]] = {name: [] for name in names_set_by(node)}
    for each in ast.walk(node):
        if isinstance(each, ast.Import | ast.ImportFrom | ast.Global | ast.Nonlocal | ast.Delete | ast.Match):
            return set()
        for target, value in _given_by(each):
            _give(given, target, value)
    found = {name for name, values in given.items() if values}
    for _ in range(MAX_STEPS):  # a name of which a part is given to another that is not new is none, either
        new = {name for name in found if all(value is not None and _is_new(value, found) for value in given[name])}
        if new == found:
            return new
        found = new
    return set()


def _given_by(node: ast.AST) -> Iterator[tuple[ast.expr | str, ast.expr | None]]:
    """What a statement gives to names; None for what is not known."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield target, value
        case ast.NamedExpr(target=target, value=value) | ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield target, value
        case ast.comprehension(target=target, iter=value):
            yield target, value
        case ast.ExceptHandler(name=str(name)):
            yield name, ast.Constant(None)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield target, None
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, None
        case _:
            pass


def _give(given: dict[str, list[ast.expr | None]], target: ast.expr | str, value: ast.expr | None) -> None:
    """Note what the names of a target get."""
    if isinstance(target, str):
        given[target].append(value)
        return
    for each in ast.walk(target):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            given[each.id].append(value)


def _is_new(node: ast.expr, new: set[str]) -> bool:
    """Whether a value cannot be a component that stands in the script above, or hold one."""
    match node:
        case ast.Await(value=inner) | ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return _is_new(inner, new)
        case ast.Constant() | ast.JoinedStr() | ast.Compare():
            return True
        case ast.Name(id=name):
            return name in new
        case ast.BinOp(left=left, right=right):
            return _is_new(left, new) and _is_new(right, new)
        case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(_is_new(part, new) for part in parts)
        case ast.IfExp(body=body, orelse=orelse):
            return _is_new(body, new) and _is_new(orelse, new)
        case ast.Call(func=ast.Name(id=name)) if name in FUNCTIONS_GIVE_NEW:
            return True
        case ast.Call(func=ast.Attribute(attr=name)) if name in GIVE_NEW:
            return True
        case ast.Call(func=ast.Attribute(value=target), args=args, keywords=keywords):
            return all(_is_new(part, new) for part in (target, *args, *(keyword.value for keyword in keywords)))
        case _:
            return False
