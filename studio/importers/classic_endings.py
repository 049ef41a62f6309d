"""When a chat of AutoGen 0.2 ends: `is_termination_msg`, read as the texts that it looks for."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from studio.importers.classic_script import ClassicScript

TERMINATE = "TERMINATE"
How = Literal["default", "anywhere", "end", "always", "unread"]


@dataclass(frozen=True)
class Ending:
    """When an agent takes a message as the last one.

    Args:
        texts: One of them is enough.
        how: Whether the text may stand anywhere, only at the end, or is all of the message as by default; `always` for
            any message, `unread` for code that says something else.
    """

    texts: tuple[str, ...]
    how: How


DEFAULT = Ending((TERMINATE,), "default")


def ending_of(classic: ClassicScript, node: ast.expr | None) -> Ending:
    """What the function of a setting looks for; it is read, not called."""
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return DEFAULT
    body = _body(classic, node)
    if body is None:
        return Ending((), "unread")
    if isinstance(body, ast.Constant) and isinstance(body.value, bool):
        return Ending((), "always") if body.value else Ending((), "anywhere")
    if any(isinstance(each, ast.Not | ast.NotIn | ast.NotEq) for each in ast.walk(body)):
        return Ending((), "unread")
    found = [(text, how) for each in ast.walk(body) for text, how in _looked_for(classic, each) if text.strip()]
    if not found:
        return Ending((), "unread")
    texts = tuple(dict.fromkeys(text for text, _ in found))
    return Ending(texts, "anywhere" if all(how == "anywhere" for _, how in found) else "end")


def _body(classic: ClassicScript, node: ast.expr) -> ast.expr | None:
    """The expression that decides: of a lambda, or of a function that only returns one."""
    resolved = classic.resolved(node)
    if isinstance(resolved, ast.Lambda):
        return resolved.body
    function = classic.function_of(node)
    returned = [each.value for each in ast.walk(function) if isinstance(each, ast.Return)] if function else []
    return returned[0] if len(returned) == 1 else None


def _looked_for(classic: ClassicScript, node: ast.AST) -> list[tuple[str, How]]:
    """A text that a comparison or a method of texts looks for."""
    found: ast.expr | None = None
    how: How = "anywhere"
    match node:
        case ast.Compare(left=left, ops=[ast.In()]):
            found = left
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            found, how = (left if isinstance(left, ast.Constant) else right), "end"
        case ast.Call(func=ast.Attribute(attr="find" | "index" | "count"), args=[text, *_]):
            found = text
        case ast.Call(func=ast.Attribute(attr="endswith" | "startswith"), args=[text, *_]):
            found, how = text, "end"
        case ast.Call(func=ast.Attribute(attr="search" | "match" | "fullmatch")):
            return []
        case _:
            return []
    value = classic.script.value_or_none(found)
    # "content" in message asks for a field of the message, not for a text in it.
    return [(value, how)] if isinstance(value, str) and value not in ("content", "role", "name") else []
