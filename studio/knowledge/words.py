"""What of a question is looked for: its words, whatever else it holds.

Chinese, Japanese and Korean are written without spaces between words, or with endings that change. Each two characters
that stand together are a word of the index instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

MAX_QUERY_CHARS = 4_000
"""Of a question that are looked at."""
MAX_WORDS = 60
MAX_WORD_CHARS = 64
_WORD = re.compile(r"[^\W_]+")
_EAST_ASIAN = re.compile(
    "[\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)
"""Kanji, kana and Hangul, which no space separates into words."""
_STOP_TEXT = """
a about after all also am an and any are as at be because been before but by can could did do does doing for from
had has have he her him his how i if in into is it its just may me more most must my no not of on one only or our
out over she should so some such than that the their them then there these they this those through to too under up
us was we were what when where which while who whom whose why will with would you your
der die das den dem des ein eine einer eines einem einen und oder ist sind war was wer wie wo wann warum welche
welcher welches mit von für auf aus bei nach zu zum zur im in am an es sie er wir ich nicht auch
"""
_STOP_WORDS = frozenset(_STOP_TEXT.split())
"""English and German: they say nothing about what a question is about."""


def search_words(query: str) -> Sequence[str]:
    """The words that a passage is looked for by, each once; operators of search languages are no words.

    Stop words are left out, unless there is nothing else. Of East Asian text these are pairs of characters; a character
    that stands alone is looked for as the beginning of a pair.
    """
    found = dict[str, None]()
    for word in _WORD.findall(unicodedata.normalize("NFKC", query[:MAX_QUERY_CHARS]).replace("\0", " ").casefold()):
        for part, is_east_asian in _parts(word):
            pairs = [part[at : at + 2] for at in range(max(1, len(part) - 1))]
            found.update(dict.fromkeys(pairs if is_east_asian else [part[:MAX_WORD_CHARS]]))
    telling = [word for word in found if word not in _STOP_WORDS]
    return (telling or list(found))[:MAX_WORDS]


def begins_pair(word: str) -> bool:
    """Whether it is one East Asian character, which is in the index as the beginning of pairs only."""
    return len(word) == 1 and _EAST_ASIAN.match(word) is not None


def index_pairs(text: str) -> str:
    """What the index holds of East Asian text beside its words: pairs of characters, and the words in between.

    The last character of each run stands alone, so that each begins a pair. "" of a text in other scripts.
    """
    if not _EAST_ASIAN.search(text):
        return ""
    found = list[str]()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        parts = list(_parts(word))
        if any(is_east_asian for _, is_east_asian in parts):
            for part, is_east_asian in parts:
                found += [part[at : at + 2] for at in range(len(part))] if is_east_asian else [part]
    return " ".join(found)


def _parts(word: str) -> Iterator[tuple[str, bool]]:
    """The parts of a word that are East Asian and those that are not, in order."""
    at = 0
    for run in _EAST_ASIAN.finditer(word):
        if at < run.start():
            yield word[at : run.start()], False
        yield run[0], True
        at = run.end()
    if at < len(word):
        yield word[at:], False
