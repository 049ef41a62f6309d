"""Text that a database and a page can take: models and tools give halves of characters now and then."""

from __future__ import annotations

from pydantic import JsonValue


def well_formed(text: str) -> str:
    """Put U+FFFD in place of each half of a surrogate pair that stands alone, as `toWellFormed` of JavaScript does."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def well_formed_json(value: JsonValue) -> JsonValue:
    """The same with all text in it well formed."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [well_formed_json(item) for item in value]
    if isinstance(value, dict):
        return {well_formed(key): well_formed_json(item) for key, item in value.items()}
    return value
