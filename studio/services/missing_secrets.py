"""What a team needs of this machine and does not find: secrets without a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import DefaultEnv, JsonObject, SecretUse, find_class
from studio.components.pointers import escape, value_at
from studio.components.secrets import SecretSource


def missing_secrets(document: JsonValue, uses: Sequence[SecretUse], resolve: SecretSource) -> list[JsonObject]:
    """Each secret that has no value, once, in the order of the document.

    Beside what every finding has: `name`, under which a value can be stored here, and `places`, where `secret:name`
    must be written for it to be read, which may be all there is to do (`is_stored`). Without a name it can only be set
    outside.
    """
    found: dict[str, JsonObject] = {}
    for use in uses:
        if use.reference in found or resolve(use.reference):
            continue
        places = [where for each in uses if each.reference == use.reference for where in _fields(document, each)]
        scheme, _, name = use.reference.partition(":")
        is_ours = scheme == "secret"
        can_be_set = is_ours or all(is_whole for _, is_whole in places)
        own_name = name if is_ours else re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        found[use.reference] = {
            "code": "missing_secret",
            "message": f"The {'secret' if is_ours else 'variable'} `{name}` is not set.",
            "fix": "Store it here." if is_ours else "Set it and restart the studio, or store the key here.",
            "where": places[0][0] if places else use.where,
            "reference": use.reference,
            "name": own_name if can_be_set else "",
            "is_stored": not is_ours and bool(resolve(f"secret:{own_name}")),
            "places": [] if is_ours else [where for where, _ in places],
        }
    return list(found.values())


def _fields(document: JsonValue, use: SecretUse) -> Iterator[tuple[str, bool]]:
    """Where a component names a secret, or would, and whether the name is all that stands there."""
    envelope = cast("JsonObject", value_at(document, use.where))
    config = cast("JsonObject", envelope.get("config") or {})
    named = list(_texts(config, f"{use.where}/config", use.reference))
    yield from named
    cls = find_class(str(envelope.get("provider")))
    for name, field in cls.model_fields.items() if cls and not named else ():
        if config.get(name) is None and any(isinstance(mark, DefaultEnv) for mark in field.metadata):
            yield f"{use.where}/config/{name}", True
            return


def _texts(node: JsonValue, where: str, reference: str) -> Iterator[tuple[str, bool]]:
    if isinstance(node, str) and reference in node:
        yield where, node == reference
    elif isinstance(node, dict) and (not isinstance(node.get("provider"), str)):
        for key, child in node.items():
            yield from _texts(child, f"{where}/{escape(key)}", reference)
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from _texts(child, f"{where}/{index}", reference)
