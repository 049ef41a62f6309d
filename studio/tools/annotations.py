"""Annotations in source as types that Pydantic knows. Names are looked up in a table, nothing is evaluated."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, cast, get_args
from uuid import UUID

from pydantic import ConfigDict, Field, create_model

from studio.components.python_text import MAX_FORMATTED, NO_FILE
from studio.models.schema_model import is_field_name

_SIMPLE: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "None": None,
    "NoneType": None,
    "bytes": bytes,
    "list": list[Any],
    "List": list[Any],
    "Sequence": Sequence[Any],
    "Iterable": list[Any],
    "set": set[Any],
    "Set": set[Any],
    "frozenset": frozenset[Any],
    "FrozenSet": frozenset[Any],
    "tuple": tuple[Any, ...],
    "Tuple": tuple[Any, ...],
    "dict": dict[str, Any],
    "Dict": dict[str, Any],
    "Mapping": Mapping[str, Any],
    "datetime": datetime,
    "date": date,
    "time": time,
    "timedelta": timedelta,
    "Decimal": Decimal,
    "UUID": UUID,
    "Path": Path,
}
_OF_ONE: dict[str, Any] = {
    "Sequence": Sequence,
    **dict.fromkeys(("list", "List", "Iterable", "Collection", "MutableSequence"), list),
    **dict.fromkeys(("set", "Set", "MutableSet", "AbstractSet"), set),
    **dict.fromkeys(("frozenset", "FrozenSet"), frozenset),
}
"""Containers of one kind of items."""
_OF_TWO: dict[str, Any] = {"Mapping": Mapping, **dict.fromkeys(("dict", "Dict", "MutableMapping", "defaultdict"), dict)}
"""Containers of keys and values."""
_TRANSPARENT = frozenset(("Required", "NotRequired", "ReadOnly", "Final", "ClassVar"))
CONTEXT_VARIABLES = "ContextVariables"
MAX_DEPTH = 30
"""Levels of an annotation that are read; anything fits below."""


@dataclass
class Names:
    """What names mean in one source.

    Args:
        imported: Local name to original name.
        classes: Classes that the source defines.
    """

    imported: Mapping[str, str]
    classes: Mapping[str, ast.ClassDef]
    _made: dict[str, Any] = field(default_factory=dict[str, Any])

    def parameter(self, argument: ast.arg) -> tuple[Any, str]:
        """Type and description of a parameter; the description stands in `Annotated[T, "..."]`."""
        node = argument.annotation
        if isinstance(node, ast.Subscript) and self._name(node.value) == "Annotated" and (parts := _parts(node)):
            return self.type_of(parts[0]), next((text for part in parts[1:] if (text := _description(part))), "")
        return (Any if node is None else self.type_of(node)), ""

    def is_variables(self, argument: ast.arg) -> bool:
        """Whether a parameter takes the team's context variables, perhaps as one of several types."""
        return argument.annotation is not None and self._is_variables(argument.annotation, 0)

    def _is_variables(self, node: ast.expr, depth: int) -> bool:
        if depth > MAX_DEPTH:
            return False
        parts: list[ast.expr] = []
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts = _parsed(node.value)
        elif isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.Subscript) and self._name(node.value) in ("Annotated", "Optional", "Union"):
            parts = _parts(node)
        is_ours = self._name(node) == CONTEXT_VARIABLES and CONTEXT_VARIABLES not in self.classes
        return is_ours or any(self._is_variables(part, depth + 1) for part in parts)

    def type_of(self, node: ast.expr, depth: int = 0) -> Any:
        """The type that an annotation means; `Any` for what the table does not know."""
        if depth > MAX_DEPTH:
            return Any
        if isinstance(node, ast.Constant):
            return self._constant(node.value, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return Union[self.type_of(node.left, depth + 1), self.type_of(node.right, depth + 1)]  # noqa: UP007 -- made at run time
        if isinstance(node, ast.Subscript):
            return self._subscript(node, depth)
        name = self._name(node)
        return self._class(name) if name in self.classes else _SIMPLE.get(name, Any)

    def _constant(self, value: object, depth: int) -> Any:
        if value is None:
            return None
        if not isinstance(value, str):
            return Any
        return next((self.type_of(part, depth + 1) for part in _parsed(value)), Any)

    def _subscript(self, node: ast.Subscript, depth: int) -> Any:
        name, parts = self._name(node.value), _parts(node)
        if name == "Literal":
            return _literal(parts)
        if not parts and name not in ("tuple", "Tuple"):
            return Any
        inner = [self.type_of(part, depth + 1) for part in parts]
        if name == "Annotated":
            text = next((text for part in parts[1:] if (text := _description(part))), None)
            return Annotated[inner[0], text] if text else inner[0]
        if name in ("Optional", "Union"):
            return Union[(*inner, None)] if name == "Optional" else Union[tuple(inner)]  # noqa: UP007 -- made at run time
        if name in _TRANSPARENT:
            return inner[0]
        if name in _OF_ONE:
            return _OF_ONE[name][inner[0]]
        if name in _OF_TWO and len(inner) == 2:
            return _OF_TWO[name][inner[0], inner[1]]
        if name in ("tuple", "Tuple"):
            return _tuple(parts, inner)
        return Any

    def _class(self, name: str) -> Any:
        """A class of the source: an enumeration as its values, all else as an object with its annotated fields."""
        if name not in self._made:
            self._made[name] = Any  # where the class contains itself
            self._made[name] = self._make_class(self.classes[name])
        return self._made[name]

    def _make_class(self, node: ast.ClassDef) -> Any:
        if any(self._name(base).endswith("Enum") for base in node.bases):
            return _choices(node)
        fields: dict[str, Any] = {}
        for line in node.body:
            if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and is_field_name(line.target.id):
                fields[line.target.id] = (self.type_of(line.annotation), Field(**_details(line.value)))
        config = ConfigDict(protected_namespaces=())
        return create_model(node.name, __config__=config, __doc__=ast.get_docstring(node), **fields)

    def _name(self, node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            return node.attr
        local = node.id if isinstance(node, ast.Name) else ""
        return self.imported.get(local, local)


def names_in(tree: ast.Module, imported: Mapping[str, str]) -> Names:
    """The names that a source defines and imports, over those that are imported for it."""
    known = dict(imported)
    classes: dict[str, ast.ClassDef] = {}
    for node in ast.walk(tree):  # the outer ones come first
        if isinstance(node, ast.ClassDef):
            classes.setdefault(node.name, node)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom | ast.Import):
            known.update({alias.asname: alias.name for alias in node.names if alias.asname})
    return Names(known, classes)


def default_of(node: ast.expr) -> dict[str, Any]:
    """A default that is JSON as it is; of another one the model only learns that there is one."""
    try:
        value = ast.literal_eval(node)
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {"default_factory": lambda: None}
    return {"default": value}


def _details(node: ast.expr | None) -> dict[str, Any]:
    """Default and description of a field, from what stands behind its annotation: perhaps a call of `Field`."""
    if node is None:
        return {}
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Field"):
        return default_of(node)
    given = [*node.args[:1], *(each.value for each in node.keywords if each.arg in ("default", "default_factory"))]
    is_required = not given or (isinstance(given[0], ast.Constant) and given[0].value is Ellipsis)
    text = _description(node)
    return {**({} if is_required else default_of(given[0])), **({"description": text} if text else {})}


def _choices(node: ast.ClassDef) -> Any:
    """An enumeration; as its values alone where Python would refuse a name."""
    assigned = [line for line in node.body if isinstance(line, ast.Assign)]
    plain = _literal([line.value for line in assigned])
    if plain is Any:
        return Any
    named = [target.id for line in assigned for target in line.targets[:1] if isinstance(target, ast.Name)]
    values = get_args(plain)
    if len(named) != len(values) or not all(name.isidentifier() and name[0] != "_" and name != "mro" for name in named):
        return plain
    made = Enum(node.name, dict(zip(named, values, strict=True)))
    made.__doc__ = ast.get_docstring(node)
    return made


def _parsed(text: str) -> list[ast.expr]:
    """An annotation that stands in quotes; nothing where it is none."""
    if len(text) > MAX_FORMATTED:  # a formatted string in there would cost the parser too much
        return []
    try:
        return [ast.parse(text, NO_FILE, mode="eval").body]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def _parts(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _literal(nodes: list[ast.expr]) -> Any:
    values = [node.value for node in nodes if isinstance(node, ast.Constant)]
    plain = tuple(value for value in values if isinstance(value, str | int | bool | None))
    return Literal[plain] if plain and len(plain) == len(nodes) and all(map(_is_text, plain)) else Any


def _is_text(value: str | int | None) -> bool:
    """False for half a character, which Pydantic cannot take."""
    return not isinstance(value, str) or not any("\ud800" <= letter <= "\udfff" for letter in value)


def _tuple(parts: list[ast.expr], inner: list[Any]) -> Any:
    if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
        return tuple[inner[0], ...]
    return cast("Any", tuple[tuple(inner)])


def _description(node: ast.expr) -> str:
    """The text in `Annotated[T, "text"]` or `Annotated[T, Field(description="text")]`."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "description":
                return _description(keyword.value)
    return ""
