"""Agents that tests of the runtime send messages to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from studio.actors import (
    AgentId,
    BaseAgent,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)


@dataclass
class Text:
    text: str


@dataclass
class Other:
    number: int


class Echo(RoutedAgent):
    """Answers what it gets, and remembers it."""

    def __init__(self) -> None:
        super().__init__("Answers what it gets.")
        self.heard: list[str] = []

    @message_handler
    async def hear(self, message: Text, ctx: MessageContext) -> Text:
        self.heard.append(message.text)
        return message

    async def save_state(self) -> dict[str, Any]:
        return {"heard": self.heard}

    async def load_state(self, state: Any) -> None:
        self.heard = list(state["heard"])


@default_subscription
class Listener(Echo):
    """The same for what is published to the default topic."""


@default_subscription
class Babbler(RoutedAgent):
    """Publishes one more message for each that it hears; two of them never stop."""

    def __init__(self) -> None:
        super().__init__("Never stops.")
        self.count = 0

    @message_handler
    async def hear(self, message: Text, ctx: MessageContext) -> None:
        self.count += 1
        await self.publish_message(message, DefaultTopicId())


@default_subscription
class Broken(RoutedAgent):
    """Fails at each message."""

    def __init__(self) -> None:
        super().__init__("Fails.")

    @message_handler
    async def hear(self, message: Text, ctx: MessageContext) -> Text:
        raise ZeroDivisionError(message.text)


class Waiting(RoutedAgent):
    """Waits until it is cancelled."""

    def __init__(self) -> None:
        super().__init__("Waits.")
        self.has_begun = asyncio.Event()
        self.was_cancelled = False

    @message_handler
    async def wait(self, message: Text, ctx: MessageContext) -> Text:
        self.has_begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.was_cancelled = True
            raise
        return message


class PassingOn(RoutedAgent):
    """Sends what it gets to another agent, and answers its answer."""

    def __init__(self, recipient: AgentId) -> None:
        super().__init__("Passes on.")
        self._recipient = recipient

    @message_handler
    async def pass_on(self, message: Text, ctx: MessageContext) -> Text:
        given: Text = await self.send_message(message, self._recipient, cancellation_token=ctx.cancellation_token)
        return given


@asynccontextmanager
async def running(**options: Any) -> AsyncGenerator[SingleThreadedAgentRuntime]:
    """A runtime that has begun, and is closed at the end."""
    runtime = SingleThreadedAgentRuntime(**options)
    runtime.start()
    try:
        yield runtime
    finally:
        await runtime.close()


def instance(agent: BaseAgent) -> Any:
    """A factory that gives one agent, which the test can look at."""
    return lambda: agent


HERE = AgentId("agent", "default")
