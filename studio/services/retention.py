"""Deletes what was kept long enough: once an hour, and for the first time when the start is well over."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import NoReturn

from studio.errors import StudioError
from studio.store import Store

logger = logging.getLogger(__name__)

FIRST_AFTER_S = 20.0
EVERY_S = 3600.0


async def keep_pruning(store: Store) -> NoReturn:
    """Delete what is too old until this is canceled."""
    await asyncio.sleep(FIRST_AFTER_S)
    while True:
        await prune(store, datetime.now(UTC))
        await asyncio.sleep(EVERY_S)


async def prune(store: Store, now: datetime) -> None:
    """Delete for good what is too old now. What cannot be deleted keeps nothing else from it."""
    kinds: dict[str, Callable[[datetime], Awaitable[None]]] = {
        "What is in the trash": store.trash.prune,
        "Unused files": store.files.prune,
        "Old entries of the audit log": store.audit.prune,
        "Old deliveries of webhooks": store.webhooks.prune,
        "Old times of schedules": store.schedules.prune,
        "Codes that no client has used": store.oauth.prune,
        "Limits of what is gone": store.costs.prune,
    }
    for kind, delete_old in kinds.items():
        try:
            await delete_old(now)
        except StudioError as error:  # the database is full or away, which all who use it are told
            logger.warning("%s could not be deleted: %s", kind, error)
