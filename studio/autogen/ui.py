"""AgentChat's terminal: prints a run and asks the person in front of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from inspect import iscoroutinefunction
from typing import Any, cast

from studio.autogen.agents import UserProxyAgent
from studio.console import Console as print_stream
from studio.messages import BaseMessage, CancellationToken, Response, TaskResult, UserInputRequestedEvent

Item = BaseMessage | TaskResult | Response
Ask = Callable[[str, CancellationToken | None], Awaitable[str]]


class UserInputManager:
    """Asks for input only once the request was shown."""

    def __init__(self, callback: Any) -> None:
        self.callback = callback
        self.input_events: dict[str, asyncio.Event] = {}

    def get_wrapped_callback(self) -> Ask:
        """The input function to give to a `UserProxyAgent`."""

        async def ask(prompt: str, cancellation_token: CancellationToken | None = None) -> str:
            request_id = UserProxyAgent.InputRequestContext.request_id()
            await self._shown(request_id).wait()
            del self.input_events[request_id]
            if iscoroutinefunction(self.callback):
                return await cast("Ask", self.callback)(prompt, cancellation_token)
            return await asyncio.to_thread(self.callback, prompt)

        return ask

    def notify_event_received(self, request_id: str) -> None:
        """Let the request be answered."""
        self._shown(request_id).set()

    def _shown(self, request_id: str) -> asyncio.Event:
        return self.input_events.setdefault(request_id, asyncio.Event())


async def Console(
    stream: Any,
    *,
    no_inline_images: bool = False,
    output_stats: bool = False,
    user_input_manager: UserInputManager | None = None,
) -> TaskResult | Response:
    """Print a run as it streams and give back its result."""
    del no_inline_images
    async with aclosing(_telling(stream, user_input_manager)) as items:
        return await print_stream(items, output_stats=output_stats)


async def _telling(stream: AsyncIterator[Any], manager: UserInputManager | None) -> AsyncGenerator[Item, None]:
    async for item in stream:
        if manager is not None and isinstance(item, UserInputRequestedEvent):
            manager.notify_event_received(item.request_id)
        yield item
