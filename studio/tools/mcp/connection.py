"""A session with an MCP server, owned by one task from the handshake to the goodbye.

The SDK's streams live in cancel scopes, which the task that opened them must close. Calls come from whatever task a
run happens to be in, and a run may be left by yet another one; so each session has a task of its own.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from io import TextIOWrapper
from typing import TYPE_CHECKING, Literal, TextIO, TypeVar, cast

from studio.egress import Guard, http_client
from studio.errors import RunFailed, StudioError, ToolFailed
from studio.models.connection import trusted
from studio.models.extras import needs_extra
from studio.models.headers import resolved_headers
from studio.sandbox import current_jail
from studio.tools.base import error_text
from studio.tools.mcp.programs import spoken_to
from studio.tools.mcp.servers import McpServerParams, SseServerParams, StdioServerParams

if TYPE_CHECKING:
    import anyio
    from mcp import types
    from mcp.client import Client, ClientRequestContext, Transport
    from mcp.client.session import SamplingFnT

    from studio.tools.mcp.host import McpSessionHost

T = TypeVar("T")
GOODBYE_LIMIT_S = 2.0
"""How long a server may take to end a session before the connection is cut; a program is then killed."""
COMPLAINT_KEPT = 2_000
"""Characters of what a program wrote to its standard error that an error message quotes."""


class McpUnavailable(RunFailed):
    """An MCP server does not start or cannot be reached."""

    code = "mcp_unavailable"


class Connection:
    """Opens a session when it is first asked, keeps it until `close`, and opens a new one after it broke."""

    def __init__(self, server: McpServerParams, host: McpSessionHost | None = None) -> None:
        self._server = server
        self._host = host
        self._changing = asyncio.Lock()
        self._session: _Session | None = None

    @property
    def is_open(self) -> bool:
        return self._session is not None

    @property
    def client(self) -> Client | None:
        """The client of the open session."""
        return None if self._session is None else self._session.client

    @property
    def introduction(self) -> types.InitializeResult | None:
        """How the server introduced itself, while a session is open."""
        client = self.client
        if client is None:
            return None
        from mcp import types

        return types.InitializeResult(
            protocol_version=client.protocol_version,
            capabilities=client.server_capabilities,
            server_info=client.server_info or types.Implementation(name="", version=""),
            instructions=client.instructions,
        )

    async def ask(self, question: Callable[[Client], Awaitable[T]]) -> T:
        """Put a question to the server.

        Raises:
            ToolFailed: It answers with an error, not in time, or no more.
            McpUnavailable: No session could be opened.
        """
        session = await self._opened()
        try:
            return await question(session.client)
        except StudioError:
            raise
        except Exception as error:  # the SDK's, a transport's and a callback's: all are what the tool answered
            if _is_broken(error):
                await self._drop(session)
            raise ToolFailed(error_text(error)) from error

    async def open(self) -> None:
        """Open the session; does nothing when it is open.

        Raises:
            McpUnavailable: The server does not start or cannot be reached.
        """
        await self._opened()

    async def close(self) -> None:
        """End the session; does nothing when there is none. A cancelled caller still waits until it has ended."""
        if self._session is not None:
            await self._drop(self._session)

    def __del__(self) -> None:
        if self._session is not None:
            self._session.abandon()

    async def _opened(self) -> _Session:
        async with self._changing:
            if self._session is None:
                session = _Session(self._server, self._host)
                await session.open()
                self._session = session
            return self._session

    async def _drop(self, session: _Session) -> None:
        async with self._changing:
            if self._session is not session:
                return  # somebody else did it
            try:
                await session.close()
            finally:
                self._session = None


class _Session:
    """One session and the task that owns it."""

    def __init__(self, server: McpServerParams, host: McpSessionHost | None) -> None:
        self._server = server
        self._host = host
        self._tasks = asyncio.TaskGroup()
        self._is_settled = asyncio.Event()
        self._is_ending = asyncio.Event()
        self._is_closed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._scope: anyio.CancelScope | None = None
        self._client: Client | None = None
        self._error: Exception | None = None

    @property
    def client(self) -> Client:
        assert self._client is not None, "the session is open"
        return self._client

    async def open(self) -> None:
        """Start the owner and wait for the handshake.

        Raises:
            McpUnavailable: It failed.
        """
        import anyio

        self._loop = asyncio.get_running_loop()
        self._scope = anyio.CancelScope()
        await self._tasks.__aenter__()
        self._tasks.create_task(self._own(self._scope))
        is_open = False
        try:
            await self._is_settled.wait()
            is_open = self._client is not None
        finally:
            if not is_open:  # also when this was cancelled at the moment when the handshake was done
                await self.close()
        if self._error is not None:
            raise self._error

    async def _own(self, scope: anyio.CancelScope) -> None:
        try:
            with scope:
                async with connected(self._server, self._host) as client:
                    self._client = client
                    self._is_settled.set()
                    await self._is_ending.wait()
        except Exception as error:  # noqa: BLE001 -- nobody is there to raise to: whoever asks is told
            self._error = error
        finally:
            self._is_settled.set()
            self._is_closed.set()

    async def close(self) -> None:
        """End the session and wait until its owner is done.

        A cancellation of the caller only makes it shorter: the SDK must still see a program end.
        """
        assert self._scope is not None, "only called after `open` began"
        interrupted: asyncio.CancelledError | None = None
        self._is_ending.set()
        if self._client is None:
            self._scope.cancel()
        while not self._is_closed.is_set():
            try:
                async with asyncio.timeout(GOODBYE_LIMIT_S):
                    await self._is_closed.wait()
            except TimeoutError:
                self._scope.cancel()
            except asyncio.CancelledError as error:
                interrupted = error
                self._scope.cancel()
        await self._tasks.__aexit__(None, None, None)
        if interrupted is not None:
            raise interrupted

    def abandon(self) -> None:
        """Let the session end by itself: whoever held it is gone, perhaps in another thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._is_ending.set)


