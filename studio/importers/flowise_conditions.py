"""Conditions of Flowise as conditions on context variables."""

from __future__ import annotations

import math
from collections.abc import Mapping

from pydantic import JsonValue

from studio.importers.canvas_reading import accepted
from studio.importers.canvas_texts import Path, Resolve
from studio.importers.expressions import Unsupported
from studio.importers.flowise_texts import expression, plain, references

_OPERATIONS: Mapping[str, str] = {
    "equal": "{0} == {1}",
    "notEqual": "{0} != {1}",
    "contains": "{1} in {0}",
    "notContains": "{1} not in {0}",
    "larger": "{0} > {1}",
    "largerEqual": "{0} >= {1}",
    "smaller": "{0} < {1}",
    "smallerEqual": "{0} <= {1}",
    "isEmpty": "not {0}",
    "notEmpty": "not (not {0})",
}
"""Operations of Agentflow V2; those on the ends of a text and on patterns have no counterpart."""
_SEQUENTIAL: Mapping[str, str] = {
    "Contains": "{0} and {1} in {0}",
    "Not Contains": "{0} and {1} not in {0}",
    "Is": "{0} == {1}",
    "Is Not": "{0} and {0} != {1}",
    "Is Empty": "not {0}",
    "Is Not Empty": "not (not {0})",
    "Greater Than": "{0} > {1}",
    "Less Than": "{0} < {1}",
    "Equal To": "{0} == {1}",
    "Not Equal To": "{0} != {1}",
    "Greater Than or Equal To": "{0} >= {1}",
    "Less Than or Equal To": "{0} <= {1}",
}
"""Operations of sequential flows."""


def condition(given: Mapping[str, JsonValue], resolve: Resolve) -> str:
    """A condition of Agentflow V2.

    Raises:
        Unsupported: It cannot be one here.
    """
    operation = str(given.get("operation") or "equal")
    if operation not in _OPERATIONS:
        raise Unsupported(f"there is no operation like `{operation[:80]}`")
    kind = str(given.get("type") or "string")
    sides = [_side(given.get(name), kind, resolve) for name in ("value1", "value2")]
    return accepted(_OPERATIONS[operation].format(*sides), is_condition=True)


def sequential_condition(variable: Path, operation: str, value: str) -> str:
    """A condition of a sequential flow.

    Raises:
        Unsupported: It cannot be one here.
    """
    if operation not in _SEQUENTIAL:
        raise Unsupported(f"there is no operation like `{operation[:80]}`")
    is_number = operation.startswith(("Greater", "Less", "Equal", "Not Equal"))
    written = _number(value) if is_number else repr(value)
    return accepted(_SEQUENTIAL[operation].format(variable.expression, written), is_condition=True)


def _side(value: JsonValue, kind: str, resolve: Resolve) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return repr(value)
    text = str(value or "")
    if references(text):
        return expression(text, resolve)
    return _number(plain(text)) if kind == "number" else repr(plain(text).strip())


def _number(text: str) -> str:
    try:
        number = float(text.strip() or 0)
    except ValueError as error:
        raise Unsupported(f"`{text[:80]}` is no number") from error
    if not math.isfinite(number):
        raise Unsupported(f"`{text[:80]}` is no number")
    return repr(int(number) if number.is_integer() and abs(number) < 1e15 else number)
