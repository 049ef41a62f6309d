"""How keys are recognized in texts, arguments, URLs and settings. Pure, in time linear to the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from studio.components.secrets import is_reference, is_secret_name, references_within, variable_meant

MIN_UNNAMED = 12
"""Characters of a value that is taken for a key by its looks, under a name that only may be a key's."""
MIN_IN_PROSE = 20
"""The same for one without quotes in a text that a person or a program reads."""

LOOKS_LIKE_A_KEY = (
    r"\b(?:sk|pk|rk|xai|gsk|pplx|tvly|hf|r8|npm|pypi|whsec|dop_v1|sk_live|sk_test|rk_live)[-_]"
    r"(?=[A-Za-z_\-]{0,64}\d)[A-Za-z0-9_\-]{20,}"
    r"|\bsk-(?:proj|ant|or|svcacct|admin)-[A-Za-z0-9_\-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}|\bglpat-[A-Za-z0-9_\-]{20,}"
    r"|\bxox[abeprs]-[A-Za-z0-9\-]{10,}|\bxapp-[A-Za-z0-9\-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[A-Za-z0-9_\-]{35}"
    r"|\bSG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}|\bya29\.[A-Za-z0-9_\-]{20,}"
    r"|\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]+"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^-]|-(?!----)){0,10000}-----END [A-Z ]{0,40}PRIVATE KEY-----"
)
"""Keys that show by their own letters what they are."""
_WEBHOOK = (
    r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/]{20,})"
    r"|discord(?:app)?\.com/api/webhooks/\d+/([A-Za-z0-9_\-]{20,})"
    r"|api\.telegram\.org/bot(\d{5,}:[A-Za-z0-9_\-]{20,})"
)
_USERINFO = r"://([^\s/?#:@\"'<>{}]{0,200})(?::([^\s/?#\"'<>]{0,500}))?@"
_NAMED = (
    r"(?i:key|token|secrets?|pass(?:wor[dt]|wd|phrase)?|pwd|pat|credentials?|authorization|cookie|auth|sig(?:nature)?|code"
    r"|session|dsn)(\\{0,4}[\"']?)([ \t]{0,3}[=:,][ \t]{0,3}|[ \t]{1,3})"
    r"(\\{0,4}[\"']?)((?:(?i:Bearer|Basic|Token|ApiKey|Bot)[ \t]+)?)([^\s\"'`&;,#()\[\]<>\\]+)"
)
"""The end of a key's name and what follows: `name=value`, `name: value`, `--name value`, quoted or not, a scheme."""
_NAME_BEFORE = r"(?:^|[^\w.\-])(-{0,2})([A-Za-z][\w.\-]{0,60})$"
_OPTION = r"--?([A-Za-z][\w.\-]{0,60})"
_WEAK_NAME = (
    r"(?:^|[-_ .])(?:key|auth|sig|signature|code|session|sid|dsn)$"
    r"|(?:^|[-_ .])(?:(?:api|access|private|secret)[-_]?key|secret|token|password|credential)(?:[-_ .]|$)"
)
"""Names that only may be a key's."""
_WORD_START = r"(?<=[a-z0-9])(?=[A-Z])"
_EXAMPLES = (
    "(?i:password|passwd|pass|pwd|secret|token|key|apikey|api_key|user|username|postgres|root|admin|changeme|example|true"
    "|false|none|null|empty|dummy|test)"
)
"""What examples have in a key's place. As secrets they would be taken out of every ordinary text of a run."""


class KeySpan(NamedTuple):
    """Where a key stands in a text, and the name under which it stands there, if it has one."""

    start: int
    end: int
    name: str = ""


def keys_in(text: str, *, is_setting: bool = False) -> list[KeySpan]:
    """The keys in a text, in order and without overlap.

    Args:
        text: Prose, source, an argument, a URL or a setting.
        is_setting: An argument, a URL or a setting: what stands under a key's name there is one, however it looks.
    """
    found = [*_by_their_looks(text), *_in_urls(text), *_named(text, is_setting=is_setting)]
    spans: list[KeySpan] = []
    for span in sorted(found, key=lambda one: (one.start, -one.end)):
        if span.end > span.start and (not spans or span.start >= spans[-1].end):
            spans.append(span)
    return spans


