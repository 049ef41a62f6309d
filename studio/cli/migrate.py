"""`studio migrate`: bring the database to the form of this version, and nothing else."""

from __future__ import annotations

import asyncio

from studio.settings import Settings
from studio.store import migrate_store


def migrate_database(settings: Settings) -> None:
    """Migrate, and print the database's form.

    Raises:
        SetupError: The database cannot be reached, or a newer version has written it.
    """
    before, now = asyncio.run(migrate_store(settings.data_dir, settings.database_url))
    print(f"The database has the form {now}." if before == now else f"Migrated the database to form {now}.")
