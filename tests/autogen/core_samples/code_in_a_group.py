"""A coder writes a program, an executor runs it and publishes what it printed, until the coder writes no more code."""

import asyncio
import re
import tempfile
import warnings
from dataclasses import dataclass

from autogen_core import (
    DefaultTopicId,
    MessageContext,
    RoutedAgent,
    SingleThreadedAgentRuntime,
    default_subscription,
    message_handler,
)
from autogen_core.code_executor import CodeBlock, CodeExecutor
from autogen_core.models import AssistantMessage, LLMMessage, SystemMessage, UserMessage
from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
from autogen_ext.models.replay import ReplayChatCompletionClient

FENCE = "`" * 3
LINES: list[str] = []


@dataclass
class Said:
    text: str


@default_subscription
class Coder(RoutedAgent):
    def __init__(self, model: ReplayChatCompletionClient) -> None:
        super().__init__("Writes code.")
        self._model = model
        self._said: list[LLMMessage] = [SystemMessage(content="Write Python in a block. Say DONE if it worked.")]

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        self._said.append(UserMessage(content=message.text, source="user"))
        text = str((await self._model.create(self._said)).content)
        self._said.append(AssistantMessage(content=text, source="coder"))
        LINES.append(f"coder: {text.split()[0]}")
        await self.publish_message(Said(text), DefaultTopicId())


@default_subscription
class Runner(RoutedAgent):
    def __init__(self, executor: CodeExecutor) -> None:
        super().__init__("Runs code.")
        self._executor = executor

    @message_handler
    async def on_said(self, message: Said, ctx: MessageContext) -> None:
        found = re.findall(f"{FENCE}(\\w+)\n(.*?){FENCE}", message.text, re.DOTALL)
        if not found:
            return
        blocks = [CodeBlock(language=language, code=code) for language, code in found]
        result = await self._executor.execute_code_blocks(blocks, ctx.cancellation_token)
        printed = result.output.strip().splitlines()[-1]
        LINES.append(f"runner: {result.exit_code} {printed}")
        await self.publish_message(Said(f"It ended with {result.exit_code}: {printed}"), DefaultTopicId())


async def main() -> None:
    warnings.simplefilter("ignore")  # that this executor is not shut in
    wrong = f"Wrong first:\n{FENCE}python\nprint(1 / 0)\n{FENCE}"
    right = f"Better:\n{FENCE}python\nprint(sum(range(10)))\n{FENCE}"
    model = ReplayChatCompletionClient([wrong, right, "DONE, it is 45."])
    with tempfile.TemporaryDirectory() as folder:
        executor = LocalCommandLineCodeExecutor(timeout=30, work_dir=folder)
        await executor.start()
        runtime = SingleThreadedAgentRuntime()
        await Coder.register(runtime, "coder", lambda: Coder(model))
        await Runner.register(runtime, "runner", lambda: Runner(executor))
        runtime.start()
        await runtime.publish_message(Said("Sum the numbers below ten."), DefaultTopicId())
        await runtime.stop_when_idle()
        await executor.stop()
    print("\n".join(LINES))
    assert LINES[-2:] == ["runner: 0 45", "coder: DONE,"]


asyncio.run(main())
