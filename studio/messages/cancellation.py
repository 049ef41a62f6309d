"""AgentChat's cancellation token, over plain asyncio cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any


class CancellationToken:
    """Cancels the futures that are linked to it. New code cancels its task instead."""

    def __init__(self) -> None:
        self._cancelled = False
        self._linked: dict[asyncio.Future[Any], None] = {}
        self._callbacks: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Cancel all linked futures; calling it twice does nothing more."""
        if not self._cancelled:
            self._cancelled = True
            for future in self._linked:
                future.cancel()
            for callback in self._callbacks:
                callback()

    def is_cancelled(self) -> bool:
        return self._cancelled

    def link_future(self, future: asyncio.Future[Any]) -> asyncio.Future[Any]:
        """Let `cancel` end this future too; it is cancelled at once when the token already is."""
        if self._cancelled:
            future.cancel()
        else:
            self._linked[future] = None
        return future

    def unlink_future(self, future: asyncio.Future[Any]) -> None:
        """Let go of a future that `cancel` must no longer end."""
        self._linked.pop(future, None)

    def add_callback(self, callback: Callable[[], None]) -> None:
        """Call this when the token is cancelled; at once when it already is."""
        if self._cancelled:
            callback()
        else:
            self._callbacks.append(callback)

    def link_task(self) -> asyncio.Task[Any] | None:
        """Let `cancel` end the running task, until it is unlinked; it is returned."""
        task = asyncio.current_task()
        if task is not None and not self._cancelled:
            self._linked[task] = None
        elif task is not None:
            task.cancel()
        return task


class linked:
    """Inside the block, `token.cancel()` cancels the running task; afterwards it does not."""

    __slots__ = ("_task", "_token")

    def __init__(self, token: CancellationToken | None) -> None:
        self._token = token

    def __enter__(self) -> None:
        self._task = self._token.link_task() if self._token is not None else None

    def __exit__(self, *_: object) -> None:
        token, task = self._token, self._task
        if token is not None and task is not None:
            token.unlink_future(task)
