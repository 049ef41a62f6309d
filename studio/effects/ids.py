"""Ids: random ones, and those that follow from a name."""

from __future__ import annotations

import hashlib
import os
import sys
from binascii import hexlify
from struct import Struct
from uuid import UUID

SCOPE_LENGTH = 8
_IDS_AT_ONCE = 64
_DIGITS = Struct("8s4s3s3s12s" * _IDS_AT_ONCE)
_AS_TEXT = b"%b-%b-4%b-a%b-%b " * _IDS_AT_ONCE
_ids: list[str] = []
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_ids.clear)  # a child must not give what its parent gives, too


def random_id() -> str:
    """A random UUID (version 4) as text. Many are made at once: to ask the system for digits takes longest."""
    if not _ids:
        digits = _DIGITS.unpack(hexlify(os.urandom(_DIGITS.size // 2)))
        _ids.extend((_AS_TEXT % digits).decode("ascii").split())
    return _ids.pop()


def named_id(namespace: UUID, name: str) -> str:
    """The UUID (version 5) of a name as text; the same as Python's `uuid5`, which takes several times as long."""
    made = hashlib.sha1(namespace.bytes + name.encode(), usedforsecurity=False).hexdigest()
    variant = "89ab"[int(made[16], 16) & 3]
    return f"{made[:8]}-{made[8:12]}-5{made[13:16]}-{variant}{made[17:20]}-{made[20:32]}"


def scope_of(name: str) -> str:
    """Eight digits that stand for one of several that work side by side; its ids begin with them."""
    return hashlib.sha1(name.encode(), usedforsecurity=False).hexdigest()[:SCOPE_LENGTH]


def is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
