"""Conditions on context variables, such as `${issue_count} >= 3 and not is_closed`. Read as a text, never executed."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, cast

from pydantic import AfterValidator

from studio.components.python_text import NO_FILE
from studio.errors import ConfigError

MAX_TEXT = 1_000
MAX_NESTING = 20
"""Parts in parts. What is deeper could be read here, and yet overflow the stack of a run, where it is checked."""
_PLACE = re.compile(r"\$\{([^{}]*)\}")
_NAMED = {"true": True, "false": False, "null": None}
_COMPARISONS: dict[type[ast.cmpop], Callable[[object, object], object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: cast("Callable[[object, object], object]", operator.lt),
    ast.LtE: cast("Callable[[object, object], object]", operator.le),
    ast.Gt: cast("Callable[[object, object], object]", operator.gt),
    ast.GtE: cast("Callable[[object, object], object]", operator.ge),
    ast.In: lambda left, right: left in cast("list[object]", right),
    ast.NotIn: lambda left, right: left not in cast("list[object]", right),
}


class VariableCondition:
    """A condition on context variables.

    It may hold names of variables, also as `${name}`; texts, numbers, `true`, `false` and `null`; comparisons, `in`,
    `and`, `or`, `not`, and `len(...)`. A variable that is not there counts as false.

    Raises:
        ValueError: The text is none.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._names: dict[str, str] = {}
        self._stand_in = "_variable"
        while self._stand_in in text:
            self._stand_in += "_"
        if len(text) > MAX_TEXT:
            raise ValueError(f"A condition is {MAX_TEXT} characters at most.")
        try:
            self._tree = ast.parse(_PLACE.sub(self._placed, text).strip(), NO_FILE, mode="eval").body
            self._check(self._tree)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise ValueError(f"{text!r} is not a condition. Write one such as `count >= 3 and not done`.") from error

    def holds(self, variables: Mapping[str, object]) -> bool:
        """Whether it is true of these variables.

        Raises:
            ConfigError: It compares values that cannot be compared.
        """
        try:
            return bool(self._value(self._tree, variables))
        except TypeError as error:
            raise ConfigError(f"The condition {self.text!r} cannot be checked: {error}.") from error

    def _placed(self, place: re.Match[str]) -> str:
        stand_in = f"{self._stand_in}_{len(self._names)}"
        self._names[stand_in] = place[1].strip()
        return f" {stand_in} "

    def _check(self, node: ast.expr, depth: int = 0) -> None:
        if depth > MAX_NESTING:
            raise ValueError("A condition is nested too deeply.")
        match node:
            case ast.Constant(value=str(text)) if self._stand_in in text:
                raise ValueError("Write variables outside of quotes: `${name}`, not `'${name}'`.")
            case ast.Name() | ast.Constant(value=str() | int() | float() | None):
                return
            case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                inside = parts
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=part):
                inside = [part]
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARISONS for op in ops):
                inside = [left, *others]
            case ast.Call(func=ast.Name(id="len"), args=[part], keywords=[]):
                inside = [part]
            case _:
                raise ValueError(f"A condition cannot hold `{ast.unparse(node)}`.")
        for part in inside:
            self._check(part, depth + 1)

    def _value(self, node: ast.expr, variables: Mapping[str, object]) -> object:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                known = self._names.get(name, name)
                return variables[known] if known in variables else _NAMED.get(name, False)
            case ast.BoolOp(op=ast.And(), values=parts):
                return all(self._value(part, variables) for part in parts)
            case ast.BoolOp(values=parts):
                return any(self._value(part, variables) for part in parts)
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return not self._value(part, variables)
            case ast.UnaryOp(operand=part):
                return operator.neg(cast("int", self._value(part, variables)))
            case ast.Compare():
                return self._compare(node, variables)
            case ast.Call(args=[part]):
                return len(cast("list[object]", self._value(part, variables)))
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [self._value(part, variables) for part in parts]
            case _:
                raise TypeError(f"`{ast.unparse(node)}` is unknown")

    def _compare(self, node: ast.Compare, variables: Mapping[str, object]) -> bool:
        left = self._value(node.left, variables)
        for op, part in zip(node.ops, node.comparators, strict=True):
            right = self._value(part, variables)
            if not _COMPARISONS[type(op)](left, right):
                return False
            left = right
        return True


read_condition = lru_cache(maxsize=256)(VariableCondition)
"""The condition that a text says; the same text is read once."""


def _can_be_read(text: str) -> str:
    read_condition(text)
    return text


ConditionText = Annotated[str, AfterValidator(_can_be_read)]
"""A text that is a condition on context variables."""
