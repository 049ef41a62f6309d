"""Two agents count down: one subtracts, one checks when to stop. The first program of the guide."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from autogen_core import (
    AgentId,
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)

LINES: list[str] = []


@dataclass
class Number:
    value: int


@default_subscription
class Changer(RoutedAgent):
    def __init__(self, change: Callable[[int], int]) -> None:
        super().__init__("Changes a number.")
        self._change = change

    @message_handler
    async def on_number(self, message: Number, ctx: MessageContext) -> None:
        changed = self._change(message.value)
        LINES.append(f"changer: {message.value} -> {changed}")
        await self.publish_message(Number(changed), DefaultTopicId())


@default_subscription
class Checker(RoutedAgent):
    def __init__(self, is_done: Callable[[int], bool]) -> None:
        super().__init__("Checks a number.")
        self._is_done = is_done

    @message_handler
    async def on_number(self, message: Number, ctx: MessageContext) -> None:
        if self._is_done(message.value):
            LINES.append(f"checker: {message.value} is enough")
        else:
            LINES.append(f"checker: {message.value} goes back")
            await self.publish_message(Number(message.value), DefaultTopicId())


async def main() -> None:
    runtime = SingleThreadedAgentRuntime()
    await Changer.register(runtime, "changer", lambda: Changer(lambda value: value - 3))
    await Checker.register(runtime, "checker", lambda: Checker(lambda value: value <= 1))
    runtime.start()
    await runtime.send_message(Number(10), AgentId("changer", "default"))
    await runtime.stop_when_idle()
    await runtime.close()
    print("\n".join(LINES))
    assert LINES[-1] == "checker: 1 is enough"
    assert len(LINES) == 6


asyncio.run(main())
