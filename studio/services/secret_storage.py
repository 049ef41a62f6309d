"""What happens to a document before it is stored: keys in the open go into the secret store, references stay."""

from __future__ import annotations

import asyncio
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject, Report, extract_secrets, is_reference
from studio.store import Store


async def with_references(store: Store, document: JsonObject) -> JsonObject:
    """The document with a reference in place of each key, which is now encrypted in the store.

    Raises:
        Conflict: Another key has the name that one of them would get.
    """
    clean, found = await asyncio.to_thread(extract_secrets, document)
    for secret in found:
        await store.secrets.keep(secret.reference.partition(":")[2], secret.value)
    return cast("JsonObject", clean)


def secret_references(document: JsonValue, whole: Report) -> set[str]:
    """Every secret that a document names, also by leaving a field to its default.

    Args:
        document: Component JSON.
        whole: What `validate_component` told of it.
    """
    defaults = [use.reference for use in whole.secrets]
    return {reference for reference in (*_texts(document), *defaults) if is_reference(reference)}


def _texts(node: JsonValue) -> list[str]:
    if isinstance(node, str):
        return [node]
    if isinstance(node, dict):
        return [text for child in node.values() for text in _texts(child)]
    if isinstance(node, list):
        return [text for child in node for text in _texts(child)]
    return []
