"""Keys that stand in the open in a document as references to environment variables."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import JsonValue

from studio.components.base import JsonObject
from studio.components.secret_extraction import FoundSecret, extract_secrets
from studio.components.secrets import variable_of


def keys_as_variables(document: JsonObject) -> tuple[JsonValue, dict[str, str]]:
    """The document with environment variables in place of keys in the open, and these variables by place."""
    clean, found = extract_secrets(document)
    chosen = _variables(found)
    references = {secret.reference: f"env:{chosen[secret.value]}" for secret in found}
    return _replaced(clean, references), {secret.where: chosen[secret.value] for secret in found}


def _variables(found: Sequence[FoundSecret]) -> dict[str, str]:
    """A variable for each key: the usual one for the first that would take it, then one of its own."""
    chosen: dict[str, str] = {}
    for secret in found:
        is_taken = secret.variable in chosen.values()
        own = variable_of(secret.reference.partition(":")[2])
        chosen.setdefault(secret.value, own if is_taken else secret.variable)
    return chosen


def _replaced(node: JsonValue, references: dict[str, str]) -> JsonValue:
    if isinstance(node, dict):
        return {name: _replaced(item, references) for name, item in node.items()}
    if isinstance(node, list):
        return [_replaced(item, references) for item in node]
    if isinstance(node, str):
        for old, new in references.items():
            node = node.replace(old, new)
    return node
