"""Keys of callers: random, shown once, and kept as a hash."""

from __future__ import annotations

import secrets

KEY_PREFIX = "sk-studio-"
"""Keys are found in logs and repositories by it."""
SHOWN_CHARACTERS = 4


def make_key() -> tuple[str, str]:
    """A new key of 256 random bits, and its last characters, by which people tell keys apart."""
    key = KEY_PREFIX + secrets.token_urlsafe(32)
    while key[-SHOWN_CHARACTERS] == "-":  # a command line would take what is shown for an option
        key = KEY_PREFIX + secrets.token_urlsafe(32)
    return key, key[-SHOWN_CHARACTERS:]
