"""Ids: random ones, and those that follow from a name."""

from __future__ import annotations

import os
import sys
from binascii import hexlify
from collections.abc import Iterator
from functools import cache
from hashlib import sha1
from struct import Struct
from uuid import UUID

SCOPE_LENGTH = 8
_IDS_AT_ONCE = 64
_DIGITS = Struct("8s4s3s3s12s" * _IDS_AT_ONCE)
_AS_TEXT = b"%b-%b-4%b-a%b-%b " * _IDS_AT_ONCE
_ids: list[str] = []
_MAX_NAMES_AT_ONCE = 16
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_ids.clear)  # a child must not give what its parent gives, too


def random_id() -> str:
    """A random UUID (version 4) as text. Many are made at once: to ask the system for digits takes longest."""
    if not _ids:
        digits = _DIGITS.unpack(hexlify(os.urandom(_DIGITS.size // 2)))
        _ids.extend((_AS_TEXT % digits).decode("ascii").split())
    return _ids.pop()


def numbered_ids(namespace: UUID, prefix: str = "") -> Iterator[str]:
    """The UUIDs (version 5) of the prefix with 1 behind it, with 2, and so on without end, as text.

    The same as Python's `uuid5`, which takes several times as long. Twice as many are made at once each time: many who
    ask want no more than one.
    """
    begun = namespace.bytes + prefix.encode()
    first, at_once = 1, 1
    while True:
        digits, as_text, hashed, version = _form_of(at_once)
        names = [begun + b"%d" % number for number in range(first, first + at_once)]
        made = b"".join([sha1(name, usedforsecurity=False).digest()[:16] for name in names])
        ids = int.from_bytes(made, "big") & hashed | version
        yield from (as_text % digits.unpack(hexlify(ids.to_bytes(len(made), "big")))).decode("ascii").split()
        first += at_once
        at_once = min(2 * at_once, _MAX_NAMES_AT_ONCE)


@cache
def _form_of(count: int) -> tuple[Struct, bytes, int, int]:
    """How so many ids are written: digits, text, the bits that come of a hash, and what stands in the other ones."""
    hashed = int("ffffffffffff0fff3fffffffffffffff" * count, 16)
    version_5 = int("00000000000050008000000000000000" * count, 16)
    return Struct("8s4s4s4s12s" * count), b"%b-%b-%b-%b-%b " * count, hashed, version_5


def scope_of(name: str) -> str:
    """Eight digits that stand for one of several that work side by side; its ids begin with them."""
    return sha1(name.encode(), usedforsecurity=False).hexdigest()[:SCOPE_LENGTH]


def is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
