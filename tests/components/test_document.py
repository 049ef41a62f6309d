from __future__ import annotations

import json
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.components import parse_document, parse_json
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
        ('{"a": ' + "1" * 5000 + "}", "4300 digits"),
        ('{"a": ' + "1" * 4000 + "}", "308 digits"),
        ("a: " + "1" * 5000, "Invalid YAML value"),
        ("a: 0x" + "f" * 5000, "308 digits"),
        ("a: !!int x", "Invalid YAML value"),
        ("a: !!bool x", "Invalid YAML value"),
        ("a: !!float x", "Invalid YAML value"),
        ("a: !!timestamp x", "Invalid YAML value"),
        ("a: !!set {b}", "set is not JSON"),
        ('a: 1\nb: "\\ud83d"', "in line 2"),
        ("a: b: c", "mapping values are not allowed in this context in line 1"),
        ("a: " + "[" * 700, "nested too deeply"),
        ("a: " + "[" * 500_000, "nest"),  # newer versions of the parser have a limit of their own
        ("- " * 500_000 + "a", "nest"),
        ("a: " + "[" * 300 + "]" * 300, "nested more than 200 levels"),
        ("a: &b [*b]", "aliases"),
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


@pytest.mark.parametrize("when", ["2024-13-45", "2024-01-01T99:00:00", "2025-01-02 03:04:05"])
def test_what_looks_like_a_date_in_yaml_is_text(when: str):
    assert parse_document(f"a: {when}\n") == {"a": when}


@pytest.mark.parametrize(
    "text",
    ['{"a\\ud800": ["\\udc00", {"b": "\\ud83d\\ude00"}]}', b'{"a\\ud800": ["\\udc00", {"b": "\\ud83d\\ude00"}]}'],
)
def test_half_characters_are_replaced_and_whole_ones_stay(text: str | bytes):
    assert parse_document(text) == parse_json(text) == {"a\ufffd": ["\ufffd", {"b": "\U0001f600"}]}


def test_yaml_has_a_smaller_limit():
    with pytest.raises(TooLarge, match="limit for YAML is 2 MB"):
        parse_document("a: b\n" + " " * 2_100_000)


@pytest.mark.parametrize("many", ["a: [" + "{b}," * 300_000 + "]", "".join(f"k{at}: 1\n" for at in range(100_000))])
def test_yaml_of_very_many_values_is_refused_before_they_are_made(many: str):
    with pytest.raises(TooLarge, match="more than 100,000 keys and values"):
        parse_document(many)


def test_where_only_json_belongs_yaml_is_not_tried():
    with pytest.raises(InvalidDocument, match="Not JSON"):
        parse_json("a: 1")


def test_half_characters_are_replaced_at_the_top_and_in_keys_that_then_are_the_same():
    assert parse_json('"\\ud800"') == "\ufffd"
    assert parse_json('{"\\ud800": 1, "b": 2, "\\udc00": {"\\udc01": "\\udc01"}}') == {
        "\ufffd": {"\ufffd": "\ufffd"},
        "b": 2,
    }


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=8,
)
BROKEN = st.text(alphabet='[]{}",:\\u1eE-+.0 tnN', max_size=20).filter(lambda text: text.strip() != "")


def outcome(text: str, large: int) -> tuple[object, str]:
    """The value, or why it is refused, where texts of so many characters count as large."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("studio.components.document.LARGE", large)
        try:
            return parse_json(text), ""
        except InvalidDocument as refused:
            return None, refused.what


@given(VALUES.map(json.dumps) | BROKEN)
def test_a_large_text_is_read_as_a_small_one(text: str):
    assert outcome(text, 0) == outcome(text, sys.maxsize)


@pytest.mark.parametrize("many", [json.dumps(["ab"] * 1_000_000), json.dumps([{"a": 1}] * 300_000)])
def test_others_have_their_turn_while_a_large_text_is_read(many: str):
    longest, ended = 0.0, threading.Event()

    def take_turns() -> None:
        nonlocal longest
        last = time.perf_counter()
        while not ended.wait(0):
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    other = threading.Thread(target=take_turns)
    other.start()
    began = time.perf_counter()
    with pytest.raises(InvalidDocument, match="Not JSON"):
        parse_json(many + "]")  # refused at its end, before anything looks at its values
    took = time.perf_counter() - began
    ended.set()
    other.join()
    assert longest < took / 2
