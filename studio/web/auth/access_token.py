"""Who may come in: the access token, the cookie made from it, the CSRF value and the count of wrong guesses."""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import SetupError
from studio.settings import Settings
from studio.store.private_file import make_once

MIN_TOKEN_LENGTH = 16
WRONG_GUESSES = 20
"""Wrong tokens that one address may send in a window; a person who mistypes stays far below."""
GUESS_WINDOW_S = 60.0
MAX_REMEMBERED = 10_000


def access_token(settings: Settings) -> str:
    """The token that opens this studio: the operator's own, else one made once and kept in the data folder.

    Raises:
        SetupError: The operator's token is so short that it could be guessed.
    """
    if settings.token:
        if len(settings.token) < MIN_TOKEN_LENGTH:
            raise SetupError(
                f"The access token has {len(settings.token)} characters; it needs at least {MIN_TOKEN_LENGTH}.",
                fix="Set a longer `STUDIO_TOKEN`, or unset it: the studio generates one.",
            )
        return settings.token
    return _kept(settings.data_dir / "token")


@dataclass(frozen=True)
class Keys:
    """What a request is compared with; comparisons take the same time whatever the input."""

    token: str
    cookie: str
    csrf: str
    key: bytes = field(repr=False)

    @classmethod
    def from_settings(cls, settings: Settings) -> Keys:
        """Cookie and CSRF value follow from the token and a key on disk: they outlive a restart, not a new token."""
        token = access_token(settings)
        key = _kept(settings.data_dir / "cookie.key").encode()
        return cls(token, _derived(key, "cookie", token), _derived(key, "csrf", token), key)

    def csrf_for(self, sign_in_key: str) -> str:
        """The CSRF value of one sign-in; it cannot be worked out from that of another."""
        return _derived(self.key, "csrf of a sign-in", sign_in_key)

    def is_token(self, value: str) -> bool:
        return is_same(value, self.token)

    def is_cookie(self, value: str) -> bool:
        return is_same(value, self.cookie)


def is_same(value: str, expected: str) -> bool:
    """Compare in a time that tells nothing about where they differ."""
    return hmac.compare_digest(value.encode("utf-8", "replace"), expected.encode())


@dataclass
class Guesses:
    """Counts wrong guesses within a window, by the address that they come from or the name that they are about.

    Args:
        counted_as: What all spellings of the same address or name are counted under.
    """

    counted_as: Callable[[str], str]
    most: int = WRONG_GUESSES
    clock: Callable[[], float] = time.monotonic
    _wrong: dict[str, tuple[float, int]] = field(default_factory=dict[str, tuple[float, int]])

    def wait_s(self, subject: str) -> int:
        """Seconds until it may be tried again; 0 when it may now."""
        began, count = self._wrong.get(self.counted_as(subject), (0.0, 0))
        left = began + GUESS_WINDOW_S - self.clock()
        return int(left) + 1 if count >= self.most and left > 0 else 0

    def add_wrong(self, subject: str) -> None:
        subject, now = self.counted_as(subject), self.clock()
        began, count = self._wrong.get(subject, (now, 0))
        if now - began > GUESS_WINDOW_S:
            began, count = now, 0
        if subject not in self._wrong and len(self._wrong) >= MAX_REMEMBERED:
            self._wrong.pop(next(iter(self._wrong)))
        self._wrong[subject] = (began, count + 1)

    def take_back(self, subject: str) -> None:
        """It was right after all. Guesses that take long are counted before they are looked at."""
        subject = self.counted_as(subject)
        began, count = self._wrong.get(subject, (0.0, 0))
        if count > 1:
            self._wrong[subject] = (began, count - 1)
        else:
            self._wrong.pop(subject, None)


def _derived(key: bytes, purpose: str, token: str) -> str:
    return hmac.digest(key, f"{purpose}:{token}".encode(), "sha256").hex()


def _kept(file: Path) -> str:
    """Read a random value, making it at the first start; only the owner of the process may read the file."""
    try:
        kept = file.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        kept = ""
    except OSError as error:
        raise SetupError(
            f"{str(file)!r} cannot be read: {error.strerror}.", fix="Check its owner and permissions."
        ) from error
    return kept or _made(file)


def _made(file: Path) -> str:
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return make_once(file, secrets.token_urlsafe(32).encode()).decode().strip()
    except OSError as error:
        raise SetupError(
            f"{str(file)!r} cannot be written: {error.strerror}.",
            fix="Set `STUDIO_DATA_DIR` to a writable folder.",
        ) from error
