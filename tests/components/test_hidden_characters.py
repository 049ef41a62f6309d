"""Characters that hide in code, commands and paths."""

from __future__ import annotations

import sys

import pytest

from studio.components.hidden_characters import IGNORABLE, count_hidden, doubtful_words, written_out

HIDING = {
    "variation selectors": "\ufe00\ufe0f",
    "more variation selectors": "\U000e0100\U000e01ef",
    "tags": "\U000e0001\U000e0041\U000e007f",
    "unassigned tags": "\U000e0000\U000e0002\U000e001f\U000e0080\U000e0fff",
    "a joiner of graphemes": "\u034f",
    "fillers": "\u115f\u1160\u3164\uffa0",
    "Khmer vowels": "\u17b4\u17b5",
    "Mongolian selectors": "\u180b\u180c\u180d\u180e\u180f",
    "no width": "\u200b\u200c\u200d\u2060\u2065\ufeff\u00ad",
    "directions": "\u061c\u200e\u200f\u202a\u202e\u2066\u2069",
    "noncharacters and specials": "\ufff0\ufff8\ufff9\uffff",
    "spaces": "\u00a0\u1680\u2000\u200a\u202f\u205f\u3000",
    "line ends": "\x0b\x0c\x85\u2028\u2029",
    "controls": "\x00\x1b\x7f\x9b\r",
    "blanks": "\u2800\U0001d159",
    "music": "\U0001d173\U0001d17a",
    "shorthand": "\U0001bca0\U0001bca3",
    "private use": "\ue000\U000f0000\U0010fffd",
    "halves": "\ud800\udfff",
    "not assigned": "\u0378\U000e1000",
    "strokes": "\u0336\u20dd\u0488",
}


@pytest.mark.parametrize("what", HIDING)
def test_each_kind_of_hidden_character_is_written_out_and_counted(what: str):
    for character in HIDING[what]:
        text = f"x = 'a{character}b'"
        assert written_out(text) == f"x = 'a<U+{ord(character):04X}>b'"
        assert count_hidden(text) == 1


@pytest.mark.parametrize(
    "text", ["naïve e\u0301 \u1ebf", "日本語 한국어 Привет שלום", "→ ✓ € « » 😀 ½ ²", "a\n\tb", ""]
)
def test_letters_and_signs_with_ink_stay_as_they_are(text: str):
    assert written_out(text) == text
    assert count_hidden(text) == 0


@pytest.mark.parametrize("text", ["👩‍👩‍👧 ❤️ 1️⃣ ☀︎", "हिन्दी ไทย العَرَبِيَّة", "全角　スペース"])
def test_what_somebody_says_keeps_its_pictures_and_marks(text: str):
    assert written_out(text, is_prose=True) == text


@pytest.mark.parametrize("text", ["a\ufe0f", "✓" + "\ufe0e\ufe0f" * 9, "\u200d\u200d\u200d", "\U000e0041", "\u2800"])
def test_nothing_is_told_without_ink_in_what_somebody_says_either(text: str):
    assert "<U+" in written_out(text, is_prose=True)


def test_the_table_is_that_of_the_unicode_database():
    regex = pytest.importorskip("regex")
    known = regex.compile(r"\p{Default_Ignorable_Code_Point}")
    table = {number for first, last in IGNORABLE for number in range(first, last + 1)}
    assert {number for number in range(sys.maxunicode + 1) if known.match(chr(number))} == table


@pytest.mark.parametrize(
    "word",
    ["p\u0430ypal", "\u043er\u0435n", "\uff4f\uff50\uff45\uff4e", "\ufb01le", "\u0430\u0440\u0435", "e\u0445ec_\u03bf"],
)
def test_words_that_are_not_what_they_look_like_are_named(word: str):
    (found,) = doubtful_words(f"x = 1\n{word}('ls')")
    assert "U+" in found


@pytest.mark.parametrize("text", ["Привет мир", "naïve straße", "日本語", "ελληνικά", "a" * 200_000 + "é"])
def test_words_of_one_language_are_not_doubted(text: str):
    assert doubtful_words(text) == []
