"""Takes keys that stand in the open out of a document, so that only references are ever stored."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast, get_args

from pydantic import BaseModel, JsonValue

from studio.components.base import Component, JsonObject, find_class
from studio.components.findings import escape
from studio.components.secrets import (
    MASK,
    DefaultEnv,
    is_literal_key,
    is_secret_name,
    scheme_and_key,
    variable_of,
)

_FREE_FORM = ("headers", "env", "config")
"""How fields end that hold objects in which any name may stand."""


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A key that stood in the open at `where`, and the reference that now stands there."""

    where: str
    reference: str
    value: str
    variable: str
    """The environment variable that a script would usually read it from."""


def take_out_secrets(document: JsonValue) -> tuple[JsonValue, list[FoundSecret]]:
    """A copy of the document with `secret:NAME` in place of each key in the open, and those keys.

    Keys are secret fields, and whatever has a key's usual name in headers, environment variables, and components
    that the studio does not know; `Bearer KEY` becomes `Bearer {secret:NAME}`. AutoGen's mask becomes a reference to
    the field's usual environment variable; the same key found twice gets the same name.
    """
    found: list[FoundSecret] = []
    return _clean(document, "", found), found


def without_keys(values: Mapping[str, str]) -> dict[str, str]:
    """Headers or variables as they are stored: the same references, in place of the keys that stand in the open."""
    return cast("dict[str, str]", _clean_free(dict(values), "", []))


def _clean(node: JsonValue, where: str, found: list[FoundSecret]) -> JsonValue:
    if isinstance(node, list):
        return [_clean(item, f"{where}/{index}", found) if _is_deep(item) else item for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    out = {key: _clean(item, f"{where}/{escape(key)}", found) if _is_deep(item) else item for key, item in node.items()}
    provider, config = out.get("provider"), out.get("config")
    if isinstance(provider, str) and isinstance(config, dict):
        cls = find_class(provider)
        place = f"{where}/config"
        out["config"] = _clean_config(cls, config, place, found) if cls else _clean_free(config, place, found)
    return out


def _clean_config(cls: type[BaseModel], config: JsonObject, where: str, found: list[FoundSecret]) -> JsonValue:
    out = dict(config)
    for name, field in cls.model_fields.items():
        usual = next((item.name for item in field.metadata if isinstance(item, DefaultEnv)), None)
        value = out.get(name)
        if isinstance(value, dict):
            for part in _models_in(field.annotation):
                value = out[name] = _clean_config(part, cast("JsonObject", value), f"{where}/{name}", found)
            if name.endswith(_FREE_FORM):
                out[name] = _clean_free(value, f"{where}/{name}", found)
        if usual is not None and isinstance(value, str):
            out[name] = f"env:{usual}" if value == MASK else _taken(usual, value, f"{where}/{name}", found, usual)
    unknown = {name: value for name, value in out.items() if name not in cls.model_fields}
    return {**out, **cast("JsonObject", _clean_free(unknown, where, found))}


def _clean_free(node: JsonValue, where: str, found: list[FoundSecret]) -> JsonValue:
    """An object of which nobody knows the fields, cleaned by their names; components inside were cleaned before."""
    if isinstance(node, list):
        return [
            _clean_free(item, f"{where}/{index}", found) if _is_deep(item) else item for index, item in enumerate(node)
        ]
    if not isinstance(node, dict) or isinstance(node.get("provider"), str):
        return node
    out = dict(node)
    for name, value in node.items():
        if _is_deep(value):
            out[name] = _clean_free(value, f"{where}/{escape(name)}", found)
        elif isinstance(value, str) and is_secret_name(name):
            out[name] = _taken(name, value, f"{where}/{escape(name)}", found)
    return out


def _taken(name: str, value: str, where: str, found: list[FoundSecret], variable: str = "") -> str:
    """What stands in a key's place: a reference, after the scheme of a header."""
    scheme, key = scheme_and_key(value)
    if not is_literal_key(value):
        return value
    tag = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:6]
    stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80] or "key"
    reference = f"secret:{stem}-{tag}"
    found.append(FoundSecret(where, reference, key, variable or variable_of(reference.partition(":")[2])))
    return f"{scheme}{{{reference}}}" if scheme else reference


def _is_deep(value: JsonValue) -> bool:
    return isinstance(value, dict | list)


def _models_in(annotation: object) -> Iterator[type[BaseModel]]:
    """The plain objects that a field may hold; components inside speak for themselves."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if not issubclass(annotation, Component):
            yield annotation
        return
    for part in get_args(annotation):
        yield from _models_in(part)
