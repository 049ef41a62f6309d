"""Hides secrets whose values are known, in text and JSON: as they are, and in the usual ways to write them. Pure."""

from __future__ import annotations

import base64
import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from urllib.parse import quote, quote_plus, unquote

from pydantic import JsonValue

from studio.components.key_patterns import keys_in
from studio.components.readable_json import usable_name
from studio.components.secrets import SecretSource, is_secret_name

MIN_LENGTH = 6
"""Characters of a secret that is looked for; a shorter one is part of ordinary words."""
MIN_CORE = 8
"""Characters of the Base64 of a secret that do not depend on what stands around it."""
LONG = 12
"""Characters of a spelling that is also found in other letter case, and in lines that are indented."""
MIN_LINE = 20
"""Characters of a line of a secret that is looked for by itself, such as those of a PEM key."""
MAX_PARTS = 200
HEAD = 24
"""Characters of the beginnings that are looked up in a set; whether a longer one goes on is looked at by itself."""
_GAP = r"(?:\\[nr]|[\r\n])*"
"""Where a long line was broken, as `base64` does, or where that was quoted."""
_WIDE_GAP = r"(?:(?:\\[nr]|[\r\n])[ \t]*)*"
_BREAK = r"(?:\\[nr]|[\r\n])[ \t]*"
_BROKEN = re.compile(r"[\\\r\n]")
_PRINTABLE = "".join(map(chr, range(0x21, 0x7F)))
_PERCENT_SAFE = (
    "",
    "/",
    "!~*'()",  # encodeURIComponent
    ";,/?:@&=+$-_.!~*'()#",  # encodeURI
    "!#$&'()*+,/:;=?@[]~",  # requests
    "!#$%&'()*+,/:;=?@[]~",
    *(
        "".join(set(_PRINTABLE) - set(unsafe))
        for unsafe in ('"<>`', '"#<>', "\"#<>'", '"#<>?`{}', '"#<>?`{}/:;=@[\\]^|')
    ),
    *(
        "".join(set(_PRINTABLE) - set(unsafe) - {"%"}) for unsafe in ('"#<>', '"#<>?`{}', '"#<>?`{}/:;=@[\\]^|')
    ),  # httpx
)
"""Characters that programs leave as they are in the parts of a URL."""
_JSON_SIGNS = ("<>&", "<>&'", "<>&'=", "<>&'+`")
"""Signs that JSON of Go, of web frameworks, of Gson and of .NET writes by their numbers."""
_ESCAPES: tuple[Mapping[str, str], ...] = (
    {"/": "\\/"},  # JSON of PHP
    *({"\\": r"\\", '"': r"\"", **{sign: f"\\u{ord(sign):04x}" for sign in signs}} for signs in _JSON_SIGNS),
    {"\\": r"\\", **{sign: f"\\u{ord(sign):04x}" for sign in "\"<>&'+`"}},  # .NET writes quotes so, too
    {sign: f"\\{sign}" for sign in '\\"$`'},  # `export` of Bash
    {sign: f"\\{sign}" for sign in "*_"},  # Markdown, as models write it
    {"'": r"'\''"},
    {"'": "'\"'\"'"},
    {"'": "''"},  # SQL
    {'"': '""'},  # CSV
    {"$": "$$"},  # Compose
)
"""What programs write in place of single characters."""
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
        self._marks: dict[str, str] = {}
        self._beginnings: frozenset[str] = frozenset()
        self._shortest, self._longest = 0, 0
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
        self._names = dict.fromkeys(forms, name) | self._names
        self._marks = {_folded(form): name for form, name in self._names.items()}
        self._beginnings = frozenset(form[:end] for form in self._marks for end in range(1, min(len(form), HEAD + 1)))
        self._shortest, self._longest = min(map(len, self._marks), default=0), max(map(len, self._marks), default=0)

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
        if not names or len(text) < self._shortest:
            return ()
        whole = _folded(_in_one_line(text))
        if "\\" in text:  # which could be a part of a form, and no broken line
            raw = _folded(text)
            found = {form for form in self._marks if form in whole or form in raw}
        else:
            found = {form for form in self._marks if form in whole}
        if not found:
            return ()
        return tuple(sorted((form for form in names if _folded(form) in found), key=len, reverse=True))

    def _possible_start(self, text: str, first: int) -> int:
        """From where on the text may be the beginning of a form."""
        first = max(first, len(text) - 4 * self._longest)
        tail = text[first:]
        starts = [len(tail), *(start for ending in _endings(tail) for start in self._begun(ending))]
        return first + min(starts)

    def _begun(self, ending: tuple[str, Sequence[int]]) -> Iterator[int]:
        """Where in the text the longest beginning of a form stands with which it ends."""
        text, places = ending
        for at in range(max(0, len(text) - self._longest + 1), len(text)):
            rest = text[at:]
            if rest[:HEAD] in self._beginnings and (len(rest) <= HEAD or self._is_beginning(rest)):
                yield places[at]
                return

    def _is_beginning(self, text: str) -> bool:
        return any(form.startswith(text) and form != text for form in self._marks)

    def _mark(self, form: str, note: Note) -> str:
        name = self._marks.get(_folded(form)) or self._marks.get(_folded(_in_one_line(form))) or "a secret"
        note(name)
        mark = f"[removed: {name}]"
        return "[removed]" if any(other in _folded(mark) for other in self._marks) else mark


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
    """All the texts by which a secret, or a part of it that is one by itself, is told."""
    forms = {form for value in (secret, secret.strip()) if len(value) >= MIN_LENGTH for form in _forms(value)}
    for part in sorted(_parts(secret), key=len, reverse=True)[:MAX_PARTS]:
        forms.update(_texts(part))
    return {text for form in forms for text in (form, _in_one_line(form)) if len(text) >= MIN_LENGTH}


