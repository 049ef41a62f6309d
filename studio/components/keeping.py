"""Takes keys that stand in the open out of a document, so that only references are ever stored."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from studio.components.base import Component, JsonObject, find_class
from studio.components.secrets import MASK, DefaultEnv, is_reference


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A key that stood in the open at `where`, and the reference that now stands there."""

    where: str
    reference: str
    value: str


def take_out_secrets(document: JsonValue) -> tuple[JsonValue, list[FoundSecret]]:
    """A copy of the document with `secret:NAME` in place of each key in the open, and those keys.

    AutoGen's mask becomes a reference to the field's usual environment variable; the same key found twice gets the
    same name.
    """
    found: list[FoundSecret] = []
    return _clean(document, "", found), found


def _clean(node: JsonValue, where: str, found: list[FoundSecret]) -> JsonValue:
    if isinstance(node, list):
        return [_clean(item, f"{where}/{index}", found) for index, item in enumerate(node)]
    if not isinstance(node, dict):
        return node
    out = {key: _clean(item, f"{where}/{key}", found) for key, item in node.items()}
    provider, config = out.get("provider"), out.get("config")
    cls = find_class(provider) if isinstance(provider, str) else None
    if cls is not None and isinstance(config, dict):
        out["config"] = _clean_config(cls, config, f"{where}/config", found)
    return out


def _clean_config(cls: type[Component], config: JsonObject, where: str, found: list[FoundSecret]) -> JsonValue:
    out = dict(config)
    for name, field in cls.model_fields.items():
        usual = next((item.name for item in field.metadata if isinstance(item, DefaultEnv)), None)
        value = out.get(name)
        if usual is None or not isinstance(value, str) or not value or is_reference(value):
            continue
        if value == MASK:
            out[name] = f"env:{usual}"
            continue
        tag = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        stem = re.sub(r"[^a-z0-9]+", "-", usual.lower()).strip("-")
        reference = f"secret:{stem}-{tag}"
        out[name] = reference
        found.append(FoundSecret(f"{where}/{name}", reference, value))
    return cast("JsonValue", out)
