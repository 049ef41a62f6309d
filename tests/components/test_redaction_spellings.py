"""What ordinary programs tell of a secret by accident is hidden, in one text and in pieces."""

from __future__ import annotations

import base64
import html
import json
import shlex
import textwrap
import traceback
import unicodedata
from urllib.parse import quote, quote_plus, unquote, urlencode, urlsplit
from xml.sax.saxutils import quoteattr

import httpx
import pytest
import yaml
from markupsafe import escape

from studio.components.readable_json import usable_name
from studio.components.redaction import Redactor

KEY = "sk-proj-A1b2C3d4E5f6G7h8I9j0"
PASSWORD = "P@ss^w=rd{1}Q/7"
IN_URL = quote(PASSWORD, safe="")
DATABASE = f"postgresql://studio:{IN_URL}@db.example.com:5432/app"
BODY = [f"MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8c{number:02d}" for number in range(5)]
PEM = "\n".join(["-----BEGIN PRIVATE KEY-----", *BODY, "-----END PRIVATE KEY-----", ""])
ACCOUNT = json.dumps({"type": "service_account", "private_key": PEM, "client_email": "me@example.com"}, indent=2)
STORAGE = f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={BODY[0]}==;EndpointSuffix=core.windows.net"
SIGNS = "Ab$cd'ef\"gh_ij&kl<mn+op=qr"
SHORT = "a_b&c'd"
LETTERS = "Pässwörd€-läng-Ünd-1234"
SECRETS = {
    "key": KEY,
    "password": PASSWORD,
    "database": DATABASE,
    "pem": PEM,
    "account": ACCOUNT,
    "storage": STORAGE,
    "signs": SIGNS,
    "short": SHORT,
    "letters": LETTERS,
}


def error_of(text: str) -> str:
    try:
        raise ValueError(text)
    except ValueError:
        return traceback.format_exc()


def numbered(text: str, signs: str, number: str = "\\u{:04x}") -> str:
    """Signs by their numbers, as some writers of JSON have it."""
    plain = json.dumps(text)[1:-1] if '"' not in signs else text
    return "".join(number.format(ord(one)) if one in signs else one for one in plain)


def in_lines(text: str, width: int, indent: str) -> str:
    return "\n".join(indent + line for line in textwrap.wrap(text, width, break_on_hyphens=False))


