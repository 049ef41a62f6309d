"""AgentChat's cancellation token, over plain asyncio cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


class CancellationToken:
    """Cancels the futures that are linked to it. New code cancels its task instead."""

    def __init__(self) -> None:
        self._cancelled = False
        self._linked: list[asyncio.Future[Any]] = []

    def cancel(self) -> None:
        """Cancel all linked futures; calling it twice does nothing more."""
        if not self._cancelled:
            self._cancelled = True
            for future in self._linked:
                future.cancel()

    def is_cancelled(self) -> bool:
        return self._cancelled

    def link_future(self, future: asyncio.Future[Any]) -> asyncio.Future[Any]:
        """Let `cancel` end this future too; it is cancelled at once when the token already is."""
        if self._cancelled:
            future.cancel()
        else:
            self._linked.append(future)
        return future

    def unlink_future(self, future: asyncio.Future[Any]) -> None:
        """Let go of a future that `cancel` must no longer end."""
        if future in self._linked:
            self._linked.remove(future)


@contextmanager
def linked(token: CancellationToken | None) -> Generator[None]:
    """Inside the block, `token.cancel()` cancels the running task; afterwards it does not."""
    task = asyncio.current_task()
    if token is None or task is None:
        yield
        return
    token.link_future(task)
    try:
        yield
    finally:
        token.unlink_future(task)
