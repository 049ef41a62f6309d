"""Single tools of MCP servers, and sessions for them, as AutoGen's scripts make them."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, PrivateAttr, TypeAdapter

from studio.autogen.compat_base import free, mix_in
from studio.autogen.tools import FreedTool
from studio.errors import ConfigError
from studio.messages import CancellationToken
from studio.tools import mcp
from studio.tools.mcp.adapters import McpSession, content_item
from studio.tools.mcp.host import McpSessionHost

if TYPE_CHECKING:
    from mcp import ClientSession, types
    from mcp.client import Client
    from mcp.client.session import SamplingFnT

T = TypeVar("T")


class _Lenient(BaseModel):
    """Equal to what is loaded from JSON, which is of the engine's own class."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaseModel) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash(self.model_dump_json())


class StdioServerParams(_Lenient, mcp.StdioServerParams):
    """A server that is started as a program; what it does not know is left out, as in AutoGen."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class SseServerParams(_Lenient, mcp.SseServerParams):
    """A server that is reached by events, likewise."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class StreamableHttpServerParams(_Lenient, mcp.StreamableHttpServerParams):
    """A server that is reached over HTTP, likewise."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class FreedMcpTool(FreedTool):
    """Takes a session of the script's, and gives the SDK's objects."""

    positional = ("server_params", "tool", "session")

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        session = named.pop("session", None)
        super().__init__(**named)
        cast("mcp.McpToolAdapter", self).sharing(_shared(session))

    @classmethod
    async def from_server_params(cls, server_params: mcp.McpServerParams, tool_name: str) -> Self:
        """Make the adapter for a tool that the server is asked for.

        Raises:
            ValueError: The server has no such tool.
        """
        try:
            return await cast("Any", super()).from_server_params(server_params, tool_name)
        except ConfigError as error:
            raise ValueError(str(error)) from error

    async def run_json(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> list[types.ContentBlock]:
        return _content().validate_python(await super().run_json(args, cancellation_token, call_id))

    def return_value_as_string(self, value: list[types.ContentBlock]) -> str:
        """The parts of a result as the model reads them."""
        return json.dumps([content_item(part) for part in value])


@cache
def _content() -> TypeAdapter[list[types.ContentBlock]]:
    from mcp import types

    return TypeAdapter(list[types.ContentBlock])


class _Lent:
    """A session of the SDK that the script opened and ends, where ours have a connection."""

    def __init__(self, session: ClientSession) -> None:
        self._session = session

    async def ask(self, question: Callable[[Client], Awaitable[T]]) -> T:
        return await question(cast("Client", self))

    async def call_tool(self, name: str, arguments: dict[str, Any], **_later: object) -> types.CallToolResult:
        return await self._session.call_tool(name=name, arguments=arguments)

    async def list_tools(self, cursor: str | None = None) -> types.ListToolsResult:
        from mcp import types

        page = types.PaginatedRequestParams(cursor=cursor)
        listed = await (self._session.list_tools(params=page) if cursor else self._session.list_tools())
        more = listed.next_cursor if isinstance(listed.next_cursor, str) else None  # a stand-in may give anything
        return types.ListToolsResult(tools=listed.tools, next_cursor=more)


def _shared(session: McpSession | ClientSession | None) -> McpSession | None:
    if session is None or isinstance(session, McpSession):
        return session
    return McpSession(cast("Any", _Lent(session)))


class _Sampling(McpSessionHost):
    """Offers what a function of the script answers."""

    _answer: Any = PrivateAttr()

    @classmethod
    def by(cls, answer: SamplingFnT) -> Self:
        made = cls()
        made._answer = answer
        return made

    def sampling_callback(self) -> SamplingFnT:
        return self._answer


def create_mcp_server_session(
    server_params: mcp.McpServerParams, sampling_callback: SamplingFnT | None = None
) -> AbstractAsyncContextManager[McpSession]:
    """A session with a server; it ends with the block."""
    host = None if sampling_callback is None else _Sampling.by(sampling_callback)
    return mcp.create_mcp_server_session(server_params, host)


async def mcp_server_tools(
    server_params: mcp.McpServerParams, session: McpSession | ClientSession | None = None
) -> list[mcp.McpToolAdapter]:
    """All tools of a server, each as a tool of its own; with a session all use that one."""
    shared = _shared(session)
    found = await mcp.mcp_server_tools(server_params, shared)
    return [cast("Any", free(type(each)))(server_params, each.tool, shared) for each in found]


mix_in(mcp.McpToolAdapter, FreedMcpTool)
