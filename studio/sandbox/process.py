"""Runs a program in a process of its own: own folder, own environment, bounded in time and output.

This keeps a tool's code out of the server's process and its secrets; it is no jail. The code has the rights of the
user who runs the studio, which is why a person approves it first.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from studio.components import JsonObject
from studio.errors import ToolFailed
from studio.sandbox.owning import kill_group, owned

WORKER = Path(__file__).with_name("worker.py")
TIMEOUT_S = 60.0
TEXT_LIMIT = 100_000
"""Characters of a result that a model is given."""
REPLY_LIMIT = 4 * TEXT_LIMIT + 1_000_000
OUTPUT_KEPT = 4_000
"""Bytes of what a program printed last that an error message may quote."""

working_directory: ContextVar[Path | None] = ContextVar("studio_working_directory", default=None)
"""Where programs run, for files that outlive a call; a new temporary folder for each call when None."""


@dataclass(frozen=True)
class Limits:
    """Bounds of one process."""

    timeout_s: float = TIMEOUT_S
    text_limit: int = TEXT_LIMIT


async def run_function(
    *,
    imports: str,
    source: str,
    function: str,
    arguments: JsonObject,
    wants_token: bool = False,
    variables: JsonObject | None = None,
    variables_as: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> JsonObject:
    """Execute Python source in a new process and call one of its functions.

    Args:
        imports: Import statements, executed first.
        source: What defines the function.
        function: Its name; it may be async.
        arguments: By name, as JSON.
        wants_token: Whether it takes a `cancellation_token`, as AutoGen's tools may.
        variables: The team's context variables.
        variables_as: The parameters that take them.
        environment: Variables to give it, such as the secrets it names.
        limits: Of time and output.

    Returns:
        `{"text": ..., "value": ...}` or `{"error": ...}`, and `events` and changes of `variables` if there are any.

    Raises:
        ToolFailed: The process took too long, died, or gave no result.
    """
    bounds = limits or Limits()
    request: JsonObject = {
        "imports": imports,
        "source": source,
        "function": function,
        "arguments": arguments,
        "wants_token": wants_token,
        "variables": variables or {},
        "variables_as": list(variables_as),
        "text_limit": bounds.text_limit,
    }
    with _folder() as folder:
        async with _Process.started(folder, bare_environment(folder, environment)) as process:
            try:
                async with asyncio.timeout(bounds.timeout_s):
                    reply = await process.ask(request)
            except TimeoutError as error:
                raise ToolFailed(
                    f"The tool took longer than {bounds.timeout_s:g} s and was stopped.",
                    fix="Raise its time limit, or ask for less.",
                ) from error
    # A value that is its own text is sent once.
    return {"value": reply["text"], **reply} if "text" in reply else reply


def bare_environment(folder: Path, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Nothing of the server's environment but where programs are found; `folder` is home, `given` comes on top."""
    base = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}
    return {**base, **(given or {})}


@contextmanager
def _folder() -> Generator[Path]:
    kept = working_directory.get()
    if kept is not None:
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="studio-tool-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


class _Process:
    """A running worker and the two channels to it: requests and replies, and what it prints."""

    def __init__(
        self, process: asyncio.subprocess.Process, channel: socket.socket, output: socket.socket, timeout_s: float = 2.0
    ) -> None:
        self._process = process
        self._channel = channel
        self._output = output
        self._printed = b""
        self._timeout_s = timeout_s

    @classmethod
    @asynccontextmanager
    async def started(cls, folder: Path, environment: Mapping[str, str]) -> AsyncGenerator[_Process]:
        """Start a worker; at the end of the block it is gone, with every child that stayed in its session."""
        channel, its_channel = socket.socketpair()
        output, its_output = socket.socketpair()
        with channel, output, its_channel, its_output:
            beginning = asyncio.create_subprocess_exec(
                sys.executable,
                "-I",
                "-B",
                "-X",
                "utf8",
                str(WORKER),
                str(its_channel.fileno()),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=its_output.fileno(),
                stderr=its_output.fileno(),
                pass_fds=(its_channel.fileno(),),
                env=dict(environment),
                cwd=folder,
                start_new_session=True,
            )
            async with owned(beginning) as process:
                its_channel.close()
                its_output.close()
                yield cls(process, channel, output)
                kill_group(process.pid)
                await process.wait()

    async def ask(self, request: JsonObject) -> JsonObject:
        """Send the request and wait for the reply."""
        async with asyncio.TaskGroup() as tasks:
            draining = tasks.create_task(self._drain())
            line = await self._exchange(json.dumps(request).encode() + b"\n")
            if not line:
                # The process is gone or going; what it printed last says why.
                await asyncio.wait({draining}, timeout=self._timeout_s)
            draining.cancel()
        if not line:
            raise ToolFailed(await self._how_it_ended())
        return cast("JsonObject", json.loads(line))

    async def _exchange(self, request: bytes) -> bytes:
        """The reply's line; empty when the process ended without one."""
        reader, writer = await asyncio.open_connection(sock=self._channel, limit=REPLY_LIMIT)
        try:
            writer.write(request)
            await writer.drain()
            line = await reader.readline()
        except ConnectionError:
            return b""
        except ValueError:  # longer than the limit
            return b'{"error": "The tool gave a result that is too large."}'
        finally:
            writer.transport.abort()
        return line if line.endswith(b"\n") else b""

    async def _drain(self) -> None:
        """Read what the process prints, so that it never waits for a reader; keep the end of it."""
        reader, writer = await asyncio.open_connection(sock=self._output)
        try:
            while data := await reader.read(65536):
                self._printed = (self._printed + data)[-OUTPUT_KEPT:]
        finally:
            writer.transport.abort()

    async def _how_it_ended(self) -> str:
        code = await self._process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        printed = self._printed.decode("utf-8", "replace").strip()
        return f"The tool's process {how} before it gave a result.{f' It printed: {printed}' if printed else ''}"
