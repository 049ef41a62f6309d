"""Forms and palette entries, derived from the component classes; nothing about a field is written down twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import cast

from pydantic import JsonValue
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticUndefined

from studio.components.base import Component, JsonObject, component_classes, load_packages
from studio.components.field_titles import title_from_name
from studio.components.titles import type_title

GROUPS = {
    "team": "teams",
    "agent": "agents",
    "model": "models",
    "replay_chat_completion_client": "models",
    "chat_completion_cache": "models",
    "tool": "tools",
    "workbench": "workbenches",
    "termination": "terminations",
    "memory": "memories",
    "chat_completion_context": "contexts",
    "code_executor": "executors",
}
"""Component type to palette group; whatever is not here is "other"."""


class _Titled(GenerateJsonSchema):
    """Gives each field the title of its name, also one that holds a component or an object."""

    def get_title_from_name(self, name: str) -> str:
        return title_from_name(name)

    def field_title_should_be_set(self, schema: object) -> bool:
        del schema
        return True


@dataclass(frozen=True, slots=True)
class Slot:
    """A place inside a component where others can be put."""

    field: str
    accepts: tuple[str, ...]
    many: bool
    required: bool


def group_of(component_type: str) -> str:
    """The palette group of a component type."""
    return GROUPS.get(component_type, "other")


@cache
def form_schema(cls: type[Component]) -> JsonObject:
    """The JSON schema of a component's config, from which every form is made.

    A place for components reads `{"x-component": type, "x-accepts": [types]}`, a secret `{"x-secret": true}`. Long
    text and code are marked by their fields (`x-multiline`, `x-language`), what few people need by `x-advanced`.
    `x-choices` and `x-suggestions` point to the names that a text must or may be: the keys of an object or the names
    of components, looked for in the component's own config and then in those around it. What begins with `studio:`
    stands for names of what the studio keeps.
    """
    schema = cast("JsonObject", cls.model_json_schema(schema_generator=_Titled))
    definitions = cast("dict[str, JsonObject]", schema.pop("$defs", {}))
    places = {
        f"#/$defs/{name}": _place(definition) for name, definition in definitions.items() if "x-base" in definition
    }
    rest = {name: _mark(item, places) for name, item in definitions.items() if f"#/$defs/{name}" not in places}
    marked = cast("JsonObject", _mark(schema, places))
    marked.pop("x-component", None)
    marked.pop("x-base", None)
    return {**marked, **({"$defs": cast("JsonValue", rest)} if rest else {})}


def slots(cls: type[Component]) -> list[Slot]:
    """The places inside a component, in the order of its fields."""
    schema = form_schema(cls)
    required = cast("list[str]", schema.get("required", []))
    found: list[Slot] = []
    for name, prop in cast("dict[str, JsonObject]", schema.get("properties", {})).items():
        for place, many in _places_in(prop):
            accepts = tuple(cast("list[str]", place["x-accepts"]))
            found.append(Slot(name, accepts, many, name in required))
    return found


def template(cls: type[Component]) -> JsonObject:
    """A new component as the palette adds it: defaults, and the first example of each required field."""
    config: JsonObject = {}
    for name, field in cls.model_fields.items():
        if field.is_required():
            if field.examples:
                config[name] = field.examples[0]
            continue
        default = field.get_default(call_default_factory=True, validated_data={})
        if default is not None and default is not PydanticUndefined:
            config[name] = _plain(default)
    return {
        "provider": cls.provider,
        "component_type": cls.component_type,
        "version": cls.component_version,
        "component_version": cls.component_version,
        "description": cls.summary(),
        "label": cls.__name__,
        "config": {**config, **cls.starts_with},
    }


def catalogue() -> list[JsonObject]:
    """All registered components that can run here, with group, help, schema, slots and template."""
    return [
        cast(
            "JsonObject",
            {
                "provider": cls.provider,
                "aliases": list(cls.aliases),
                "component_type": cls.component_type,
                "group": group_of(cls.component_type),
                "label": cls.__name__,
                "title": type_title(cls.__name__),
                "summary": cls.summary(),
                "keywords": cls.keywords,
                "schema": form_schema(cls),
                "drawn_as": cls.drawn_as,
                "led_by": cls.led_by,
                "leader_does": cls.leader_does if cls.led_by else "",
                "slots": [{**asdict(slot), "accepts": list(slot.accepts)} for slot in slots(cls)],
                "template": template(cls),
            },
        )
        for cls in component_classes()
        if cls.is_offered
    ]


def _plain(value: object) -> JsonValue:
    if isinstance(value, Component):
        return value.dump_component()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[object]", value)]
    dump = getattr(value, "model_dump", None)
    return cast("JsonValue", dump(mode="json") if callable(dump) else value)


def _place(definition: JsonObject) -> JsonObject:
    base = _class_named(str(definition["x-base"]))
    accepts = sorted({cls.component_type for cls in component_classes() if issubclass(cls, base)})
    return {"x-component": base.component_type, "x-accepts": list(accepts or [base.component_type])}


def _class_named(name: str) -> type[Component]:
    load_packages()
    stack: list[type[Component]] = [Component]
    while stack:
        cls = stack.pop()
        if cls.__name__ == name:
            return cls
        stack.extend(cls.__subclasses__())
    return Component


def _mark(node: JsonValue, places: dict[str, JsonObject]) -> JsonValue:
    if isinstance(node, list):
        return [_mark(item, places) for item in node]
    if not isinstance(node, dict):
        return node
    if (ref := node.get("$ref")) in places:
        rest = {key: item for key, item in node.items() if key != "$ref"}
        return {**places[str(ref)], **rest}
    marked = {key: _mark(item, places) for key, item in node.items()}
    return _merge_union(marked)


def _merge_union(node: JsonObject) -> JsonObject:
    """Join `anyOf` of several component kinds into one place that accepts them all."""
    options = node.get("anyOf")
    if not isinstance(options, list):
        return node
    parts = [option for option in cast("list[JsonObject]", options) if "x-component" in option]
    others = [option for option in cast("list[JsonObject]", options) if "x-component" not in option]
    if not parts:
        return node
    accepts = sorted({kind for part in parts for kind in cast("list[str]", part["x-accepts"])})
    place: JsonObject = {"x-component": parts[0]["x-component"], "x-accepts": list(accepts)}
    rest = {key: item for key, item in node.items() if key != "anyOf"}
    if others:
        return {**rest, "anyOf": [place, *others]}
    return {**rest, **place}


def _places_in(prop: JsonObject) -> Iterator[tuple[JsonObject, bool]]:
    if "x-component" in prop:
        yield prop, False
    for option in cast("list[JsonObject]", prop.get("anyOf", [])):
        yield from _places_in(option)
    items = prop.get("items")
    if isinstance(items, dict):
        yield from ((place, True) for place, _ in _places_in(items))
