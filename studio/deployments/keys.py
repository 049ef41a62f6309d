"""Keys of callers: random, shown once, and kept as a hash."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Literal

KEY_PREFIX = "sk-studio-"
"""Keys are found in logs and repositories by it."""
LINK_PREFIX = "studio-chat-"
"""Of what stands behind the `#` of a chat link."""
REFRESH_PREFIX = "studio-refresh-"
"""Of what a client that a person allowed renews its access with."""
KeyUse = Literal["calls", "link", "chat", "schedule", "hook", "oauth"]
"""What a key opens: the calls of programs; the chat page, for who has the link; or the page for who needs none.
The calls of schedules belong to a key of their own, and so do those of hooks, and of each client that a person allowed
by OAuth: such a key opens nothing itself, it is what access is renewed with."""
NOBODYS: frozenset[KeyUse] = frozenset({"chat", "schedule", "hook"})
"""Keys of these uses were never shown, so they are neither listed nor revoked."""
PREFIXES: Mapping[KeyUse, str] = {"link": LINK_PREFIX, "oauth": REFRESH_PREFIX}
SHOWN_CHARACTERS = 4


def make_key(use: KeyUse = "calls") -> tuple[str, str]:
    """A new key of 256 random bits, and its last characters, by which people tell keys apart."""
    prefix = PREFIXES.get(use, KEY_PREFIX)
    key = prefix + secrets.token_urlsafe(32)
    while key[-SHOWN_CHARACTERS] == "-":  # a command line would take what is shown for an option
        key = prefix + secrets.token_urlsafe(32)
    return key, key[-SHOWN_CHARACTERS:]
