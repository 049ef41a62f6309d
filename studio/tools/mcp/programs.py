"""An MCP server that is a program, in the sandbox of the studio: how it is started, spoken to, and ended."""

from __future__ import annotations

import asyncio
import codecs
import os
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from studio.components.folders import make_folder, may_have, resolve_folder
from studio.models.headers import resolved_headers
from studio.sandbox import Policy, bare_environment, confined, kill_group, owned, place_of
from studio.sandbox.grants import granted_hosts
from studio.tools.mcp.servers import StdioServerParams
from studio.tools.mcp.with_variables import PREFIX

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

WITH_VARIABLES = Path(__file__).with_name("with_variables.py")
MESSAGE_LIMIT = 32_000_000
"""Characters. The SDK's own transport has no bound: a server could fill the studio's memory."""
CHUNK = 65_536
EXIT_LIMIT_S = 2.0
"""How long a program may take to end when nobody speaks to it any more, and again when it is asked to."""


@asynccontextmanager
async def spoken_to(server: StdioServerParams, complaints: TextIO) -> AsyncGenerator[TransportStreams]:
    """The two streams to a server that runs in the jail; it ends with the block.

    Args:
        server: What to start.
        complaints: Gets what it writes to its standard error.

    Raises:
        JailUnavailable: It cannot be confined as it should be.
    """
    import anyio
    from mcp.shared.message import SessionMessage

    async with _started(server, complaints) as process:
        to_session, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        said, from_session = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read_messages, process, to_session, server)
            tasks.start_soon(_say, process, from_session, server)
            try:
                yield heard, said
            finally:
                with anyio.CancelScope(shield=True):
                    heard.close()
                    said.close()
                    await _take_leave(process)
                tasks.cancel_scope.cancel()


@asynccontextmanager
async def _started(server: StdioServerParams, complaints: TextIO) -> AsyncGenerator[Process]:
    given = {f"{PREFIX}{name}": value for name, value in resolved_headers(server.env).items()}
    argv = [sys.executable, "-I", "-S", "-B", str(WITH_VARIABLES), server.command, *server.filled_args]
    with tempfile.TemporaryDirectory(prefix="studio-mcp-", ignore_cleanup_errors=True) as home:
        policy = _policy(server, Path(home))
        async with confined(argv, policy) as command:
            beginning = asyncio.create_subprocess_exec(
                *command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=complaints,
                env=bare_environment(Path(home), given),
                cwd=policy.folder,
                start_new_session=True,
            )
            async with owned(beginning) as process:
                yield process


def _policy(server: StdioServerParams, home: Path) -> Policy:
    """What a server may do.

    Raises:
        FolderRefused: It names a folder that no team may have.
    """
    folder = make_folder(server.cwd, server.capabilities()) if server.cwd else home
    return Policy(
        folder,
        readable=(*place_of(server.command), *places_named(server)),
        writable=() if folder == home else (home,),
        hosts=granted_hosts(server.capabilities()),
    )


def places_named(server: StdioServerParams) -> tuple[Path, ...]:
    """What the command line names: folders, and for a file the folder that it lies in, where its other parts are.

    Of a file in a folder that no team may have only itself.

    Raises:
        FolderRefused: One of them is a place that no team may have.
    """
    asked = list(server.capabilities())
    places: list[Path] = []
    for path in filter(os.path.exists, server.paths):
        place, named = resolve_folder(path, "read", asked), Path(path)
        places += [named] if place.is_dir() or not may_have(place.parent) else [named.parent, place.parent]
    return tuple(places)


async def _read_messages(
    process: Process, to_session: MemoryObjectSendStream[SessionMessage | Exception], server: StdioServerParams
) -> None:
    """Pass on what the server says, up to a message that is too long; then only let it talk."""
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    assert process.stdout is not None, "it was made with pipes"
    decoder = codecs.getincrementaldecoder(server.encoding)(server.encoding_error_handler)
    begun: list[str] = []
    async with to_session:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, UnicodeError):
            while data := await process.stdout.read(CHUNK):
                *lines, rest = decoder.decode(data).split("\n")
                for line in lines:
                    text, begun = "".join((*begun, line)), []
                    try:
                        await to_session.send(
                            SessionMessage(jsonrpc_message_adapter.validate_json(text, by_name=False))
                        )
                    except ValueError as error:  # no message of the protocol
                        await to_session.send(error)
                begun.append(rest)
                if sum(map(len, begun)) > MESSAGE_LIMIT:
                    break
    while await process.stdout.read(CHUNK):
        pass


async def _say(
    process: Process, from_session: MemoryObjectReceiveStream[SessionMessage], server: StdioServerParams
) -> None:
    assert process.stdin is not None, "it was made with pipes"
    with suppress(OSError):  # it has ended: that is heard
        async with from_session:
            async for message in from_session:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True) + "\n"
                process.stdin.write(text.encode(server.encoding, server.encoding_error_handler))
                await process.stdin.drain()


async def _take_leave(process: Process) -> None:
    """End the program in the order of the protocol: no more input, then a request, then by force."""
    import anyio

    assert process.stdin is not None, "it was made with pipes"
    process.stdin.close()
    for end in (process.terminate, lambda: kill_group(process.pid)):
        with anyio.move_on_after(EXIT_LIMIT_S):
            await process.wait()
            return
        end()
    await process.wait()
