"""The JSON schema of a Pydantic model that a script defines, as Pydantic would give it. The class is not executed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from studio.code.findings import Position
from studio.code.scope import Imported, Scope, ScriptClass
from studio.components import JsonObject

MODELS = ("pydantic.BaseModel", "pydantic.main.BaseModel")
ENUMS = ("enum.Enum", "enum.StrEnum")
MAX_CLASSES = 50
_PLAIN: dict[str, JsonObject] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "list": {"items": {}, "type": "array"},
    "dict": {"additionalProperties": True, "type": "object"},
    "typing.Any": {},
    "datetime.datetime": {"format": "date-time", "type": "string"},
    "datetime.date": {"format": "date", "type": "string"},
}
_LISTS = ("list", "typing.List", "typing.Sequence", "collections.abc.Sequence")
_OBJECTS = ("dict", "typing.Dict", "typing.Mapping", "collections.abc.Mapping")
_LIMITS = {
    "description": "description",
    "title": "title",
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "pattern": "pattern",
    "examples": "examples",
}
_LENGTHS = {"min_length": ("minLength", "minItems"), "max_length": ("maxLength", "maxItems")}


class NoSchema(Exception):
    """A part of the class cannot be told without executing it; the text says which."""


def is_model(node: ast.ClassDef, scope: Scope) -> bool:
    """Whether a class is a Pydantic model."""
    return any(_full_name(base, scope) in MODELS for base in node.bases) or any(
        is_model(found.node, scope) for found in _script_bases(node, scope)
    )


def schema_of(node: ast.ClassDef, scope: Scope) -> JsonObject:
    """The JSON schema of a model.

    Raises:
        NoSchema: A field has a type or a value that is not read.
    """
    return _Schemas(scope).whole(node)


class _Schemas:
    """Of one model, and of those inside it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = Scope(scope)
        """With the classes that stand inside of the model."""
        self._inside: dict[str, JsonObject] = {}

    def whole(self, node: ast.ClassDef) -> JsonObject:
        made = self._model(node)
        return {"$defs": dict(sorted(self._inside.items())), **made} if self._inside else made

    def _model(self, node: ast.ClassDef) -> JsonObject:
        outer, self._scope = self._scope, Scope(self._scope)
        for each in node.body:
            if isinstance(each, ast.ClassDef):
                place = Position(each.lineno, each.col_offset + 1)
                self._scope.names[each.name] = ScriptClass("", "", place, each, self._scope)
        made = self._object(node)
        self._scope = outer
        return made

    def _object(self, node: ast.ClassDef) -> JsonObject:
        properties: JsonObject = {}
        required: list[JsonValue] = []
        for each in self._fields(node):
            name = each.target.id if isinstance(each.target, ast.Name) else ""
            if name == "model_config" or name.startswith("_"):
                continue
            schema, has_default = self._field(name, each)
            properties[name] = schema
            if not has_default:
                required.append(name)
        made: JsonObject = {"properties": properties}
        if described := ast.get_docstring(node):
            made["description"] = described
        if required:
            made["required"] = required
        return {**made, "title": node.name, "type": "object"}

    def _fields(self, node: ast.ClassDef) -> Iterator[ast.AnnAssign]:
        found: dict[str, ast.AnnAssign] = {}
        for base in _script_bases(node, self._scope):
            found |= {ast.unparse(each.target): each for each in self._fields(base.node)}
        for each in node.body:
            if isinstance(each, ast.AnnAssign):
                found[ast.unparse(each.target)] = each
        yield from found.values()

    def _field(self, name: str, node: ast.AnnAssign) -> tuple[JsonObject, bool]:
        annotation, about = node.annotation, self._about(node.value, name)
        match annotation:
            case ast.Subscript(value=outer, slice=ast.Tuple(elts=[inner, *notes])) if self._is(outer, "Annotated"):
                annotation = inner
                for each in notes:
                    if isinstance(each, ast.Constant):
                        continue
                    about = {**self._about(each, name), **about}
            case _:
                pass
        schema = self._type(annotation)
        has_default = "default" in about or about.pop("has_factory", False) is True
        for length, (of_text, of_list) in _LENGTHS.items():
            if length in about:
                about[of_list if schema.get("type") == "array" else of_text] = about.pop(length)
        title: JsonObject = {} if _is_reference(schema) else {"title": name.replace("_", " ").title()}
        return dict(sorted({**schema, **title, **about}.items())), has_default

    def _about(self, value: ast.expr | None, name: str) -> JsonObject:
        """What a default or `Field(...)` says."""
        match value:
            case None:
                return {}
            case ast.Call(func=func, args=args, keywords=keywords) if _full_name(func, self._scope) == "pydantic.Field":
                found: JsonObject = {}
                if args and not (isinstance(args[0], ast.Constant) and args[0].value is ...):
                    found["default"] = _literal(args[0], name)
                for each in keywords:
                    if each.arg == "default_factory":
                        found["has_factory"] = True
                    elif each.arg == "default":
                        if not (isinstance(each.value, ast.Constant) and each.value.value is ...):
                            found["default"] = _literal(each.value, name)
                    elif each.arg in _LIMITS or each.arg in _LENGTHS:
                        found[_LIMITS.get(each.arg, each.arg)] = _literal(each.value, name)
                    else:
                        raise NoSchema(f"the option `{each.arg}` of the field `{name}`")
                return found
            case ast.Constant(value=described) if described is ...:
                return {}
            case _:
                return {"default": _literal(value, name)}

    def _type(self, node: ast.expr) -> JsonObject:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                raise NoSchema(f"the type `{node.value}`") from None
        if isinstance(node, ast.Constant) and node.value is None:
            return dict(_PLAIN["None"])
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._any_of([*_sides(node)])
        if isinstance(node, ast.Subscript):
            return self._generic(node)
        dotted = _full_name(node, self._scope)
        if dotted in _LISTS:
            return dict(_PLAIN["list"])
        if dotted in _OBJECTS:
            return dict(_PLAIN["dict"])
        if dotted in _PLAIN:
            return dict(_PLAIN[dotted])
        found = self._scope.look(node.id) if isinstance(node, ast.Name) else None
        if isinstance(found, ScriptClass):
            return self._reference(found.node)
        raise NoSchema(f"the type `{ast.unparse(node)[:60]}`")

    def _generic(self, node: ast.Subscript) -> JsonObject:
        inner = [*node.slice.elts] if isinstance(node.slice, ast.Tuple) else [node.slice]
        dotted = _full_name(node.value, self._scope)
        if dotted in _LISTS and len(inner) == 1:
            return {"items": self._type(inner[0]), "type": "array"}
        if dotted in _OBJECTS and len(inner) == 2:
            values = self._type(inner[1])
            return {"additionalProperties": values or True, "type": "object"}
        if self._is(node.value, "Optional") and len(inner) == 1:
            return self._any_of([inner[0], ast.Constant(None)])
        if self._is(node.value, "Union"):
            return self._any_of(inner)
        if self._is(node.value, "Literal"):
            values = [_literal(each, "Literal") for each in inner]
            if all(isinstance(each, str) for each in values):
                return {"const": values[0], "type": "string"} if len(values) == 1 else _choices(values)
        raise NoSchema(f"the type `{ast.unparse(node)[:60]}`")

    def _any_of(self, parts: list[ast.expr]) -> JsonObject:
        return {"anyOf": [self._type(each) for each in parts]}

    def _reference(self, node: ast.ClassDef) -> JsonObject:
        if node.name not in self._inside:
            if len(self._inside) >= MAX_CLASSES:
                raise NoSchema("more models inside each other than are read")
            self._inside[node.name] = {}  # one may hold itself
            if is_model(node, self._scope):
                self._inside[node.name] = self._model(node)
            else:
                self._inside[node.name] = self._enum(node)
        return {"$ref": f"#/$defs/{node.name}"}

    def _enum(self, node: ast.ClassDef) -> JsonObject:
        if not any(_full_name(base, self._scope) in ENUMS for base in node.bases):
            raise NoSchema(f"the class `{node.name}`")
        values = [_literal(each.value, node.name) for each in node.body if isinstance(each, ast.Assign)]
        if not values or not all(isinstance(each, str) for each in values):
            raise NoSchema(f"the values of `{node.name}`")
        described: JsonObject = {"description": text} if (text := ast.get_docstring(node)) else {}
        return {**described, "enum": values, "title": node.name, "type": "string"}

    def _is(self, node: ast.expr, name: str) -> bool:
        return _full_name(node, self._scope) in (f"typing.{name}", f"typing_extensions.{name}")


