"""Takes no more of an answer than was agreed, unpacked: a few bytes can hold gigabytes."""

from __future__ import annotations

import codecs
import re
import zlib
from email.message import Message

from studio.egress.guard import HostRefused

MODEL_BYTES = 64_000_000
"""Of one answer of a service that a team uses; a picture in an answer takes a few."""
PACKED = {"gzip": 47, "x-gzip": 47, "deflate": 47}
"""Window bits by which zlib reads each kind of packing; 32 more tell it to look which of the two it is."""
EVENTS = "text/event-stream"
END_OF_EVENT = re.compile(rb"\n\n|\r\r|\r\n\r\n")
CHARSETS = re.compile(
    r"utf-(8|16|32)(-[bl]e)?|ascii|iso8859-.+|iso2022_.+|cp\d+|koi8-.|mac-.+|gb.+|big5.*|euc_.+|shift_jis.*|tis-620"
)
"""The names, as Python has them, of what texts of the web are written in. Others may take time by the square."""
STEP_BYTES = 65_536
"""That are unpacked before they are counted."""


def without_odd_charset(content_type: str) -> str:
    """What an answer says it is. What it says of its letters is left out if it is not usual on the web.

    Some encodings of Python take minutes for an answer of megabytes (Punycode), and a server may name any.
    """
    message = Message()
    message["content-type"] = content_type
    charset = message.get_content_charset()
    if charset is None:
        return content_type
    try:
        is_usual = CHARSETS.fullmatch(codecs.lookup(charset).name) is not None
    except (LookupError, ValueError):
        is_usual = False
    return content_type if is_usual else content_type.partition(";")[0]


class TooLong(HostRefused):
    """An answer is longer than is taken."""

    code = "answer_too_long"


class Unreadable(HostRefused):
    """An answer is packed in a way that cannot be unpacked in bounds."""

    code = "answer_unreadable"


class Meter:
    """Unpacks an answer piece by piece, up to a limit.

    Args:
        packing: What the answer's `Content-Encoding` says.
        limit: Bytes, unpacked.
        of_each_event: Whether the limit is that of one event of a stream which may go on for ever.

    Raises:
        Unreadable: The packing is none that can be bounded.
    """

    def __init__(self, packing: str, limit: int, *, of_each_event: bool = False) -> None:
        self._limit = limit
        self._of_each_event = of_each_event
        self._taken = 0
        self._unpacking = None
        kind = packing.strip().lower()
        if kind in PACKED:
            self._unpacking = zlib.decompressobj(PACKED[kind])
        elif kind not in ("", "identity"):
            raise Unreadable(f"The response is compressed as {packing!r}, which was not requested.")

    def decode(self, piece: bytes) -> bytes:
        """The piece, unpacked.

        Raises:
            TooLong: It goes over the limit.
            Unreadable: It cannot be unpacked.
        """
        if self._unpacking is None:
            self._count(piece)
            return piece
        unpacked = bytearray()
        while piece:
            try:
                part = self._unpacking.decompress(piece, STEP_BYTES)
            except zlib.error as error:
                raise Unreadable("The response cannot be decompressed.") from error
            self._count(part)
            unpacked += part
            piece = self._unpacking.unconsumed_tail
        return bytes(unpacked)

    def _count(self, part: bytes) -> None:
        events = END_OF_EVENT.split(part) if self._of_each_event else [part]
        for number, event in enumerate(events):
            self._taken = len(event) + (0 if number else self._taken)
            if self._taken > self._limit:
                raise TooLong(f"The response exceeds {self._limit} bytes.")
