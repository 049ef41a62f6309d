"""Says in a sentence that the database cannot be used now: the disk is full, or another program holds the file."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from studio.errors import SetupError
from studio.store.postgres import ASYNCPG

REASONS = (
    ("full", "the disk is full", "Free disk space; pending writes continue then."),
    ("locked", "another program has locked it", "Close that program, such as a database browser or a backup."),
    ("readonly", "it is read-only", "Make the data folder writable for the studio's user."),
    ("read-only", "it is read-only", "Make the data folder writable for the studio's user."),
    ("malformed", "the file is damaged", "Stop the studio and restore a copy of the data folder."),
    ("not a database", "the file is damaged", "Stop the studio and restore a copy of the data folder."),
    ("unable to open", "its file cannot be opened", "Check that the data folder exists and is writable."),
    ("disk I/O", "the disk has errors", "Check the disk and the free space of the data folder."),
)
"""What SQLite says, what that means, and what to do."""
UNAVAILABLE = ("08", "53", "57P")
"""How the codes begin by which PostgreSQL tells of connections, of what it has no more of, and of its start and end."""
OTHERWISE = ("it does not answer", "Check that the database is running and that the studio has access.")


class StorageUnavailable(SetupError):
    """The database cannot be used now, whatever it is asked."""

    code = "storage_unavailable"


@contextmanager
def describe(url: URL) -> Generator[None]:
    """Raise `StorageUnavailable` in the place of what a driver says.

    What the database refuses because of a value passes as it is.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error, OSError) as error:
        if not (_is_failure(error) or (url.drivername == ASYNCPG and _is_failure_of_postgres(error))):
            raise
        raise unavailable(url, error) from error


def unavailable(url: URL, error: Exception) -> StorageUnavailable:
    """The sentence for an error of a driver."""
    original = error.orig if isinstance(error, DBAPIError) else error
    said = str(original)
    found = next(((what, fix) for sign, what, fix in REASONS if sign in said), None)
    what, fix = found or OTHERWISE
    first_line = "" if found else f" ({(said.splitlines() or [''])[0]})"
    return StorageUnavailable(f"The database {url.render_as_string()!r} cannot be used: {what}{first_line}.", fix=fix)


def _is_failure(error: Exception) -> bool:
    """Whether it tells of the file or the server, and not of what was asked."""
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and _is_failure_of_sqlite(error.orig))
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EROFS, errno.ECONNREFUSED, errno.ECONNRESET}
    return _is_failure_of_sqlite(error)


def _is_failure_of_sqlite(error: BaseException) -> bool:
    # By its very type: the classes below it tell of values.
    return type(error) in (sqlite3.OperationalError, sqlite3.DatabaseError)


def _is_failure_of_postgres(error: Exception) -> bool:
    """A server that cannot be reached, such as one whose socket is gone, or that says why it serves nobody now."""
    if isinstance(error, DBAPIError):
        return str(getattr(error.orig, "sqlstate", "")).startswith(UNAVAILABLE)
    return isinstance(error, OSError) and error.errno is not None
