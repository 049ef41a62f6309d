"""`studio backup` and `studio restore`: the database as a file, and a file as a database."""

from __future__ import annotations

import asyncio
from pathlib import Path

from studio.settings import Settings
from studio.store import MAX_GB, SECRET_KEY, BackupSummary, restore_backup, write_backup

SEALED = ("secret", "webhook", "hook")
"""Tables with values that only the secret key opens."""


def back_up(settings: Settings, file: Path) -> None:
    """Write the backup, and print what is in it and what else to keep.

    Raises:
        SetupError: The database cannot be read, or the file cannot be written.
        Conflict: There is such a file.
    """
    summary = asyncio.run(write_backup(settings.data_dir, settings.database_url, file))
    print(f"Wrote {file}: {_counts_of(summary)}.")
    if _has_sealed(summary):
        key = settings.data_dir / SECRET_KEY
        print(f"Secrets are in it, encrypted. Keep a copy of {key} in another place: without it they stay unreadable.")


def restore(settings: Settings, file: Path, max_gb: float | None) -> None:
    """Restore the backup, and print what it held and what is missing.

    Raises:
        BackupDamaged: The file is not a complete backup.
        SetupError: The backup is of a newer studio, or the database cannot be used.
        Conflict: The database is not empty.
    """
    limit = MAX_GB if max_gb is None else max_gb
    summary = asyncio.run(restore_backup(settings.data_dir, settings.database_url, file, max_gb=limit))
    print(f"Restored {file}: {_counts_of(summary)}.")
    key = settings.data_dir / SECRET_KEY
    if _has_sealed(summary) and not key.exists():
        print(f"Before you start the studio, copy its secret key to {key}: without it, stored secrets are unreadable.")


def _counts_of(summary: BackupSummary) -> str:
    names = {"team": "teams", "run": "runs", "run_event": "log entries", "user": "users", "secret": "secrets"}
    counts = [f"{summary.rows.get(table, 0):,} {name}" for table, name in names.items()]
    return f"{', '.join(counts)}; form {summary.header.form}"


def _has_sealed(summary: BackupSummary) -> bool:
    return any(summary.rows.get(table) for table in SEALED)
