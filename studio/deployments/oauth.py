"""OAuth for clients of MCP: what a client says of itself, where it may be answered, and how it proves that it asked."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlencode, urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

from studio.errors import StudioError

CODE_LASTS = timedelta(minutes=5)
TOKEN_LASTS = timedelta(hours=1)
REFRESH_LASTS = timedelta(days=30)
"""A client that is away for longer asks its person again."""
MAX_URI = 300
MAX_REDIRECTS = 10
MAX_NAME = 100
CHALLENGE_PATTERN = r"^[A-Za-z0-9_-]{43}$"
"""SHA-256 as base64url without padding: `S256`, the only method."""
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*")
_NOT_APPS = re.compile(
    r"about|blob|chrome|data|file|filesystem|ftp|http|intent|jar|javascript|ldap|mailto|ms-msdt|nfs|resource|search"
    r"|search-ms|sftp|smb|ssh|tel|telnet|vbscript|view-source|ws|wss"
)
"""Schemes that no app registers for itself: some would run what comes behind them, or open a share of somebody's."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
OAuthCode = Literal[
    "invalid_request",
    "invalid_client",
    "invalid_client_metadata",
    "invalid_grant",
    "invalid_redirect_uri",
    "invalid_target",
    "temporarily_unavailable",
    "unsupported_grant_type",
    "unsupported_response_type",
]
"""The words of RFC 6749, 7591 and 8707."""


class OAuthRefused(StudioError):
    """Raised when a client cannot be given what it asks for; `error` is what its library looks at.

    `is_guess` says that it brought what was never given to anyone.
    """

    code = "oauth_refused"

    def __init__(self, error: OAuthCode, what: str, *, is_guess: bool = False) -> None:
        super().__init__(what)
        self.error: OAuthCode = error
        self.is_guess = is_guess


class ClientMetadata(BaseModel):
    """What a client says of itself when it registers, or in the document that its ID leads to. The rest is ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    client_name: Annotated[str, Field(max_length=MAX_NAME)] = ""
    redirect_uris: Annotated[
        tuple[Annotated[str, Field(max_length=MAX_URI)], ...], Field(min_length=1, max_length=MAX_REDIRECTS)
    ]

    @field_validator("client_name")
    @classmethod
    def _visible(cls, name: str) -> str:
        return "".join(each for each in name if each.isprintable()).strip()

    def may_be_answered_at(self, redirect_uri: str) -> bool:
        """Whether this is one of its addresses. A program on the person's machine may choose the port (RFC 8252)."""
        return any(each == redirect_uri or _same_but_port(each, redirect_uri) for each in self.redirect_uris)


def check_redirect_uri(uri: str) -> None:
    """Hold that a browser can be sent there with a code: HTTPS, this machine, or an app that has a scheme of its own.

    Raises:
        OAuthRefused: It cannot.
    """
    parts = _split(uri)
    is_fitting = (
        parts is not None
        and uri.isascii()
        and uri.isprintable()
        and not set(uri) & set(' "<>\\^`{|}#')
        and "@" not in parts.netloc
        and bool(parts.hostname)
        and (parts.scheme == "https" or _is_loopback(parts) or _is_app(parts.scheme))
    )
    if not fitting_length(uri) or not is_fitting:
        raise OAuthRefused(
            "invalid_redirect_uri",
            f"Invalid redirect URI {uri[:MAX_URI]!r}. Use HTTPS, a loopback address, or the scheme of an app.",
        )


def fitting_length(uri: str) -> bool:
    return 0 < len(uri) <= MAX_URI


def is_verified(verifier: str, challenge: str) -> bool:
    """Whether who brings a code began the request for it (PKCE, `S256`)."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    made = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    return hmac.compare_digest(made, challenge)


def sent_back(redirect_uri: str, answer: Mapping[str, str]) -> str:
    """The address of a client with an answer to what it asked; what is empty is left out."""
    separator = "&" if urlsplit(redirect_uri).query else "?"
    return f"{redirect_uri}{separator}{urlencode({name: value for name, value in answer.items() if value})}"


def is_metadata_address(client_id: str) -> bool:
    """Whether a client's ID is the address of a document about it."""
    parts = _split(client_id)
    return (
        parts is not None
        and parts.scheme == "https"
        and bool(parts.hostname)
        and len(parts.path) > 1
        and not parts.fragment
        and "@" not in parts.netloc
        and not {".", ".."} & set(parts.path.split("/"))
        and fitting_length(client_id)
        and client_id.isascii()
        and client_id.isprintable()
    )


def _is_loopback(parts: SplitResult) -> bool:
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


def _is_app(scheme: str) -> bool:
    return bool(_SCHEME.fullmatch(scheme)) and not _NOT_APPS.fullmatch(scheme)


def _same_but_port(registered: str, given: str) -> bool:
    one, other = _split(registered), _split(given)
    if one is None or other is None or not _is_loopback(one) or not _is_loopback(other):
        return False
    return (one.hostname, one.path, one.query) == (other.hostname, other.path, other.query)


def _split(uri: str) -> SplitResult | None:
    try:
        parts = urlsplit(uri)
        _ = parts.port
    except ValueError:
        return None
    return parts
