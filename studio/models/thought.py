"""Tells a model's thoughts from its answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_OPEN, _CLOSE = "<think>", "</think>"


@dataclass
class ThoughtFrame:
    """Puts `<think>` and `</think>` around the thoughts in a stream of pieces, as AutoGen does."""

    _is_open: bool = False

    def thought(self, piece: str) -> Iterator[str]:
        """A piece of thought; the first has the mark in front of it."""
        yield piece if self._is_open else _OPEN + piece
        self._is_open = True

    def text(self, piece: str) -> Iterator[str]:
        """A piece of the answer; what was thought before it is closed."""
        yield from self.end()
        yield piece

    def end(self) -> Iterator[str]:
        """Close the frame, if it is open."""
        if self._is_open:
            self._is_open = False
            yield _CLOSE


def split_thought(text: str) -> tuple[str | None, str]:
    """Take a leading `<think>...</think>` off an answer: (thought, rest)."""
    start = text.lstrip()
    if not start.startswith(_OPEN) or _CLOSE not in start:
        return None, text
    thought, _, rest = start.removeprefix(_OPEN).partition(_CLOSE)
    return thought.strip() or None, rest.strip()
