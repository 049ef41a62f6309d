"""Takes known secrets, and what looks like a key, out of what is going to leave the studio. Pure."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, quote_plus

from pydantic import JsonValue

SHORTEST = 6
"""Characters of a secret that is looked for; a shorter one is part of ordinary words."""
SHORTEST_CORE = 8
"""Characters of the Base64 of a secret that do not depend on what stands around it."""
MOST_PLACES = 5

_LOOKS_LIKE_A_KEY = re.compile(
    r"\b(?:sk|pk|rk)-(?:[a-z]+-)?[A-Za-z0-9_\-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_\-]{20,}"
    r"|\bxox[abprs]-[A-Za-z0-9\-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[A-Za-z0-9_\-]{35}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,10000}?-----END [A-Z ]*PRIVATE KEY-----"
)
KEY_LIKE = "what looks like a key"


@dataclass
class Removed:
    """A secret that was found. `name` is its reference, never its value; `places` are the first few."""

    name: str
    count: int = 0
    places: list[str] = field(default_factory=list[str])


class Redactor:
    """Replaces secrets in JSON values, and keeps account of it.

    A secret is found as it is, and as Base64, percent-encoded, JSON, HTML and hexadecimal text.

    Args:
        secrets: Values by their references.
    """

    def __init__(self, secrets: Mapping[str, str]) -> None:
        self.too_short = sorted(name for name, value in secrets.items() if 0 < len(value) < SHORTEST)
        """Secrets that cannot be looked for."""
        self._names = {form: name for name, value in secrets.items() for form in forms_of(value)}
        longest_first = sorted(self._names, key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._found: dict[str, Removed] = {}

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
        if self._known is not None and any(form in text for form in self._names):  # in C: most texts hold none
            text = self._known.sub(lambda match: self._note(self._names[match[0]], place), text)
        return _LOOKS_LIKE_A_KEY.sub(lambda _: self._note(KEY_LIKE, place), text)

    def _note(self, name: str, place: str) -> str:
        one = self._found.setdefault(name, Removed(name))
        one.count += 1
        if place not in one.places and len(one.places) < MOST_PLACES:
            one.places.append(place)
        return f"[removed: {name}]"


def forms_of(secret: str) -> set[str]:
    """All the texts by which a secret is told."""
    lines = (secret, secret.strip())
    return {form for value in lines if len(value) >= SHORTEST for form in _forms(value) if len(form) >= SHORTEST}


def _forms(value: str) -> Iterator[str]:
    data = value.encode("utf-8", "surrogatepass")
    yield value
    percent = (quote(data, safe=""), quote(data), quote_plus(data))
    yield from percent
    yield from (re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), text) for text in percent)
    yield from _in_json(value)
    yield from (text for once in _in_json(value) for text in _in_json(once))
    yield html.escape(value)
    yield from (data.hex(), data.hex().upper())
    yield from _base64_cores(data)


def _in_json(value: str) -> Iterable[str]:
    return json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]


def _base64_cores(data: bytes) -> Iterator[str]:
    """What every Base64 of a text that holds the secret holds too, for each of the three places in a group."""
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + data).decode("ascii").rstrip("=")
        first, last = -(-offset * 8 // 6), (offset + len(data)) * 8 // 6
        core = encoded[first:last]
        if len(core) >= SHORTEST_CORE:
            yield core
            yield core.replace("+", "-").replace("/", "_")
