"""What an agent or a team is asked to do, and how a caller may give it up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TypeVar, cast

from studio.messages import BaseChatMessage, CancellationToken, TextMessage, linked

Task = str | BaseChatMessage | Sequence[BaseChatMessage]
Item = TypeVar("Item")


def messages_of(task: Task | None) -> list[BaseChatMessage] | None:
    """A task as messages; None goes on with the conversation so far.

    Raises:
        ValueError: The list is empty or holds something that is no chat message.
    """
    if task is None:
        return None
    if isinstance(task, str):
        return [TextMessage(content=task, source="user")]
    if isinstance(task, BaseChatMessage):
        return [task]
    if not task:
        raise ValueError("Task list cannot be empty.")
    for message in cast("Sequence[object]", task):
        if not isinstance(message, BaseChatMessage):
            raise ValueError(f"All messages in task list must be valid BaseChatMessage types, not {type(message)}.")
    return list(task)


async def cancellable(items: AsyncGenerator[Item, None], token: CancellationToken) -> AsyncGenerator[Item, None]:
    """Pass items on until the token is cancelled: then the pull in flight, or the next one, is cancelled.

    Raises:
        asyncio.CancelledError: The token was cancelled.
    """
    async with aclosing(items):
        while True:
            if token.is_cancelled():
                raise asyncio.CancelledError
            task = asyncio.current_task()
            already = task.cancelling() if task else 0
            try:
                with linked(token):
                    item = await anext(items)
            except StopAsyncIteration:
                return
            except asyncio.CancelledError:
                # The token ends this run, not the task of whoever reads it.
                while token.is_cancelled() and task and task.cancelling() > already:
                    task.uncancel()
                raise
            yield item
            await asyncio.sleep(0)  # whoever holds the token has a turn, also when nobody here ever waits
