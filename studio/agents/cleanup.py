"""The end of a run: its parts are let go side by side, within bounds, and none that fails spoils the run's result."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

RELEASE_LIMIT_S = 5.0
"""How long a part may take to say goodbye to its server or process."""

logger = logging.getLogger(__name__)


async def release_all(*parts: Callable[[], Awaitable[object]]) -> None:
    """Call each, and wait for all; an error is logged, not raised. Cancelling the caller ends the wait at once.

    A task for each: one that hangs holds none of the others, and a cancellation from within stays where it is.
    """
    if not parts:
        return
    async with asyncio.TaskGroup() as group:
        for part in parts:
            group.create_task(_release(part))


async def _release(part: Callable[[], Awaitable[object]]) -> None:
    try:
        async with asyncio.timeout(RELEASE_LIMIT_S):
            await part()
    except TimeoutError:
        logger.warning("A component of a team was not released within %s s.", RELEASE_LIMIT_S)
    except Exception:  # the run has its result by now, or an error that matters more
        logger.warning("A component of a team could not be released.", exc_info=True)
