"""Passwords, as argon2 hashes. To work one out takes long on purpose: it is done beside the event loop, two at most."""

from __future__ import annotations

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from studio.errors import ConfigError

MIN_LENGTH = 10
MAX_LENGTH = 1000
AT_ONCE = 2
"""Each takes 64 MiB while it is worked out."""
NOBODYS_HASH = "$argon2id$v=19$m=65536,t=3,p=4$EJo/rmSmi/O1Jkdi3qL8Pw$QWA5h9jt9zGFC5+MQEADEUm2uqFT8xynzihptlXNN+w"
"""Compared with when there is no such user, so that the answer takes as long."""


class Passwords:
    """Makes hashes and compares with them."""

    def __init__(self, hasher: PasswordHasher | None = None, nobodys: str = NOBODYS_HASH) -> None:
        self._hasher = hasher or PasswordHasher()
        self._nobodys = nobodys
        self._turn = asyncio.Semaphore(AT_ONCE)

    async def hash(self, password: str, *, name: str = "") -> str:
        """The hash to keep.

        Raises:
            ConfigError: The password would be guessed.
        """
        may_be = checked(password, name=name)
        async with self._turn:
            return await asyncio.to_thread(self._hasher.hash, may_be)

    async def is_right(self, password: str, kept: str | None) -> bool:
        """Whether it is the password of that hash; without one it never is, and takes as long to say so."""
        async with self._turn:
            is_same = await asyncio.to_thread(self._is_same, kept or self._nobodys, password[: MAX_LENGTH + 1])
        return is_same and bool(kept)

    def _is_same(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password)
        except (VerificationError, InvalidHashError):
            return False


def checked(password: str, *, name: str = "") -> str:
    """The password, if it may be one.

    Raises:
        ConfigError: It is too short, too long, or the user's name.
    """
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise ConfigError(
            f"A password needs {MIN_LENGTH} to {MAX_LENGTH} characters.",
            fix="A few words with spaces are easy to remember.",
        )
    if name and name.casefold() == password.casefold():
        raise ConfigError(
            "The password must differ from the user name.", fix="A few words with spaces are easy to remember."
        )
    return password
