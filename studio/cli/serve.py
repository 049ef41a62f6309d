"""`studio serve`: the studio in this process, until Ctrl-C."""

from __future__ import annotations

import asyncio
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING

from studio.doctor import is_exposed
from studio.errors import SetupError
from studio.settings import Settings
from studio.store import open_store
from studio.web.engine import ProcessRole
from studio.web.server import serve as run_server

if TYPE_CHECKING:
    from studio.cli.deploy import Deployed


def serve(
    settings: Settings,
    *,
    open_browser: bool = False,
    role: ProcessRole = ProcessRole.SERVER,
    deployed: Deployed | None = None,
) -> None:
    """Start the server, print the address, and serve until a signal says stop.

    Args:
        settings: Of the server.
        open_browser: Whether to open its first page.
        role: What it does with runs.
        deployed: A team that was published for it.

    Raises:
        SetupError: Other machines could reach it in a way that was not allowed, or it cannot be listened on.
    """
    if role is ProcessRole.REPLICA:
        require_shared(settings)
    if is_exposed(settings):
        check_exposure(settings, role)

    def tell(entrance: str) -> None:
        url = entrance.partition("/?")[0]
        print(f"Team Studio is ready: {url if settings.only_deployments else entrance}", flush=True)
        if deployed:
            print(f"{deployed.name} takes calls at {url}/d/{deployed.name}", flush=True)
            if deployed.key:
                print(f"Key, shown this once: {deployed.key}", flush=True)
        if open_browser:
            webbrowser.open(entrance)

    with suppress(KeyboardInterrupt):
        run_server(settings, tell, role)


def require_shared(settings: Settings) -> None:
    """Raises: SetupError: Only the processes of one machine reach the database."""
    if not settings.database_url.startswith("postgres"):
        raise SetupError(
            "Several processes need a shared database.",
            fix="Set `STUDIO_DATABASE_URL` to a PostgreSQL database, or use `studio serve`.",
        )


def check_exposure(settings: Settings, role: ProcessRole) -> None:
    """Hold that a studio which others can reach is protected, or that the operator said it need not be.

    Raises:
        SetupError: It is not.
    """
    where = f"behind {settings.behind_proxy[0]}" if settings.behind_proxy else f"at {settings.host}"
    if not settings.without_tls and not settings.tls_cert and not settings.behind_proxy:
        raise SetupError(
            f"Without TLS, traffic to a studio {where} can be intercepted and sessions hijacked.",
            fix="Pass --tls-cert and --tls-key, or --behind-proxy with the address of an HTTPS proxy. To start "
            "without TLS, pass --without-tls.",
        )
    if not settings.without_accounts and not settings.only_deployments and not has_accounts(settings, role):
        raise SetupError(
            f"Anyone who can reach a studio {where} and learns its token can run code on this machine.",
            fix="Add a user with `studio users add NAME --role admin`, or set up an identity provider. To start "
            "without users, pass --without-accounts.",
        )


def has_accounts(settings: Settings, role: ProcessRole = ProcessRole.SERVER) -> bool:
    """Whether people sign in to this studio by name."""

    async def count() -> int:
        async with open_store(settings.data_dir, settings.database_url, migrates=role is ProcessRole.SERVER) as store:
            return await store.users.count()

    return bool(settings.oidc_issuer) or asyncio.run(count()) > 0
