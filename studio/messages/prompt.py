"""What a model is shown, at a cost that does not grow with the length of the conversation.

A context keeps a `History`, to which messages are only added. A `Prompt` is the instructions and the history as far as
it had come; making one copies nothing, and what is summed up over it goes on from where the last one stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple, cast, overload

from studio.messages.llm import LLMMessage, UserMessage, hashed
from studio.messages.portions import MAX_TEXT, count_words

Measure = Callable[[LLMMessage], int]
Writer = Callable[[LLMMessage], str | None]
"""Gives None for a message that is not written down."""


class Written(NamedTuple):
    """Messages written down, one below the other."""

    text: str
    message_count: int
    """Of those that were written down."""


_Summed = tuple[Sequence[LLMMessage], int, int, int]
_NOTHING_SUMMED: _Summed = (), 0, 0, 0


class History(list[LLMMessage]):
    """A conversation, oldest message first. Whoever takes something out of it makes a new one."""

    def __init__(self, messages: Iterable[LLMMessage] = ()) -> None:
        super().__init__(messages)
        self._sums: dict[Measure, _Summed] = {}
        """By measure: a head, the sum over it, and how many messages of this have which sum."""
        self._texts: dict[Writer, tuple[int, str, int]] = {}
        self._has_parts = False
        self._looked_at = 0
        self._hashed_head: Sequence[LLMMessage] = ()
        self._hashed_count = 0
        self._hash = hashlib.sha256()

    def holds_parts(self) -> bool:
        """Whether a message has several parts, which may be pictures."""
        if not self._has_parts:
            for message in self[self._looked_at :]:
                if type(message) is UserMessage and type(message.__dict__["content"]) is not str:
                    self._has_parts = True
            self._looked_at = len(self)
        return self._has_parts

    def sum_of(self, measure: Measure, head: Sequence[LLMMessage], end: int) -> int:
        """Add up a measure over the head and the messages before `end`."""
        known_head, of_head, count, total = self._sums.get(measure, _NOTHING_SUMMED)
        if known_head is not head:
            of_head = sum(map(measure, head))
        elif count == end:
            return of_head + total
        if count > end:
            return of_head + sum(map(measure, islice(self, end)))
        total += sum(map(measure, self[count:end]))
        self._sums[measure] = head, of_head, end, total
        return of_head + total

    def text_of(self, write: Writer, end: int) -> Written:
        """What `write` gives for the messages before `end`, one below the other; asked once for each."""
        count, text, message_count = self._texts.pop(write, (0, "", 0))
        if count > end:
            self._texts[write] = count, text, message_count
            return _written(self[:end], write)
        for message in self[count:end]:
            if (line := write(message)) is not None:
                # Python lengthens a text in its place as long as nobody else holds it, hence `pop`.
                text += f"\n{line}" if message_count else line
                message_count += 1
        self._texts[write] = end, text, message_count
        return Written(text, message_count)

    def digest_of(self, head: Sequence[LLMMessage], end: int) -> str:
        """SHA-256 over the head and the messages before `end`."""
        if head is not self._hashed_head or not 0 < self._hashed_count <= end:
            self._hashed_head, self._hashed_count = head, 0
            self._hash = _hash_of(head)
        self._hash.update(_as_bytes(self[self._hashed_count : end]))
        self._hashed_count = end
        return self._hash.hexdigest()


class Prompt(Sequence[LLMMessage]):
    """Some messages and after them a history, as it was when this was made."""

    __slots__ = ("end", "head", "history")

    def __init__(self, head: Sequence[LLMMessage], history: History) -> None:
        self.head = head
        self.history = history
        self.end = len(history)

    def __len__(self) -> int:
        return len(self.head) + self.end

    def __iter__(self) -> Iterator[LLMMessage]:
        return chain(self.head, islice(self.history, self.end))

    @overload
    def __getitem__(self, index: int) -> LLMMessage: ...
    @overload
    def __getitem__(self, index: slice) -> list[LLMMessage]: ...
    def __getitem__(self, index: int | slice) -> LLMMessage | list[LLMMessage]:
        return list(self)[index]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, list | tuple | Prompt):
            return NotImplemented
        return list(self) == list(cast("Sequence[object]", other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __add__(self, more: Iterable[LLMMessage]) -> list[LLMMessage]:
        return [*self, *more]

    def __radd__(self, before: Iterable[LLMMessage]) -> list[LLMMessage]:
        return [*before, *self]  # as clients of scripts put their instructions first

    def __repr__(self) -> str:
        return repr(list(self))


def sum_over(messages: Sequence[LLMMessage], measure: Measure) -> int:
    """Add up a measure over messages; over a prompt only what is new is looked at."""
    if type(messages) is Prompt:
        return messages.history.sum_of(measure, messages.head, messages.end)
    return sum(map(measure, messages))


def text_over(messages: Sequence[LLMMessage], write: Writer) -> Written:
    """Write messages down, one below the other; of a prompt without a head only what is new is written."""
    if type(messages) is Prompt and not messages.head:
        return messages.history.text_of(write, messages.end)
    return _written(messages, write)


def _written(messages: Iterable[LLMMessage], write: Writer) -> Written:
    lines = [line for message in messages if (line := write(message)) is not None]
    return Written("\n".join(lines), len(lines))


def digest_over(messages: Sequence[LLMMessage]) -> str:
    """The same for equal messages, be they a prompt or any other sequence."""
    if type(messages) is Prompt:
        return messages.history.digest_of(messages.head, messages.end)
    return _hash_of(messages).hexdigest()


def _hash_of(messages: Iterable[LLMMessage]) -> hashlib._Hash:  # pyright: ignore[reportPrivateUsage]
    return hashlib.sha256(_as_bytes(messages))


def _as_bytes(messages: Iterable[LLMMessage]) -> bytes:
    return "".join(map(hashed, messages)).encode("utf-8", "surrogatepass")  # half a character is kept as it is


def word_count(message: LLMMessage) -> int:
    """Words of a message that is text; scripted models measure in words."""
    content = message.content
    if not isinstance(content, str):
        return 0
    return len(content.split()) if len(content) <= MAX_TEXT else count_words(content)


def hold_parts(messages: Sequence[LLMMessage]) -> bool:
    """Whether a message has several parts, which may be pictures; of a prompt, one that came later counts, too."""
    if type(messages) is Prompt:
        return messages.history.holds_parts() or any(map(_has_parts, messages.head))
    return any(map(_has_parts, messages))


def _has_parts(message: LLMMessage) -> bool:
    return type(message) is UserMessage and type(message.content) is not str


def without_images(messages: Sequence[LLMMessage]) -> list[LLMMessage]:
    """The same conversation for a model that reads no pictures."""
    return [
        UserMessage(content=_as_text(message.content), source=message.source)
        if isinstance(message, UserMessage) and not isinstance(message.content, str)
        else message
        for message in messages
    ]


def _as_text(parts: Sequence[object]) -> str:
    return "\n".join(part if isinstance(part, str) else "<image>" for part in parts)