@asynccontextmanager
async def connected(server: McpServerParams, host: McpSessionHost | None) -> AsyncGenerator[Client]:
    """A session, from the handshake to the goodbye, to be entered and left by one task."""
    with tempfile.TemporaryFile() as file, TextIOWrapper(file, "utf-8", "replace") as complaints:
        try:
            async with AsyncExitStack() as resources:
                yield await _greeted(server, host, complaints, resources)
        except StudioError:
            raise
        except Exception as error:  # of the SDK, HTTP or the program's start, alone or in groups
            raise McpUnavailable(
                f"The MCP server `{server.label}` cannot be used: {error_text(error)}{_quoted(complaints)}",
                fix="Check its address or command, and that it works on the studio's machine.",
            ) from error


async def _greeted(
    server: McpServerParams, host: McpSessionHost | None, complaints: TextIO, resources: AsyncExitStack
) -> Client:
    """A client after its handshake.

    A program is greeted in the older way. Asked in the newer one, programs that do not know it may say nothing at all,
    and the SDK then waits ten seconds. One that only knows the newer way says so at once, and is started once more.
    """
    if isinstance(server, StdioServerParams):
        try:
            return await _connect(server, host, complaints, resources, "legacy")
        except Exception as error:  # the SDK's own, alone or in groups
            if not _refuses_older(error):
                raise
    return await _connect(server, host, complaints, resources, "auto")


def _refuses_older(error: Exception) -> bool:
    """Whether the server says that it knows newer versions of the protocol only."""
    from mcp import MCPError
    from mcp.types import UNSUPPORTED_PROTOCOL_VERSION

    if isinstance(error, ExceptionGroup):
        return any(map(_refuses_older, cast("ExceptionGroup[Exception]", error).exceptions))
    return isinstance(error, MCPError) and error.code == UNSUPPORTED_PROTOCOL_VERSION


async def _connect(
    server: McpServerParams,
    host: McpSessionHost | None,
    complaints: TextIO,
    resources: AsyncExitStack,
    mode: Literal["legacy", "auto"],
) -> Client:
    with needs_extra("mcp", f"The MCP server `{server.label}`"):
        from mcp.client import Client

    async with AsyncExitStack() as opening:
        client = Client(
            await _transport(server, opening, complaints),
            read_timeout_seconds=server.answer_limit_s,
            sampling_callback=_answering(host.sampling_callback() if host else None),
            elicitation_callback=host.elicitation_callback() if host else None,
            list_roots_callback=host.roots_callback() if host else None,
            cache=None,
            mode=mode,
        )
        await opening.enter_async_context(client)
        resources.push_async_exit(opening.pop_all())
    return client


def _answering(sample: SamplingFnT | None) -> SamplingFnT | None:
    """The callback, with an error as its answer: of one that is raised the SDK writes a traceback into the log."""
    if sample is None:
        return None

    async def answer(
        context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.CreateMessageResultWithTools | types.ErrorData:
        try:
            return await sample(context, params)
        except Exception as error:  # noqa: BLE001 -- a model's, a package's or a script's: the server is to know
            from mcp import types

            return types.ErrorData(code=types.INTERNAL_ERROR, message=error_text(error))

    return answer


async def _transport(server: McpServerParams, resources: AsyncExitStack, complaints: TextIO) -> Transport:
    """What the client speaks through; entered by the client."""
    if isinstance(server, StdioServerParams):
        if current_jail.get().is_confining:
            return spoken_to(server, complaints)
        from mcp.client.stdio import StdioServerParameters, stdio_client

        return stdio_client(
            StdioServerParameters(
                command=server.command,
                args=server.filled_args,
                env=resolved_headers(server.env),
                cwd=server.cwd,
                encoding=server.encoding,
                encoding_error_handler=server.encoding_error_handler,
            ),
            errlog=complaints,
        )
    import httpx2

    def client(
        headers: dict[str, str] | None = None, timeout: httpx2.Timeout | None = None, auth: httpx2.Auth | None = None
    ) -> httpx2.AsyncClient:
        return http_client(
            Guard.for_url(server.url),
            client_class=httpx2.AsyncClient,
            is_session=True,
            verify=trusted(),
            headers=headers,
            timeout=timeout,
            auth=auth,
        )

    headers = resolved_headers(server.headers)
    if isinstance(server, SseServerParams):
        from mcp.client.sse import sse_client

        return sse_client(server.filled_url, headers, server.timeout, server.sse_read_timeout, client)
    from mcp.client.streamable_http import streamable_http_client

    limits = httpx2.Timeout(server.timeout, read=server.sse_read_timeout)
    http = await resources.enter_async_context(client(headers, limits))
    return streamable_http_client(server.filled_url, http_client=http, terminate_on_close=server.terminate_on_close)


def _quoted(complaints: TextIO) -> str:
    """The end of what a program wrote to its standard error."""
    complaints.seek(0)
    text = complaints.read()[-COMPLAINT_KEPT:].strip()
    return f" It wrote: {text}" if text else ""


def _is_broken(error: Exception) -> bool:
    """Whether the session can take no more questions."""
    import anyio
    from mcp import MCPError
    from mcp.types import CONNECTION_CLOSED

    if isinstance(error, MCPError):
        return error.code == CONNECTION_CLOSED and error.message == "Connection closed"
    return isinstance(error, anyio.ClosedResourceError | anyio.BrokenResourceError | anyio.EndOfStream)
