"""Processes that call one function of foreign source and end: each serves a single request."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import cast

from studio.components import JsonObject
from studio.effects.progress import listener, progress_words
from studio.errors import ToolFailed
from studio.sandbox.jailed_program import confined
from studio.sandbox.policy import Policy
from studio.sandbox.processes import kill_group, owned

WORKER = Path(__file__).with_name("worker.py")
TOLD = b'{"told": '
"""How a line begins that a worker sends before its reply: an event that its function emitted."""
REPLY_LIMIT = 1_400_000
"""Bytes of a reply: four for each character that a model is given, and what stands around them."""
CHUNK = 65_536
OUTPUT_KEPT = 4_000
"""Bytes of what a program printed last that an error message may quote."""
LAST_WORDS_S = 2.0
"""How long what a process printed last is waited for, once it gave no reply."""


def bare_environment(folder: Path, given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Nothing of the server's environment but where programs are found; `folder` is home, `given` comes on top."""
    base = {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8"}
    return {**base, **(given or {})}


@asynccontextmanager
async def started_in_new_folder(hosts: tuple[str, ...] = ()) -> AsyncGenerator[WorkerProcess]:
    """A worker whose folder is new and goes with it."""
    with tempfile.TemporaryDirectory(prefix="studio-tool-", ignore_cleanup_errors=True) as folder:
        async with started(Policy(Path(folder), is_folder_kept=False, hosts=hosts)) as worker:
            yield worker


@asynccontextmanager
async def started(policy: Policy) -> AsyncGenerator[WorkerProcess]:
    """A worker; at the end of the block it is gone, with every child.

    Raises:
        JailUnavailable: The policy cannot be held here.
    """
    channel, its_channel = socket.socketpair()
    output, its_output = socket.socketpair()
    argv = [sys.executable, "-I", "-B", "-X", "utf8", str(WORKER), str(its_channel.fileno())]
    async with AsyncExitStack() as stack:
        for end in (channel, output, its_channel, its_output):
            stack.enter_context(end)
        channel.setblocking(False)
        output.setblocking(False)
        command = await stack.enter_async_context(confined(argv, policy))
        beginning = asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=its_output.fileno(),
            stderr=its_output.fileno(),
            pass_fds=(its_channel.fileno(),),
            env=bare_environment(policy.folder),
            cwd=policy.folder,
            start_new_session=True,
        )
        process = await stack.enter_async_context(owned(beginning))
        its_channel.close()
        its_output.close()
        yield WorkerProcess(process, channel, output)
        kill_group(process.pid)
        await process.wait()


class WorkerProcess:
    """A running worker and the two channels to it: requests and replies, and what it prints."""

    def __init__(self, process: asyncio.subprocess.Process, channel: socket.socket, output: socket.socket) -> None:
        self._process = process
        self._channel = channel
        self._output = output
        self._printed = b""

    @property
    def is_running(self) -> bool:
        return self._process.returncode is None

    async def ask(self, request: JsonObject) -> JsonObject:
        """Send the request and wait for the reply.

        Raises:
            ToolFailed: There is none.
        """
        async with asyncio.TaskGroup() as tasks:
            draining = tasks.create_task(self._drain())
            line = await self._exchange(json.dumps(request).encode() + b"\n")
            if not line:
                # The process is gone or going; what it printed last says why.
                await asyncio.wait({draining}, timeout=LAST_WORDS_S)
            draining.cancel()
        if not line:
            raise ToolFailed(await self._how_it_ended())
        return cast("JsonObject", json.loads(line))

    async def _exchange(self, request: bytes) -> bytes:
        """The reply's line; empty when the process ended without one."""
        loop = asyncio.get_running_loop()
        line = bytearray()
        show = listener()
        try:
            await loop.sock_sendall(self._channel, request)
            while not line.endswith(b"\n"):
                data = await loop.sock_recv(self._channel, CHUNK)
                if not data:
                    return b""
                line += data
                while line.startswith(TOLD) and (end := line.find(b"\n")) >= 0:
                    show(_in_words(bytes(line[:end])))
                    del line[: end + 1]
                if len(line) > REPLY_LIMIT:
                    return b'{"error": "The tool gave a result that is too large."}'
        except ConnectionError:
            return b""
        return bytes(line)

    async def _drain(self) -> None:
        """Read what the process prints, so that it never waits for a reader; keep the end of it."""
        loop = asyncio.get_running_loop()
        show = listener()
        while data := await loop.sock_recv(self._output, CHUNK):
            self._printed = (self._printed + data)[-OUTPUT_KEPT:]
            if b"\n" in data:  # part of a line may hold part of a secret, which nobody would know
                show(self._printed.rpartition(b"\n")[0].rpartition(b"\n")[2].decode("utf-8", "replace").strip())

    async def _how_it_ended(self) -> str:
        code = await self._process.wait()
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        printed = self._printed.decode("utf-8", "replace").strip()
        return f"The tool's process {how} before it gave a result.{f' It printed: {printed}' if printed else ''}"


def _in_words(line: bytes) -> str:
    """An event that foreign code told of, if it is one."""
    try:
        event = json.loads(line)["told"]
        return progress_words(str(event["name"]), event["content"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
