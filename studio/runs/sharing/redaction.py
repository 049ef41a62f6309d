"""Takes known secrets, and what looks like a key, out of what is going to leave the studio. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from studio.components.key_patterns import LOOKS_LIKE_A_KEY
from studio.components.redaction import Redactor

MAX_PLACES = 5

KEY_LIKE = "what looks like a key"


@dataclass
class Removed:
    """A secret that was found. `name` is its reference, never its value; `places` are the first few."""

    name: str
    count: int = 0
    places: list[str] = field(default_factory=list[str])


class SecretRemover:
    """Replaces secrets in JSON values, and keeps account of it.

    Args:
        secrets: Values by their references.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self._known = Redactor(secrets)
        self._found: dict[str, Removed] = {}

    @property
    def too_short(self) -> list[str]:
        """Secrets that cannot be looked for."""
        return sorted(self._known.too_short)

    @property
    def removed(self) -> list[Removed]:
        """What was found so far, most often found first."""
        return sorted(self._found.values(), key=lambda one: (-one.count, one.name))

    def clean(self, value: JsonValue, place: str) -> JsonValue:
        """A copy without secrets, in keys of objects too. `place` says in words where the value is from."""
        if isinstance(value, str):
            return self.clean_text(value, place)
        if isinstance(value, list):
            return [self.clean(item, place) for item in value]
        if isinstance(value, dict):
            return {self.clean_text(key, place): self.clean(item, place) for key, item in value.items()}
        return value

    def clean_text(self, text: str, place: str) -> str:
        """The text with the name of a secret in place of its value."""
        text = self._known.clean_text(text, lambda name: self._note(name, place))
        return re.sub(LOOKS_LIKE_A_KEY, lambda _: self._note(KEY_LIKE, place), text)

    def _note(self, name: str, place: str) -> str:
        one = self._found.setdefault(name, Removed(name))
        one.count += 1
        if place not in one.places and len(one.places) < MAX_PLACES:
            one.places.append(place)
        return f"[removed: {name}]"
