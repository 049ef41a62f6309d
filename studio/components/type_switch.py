"""Another type of component in the same place: what both have in common is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from studio.components.base import Component, JsonObject, find_class
from studio.components.former_summaries import FORMER_SUMMARIES
from studio.components.loading import validate_component
from studio.components.pointers import escape
from studio.components.schema import form_schema, slots, template
from studio.components.secrets import DefaultEnv
from studio.errors import UnknownProvider


@dataclass(frozen=True, slots=True)
class TypeSwitch:
    """A component of the new type, and the fields of the old one that found no place in it."""

    component: JsonObject
    left: tuple[str, ...]


def switch_to(component: JsonObject, provider: str) -> TypeSwitch:
    """Make a component of another type that keeps the values which are valid for it.

    Where the new type holds components of the old one's kind and neither shares a place for them, the old component
    goes into it whole; where the old one holds one of the new type, that comes out.

    Args:
        component: The envelope to replace.
        provider: The new type.

    Raises:
        UnknownProvider: Nothing is registered under the new provider.
    """
    new = find_class(provider)
    if new is None:
        raise UnknownProvider(
            f"No component is registered as {provider!r}.", fix="Choose a component from the palette."
        )
    old = find_class(str(component.get("provider") or ""))
    config = _config(component, old)
    if inner := _inner(config, provider):
        return TypeSwitch(inner, ())
    fresh = template(new)
    said = {name: value for name, value in config.items() if not _is_default(old, name, value)}
    wanted = {name: value for name, value in said.items() if _is_shared(old, new, name, value)}
    holder = _holder(old, new, config)
    if holder:
        wanted[holder[0]] = [component] if holder[1] else component
    base = cast("JsonObject", fresh["config"])
    kept = _valid(component, fresh, wanted)
    words = {key: (component.get(key), usual) for key, usual in _usual_words(old)}
    unsaid = {"", *FORMER_SUMMARIES}
    own = {key: said for key, (said, usual) in words.items() if isinstance(said, str) and said not in {*unsaid, usual}}
    left = () if holder and holder[0] in kept else tuple(name for name in said if name not in kept)
    return TypeSwitch({**fresh, **own, "config": {**base, **kept}}, left)


def _config(component: JsonObject, old: type[Component] | None) -> JsonObject:
    """The config as the present version has it, where that can be told."""
    given = component.get("config")
    config = cast("JsonObject", given) if isinstance(given, dict) else {}
    try:
        return old.current_config(component) if old else config
    except (PydanticCustomError, ValueError):
        return config


def _inner(config: JsonObject, provider: str) -> JsonObject | None:
    """The one component of the wanted type inside, if there is one."""
    values = [each for value in config.values() for each in (value if isinstance(value, list) else [value])]
    parts = [each for each in values if isinstance(each, dict) and isinstance(each.get("provider"), str)]
    found = [part for part in parts if find_class(str(part["provider"])) is find_class(provider)]
    return found[0] if len(found) == 1 and len(parts) == 1 else None


def _is_default(old: type[Component] | None, name: str, value: JsonValue) -> bool:
    """Whether the old component would say the same without this field."""
    if old is None:
        return False
    field = cast("JsonObject", cast("JsonObject", form_schema(old).get("properties", {})).get(name) or {})
    return value is None or ("default" in field and value == field["default"])


def _is_shared(old: type[Component] | None, new: type[Component], name: str, value: JsonValue) -> bool:
    """Whether the new type has this field, and the value means the same there."""
    there = cast("JsonObject", form_schema(new).get("properties", {})).get(name)
    if not isinstance(there, dict):
        return False
    here = cast("JsonObject", form_schema(old).get("properties", {})).get(name) if old else None
    if not isinstance(here, dict):
        return True
    is_same_service = here.get("x-service") == there.get("x-service")
    usual = _usual_key(old, name) if old else ""
    return is_same_service and not (usual and value == usual and usual != _usual_key(new, name))


def _usual_key(cls: type[Component], name: str) -> str:
    """The reference that a secret field has when nobody chose one."""
    field = cls.model_fields.get(name)
    names = [mark.name for mark in field.metadata if isinstance(mark, DefaultEnv)] if field else []
    return f"env:{names[0]}" if names else ""


def _holder(old: type[Component] | None, new: type[Component], config: JsonObject) -> tuple[str, bool] | None:
    """The field of the new type that takes the old component whole, and whether it is a list."""
    if old is None:
        return None
    for slot in slots(new):
        if slot.required and old.component_type in slot.accepts and slot.field not in config:
            return slot.field, slot.many
    return None


def _valid(component: JsonObject, fresh: JsonObject, wanted: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """Those of the values about which the new type has no error that the old one had not."""
    config = {**cast("JsonObject", fresh["config"]), **wanted}
    known = {error.where for error in validate_component(cast("JsonValue", component)).errors}
    errors = validate_component(cast("JsonValue", {**fresh, "config": config})).errors
    wrong = [error.where for error in errors if error.where not in known]
    return {name: value for name, value in wanted.items() if not any(_is_about(where, name) for where in wrong)}


def _is_about(where: str, name: str) -> bool:
    """Whether an error is about this value, and not about something inside a component in it."""
    pointer = f"/config/{escape(name)}"
    is_within = where == pointer or where.startswith(f"{pointer}/")
    return is_within and "/config/" not in where[len(pointer) :]


def _usual_words(old: type[Component] | None) -> tuple[tuple[str, str], ...]:
    """What an envelope says of itself unless its author wrote something else."""
    return (("label", old.__name__ if old else ""), ("description", old.summary() if old else ""))
