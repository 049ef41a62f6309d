"""Shows a run on the terminal while it happens, as AgentChat's `Console` does."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import TextIO

from studio.components.hidden_characters import written_out
from studio.messages import (
    BaseChatMessage,
    BaseMessage,
    ModelClientStreamingChunkEvent,
    Response,
    TaskResult,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
    UserInputRequestedEvent,
)

RULE = "-" * 10


async def Console(
    stream: AsyncIterator[BaseMessage | TaskResult | Response], *, output_stats: bool = False, out: TextIO | None = None
) -> TaskResult | Response:
    """Print a team's or agent's run as it streams, and give back its result.

    Args:
        stream: What `run_stream` or `on_messages_stream` gives.
        output_stats: Whether to close with the number of messages and tokens.
        out: Where to print; standard output unless given.

    Raises:
        ValueError: The stream ended without a result.
    """
    printer = Printer(out or sys.stdout)
    result: TaskResult | Response | None = None
    async for item in stream:
        if isinstance(item, TaskResult | Response):
            result = item
        else:
            printer.show(item)
    if result is None:
        raise ValueError("The stream ended without a result.")
    printer.close(result, output_stats=output_stats)
    return result


class Printer:
    """Prints messages one after another; text that arrived in chunks is not printed twice."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._streamed = ""
        self._streaming: str | None = None
        self._prompt_tokens = 0
        self._completion_tokens = 0

    def show(self, message: BaseMessage) -> None:
        """Print one message, event or chunk."""
        if isinstance(message, ModelClientStreamingChunkEvent):
            self._chunk(message)
            return
        if usage := message.models_usage:
            self._prompt_tokens += usage.prompt_tokens
            self._completion_tokens += usage.completion_tokens
        was_streamed = self._streaming is not None and self._streamed.split() == message.to_text().split()
        self._end_chunks()
        if not was_streamed and not isinstance(message, UserInputRequestedEvent):
            self._line(heading(message))
            self._line(body_text(message))

    def close(self, result: TaskResult | Response, *, output_stats: bool) -> None:
        """Print why the run ended, and on demand what it took."""
        self._end_chunks()
        messages = [result.chat_message] if isinstance(result, Response) else result.messages
        if isinstance(result, Response):
            self.show(result.chat_message)
        elif result.stop_reason:
            self._line(f"{RULE} {result.stop_reason}")
        if output_stats:
            said = sum(isinstance(message, BaseChatMessage) for message in messages)
            self._line(
                f"{RULE} {said} messages, {self._prompt_tokens} prompt tokens, "
                f"{self._completion_tokens} completion tokens"
            )

    def _chunk(self, chunk: ModelClientStreamingChunkEvent) -> None:
        name = chunk.full_message_id or chunk.source
        if self._streaming != name:
            self._end_chunks()
            self._line(heading(chunk, kind="TextMessage"))
            self._streaming = name
        self._streamed += chunk.content
        self._out.write(printable(chunk.content))
        self._out.flush()

    def _end_chunks(self) -> None:
        if self._streaming is not None and not self._streamed.endswith("\n"):
            self._line("")
        self._streaming = None
        self._streamed = ""

    def _line(self, text: str) -> None:
        self._out.write(f"{printable(text)}\n")
        self._out.flush()


def printable(text: str) -> str:
    """The text without the codes by which it could move the cursor, colour the terminal, or look other than it is."""
    return written_out(text.replace("\r\n", "\n"), is_prose=True)


def heading(message: BaseMessage, kind: str = "") -> str:
    """The line above a message: its type and who said it."""
    return f"{RULE} {kind or getattr(message, 'type', type(message).__name__)} ({message.source}) {RULE}"


def body_text(message: BaseMessage) -> str:
    """The message in a few lines: tool calls and results one to a line, everything else as its text."""
    if isinstance(message, ToolCallRequestEvent):
        return "\n".join(f"{call.name}({call.arguments})" for call in message.content)
    if isinstance(message, ToolCallExecutionEvent):
        return "\n".join(f"{result.name} -> {result.content}" for result in message.content)
    return message.to_text()
