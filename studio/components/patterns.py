"""Regular expressions that people and documents bring. RE2 matches them: its time grows with the text and the pattern
alone, where Python's `re` can take days for one line, with the whole process waiting."""

from __future__ import annotations

import asyncio
import re
from functools import lru_cache
from typing import Annotated, Any, Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs]
from pydantic import AfterValidator, Field

MAX_CHARACTERS = 2_000
"""Of a pattern."""
MAX_STEPS_AT_ONCE = 2_000_000
"""Instructions of the pattern times bytes of the text that are looked at while others wait: some 30 ms at worst."""
MAX_STEPS = 200_000_000
"""The same in a thread, during which others go on: some 3 s at worst."""

_MAX_MEMORY = 1 << 18
_ENGINE = cast("Any", re2)  # it says nothing of its types
_SYNTAX = "RE2 knows no lookaround, no backreferences and no possessive groups, and the end of a text is \\z"


class _Compiled(Protocol):
    @property
    def programsize(self) -> int: ...

    def search(self, text: bytes) -> re.Match[bytes] | None: ...

    def fullmatch(self, text: bytes) -> re.Match[bytes] | None: ...


class Pattern:
    """A pattern in RE2's syntax.

    Args:
        text: As it was written.
        dot_all: Whether `.` also stands for a line break.

    Raises:
        ValueError: It is none, or it is too large.
    """

    def __init__(self, text: str, *, dot_all: bool = False) -> None:
        _refuse_other_meanings(text)
        options = _ENGINE.Options()
        options.max_mem = _MAX_MEMORY
        options.log_errors = False
        options.never_capture = True
        options.dot_nl = dot_all
        try:
            self._compiled: _Compiled = _ENGINE.compile(text.encode(), options)
        except (_ENGINE.error, UnicodeEncodeError) as error:
            said = error.args[0]
            reason = said.decode(errors="replace") if isinstance(said, bytes) else str(error)
            raise ValueError(f"This regular expression cannot be matched safely: {reason}. {_SYNTAX}.") from None
        self._ends = "$" in text
        self.size: int = self._compiled.programsize
        """In instructions."""

    def steps(self, text: str) -> int:
        """How much work it can be at most to look at a text."""
        return self.size * (len(text) if text.isascii() else len(_encoded(text)))

    def search(self, text: str) -> str | None:
        """What matches first anywhere in the text. As in Python, `$` also stands before a line break at the end."""
        found = self._compiled.search(_encoded(text))
        if found is None and self._ends and text.endswith("\n"):
            found = self._compiled.search(_encoded(text[:-1]))
        return None if found is None else found[0].decode(errors="replace")

    def fits(self, text: str) -> bool:
        """Whether all of the text matches."""
        return self._compiled.fullmatch(_encoded(text)) is not None

    async def find(self, text: str) -> str | None:
        """As `search`, but nobody waits for it.

        Raises:
            ValueError: The text is too long for this pattern.
        """
        steps = self.steps(text)
        if steps > MAX_STEPS:
            raise ValueError(f"The text of {len(text):,} characters is too long for this pattern.")
        if steps > MAX_STEPS_AT_ONCE // 10:
            return await asyncio.to_thread(self.search, text)
        await asyncio.sleep(0)  # there may be many patterns for one text
        return self.search(text)


compiled = lru_cache(maxsize=128)(Pattern)


def checked(text: str) -> str:
    """Refuse a pattern that is none."""
    compiled(text)
    return text


PatternText = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS), AfterValidator(checked)]
"""A pattern in a document."""


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")  # half a character is matched as a question mark


def _refuse_other_meanings(text: str) -> None:
    """What Python reads in one way and RE2 silently in another."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"This pattern has more than {MAX_CHARACTERS:,} characters.")
    plain = re.sub(r"\\\\", "", text)
    if not text.isascii() and re.search(r"\\[bB]", plain):
        raise ValueError(
            "`\\b` knows the letters of ASCII only. Beside others write `(?:^|[^\\pL])` and `(?:[^\\pL]|$)`."
        )
    if re.search(r"\{,\d", plain):
        raise ValueError("Write `{0,n}` in place of `{,n}`.")
    if re.search(r"\\[CQ]", plain):
        raise ValueError(
            "`\\C` and `\\Q` are not known here. Write `.`, and a backslash before each special character."
        )
