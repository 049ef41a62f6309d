"""Expressions over context variables, such as `${issue_count} >= 3 and not is_closed`. Read as text, never executed."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Annotated, cast

from pydantic import AfterValidator

from studio.components.document import MAX_INT_BITS
from studio.components.python_text import NO_FILE
from studio.errors import ConfigError

MAX_TEXT = 1_000
MAX_RESULT = 1_000_000
"""Characters of a text that an expression makes, and items of a list: a loop may add to it in each pass."""
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
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda left, right: left / right,
    ast.Mod: operator.mod,
}


class VariableExpression:
    """A value that is made of context variables.

    It may hold names of variables, also as `${name}`, and what is in them as `name.field`, `name["field"]` or
    `name[variable]`; texts, numbers, `true`, `false` and `null`; lists and objects; comparisons, `in`, `and`, `or`,
    `not`; `+` of numbers, texts and lists, and `-`, `*`, `/`, `%` of numbers; and `len(...)`. What is not there
    counts as false.

    Raises:
        ValueError: The text is none.
    """

    what = "an expression"
    example = "count + 1"

    def __init__(self, text: str) -> None:
        self.text = text
        self._names: dict[str, str] = {}
        self._stand_in = "_variable"
        while self._stand_in in text:
            self._stand_in += "_"
        if len(text) > MAX_TEXT:
            raise ValueError(f"{self.what.capitalize()} is {MAX_TEXT} characters at most.")
        try:
            self._tree = ast.parse(_PLACE.sub(self._placed, text).strip(), NO_FILE, mode="eval").body
            self._check(self._tree)
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise ValueError(f"{text!r} is not {self.what}. Write one such as `{self.example}`.") from error

    def value(self, variables: Mapping[str, object]) -> object:
        """What it is with these variables.

        Raises:
            ConfigError: It compares or adds values that do not go together, or becomes too long.
        """
        try:
            return self._value(self._tree, variables)
        except (TypeError, ArithmeticError) as error:
            raise ConfigError(f"{self.text!r} cannot be evaluated: {error}.") from error

    def _placed(self, place: re.Match[str]) -> str:
        stand_in = f"{self._stand_in}_{len(self._names)}"
        self._names[stand_in] = place[1].strip()
        return f" {stand_in} "

    def _check(self, node: ast.expr, depth: int = 0) -> None:
        if depth > MAX_NESTING:
            raise ValueError(f"{self.what.capitalize()} is nested too deeply.")
        match node:
            case ast.Constant(value=str(text)) if self._stand_in in text:
                raise ValueError("Write variables outside of quotes: `${name}`, not `'${name}'`.")
            case ast.Name() | ast.Constant(value=str() | int() | float() | None) if not _is_endless(node):
                return
            case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
                inside = parts
            case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=part) | ast.Attribute(value=part):
                inside = [part]
            case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in _COMPARISONS for op in ops):
                inside = [left, *others]
            case ast.Call(func=ast.Name(id="len"), args=[part], keywords=[]):
                inside = [part]
            case ast.Subscript(value=part, slice=ast.Constant(value=str() | int()) | ast.Name() as key):
                inside = [part, key]
            case ast.BinOp(left=left, right=right, op=op) if type(op) in (ast.Add, *_ARITHMETIC):
                inside = [left, right]
            case ast.Dict(keys=keys, values=parts) if all(
                isinstance(key, ast.Constant) and isinstance(key.value, str) for key in keys
            ):
                inside = parts
            case _:
                raise ValueError(f"{self.what.capitalize()} cannot hold `{ast.unparse(node)}`.")
        for part in inside:
            self._check(part, depth + 1)

    def _value(self, node: ast.expr, variables: Mapping[str, object]) -> object:  # noqa: C901  one arm for each kind
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
            case ast.Attribute(value=part, attr=name):
                return _within(self._value(part, variables), name)
            case ast.Subscript(value=part, slice=key):
                return _within(self._value(part, variables), self._value(key, variables))
            case ast.BinOp(left=left, right=right, op=op):
                return _combined(type(op), self._value(left, variables), self._value(right, variables))
            case ast.Dict(keys=keys, values=parts):
                named = zip(cast("list[ast.Constant]", keys), parts, strict=True)
                return {str(key.value): self._value(part, variables) for key, part in named}
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


class VariableCondition(VariableExpression):
    """An expression whose value counts as true or false."""

    what = "a condition"
    example = "count >= 3 and not done"

    def holds(self, variables: Mapping[str, object]) -> bool:
        """Whether it is true of these variables.

        Raises:
            ConfigError: It compares values that cannot be compared.
        """
        try:
            return bool(self._value(self._tree, variables))
        except (TypeError, ArithmeticError) as error:
            raise ConfigError(f"The condition {self.text!r} cannot be checked: {error}.") from error


def _is_endless(node: ast.expr) -> bool:
    """Whether it is a number that JSON does not have, such as 1e999."""
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and not math.isfinite(node.value)


def _within(value: object, key: object) -> object:
    """The field of an object or the item of a list; never an attribute."""
    if isinstance(value, dict) and isinstance(key, str | int):
        return cast("dict[object, object]", value).get(key, False)
    if isinstance(value, list) and isinstance(key, int):
        items = cast("list[object]", value)
        return items[key] if -len(items) <= key < len(items) else False
    return False


def _combined(op: type[ast.operator], left: object, right: object) -> object:
    if op is not ast.Add or isinstance(left, int | float) or isinstance(right, int | float):
        if not isinstance(left, int | float) or not isinstance(right, int | float):
            raise TypeError(f"{left!r:.50} and {right!r:.50} are not both numbers")
        result = left + right if op is ast.Add else _ARITHMETIC[op](left, right)
        if result.bit_length() > MAX_INT_BITS if isinstance(result, int) else not math.isfinite(result):
            raise OverflowError("the number is too large")
        return result
    pair = (cast("str", left), cast("str", right))  # or two lists
    if not any(isinstance(left, kind) and isinstance(right, kind) for kind in (str, list)):
        raise TypeError(f"{left!r:.50} and {right!r:.50} cannot be added")
    if len(pair[0]) + len(pair[1]) > MAX_RESULT:
        raise OverflowError(f"it would be longer than {MAX_RESULT:,}")
    return pair[0] + pair[1]


read_condition = lru_cache(maxsize=256)(VariableCondition)
"""The condition that a text says; the same text is read once."""
read_expression = lru_cache(maxsize=256)(VariableExpression)
"""The same of an expression."""


def _is_condition(text: str) -> str:
    read_condition(text)
    return text


def _is_expression(text: str) -> str:
    read_expression(text)
    return text


ConditionText = Annotated[str, AfterValidator(_is_condition)]
"""A text that is a condition on context variables."""
ExpressionText = Annotated[str, AfterValidator(_is_expression)]
"""A text that is an expression over context variables."""
