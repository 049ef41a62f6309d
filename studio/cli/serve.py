"""`studio serve`: the studio in this process, until Ctrl-C."""

from __future__ import annotations

import ipaddress
import webbrowser
from contextlib import suppress

from studio.errors import SetupError
from studio.settings import Settings
from studio.web.server import Address
from studio.web.server import serve as run_server


def serve(settings: Settings, *, open_browser: bool, allow_remote: bool) -> None:
    """Start the server, print the address, and serve until a signal says stop.

    Raises:
        SetupError: The address is not this machine's own and that was not allowed, or it cannot be listened on.
    """
    if not allow_remote and not is_loopback(settings.host):
        raise SetupError(
            f"Whoever can reach {settings.host!r} and has the token can run code on this machine.",
            fix="Add --allow-remote if that is meant, and put a proxy with HTTPS in front.",
        )

    def tell(address: Address) -> None:
        print(f"Team Studio is ready: {address.url_with_token}", flush=True)
        if open_browser:
            webbrowser.open(address.url_with_token)

    with suppress(KeyboardInterrupt):
        run_server(settings, tell)


def is_loopback(host: str) -> bool:
    """Whether an address is only reached from this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
