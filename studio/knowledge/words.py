"""What of a question is looked for: its words, whatever else it holds."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_QUERY_CHARS = 4_000
"""Of a question that are looked at."""
MAX_WORDS = 40
MAX_WORD_CHARS = 64
_WORD = re.compile(r"[^\W_]+")
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

    Stop words are left out, unless there is nothing else.
    """
    found = dict.fromkeys(
        word[:MAX_WORD_CHARS] for word in _WORD.findall(query[:MAX_QUERY_CHARS].replace("\0", " ").casefold())
    )
    telling = [word for word in found if word not in _STOP_WORDS]
    return (telling or list(found))[:MAX_WORDS]
