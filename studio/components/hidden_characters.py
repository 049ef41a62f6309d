"""Characters that hide in a text: without ink, or other than they look. Whoever decides about the text sees them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""Default_Ignorable_Code_Point, which Python's `unicodedata` does not know.

Source: Unicode Character Database, DerivedCoreProperties.txt; the same from version 9 to 16.
"""
BLANK = "\u2800\u3164\U00013441\U00013442\U0001d159"
"""Symbols and letters without ink that the table does not hold."""

_IGNORABLE = re.compile(
    "[" + "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in IGNORABLE) + BLANK + "]"
)
_WITHOUT_INK = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"})
_MARKS = frozenset({"Mn", "Mc", "Me"})
_JOINER = "\u200d"
_CHOOSERS = frozenset("\ufe0e\ufe0f")
"""Whether a symbol is shown as a picture."""
_WORD = re.compile(r"\w+")
_LATIN_LOOKALIKES = frozenset("авекмнорстухѕіјԁԛԝһӏүαβεηικμνορτυχАВЕКМНОРСТУХЅІЈԌԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոցԍ")
"""Letters of other alphabets that look like Latin ones."""
_ALPHABETS = frozenset({"ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "LISU"})
MAX_DOUBTFUL = 8


def parts(text: str, *, is_prose: bool = False) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is one character that hides.

    Args:
        text: Any text.
        is_prose: What somebody says, and no code, command or path: combining marks and spaces of other languages are
            ordinary there, and so is what joins pictures into one.
    """
    kept, cluster, before = "", "", ""
    for character in text:
        if is_prose and _joins(before, character):
            hides = False
        elif unicodedata.category(character) in _MARKS and not _IGNORABLE.match(character):
            composed = unicodedata.normalize("NFC", cluster + character)
            hides = not is_prose and len(composed) != 1
            cluster = composed if len(composed) == 1 else cluster
        else:
            hides, cluster = _hides(character, is_prose=is_prose), character
        before = character
        if not hides:
            kept += character
            continue
        if kept:
            yield kept, False
        yield character, True
        kept = ""
    if kept:
        yield kept, False


def count_hidden(text: str) -> int:
    """How many characters of a code, command or path hide."""
    return 0 if _is_plain(text) else sum(hides for _, hides in parts(text))


def written_out(text: str, *, is_prose: bool = False) -> str:
    """The text with `<U+200B>` in place of each character that hides."""
    if _is_plain(text):
        return text
    return "".join(f"<{code_point(part)}>" if hides else part for part, hides in parts(text, is_prose=is_prose))


def code_point(character: str) -> str:
    """As it is written: `U+200B`."""
    return f"U+{ord(character):04X}"


def doubtful_words(text: str) -> list[str]:
    """Words that may not be what they look like: of letters from several alphabets, of letters that look like Latin
    ones, or such that Python reads as another name. Each with the code points of its odd letters."""
    found: dict[str, None] = {}
    for match in () if text.isascii() else _WORD.finditer(text):
        if not match[0].isascii() and _is_doubtful(match[0]):
            odd = dict.fromkeys(code_point(letter) for letter in match[0] if not letter.isascii())
            found[f"{written_out(match[0])} ({', '.join([*odd][:MAX_DOUBTFUL])})"] = None
        if len(found) == MAX_DOUBTFUL:
            break
    return list(found)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def _joins(before: str, character: str) -> bool:
    """Whether it joins pictures into one, or chooses how a symbol looks; several in a row do neither."""
    if character == _JOINER:
        return before not in ("", _JOINER)
    return character in _CHOOSERS and unicodedata.category(before or " ")[0] in "SPN"


def _hides(character: str, *, is_prose: bool) -> bool:
    if character in "\n\t" or " " <= character <= "~":
        return False
    if _IGNORABLE.match(character):
        return True
    category = unicodedata.category(character)
    return category in _WITHOUT_INK and not (is_prose and category == "Zs")


def _is_doubtful(word: str) -> bool:
    letters = [letter for letter in word if letter.isalpha()]
    scripts = {unicodedata.name(letter, "?").partition(" ")[0] for letter in letters}
    is_mixed = "LATIN" in scripts and not scripts.isdisjoint(_ALPHABETS)
    is_another = unicodedata.normalize("NFKC", word) != unicodedata.normalize("NFC", word)
    odd = [letter for letter in letters if not letter.isascii()]
    return is_mixed or is_another or (bool(odd) and _LATIN_LOOKALIKES.issuperset(odd))