def _is_reference(schema: JsonObject) -> bool:
    """Whether the field is another model, or that or null: Pydantic gives such a field no title."""
    parts = schema.get("anyOf")
    others = [each for each in parts if each != _PLAIN["None"]] if isinstance(parts, list) else [schema]
    return len(others) == 1 and isinstance(others[0], dict) and "$ref" in others[0]


def _choices(values: list[JsonValue]) -> JsonObject:
    return {"enum": values, "type": "string"}


def _sides(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _sides(node.left)
        yield from _sides(node.right)
    else:
        yield node


def _script_bases(node: ast.ClassDef, scope: Scope) -> Iterator[ScriptClass]:
    for base in node.bases:
        found = scope.look(base.id) if isinstance(base, ast.Name) else None
        if isinstance(found, ScriptClass) and found.node is not node:
            yield found


def _full_name(node: ast.expr, scope: Scope) -> str:
    """What a name was imported from; a name that is not of the script, such as `str`, as it is."""
    steps: list[str] = []
    while isinstance(node, ast.Attribute):
        steps.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    found = scope.look(node.id)
    if isinstance(found, Imported):
        scope.find(node.id)
        return ".".join([found.dotted, *reversed(steps)])
    return node.id if found is None and not steps else ""


def _literal(node: ast.expr, where: str) -> JsonValue:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise NoSchema(f"a value of `{where}`") from None
    if not _is_json(value):
        raise NoSchema(f"a value of `{where}`")
    return cast("JsonValue", value)


def _is_json(value: object) -> bool:
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return all(isinstance(key, str) and _is_json(item) for key, item in entries.items())
    if isinstance(value, list):
        return all(_is_json(item) for item in cast("list[object]", value))
    return value is None or isinstance(value, str | int | float | bool)
