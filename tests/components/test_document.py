from __future__ import annotations

import pytest

from studio.components import parse_document
from studio.errors import InvalidDocument, TooLarge


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": ', "line 1"),
        ("[" * 100_000, "levels deep"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "levels deep"),
        ("a: &x [*x]", "aliases"),
        ("a: [1, 2", "Neither JSON nor YAML"),
        ("hello", "neither JSON nor YAML"),
        ('{"a": NaN}', "NaN"),
        ('{"a": 1e999}', "Infinity"),
        ("", "neither JSON nor YAML"),
        (b"\xff\xfe\x00", "UTF-8"),
    ],
)
def test_bad_text_is_refused_with_its_reason(text: str | bytes, said: str):
    with pytest.raises(InvalidDocument) as caught:
        parse_document(text)
    assert said in caught.value.what


def test_a_file_of_fifty_megabytes_is_refused_unread():
    with pytest.raises(TooLarge, match="50 MB"):
        parse_document(b"[" + b" " * 50_000_000)


def test_json_and_yaml_give_the_same_value():
    assert parse_document('{"a": [1, "b"]}') == parse_document("a:\n  - 1\n  - b\n") == {"a": [1, "b"]}


def test_a_byte_order_mark_is_skipped():
    assert parse_document(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}


def test_dates_in_yaml_become_text():
    assert parse_document("when: 2025-01-02\n") == {"when": "2025-01-02"}
