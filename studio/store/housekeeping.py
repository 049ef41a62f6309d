"""Gives the space of what was deleted back, in small steps beside the studio's own writing; SQLite only."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

logger = logging.getLogger(__name__)

EVERY_S = 60.0
PAGES_AT_ONCE = 200
MAX_STEPS = 500
"""Of one time; the rest is for the next."""
MAX_LOG_BYTES = 4 * 1024 * 1024
"""A write-ahead log that is larger is written into the database and cut off when nobody reads."""
MIN_FREED = 100
"""Free pages from which on they are given back: a few are needed again soon."""


async def run_housekeeping(file: Path) -> None:
    """Look after the file until cancelled."""
    while True:
        await asyncio.sleep(EVERY_S)
        try:
            for _ in range(MAX_STEPS):
                if not await asyncio.to_thread(tidy, file):
                    break
                await asyncio.sleep(0.02)  # others want to write
        except sqlite3.Error as error:  # it is full, locked or damaged, which all who use it are told
            logger.warning("The space of deleted data could not be freed: %s", error)


def tidy(file: Path) -> bool:
    """Give back some free pages and cut the write-ahead log. Returns whether there is more to do.

    A connection of its own that waits for nobody: whoever reads or writes now goes first.
    """
    with closing(sqlite3.connect(file, timeout=0, isolation_level=None)) as connection:
        free = _number(connection, "freelist_count")
        can_give_back = _number(connection, "auto_vacuum") == 2 and free > MIN_FREED
        try:
            if can_give_back:
                connection.execute(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})").fetchall()
            log = file.with_name(f"{file.name}-wal")
            if log.exists() and log.stat().st_size > MAX_LOG_BYTES:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            return False
    return can_give_back


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
