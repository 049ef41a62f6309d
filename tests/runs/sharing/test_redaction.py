"""Secrets do not leave the studio, however they are written."""

from __future__ import annotations

import base64
import html
import json
import re
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.runs.sharing.redaction import KEY_LIKE, SecretRemover

SECRET = 'p&ss/w?rd "42"+é'


def cleaned(text: str, secret: str = SECRET) -> str:
    return SecretRemover({"secret:db": secret}).clean_text(text, "message 1")


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        quote(SECRET),
        quote(SECRET, safe=""),
        quote_plus(SECRET),
        re.sub("%..", lambda match: match[0].lower(), quote(SECRET, safe="")),
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(SECRET)[1:-1])[1:-1],
        html.escape(SECRET),
        SECRET.encode().hex(),
    ],
)
def test_a_secret_is_found_in_every_spelling(form: str):
    assert cleaned(f"<{form}>") == "<[removed: secret:db]>"


@given(before=st.binary(max_size=7), after=st.binary(max_size=7), is_url=st.booleans())
def test_a_secret_inside_of_base64_is_found(before: bytes, after: bytes, is_url: bool):
    data = before + b"correct horse battery" + after
    encoded = (base64.urlsafe_b64encode if is_url else base64.b64encode)(data).decode()
    out = cleaned(f"Authorization: Basic {encoded}", "correct horse battery")
    assert "[removed: secret:db]" in out
    assert len(out.replace("[removed: secret:db]", "")) <= len(f"Authorization: Basic {encoded}") - len("horse") * 4


def test_keys_of_objects_and_deep_values_are_cleaned():
    remover = SecretRemover({"env:KEY": "s3cr3t-value"})
    out = remover.clean({"a": [{"s3cr3t-value": "x s3cr3t-value y"}]}, "message 4 writer")
    assert out == {"a": [{"[removed: env:KEY]": "x [removed: env:KEY] y"}]}
    [one] = remover.removed
    assert (one.name, one.count, one.places) == ("env:KEY", 2, ["message 4 writer"])


def test_the_longer_of_two_secrets_is_taken_whole():
    remover = SecretRemover({"env:A": "token-12345", "env:B": "token-12345-more"})
    assert remover.clean_text("token-12345-more", "x") == "[removed: env:B]"


def test_a_short_secret_is_told_and_not_looked_for():
    remover = SecretRemover({"env:PIN": "1234"})
    assert remover.clean_text("12345", "x") == "12345"
    assert remover.too_short == ["env:PIN"]


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcdefghijklmnopqrstuvwx",
        "ghp_" + "a1" * 18,
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_what_looks_like_a_key_is_taken_out_too(key: str):
    assert SecretRemover({}).clean_text(f"use {key} now", "x") == f"use [removed: {KEY_LIKE}] now"


def test_plain_words_stay():
    text = "The task-force of sk-learn said: risk-averse people ask eyJ."
    assert SecretRemover({"secret:db": SECRET}).clean_text(text, "x") == text
