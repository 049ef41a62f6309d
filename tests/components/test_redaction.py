"""Known secrets are hidden in texts, in JSON, and in texts that come in pieces."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import JsonValue

from studio.components.redaction import MIN_LENGTH, Redactor, forms_of

LETTERS = st.characters(codec="utf-8", exclude_characters="[]\n\r\\", exclude_categories=["Cs", "Cc"])
SECRETS = st.lists(st.text(LETTERS, min_size=MIN_LENGTH, max_size=12), min_size=1, max_size=3, unique=True)
KEY = "sk-Canary/7f?+é 42"
FORMS = sorted(forms_of(KEY))


def knowing(*values: str) -> Redactor:
    return Redactor({f"secret:{number}": value for number, value in enumerate(values)})


@st.composite
def texts_with_secrets(draw: st.DrawFn) -> tuple[Redactor, str]:
    secrets = draw(SECRETS)
    redactor = knowing(*secrets)
    told = st.sampled_from(sorted(form for secret in secrets for form in forms_of(secret)))
    begun = told.map(lambda form: form[: len(form) // 2 + 1])
    return redactor, "".join(draw(st.lists(st.one_of(told, begun, st.text(LETTERS, max_size=5)), max_size=8)))


@pytest.mark.slow
@given(texts_with_secrets())
def test_no_form_of_a_secret_is_left(given_text: tuple[Redactor, str]):
    redactor, text = given_text
    clean = redactor.clean_text(text)
    assume("[removed" not in text)
    assert redactor.clean_text(clean) == clean


@pytest.mark.slow
@given(texts_with_secrets(), st.data())
def test_pieces_come_to_the_same_as_the_whole(given_text: tuple[Redactor, str], data: st.DataObject):
    redactor, text = given_text
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=10)))
    stream = redactor.stream()
    shown = [stream.feed(text[first:last]) for first, last in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert "".join([*shown, stream.end()]) == redactor.clean_text(text)


@given(st.text(), st.data())
def test_a_text_without_secrets_is_passed_on_whole(text: str, data: st.DataObject):
    redactor = knowing("a value that no text here holds")
    stream = redactor.stream()
    cut = data.draw(st.integers(0, len(text)))
    assert stream.feed(text[:cut]) + stream.feed(text[cut:]) + stream.end() == text


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_hidden_letter_by_letter_too(form: str):
    redactor = Redactor({"secret:key": KEY})
    stream = redactor.stream()
    shown = "".join([*map(stream.feed, f"<{form}>"), stream.end()])
    assert shown == redactor.clean_text(f"<{form}>") == "<[removed: secret:key]>"


def test_a_piece_waits_only_while_it_may_be_the_beginning_of_a_secret():
    stream = Redactor({"secret:key": KEY}).stream()
    shown = [stream.feed(piece) for piece in ("Hello ", "sk-", "ip. ", "It: sk", "-Canar", "ies.")]
    assert shown == ["Hello ", "", "sk-ip. ", "It: ", "", "sk-Canaries."]


@pytest.mark.parametrize("width", [19, 76])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\\n"])
@pytest.mark.parametrize("before", ["", "a", "ab"])
def test_base64_in_lines_is_hidden(width: int, line_end: str, before: str):
    environment = f"{before}HOME=/root\nKEY={KEY * 6}\nUSER=root"
    encoded = base64.b64encode(environment.encode()).decode()
    lines = line_end.join(encoded[place : place + width] for place in range(0, len(encoded), width))
    clean = Redactor({"secret:key": KEY * 6}).clean_text(lines)
    rest = "".join(clean.replace("[removed: secret:key]", "").replace("\\n", "").split())
    assert "[removed: secret:key]" in clean
    assert len(rest) <= len(encoded) - len((KEY * 6).encode()) * 4 // 3 + 2


def test_what_holds_no_secret_is_the_same_object():
    value: JsonValue = {"a": ["b", {"content": 1}], "c": None}
    assert Redactor({"secret:key": KEY}).clean(value) is value


def test_names_of_fields_stay_and_other_keys_are_cleaned():
    redactor = Redactor({"secret:word": "content", "secret:key": KEY})
    clean = redactor.clean({"content": "content", KEY: 1, json.dumps(KEY)[1:-1]: 2})
    assert clean == {"content": "[removed: secret:word]", "[removed: secret:key]": 1, "[removed: secret:key]′": 2}


def test_a_name_that_tells_the_value_is_not_shown():
    assert Redactor({"secret:hunter22": "hunter22"}).clean_text("hunter22") == "[removed]"


def test_an_older_value_is_still_hidden_after_a_newer_one():
    redactor = Redactor({"env:KEY": "first-value"})
    redactor.add("env:KEY", "second-value")
    assert redactor.clean_text("first-value second-value") == "[removed: env:KEY] [removed: env:KEY]"


def test_a_secret_becomes_known_when_it_is_asked_for():
    redactor = Redactor()
    source = redactor.noting({"env:KEY": "s3cret-value"}.get)
    assert (bool(redactor), source("env:NONE"), bool(redactor)) == (False, None, False)
    assert source("env:KEY") == "s3cret-value"
    assert redactor.clean_text("s3cret-value") == "[removed: env:KEY]"


def test_a_short_value_is_told_and_left():
    redactor = Redactor({"env:PIN": "1234"})
    assert (redactor.clean_text("1234"), redactor.too_short) == ("1234", {"env:PIN"})
    redactor.add("env:PIN", "123456")
    assert redactor.too_short == frozenset()