def _parts(secret: str, depth: int = 0) -> set[str]:
    """The password of a URL or of a connection string, keys in a JSON object, and long lines of several."""
    spans = [secret[span.start : span.end] for span in keys_in(secret, is_setting=True)]
    parts = {part for text in spans for part in (text, unquote(text))}
    lines = [line.strip() for line in secret.splitlines()]
    if len(lines) > 1:
        parts.update(line for line in lines if len(line) >= MIN_LINE and not line.startswith("-----"))
    if secret.lstrip().startswith(("{", "[")) and depth < 2:
        with suppress(ValueError, RecursionError):  # it may only look like JSON
            parts |= {part for text in _keys_of(json.loads(secret)) for part in (text, *_parts(text, depth + 1))}
    return {part for part in parts if part != secret}


def _keys_of(value: JsonValue, name: str = "") -> Iterator[str]:
    """Strings in JSON whose name is that of a secret or that look like keys."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _keys_of(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _keys_of(item, name)
    elif isinstance(value, str) and len(value) >= LONG and (is_secret_name(name) or keys_in(value)):
        yield value


def _forms(value: str) -> Iterator[str]:
    data = value.encode("utf-8", "surrogatepass")
    yield from _texts(value)
    yield from (data.hex(), data.hex().upper())
    yield from _base64_cores(data)


def _texts(value: str) -> Iterator[str]:
    """The value as texts hold it: as it is, in URLs, JSON, Python, HTML and XML."""
    data = value.encode("utf-8", "surrogatepass")
    yield value
    percent = (quote_plus(data), *(quote(data, safe=safe) for safe in _PERCENT_SAFE))
    yield from percent
    yield from (re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), text) for text in percent)
    yield quote(quote(data, safe=""), safe="")
    for table in _ESCAPES:
        escaped = value.translate(str.maketrans(dict(table)))
        yield from (escaped, re.sub(r"\\u00..", lambda match: match[0][:2] + match[0][2:].upper(), escaped))
    if not value.isascii():
        yield from _in_other_letters(value, data)
    yield from _in_json(value)
    yield from (text for once in _in_json(value) for text in _in_json(once))
    yield from _in_html(value)
    yield from (repr(value)[1:-1], repr(data)[2:-1])
    if len(re.findall("[a-zA-Z0-9]", name := usable_name(value))) >= MIN_LENGTH:  # a model calls a tool by it
        yield name


def _in_other_letters(value: str, data: bytes) -> Iterator[str]:
    """What becomes of letters beyond ASCII: in ASCII alone, read in another encoding, composed in another way."""
    yield from (ascii(value)[1:-1], value.encode("ascii", "xmlcharrefreplace").decode())
    yield from (data.decode("latin-1"), data.decode("cp1252", "replace"))
    yield from (unicodedata.normalize(form, value) for form in ("NFC", "NFD"))
    with suppress(UnicodeEncodeError):
        yield quote_plus(value, encoding="latin-1", errors="strict")


def _in_html(value: str) -> Iterator[str]:
    escaped = html.escape(value, quote=False)
    yield from (escaped, html.escape(value), escaped.replace('"', "&quot;").replace("'", "&apos;"))
    yield from (
        escaped.replace('"', "&#34;").replace("'", "&#39;"),
        escaped.replace('"', "&quot;").replace("'", "&#39;"),
    )
    yield from (escaped.replace("@", sign) for sign in ("&#64;", "&#x40;", "&commat;"))
    for number in ("&#{};", "&#x{:x};", "&#x{:X};"):
        yield "".join(one if one.isalnum() and one.isascii() else number.format(ord(one)) for one in value)
        yield "".join(one if one.isalnum() or one in "-_./:+ " else number.format(ord(one)) for one in value)


def _in_json(value: str) -> Iterable[str]:
    return json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]


def _base64_cores(data: bytes) -> Iterator[str]:
    """What every Base64 of a text that holds the secret holds too, for each of the three places in a group."""
    for offset in range(3):
        encoded = base64.b64encode(bytes(offset) + data).decode("ascii").rstrip("=")
        first, last = -(-offset * 8 // 6), (offset + len(data)) * 8 // 6
        core = encoded[first:last]
        if len(core) >= MIN_CORE:
            yield from (core, core.replace("+", "-").replace("/", "_"), quote(core, safe=""))


def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(_spelled, forms)))


def _spelled(form: str) -> str:
    if len(form) < LONG:
        return _GAP.join(map(re.escape, form))
    return f"(?ai:{_WIDE_GAP.join(map(re.escape, form))})"


def _folded(text: str) -> str:
    """The text in one letter case, as far as ASCII goes: each character keeps its place."""
    if text.isascii():
        return text.lower()
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")  # bytes know ASCII only


def _in_one_line(text: str) -> str:
    if "\\" in text:
        text = text.replace("\\n", "\n").replace("\\r", "\n")
    if "\r" in text:
        text = text.replace("\r", "\n")
    first, *others = text.split("\n")
    return "".join((first, *(line.lstrip(" \t") for line in others))) if others else text


def _endings(text: str) -> Iterator[tuple[str, Sequence[int]]]:
    """The end of a text as it may go on, in one letter case, and where its characters stand.

    A broken line counts as one, also where the mark of its end is cut in two.
    """
    yield _folded(text), range(len(text))
    if not _BROKEN.search(text):
        return
    for whole in {text, text.removesuffix("\\")}:
        breaks = list(re.finditer(_BREAK, whole))
        if breaks or whole is not text:
            places = list(range(len(whole)))
            for match in reversed(breaks):
                del places[match.start() : match.end()]
            yield _folded(_in_one_line(whole)), places
