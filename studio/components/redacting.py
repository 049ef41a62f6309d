"""Hides secrets whose values are known, in text and JSON: as they are, and in the usual ways to write them. Pure."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus

from pydantic import JsonValue

from studio.components.secrets import SecretSource

SHORTEST = 6
"""Characters of a secret that is looked for; a shorter one is part of ordinary words."""
SHORTEST_CORE = 8
"""Characters of the Base64 of a secret that do not depend on what stands around it."""
_GAP = r"(?:\\[nr]|[\r\n])*"
"""Where a long line was broken, as `base64` does, or where that was quoted."""
_FIELD = re.compile(r"[a-z_]{1,20}")
"""Keys of objects that are names of fields, and no place for a secret."""

Note = Callable[[str], object]


def _nobody(name: str) -> None:
    del name


class Redactor:
    """Puts the name of a secret in place of its value.

    It may learn more secrets at any time, from any thread. As long as it knows none it costs nothing.

    Args:
        secrets: Values by their references.
    """

    def __init__(self, secrets: Mapping[str, str] | None = None) -> None:
        self.too_short: frozenset[str] = frozenset()
        """Names of secrets that cannot be looked for."""
        self._values: frozenset[tuple[str, str]] = frozenset()
        self._names: dict[str, str] = {}
        self._by_first: dict[str, list[str]] = {}
        self._longest = 0
        for name, value in (secrets or {}).items():
            self.add(name, value)

    def __bool__(self) -> bool:
        return bool(self._names)

    def add(self, name: str, value: str) -> None:
        """Look for a value from now on. What it was before is looked for, too: it may still be under way."""
        if not value or (name, value) in self._values:
            return
        self._values |= {(name, value)}
        forms = forms_of(value)
        self.too_short = self.too_short - {name} if forms else self.too_short | {name}
        names = dict.fromkeys(forms, name) | self._names
        by_first: dict[str, list[str]] = {}
        for form in names:
            by_first.setdefault(form[0], []).append(form)
        self._longest = max(map(len, names), default=0)
        self._by_first, self._names = by_first, names

    def noting(self, source: SecretSource) -> SecretSource:
        """The same source of secrets, of which this learns every value that is asked for."""

        def resolve(reference: str) -> str | None:
            value = source(reference)
            if value:
                self.add(reference, value)
            return value

        return resolve

    def clean(self, value: JsonValue, note: Note = _nobody) -> JsonValue:
        """The value without secrets, in keys of objects too; the very same object where it holds none.

        Args:
            value: JSON.
            note: Told the name of each secret that was found.
        """
        return self._clean(value, note) if self._names else value

    def clean_text(self, text: str, note: Note = _nobody) -> str:
        """The text without secrets."""
        found = self._found_in(text)
        return _pattern(found).sub(lambda match: self._mark(match[0], note), text) if found else text

    def stream(self) -> RedactedStream:
        """For a text that comes in pieces."""
        return RedactedStream(self)

    def ready(self, text: str) -> tuple[str, str]:
        """The beginning of a text that goes on, without secrets, and the rest, which may be the first part of one."""
        if not self._names:
            return text, ""
        done, parts, cut = 0, list[str](), self._possible_start(text, 0)
        found = self._found_in(text)
        for match in _pattern(found).finditer(text) if found else ():
            if match.start() >= cut:
                break
            parts += (text[done : match.start()], self._mark(match[0], _nobody))
            done = match.end()
            if done > cut:
                cut = self._possible_start(text, done)
        return "".join((*parts, text[done:cut])), text[cut:]

    def _clean(self, value: JsonValue, note: Note) -> JsonValue:
        if isinstance(value, str):
            return self.clean_text(value, note)
        if isinstance(value, list):
            items = [self._clean(item, note) for item in value]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        if isinstance(value, dict):
            out: dict[str, JsonValue] = {}
            for key, item in value.items():
                out[self._clean_key(key, out, note)] = self._clean(item, note)
            same = all(new is old for new, old in zip(out.values(), value.values(), strict=True))
            return value if same and out.keys() == value.keys() else out
        return value

    def _clean_key(self, key: str, taken: Mapping[str, JsonValue], note: Note) -> str:
        if _FIELD.fullmatch(key):
            return key
        clean = self.clean_text(key, note)
        while clean != key and clean in taken:
            clean += "′"
        return clean

    def _found_in(self, text: str) -> tuple[str, ...]:
        """Which forms a text holds, longest first. Most texts hold none, which is found out in C."""
        names = self._names
        if not names or len(text) < SHORTEST:
            return ()
        whole = _in_one_line(text)
        if "\\" in text:  # which could be a part of a form, and no broken line
            found = [form for form in names if form in whole or form in text]
        else:
            found = [form for form in names if form in whole]
        return tuple(sorted(found, key=len, reverse=True))

    def _possible_start(self, text: str, first: int) -> int:
        """From where on the text may be the beginning of a form."""
        for place in range(max(first, len(text) - 2 * self._longest), len(text)):
            forms = self._by_first.get(text[place])
            if forms and any(_begins(form, tail) for tail in _tails(text[place:]) for form in forms):
                return place
        return len(text)

    def _mark(self, form: str, note: Note) -> str:
        name = self._names.get(form) or self._names.get(_in_one_line(form)) or "a secret"
        note(name)
        mark = f"[removed: {name}]"
        return "[removed]" if any(other in mark for other in self._names) else mark


class RedactedStream:
    """Hides secrets in a text that comes in pieces, also those that are cut in two. Only what may be a part of one
    waits for the next piece."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""

    def feed(self, piece: str) -> str:
        """What may be shown after the next piece."""
        ready, self._held = self._redactor.ready(self._held + piece)
        return ready

    def end(self) -> str:
        """What is left when no other piece comes."""
        held, self._held = self._held, ""
        return self._redactor.clean_text(held)


def forms_of(secret: str) -> set[str]:
    """All the texts by which a secret is told."""
    lines = (secret, secret.strip())
    forms = {form for value in lines if len(value) >= SHORTEST for form in _forms(value)}
    return {text for form in forms for text in (form, _in_one_line(form)) if len(text) >= SHORTEST}


def _forms(value: str) -> Iterator[str]:
    data = value.encode("utf-8", "surrogatepass")
    yield value
    percent = (quote(data, safe=""), quote(data), quote_plus(data))
    yield from percent
    yield from (re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), text) for text in percent)
    yield from _in_json(value)
    yield from (text for once in _in_json(value) for text in _in_json(once))
    yield html.escape(value)
    yield from (repr(value)[1:-1], repr(data)[2:-1])
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
            yield from (core, core.replace("+", "-").replace("/", "_"), quote(core, safe=""))


def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(_GAP.join(map(re.escape, form)) for form in forms))


def _in_one_line(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\n", "").replace("\\r", "")
    return text.replace("\n", "").replace("\r", "") if "\n" in text or "\r" in text else text


def _tails(text: str) -> Iterable[str]:
    """The end of a text as it may go on: a broken line counts as one, also where its mark is cut in two."""
    return {text, _in_one_line(text), _in_one_line(text.removesuffix("\\"))}


def _begins(form: str, text: str) -> bool:
    return len(text) < len(form) and form.startswith(text)
