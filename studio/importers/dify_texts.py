"""Texts and conditions of Dify: references such as `{{#node.field#}}`, and simple places of Jinja."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from studio.importers.canvas_reading import accepted
from studio.importers.canvas_texts import Path as Path
from studio.importers.canvas_texts import Resolve, expression
from studio.importers.expressions import Unsupported

PLACES = re.compile(r"\{\{#([^{}#\n]{1,300})#\}\}")
INPUT_PLACES = re.compile(r"\{\{[ \t]*(\w{1,100})[ \t]*\}\}")
"""Places of the form's fields in the prompts of apps without a workflow, and simple ones of Jinja."""
_OPERATIONS: Mapping[str, str] = {
    "contains": "{1} in {0}",
    "not contains": "{1} not in {0}",
    "is": "{0} == {1}",
    "is not": "{0} != {1}",
    "in": "{0} in {1}",
    "not in": "{0} not in {1}",
    "empty": "not {0}",
    "not empty": "not (not {0})",
    "null": "not {0}",
    "not null": "not (not {0})",
    "exists": "not (not {0})",
    "not exists": "not {0}",
    "=": "{0} == {1}",
    "≠": "{0} != {1}",
    ">": "{0} > {1}",
    "<": "{0} < {1}",
    "≥": "{0} >= {1}",
    "≤": "{0} <= {1}",
}
"""Operations that have a counterpart; those on the ends of a text have none."""
_NUMERIC = ("=", "≠", ">", "<", "≥", "≤")


def selector(value: JsonValue) -> str:
    """The reference that a list of names is."""
    return ".".join(map(str, value)) if isinstance(value, list) else ""


def branch(given: Mapping[str, JsonValue], resolve: Resolve) -> str:
    """The condition of a case.

    Raises:
        Unsupported: It cannot be one here.
    """
    listed = given.get("conditions")
    parts = [condition(each, resolve) for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    if not parts:
        raise Unsupported("it has no condition")
    word = " or " if given.get("logical_operator") == "or" else " and "
    return accepted(word.join(f"({each})" for each in parts) if len(parts) > 1 else parts[0], is_condition=True)


def condition(given: Mapping[str, JsonValue], resolve: Resolve) -> str:
    """One condition.

    Raises:
        Unsupported: It cannot be one here.
    """
    operation = str(given.get("comparison_operator") or "")
    if operation not in _OPERATIONS:
        raise Unsupported(f"there is no operation like `{operation[:80]}`")
    if given.get("sub_variable_condition"):
        raise Unsupported("it looks into files")
    left = _written(resolve(selector(given.get("variable_selector"))))
    is_number = operation in _NUMERIC or given.get("varType") == "number"
    right = _side(given.get("value"), resolve, is_number=is_number)
    return accepted(_OPERATIONS[operation].format(left, right), is_condition=True)


def _side(value: JsonValue, resolve: Resolve, *, is_number: bool) -> str:
    if isinstance(value, str) and PLACES.search(value):
        return expression(value, PLACES, resolve)
    if is_number and isinstance(value, str):
        return number(value)
    return literal(value)


def _written(found: Path | str) -> str:
    return found.expression if isinstance(found, Path) else repr(found)


def number(text: str) -> str:
    """A number as an expression has it.

    Raises:
        Unsupported: It is none.
    """
    if re.fullmatch(r"[ \t]*-?[0-9]{1,15}(?:\.[0-9]{1,15})?[ \t]*", text) is None:
        raise Unsupported(f"`{text[:80]}` is no number")
    value = float(text)
    return repr(int(value) if value.is_integer() else value)


def literal(value: JsonValue) -> str:
    """A value as an expression has it."""
    return repr(value) if value is not None else "''"


def names_within(references: Sequence[str]) -> dict[str, str]:
    """Names of arguments for references: the last part of each, where it can be one."""
    found: dict[str, str] = {}
    for each in references:
        word = each.rpartition(".")[2]
        if word.isidentifier() and word.isascii():
            found.setdefault(word, each)
    return found
