"""Who may come in: the access token, the cookie made from it, and the CSRF value."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from studio.errors import SetupError
from studio.settings import Settings
from studio.store.private_file import make_once

MIN_TOKEN_LENGTH = 16


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

    def sign(self, purpose: str, text: str) -> str:
        """A signature that nobody else can make, and that holds for no other purpose."""
        return _derived(self.key, purpose, text)

    def is_token(self, value: str) -> bool:
        return is_same(value, self.token)

    def is_cookie(self, value: str) -> bool:
        return is_same(value, self.cookie)


def is_same(value: str, expected: str) -> bool:
    """Compare in a time that tells nothing about where they differ."""
    return hmac.compare_digest(value.encode("utf-8", "replace"), expected.encode())


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
