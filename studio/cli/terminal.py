"""A person at the terminal: questions and answers while a team runs."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from typing import TextIO

from studio.effects import HumanQuestion
from studio.errors import RunFailed

READ_SIZE = 65_536


class Terminal:
    """Asks on one stream and reads lines from a file descriptor.

    Reading goes past Python's own buffer: a thread that waits in it could not be left behind at Ctrl-C.
    """

    def __init__(self, ask_on: TextIO, read_from: int) -> None:
        self._ask_on = ask_on
        self._read_from = read_from
        self._read = b""

    def is_person(self) -> bool:
        """Whether somebody can answer, rather than a file or nothing."""
        return os.isatty(self._read_from)

    def read_line(self) -> str | None:
        """The next line without its end, or None when there are no more."""
        while b"\n" not in self._read:
            more = os.read(self._read_from, READ_SIZE)
            if not more:
                rest, self._read = self._read, b""
                return rest.decode("utf-8", "replace") if rest else None
            self._read += more
        line, self._read = self._read.split(b"\n", 1)
        return line.decode("utf-8", "replace").removesuffix("\r")

    def confirm(self, question: str) -> bool:
        """Ask for a yes; anything else is a no."""
        self._ask_on.write(question)
        self._ask_on.flush()
        return (self.read_line() or "").strip().lower() in ("y", "yes")

    async def answer(self, question: HumanQuestion) -> str:
        """Wait for a line.

        Raises:
            RunFailed: The input has ended, so that nobody can answer.
        """
        self._ask_on.write(f"{question.source}: {question.prompt}")
        self._ask_on.flush()
        loop = asyncio.get_running_loop()
        line: asyncio.Future[str | None] = loop.create_future()

        def read() -> None:
            text = self.read_line()
            loop.call_soon_threadsafe(lambda: None if line.done() else line.set_result(text))

        threading.Thread(target=read, daemon=True, name="terminal").start()
        text = await line
        if not self.is_person():
            self._ask_on.write("\n")  # a terminal has shown the person's own line end
        if text is None:
            raise RunFailed(
                f"{question.source!r} needs user input, but the input has ended.",
                fix="Run it in a terminal, or pass the answers on standard input, one per line.",
            )
        return text


def terminal(ask_on: TextIO) -> Terminal:
    """The person on standard input."""
    return Terminal(ask_on, sys.stdin.fileno())