def keys_in_arguments(arguments: Sequence[str]) -> Iterator[tuple[int, KeySpan]]:
    """The keys in the arguments of a program, each with the argument's number: `--api-key K`, `-H "X-Key: K"`."""
    option = ""
    for number, argument in enumerate(arguments):
        if option and not argument.startswith("-") and is_key(option, argument):
            yield number, KeySpan(0, len(argument), option)
        else:
            login = argument.find(":") + 1 if option in ("u", "user") else 0
            if login and looks_random(argument[login:]):  # `curl -u NAME:PASSWORD`
                yield number, KeySpan(login, len(argument), "password")
            else:
                yield from ((number, span) for span in keys_in(argument, is_setting=True))
        named = re.fullmatch(_OPTION, argument)
        option = named[1] if named else ""


def is_key(name: str, value: str) -> bool:
    """Whether a setting of that name and value is a key as a whole."""
    if not _is_open(value):
        return False
    return is_secret_name(name) or (_may_name_a_key(name) and looks_random(value))


def looks_random(value: str, at_least: int = MIN_UNNAMED) -> bool:
    """Whether a text could be a key: one long word of letters and digits, and no path, number or reference."""
    return (
        len(value) >= at_least
        and re.search(r"[A-Za-z]", value) is not None
        and re.search(r"\d", value) is not None
        and re.search(r"[\s{}<>]|://|^[/.~]|^https?:", value) is None
    )


def _is_open(value: str) -> bool:
    """Whether a value stands in the open, and is no reference, mask, example or placeholder."""
    bare = value.strip()
    return not (
        not bare
        or re.fullmatch(_EXAMPLES, bare)
        or not bare.strip("*•….xX<>_-")
        or is_reference(bare)
        or variable_meant(bare)
        or any(references_within(bare))
        or re.fullmatch(r"<[^<>]*>|\[[^\[\]]*\]|\{[^{}]*\}|\d{1,5}", bare)
    )


def _by_their_looks(text: str) -> Iterator[KeySpan]:
    yield from (KeySpan(*match.span()) for match in re.finditer(LOOKS_LIKE_A_KEY, text))
    for match in re.finditer(_WEBHOOK, text):
        yield KeySpan(*match.span(match.lastindex or 0), "webhook")


def _in_urls(text: str) -> Iterator[KeySpan]:
    if "://" not in text:
        return
    for match in re.finditer(_USERINFO, text):
        user, password = match[1], match[2]
        if password and _is_open(password):
            yield KeySpan(*match.span(2), "password")
        elif not password and looks_random(user):
            yield KeySpan(*match.span(1), "password")


def _named(text: str, *, is_setting: bool) -> Iterator[KeySpan]:
    place, pattern = 0, re.compile(_NAMED)
    while match := pattern.search(text, place):
        place = match.end(2)  # what follows may be a name, too
        quote, between, value_quote, scheme, value = match.groups()
        before = re.search(_NAME_BEFORE, text[max(0, match.start() - 60) : match.start(1)])
        if before is None:
            continue
        dashes, name = before.groups()
        start = match.start(1) - len(name)
        in_url = text[max(0, start - 1) : start] in ("?", "&")
        is_told = bool(value_quote or scheme or dashes)
        is_our_own = (name, quote, between) == ("secret", "", ":")
        is_listed = "," in between and not (quote and value_quote)  # but not `getenv("API_KEY", "K")`
        if is_our_own or is_listed or not (dashes or between.strip()):
            continue
        if _is_open(value) and _is_enough(name, value, sure=is_setting or in_url, named=is_told):
            yield KeySpan(*match.span(5), name)
            place = match.end()


def _is_enough(name: str, value: str, *, sure: bool, named: bool) -> bool:
    """Whether a value under a name is a key, where that is sure to be a setting or told by a quote, dash or scheme."""
    if not is_secret_name("pwd" if name == "PWD" and not value.startswith("/") else name):
        return sure and _may_name_a_key(name) and looks_random(value)
    if sure:
        return True
    return looks_random(value) if named else looks_random(value, MIN_IN_PROSE) and "." not in value


def _may_name_a_key(name: str) -> bool:
    return re.search(_WEAK_NAME, re.sub(_WORD_START, "_", name[-100:]).lower()) is not None
