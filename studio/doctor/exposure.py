"""Who can reach the studio, and what stands between."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from studio.doctor.finding import Finding, bad, doubtful, fine
from studio.settings import Settings

AREA = "Exposure"
MIN_TOKEN = 16
SOON = timedelta(days=14)
"""How long before its end a certificate should be renewed."""
EVERYWHERE = ("0.0.0.0", "::")


def is_loopback(host: str) -> bool:
    """Whether an address is only reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_exposed(settings: Settings) -> bool:
    """Whether other machines can reach the studio: by its own address, or through a proxy."""
    return bool(settings.behind_proxy) or not is_loopback(settings.host)


def exposure(settings: Settings, user_count: int) -> Iterator[Finding]:
    """What the settings say of those who can reach the studio.

    Args:
        settings: Of the server.
        user_count: How many people can sign in by name.
    """
    where = f"{settings.host}:{settings.port}"
    if not is_exposed(settings):
        yield fine(AREA, f"Only this machine can reach the studio, at {where}")
    else:
        yield from _to_others(settings, where, user_count)
    if settings.token and len(settings.token) < MIN_TOKEN:
        fix = f"Set a `STUDIO_TOKEN` of at least {MIN_TOKEN} characters, or unset it: the studio generates one."
        yield bad(AREA, f"The access token has {len(settings.token)} characters and can be guessed", fix)
    if settings.tls_cert is not None:
        yield from _certificate(settings.tls_cert)
    if settings.allow_private_urls:
        fix = "Unset `STUDIO_ALLOW_PRIVATE_URLS`. A team can request the private host that it needs."
        yield doubtful(
            AREA, "Teams and gallery URLs can reach the private network and the metadata service of a cloud", fix
        )
    if settings.trace_content:
        fix = "Unset `STUDIO_TRACE_CONTENT`, unless the collector may store that content."
        yield doubtful(AREA, "The content of model and tool calls goes to the trace collector", fix)


def _to_others(settings: Settings, where: str, user_count: int) -> Iterator[Finding]:
    if settings.behind_proxy:
        yield fine(AREA, f"A proxy at {', '.join(settings.behind_proxy)} forwards requests to the studio at {where}")
        if not is_loopback(settings.host):
            fix = "Listen on 127.0.0.1, or let a firewall admit only the proxy."
            yield doubtful(AREA, f"Other machines may reach {where} directly, not through the proxy", fix)
    elif settings.tls_cert is not None:
        yield fine(AREA, f"Other machines can reach the studio at {where}, over TLS")
    else:
        fix = "Start it with --tls-cert and --tls-key, or --behind-proxy ADDRESS of a proxy that speaks HTTPS."
        said = f"Other machines can reach the studio at {where} without TLS: traffic can be intercepted"
        yield _open_door(said, fix, "--without-tls", is_chosen=settings.without_tls)
    if user_count or settings.oidc_issuer:
        provider = f" and an identity provider, {settings.oidc_issuer}" if settings.oidc_issuer else ""
        yield fine(AREA, f"Users sign in by name: {user_count} account{'' if user_count == 1 else 's'}{provider}")
    else:
        fix = "Run `studio users add NAME --role admin`, or set up an identity provider."
        said = "There are no users: anyone with the access token can run code on this machine"
        yield _open_door(said, fix, "--without-accounts", is_chosen=settings.without_accounts)
    if settings.host in EVERYWHERE and not settings.allowed_hosts:
        fix = "Set `STUDIO_ALLOWED_HOSTS` to the name in the browser's address bar."
        yield doubtful(AREA, "No host name is allowed, so browsers on other machines are refused", fix)


def _open_door(said: str, fix: str, option: str, *, is_chosen: bool) -> Finding:
    """What a studio that others reach does not start with, unless its operator says so by the option."""
    if is_chosen:
        return doubtful(
            AREA, f"{said} (allowed by {option})", f"Fine if only this machine reaches the port. Otherwise: {fix}"
        )
    return bad(AREA, said, f"{fix} Pass {option} if only this machine reaches the port, such as that of a container.")


def _certificate(file: Path) -> Iterator[Finding]:
    from cryptography import x509  # slow to load

    try:
        ends = x509.load_pem_x509_certificate(file.read_bytes()).not_valid_after_utc
    except (OSError, ValueError):
        yield bad(AREA, f"The certificate {str(file)!r} cannot be read", "Set `STUDIO_TLS_CERT` to a PEM file.")
        return
    left = ends - datetime.now(UTC)
    if left < timedelta():
        yield bad(AREA, f"The certificate expired on {ends:%Y-%m-%d}", "Renew it and restart the studio.")
    elif left < SOON:
        yield doubtful(AREA, f"The certificate expires on {ends:%Y-%m-%d}", "Renew it and restart the studio.")
    else:
        yield fine(AREA, f"The certificate is valid until {ends:%Y-%m-%d}")
