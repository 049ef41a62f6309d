"""MCP: a deployment is a server with one tool, at both revisions of the protocol.

What is answered stands in `mcp_server.py`, which needs the package `mcp`: it is imported when the first client comes.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, cast

from fastapi import Request, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.deployments import DeploymentUnavailable
from studio.services.calls import CallDesk
from studio.web.router import StudioRouter

logger = logging.getLogger(__name__)
router = StudioRouter(prefix="/d/{deployment}", include_in_schema=False)


class McpEndpoint:
    """The one endpoint of all deployments.

    Args:
        desk: Its calls.
        closing: Set when the server stops.
        tasks: Whatever goes on between two requests.
    """

    def __init__(self, desk: CallDesk, closing: asyncio.Event, tasks: asyncio.TaskGroup) -> None:
        self._desk = desk
        self._closing = closing
        self._tasks = tasks
        self._running: set[asyncio.Task[None]] = set()
        self._opening = asyncio.Lock()
        self._app: ASGIApp | None = None

    async def app(self) -> ASGIApp:
        """What answers clients.

        Raises:
            DeploymentUnavailable: The package of MCP is not installed.
        """
        async with self._opening:
            if (app := self._app) is None:
                try:
                    module = await asyncio.to_thread(_server_module)
                except ModuleNotFoundError as error:
                    raise DeploymentUnavailable(
                        "This studio does not speak MCP: the package `mcp` is not installed.",
                        fix='Ask its operator to run `pip install "team-studio[mcp]"`, or use another protocol.',
                    ) from error
                server = module.McpServer(self._desk, self._closing, self.start)
                ready = asyncio.Event()
                self.start(server.run(ready))
                await ready.wait()
                app = self._app = server
        return app

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Let this go on until it ends or the server stops. What fails in it is logged, and ends nothing else."""
        task = self._tasks.create_task(_logged(work))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def stop(self) -> None:
        for task in self._running:
            task.cancel()


async def _logged(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception:
        logger.exception("MCP: work between two requests failed")


def _server_module() -> Any:
    from studio.web.protocols import mcp_server

    return mcp_server


@asynccontextmanager
async def open_mcp(desk: CallDesk, closing: asyncio.Event) -> AsyncGenerator[McpEndpoint]:
    """The endpoint, while the server runs."""
    async with asyncio.TaskGroup() as tasks:
        endpoint = McpEndpoint(desk, closing, tasks)
        try:
            yield endpoint
        finally:
            endpoint.stop()


class _Forwarded(Response):
    """An answer that another application gives, to a request whose body has been read."""

    def __init__(self, app: ASGIApp, body: bytes) -> None:
        super().__init__()
        self._app = app
        self._body = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_given = False

        async def receive_again() -> Message:
            nonlocal is_given
            if is_given:
                return await receive()
            is_given = True
            return {"type": "http.request", "body": self._body, "more_body": False}

        await self._app(scope, receive_again, send)


@router.post("/mcp", summary="Speak MCP")
async def speak_mcp(request: Request) -> Response:
    """The body is read here, where one that is too large is refused as by all routes."""
    body = await request.body()
    return _Forwarded(await _endpoint(request).app(), body)


@router.delete("/mcp", summary="End a session of MCP 2025-11-25")
async def end_mcp_session(request: Request) -> Response:
    return _Forwarded(await _endpoint(request).app(), b"")


def _endpoint(request: Request) -> McpEndpoint:
    return cast("McpEndpoint", request.app.state.mcp)
