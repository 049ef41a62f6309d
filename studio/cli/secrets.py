"""The studio's own secrets: for commands that work without a server, and `studio secrets rotate`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from studio.components import Capability
from studio.components.secrets import SecretSource
from studio.settings import Settings


def names_stored_secrets(needed: Iterable[Capability]) -> bool:
    """Whether something needs a secret that is kept in a studio."""
    return any(capability.kind == "secret" and capability.detail.startswith("secret:") for capability in needed)


def has_studio(settings: Settings) -> bool:
    """Whether there is a studio where these settings lead to."""
    return bool(settings.database_url) or (settings.data_dir / "studio.db").is_file()


async def stored_secrets(settings: Settings) -> SecretSource | None:
    """What resolves the secrets of the studio that these settings lead to; None when there is no studio.

    Raises:
        SetupError: Its database cannot be opened.
    """
    if not has_studio(settings):
        return None
    from studio.store import open_store  # takes a while, and most teams name none

    async with open_store(settings.data_dir, settings.database_url) as store:
        return await store.secrets.source()


def rotate_secrets(settings: Settings) -> None:
    """Change the key that secrets are encrypted with, and print what to keep.

    Raises:
        SetupError: The database or the key cannot be used.
    """
    from studio.store import open_store

    async def rotate() -> tuple[int, Path]:
        async with open_store(settings.data_dir, settings.database_url) as store:
            return await store.secrets.rotate_key()

    count, kept = asyncio.run(rotate())
    print(f"Encrypted {count} value{'' if count == 1 else 's'} with a new key.")
    print(f"Backups from before need the old key. It is in {kept}: keep it with them, or delete it.")