TOLD = {
    "plain": f"key={KEY}",
    "repr": repr({"key": KEY}),
    "exception": error_of(KEY),
    "JSON": json.dumps({"p": PASSWORD, "k": KEY}),
    "JSON in JSON": json.dumps(json.dumps({"p": PASSWORD})),
    "Base64 of user and password": base64.b64encode(f"u:{KEY}".encode()).decode(),
    "Base64 in lines": base64.encodebytes(f"user:{PASSWORD}:and more of it".encode() * 4).decode(),
    "hex": KEY.encode().hex(),
    "shell": shlex.join(["curl", "-u", PASSWORD]),
    "wrapped": in_lines(KEY, 10, ""),
    "wrapped with indentation": in_lines(KEY, 10, "    "),
    "wrapped with tabs": in_lines(KEY, 10, "\t\t"),
    "wrapped in quotes": repr(in_lines(KEY, 10, "  ")),
    "upper case": KEY.upper(),
    "lower case": KEY.lower(),
    "title case": KEY.title(),
    "quote": quote(PASSWORD),
    "quote_plus": quote_plus(PASSWORD),
    "urlencode": urlencode({"p": PASSWORD}),
    "requests": "https://h.com/?q=P@ss%5Ew=rd%7B1%7DQ/7",
    "httpx, query": str(httpx.URL("https://h.com/", params={"q": PASSWORD})),
    "httpx, address": str(httpx.URL(f"https://h.com/a?q={PASSWORD}")),
    "httpx, path": str(httpx.URL(f"https://h.com/a/{PASSWORD}")),
    "httpx, user": str(httpx.URL("https://h.com/").copy_with(username="u", password=PASSWORD)),
    "encodeURI": quote(PASSWORD, safe=";,/?:@&=+$-_.!~*'()#"),
    "encodeURIComponent": quote(PASSWORD, safe="!~*'()"),
    "lower percent": quote(PASSWORD, safe="").lower(),
    "percent twice": quote(quote(PASSWORD, safe=""), safe=""),
    "JSON of PHP": json.dumps(PASSWORD).replace("/", "\\/"),
    "html": html.escape(PASSWORD + "<"),
    "html by number": PASSWORD.replace("@", "&#64;"),
    "html of all signs": "".join(one if one.isalnum() else f"&#{ord(one)};" for one in PASSWORD),
    "html in hex": "".join(one if one.isalnum() else f"&#x{ord(one):x};" for one in PASSWORD),
    "markup": str(escape(PASSWORD)),
    "attribute": quoteattr(PASSWORD),
    "database, whole": DATABASE,
    "database, password": f"password: {urlsplit(DATABASE).password}",
    "database, decoded": f"password: {unquote(urlsplit(DATABASE).password or '')}",
    "JSON key, whole": ACCOUNT,
    "JSON key, compact": json.dumps(json.loads(ACCOUNT), separators=(",", ":")),
    "JSON key, private key": json.loads(ACCOUNT)["private_key"],
    "JSON key, private key as JSON": json.dumps({"private_key": json.loads(ACCOUNT)["private_key"]}),
    "PEM, repr": repr(PEM),
    "PEM, a line": f"read {BODY[2]} and so on",
    "PEM, indented": textwrap.indent(PEM, "        "),
    "PEM, as a list": repr(PEM.splitlines()),
    "PEM, with line numbers": "\n".join(f"{number}: {line}" for number, line in enumerate(PEM.splitlines())),
    "name of a tool": usable_name(PASSWORD),
    "name of a tool, cut": usable_name(DATABASE),
    "connection string, key": f"key {BODY[0]}== of a",
    "JSON of Go": numbered(SIGNS, "<>&"),
    "JSON of a web framework": numbered(SIGNS, "<>&'"),
    "JSON of Gson": numbered(SIGNS, "<>&'="),
    "JSON of .NET": numbered(SIGNS, "\"<>&'+`", "\\u{:04X}"),
    "JSON of Go, short": numbered(SHORT, "<>&"),
    "JSON of .NET, short": numbered(SHORT, "\"<>&'+`", "\\u{:04X}"),
    "shell, quotes": shlex.quote(SIGNS),
    "export of Bash": 'declare -x P="' + SIGNS.replace('"', '\\"').replace("$", "\\$") + '"',
    "trace of Bash": "+ curl -u '" + SIGNS.replace("'", "'\\''") + "'",
    "Markdown": SIGNS.replace("_", "\\_"),
    "SQL": "'" + SIGNS.replace("'", "''") + "'",
    "CSV": '"' + SIGNS.replace('"', '""') + '"',
    "Compose": SIGNS.replace("$", "$$"),
    "letters, ascii": ascii(LETTERS),
    "letters, log in ASCII": LETTERS.encode("ascii", "backslashreplace").decode(),
    "letters, XML in ASCII": LETTERS.encode("ascii", "xmlcharrefreplace").decode(),
    "letters, read as Latin-1": LETTERS.encode().decode("latin-1"),
    "letters, read as Windows text": LETTERS.encode().decode("cp1252", "replace"),
    "letters, decomposed": unicodedata.normalize("NFD", LETTERS),
    "letters, YAML": yaml.safe_dump({"p": LETTERS}),
}
CORES = (
    *(KEY[start : start + 12].lower() for start in range(len(KEY) - 12)),
    "w=rd",
    "w_rd",
    "w%3drd",
    "w&#61;rd",
    "w&#x3d;rd",
    *(line[8:40].lower() for line in BODY),
    *(base64.b64encode(f"u:{KEY}".encode()).decode().lower()[8:24],),
    KEY.encode().hex()[4:30],
    "ef",
    "kl",
    "gh",
    "läng",
    "l\\xe4ng",
    "rd&#8364;",
    "-1234",
    "c'd",
    "c\\u0027d",
)


@pytest.mark.slow
@pytest.mark.parametrize("way", TOLD)
def test_a_secret_that_a_program_tells_is_hidden(way: str):
    redactor = Redactor({f"secret:{name}": value for name, value in SECRETS.items()})
    clean = redactor.clean_text(TOLD[way])
    assert "[removed: secret:" in clean
    bare = "".join(clean.lower().split())
    assert [core for core in CORES if core in bare] == []
    for size in (1, 7):
        stream, text = redactor.stream(), TOLD[way]
        pieces = [stream.feed(text[start : start + size]) for start in range(0, len(text), size)]
        assert "".join([*pieces, stream.end()]) == clean


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN PRIVATE KEY-----",
        "me@example.com of a service_account",
        "db.example.com:5432/app, studio, postgresql",
        "core.windows.net AccountName=a https",
        "sk-proj- is how keys begin",
    ],
)
def test_the_ordinary_parts_of_a_secret_are_not_looked_for(text: str):
    assert Redactor({f"secret:{name}": value for name, value in SECRETS.items()}).clean_text(text) == text


def test_a_short_secret_is_found_in_its_own_letter_case_only():
    assert Redactor({"secret:a": "hunter2"}).clean_text("hunter2 Hunter2") == "[removed: secret:a] Hunter2"
