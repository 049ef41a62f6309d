"""Runs one program to its end: a process group of its own, bounded in time, its output bounded in memory."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from studio.messages import CancellationToken
from studio.sandbox import owned

TIMED_OUT = 124
CANCELLED = 125
NOT_FOUND = 127
OUTPUT_KEPT = 1_000_000
"""Bytes of each of the two streams; what a program prints beyond is read and dropped."""


@dataclass(frozen=True)
class Outcome:
    """How a program ended, and what it printed on its two streams."""

    exit_code: int
    stdout: str = ""
    stderr: str = ""
    stopped: str = ""
    """What ended it before its time: "Timeout" or "Cancelled"."""
    group: int | None = None
    """The process group, where something of it still runs."""


async def run_program(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
    token: CancellationToken | None = None,
) -> Outcome:
    """Run a program and wait until it has ended and closed its output.

    It and its children are killed when it takes too long, when the token is cancelled and when the caller is.

    Returns:
        The exit code is 124 after a timeout, 125 after `token.cancel()`, 127 when there is no such program.
    """
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(_run(command, folder, environment, timeout_s))
        if token is not None:
            token.link_future(running)
    if token is not None:
        token.unlink_future(running)
    return Outcome(CANCELLED, stopped="Cancelled") if running.cancelled() else running.result()


async def _run(
    command: Sequence[str], folder: Path | None, environment: Mapping[str, str] | None, timeout_s: float | None
) -> Outcome:
    try:
        async with _started(command, folder, environment) as (process, stdout, stderr), asyncio.timeout(timeout_s):
            async with asyncio.TaskGroup() as tasks:
                printed = tasks.create_task(_kept(stdout))
                complained = tasks.create_task(_kept(stderr))
                exit_code = await process.wait()
            group = process.pid if _is_alive(process.pid) else None
            return Outcome(exit_code, printed.result(), complained.result(), group=group)
    except TimeoutError:
        return Outcome(TIMED_OUT, stopped="Timeout")
    except FileNotFoundError:
        return not_installed(command[0])
    except OSError as error:
        return Outcome(NOT_FOUND, stderr=f"{command[0]!r} cannot be started: {error}")


def not_installed(program: str) -> Outcome:
    """What became of a program that is not there."""
    return Outcome(NOT_FOUND, stderr=f"{program!r} is not installed on this machine.")


@asynccontextmanager
async def _started(
    command: Sequence[str], folder: Path | None, environment: Mapping[str, str] | None
) -> AsyncGenerator[tuple[asyncio.subprocess.Process, asyncio.StreamReader, asyncio.StreamReader]]:
    """The process and what it prints; unless the block runs to its end, the process and its children are killed.

    The pipes are ours: those of `asyncio.subprocess` would let a child that keeps one open hold up everything.
    """
    async with _pipe() as (stdout, to_stdout), _pipe() as (stderr, to_stderr):
        beginning = asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=to_stdout.fileno(),
            stderr=to_stderr.fileno(),
            cwd=folder,
            env=None if environment is None else dict(environment),
            start_new_session=True,
        )
        async with owned(beginning) as process:
            to_stdout.close()
            to_stderr.close()
            yield process, stdout, stderr


@asynccontextmanager
async def _pipe() -> AsyncGenerator[tuple[asyncio.StreamReader, FileIO]]:
    """A pipe: what reads it, and the end to write."""
    reading_end, writing_end = os.pipe()
    reader = asyncio.StreamReader()
    with FileIO(reading_end, "r") as source, FileIO(writing_end, "w") as target:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), source
        )
        try:
            yield reader, target
        finally:
            transport.close()


async def _kept(reader: asyncio.StreamReader) -> str:
    parts: list[bytes] = []
    size = 0
    while data := await reader.read(65536):
        parts.append(data[: max(0, OUTPUT_KEPT - size)])
        size += len(data)
    text = b"".join(parts).decode("utf-8", "replace")
    return text if size <= OUTPUT_KEPT else f"{text}\n[{size - OUTPUT_KEPT} more bytes were left out]"


def _is_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
