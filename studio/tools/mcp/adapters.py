"""One tool of an MCP server as a tool, for teams that name it instead of taking all."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, PrivateAttr, ValidationError, field_validator

from studio.components import Capability, JsonObject
from studio.errors import ConfigError, ToolFailed
from studio.messages import ToolSchema
from studio.models import model_from_schema
from studio.models.schema_model import parameters_of
from studio.tools.base import BaseTool, ToolReturn
from studio.tools.mcp.connection import Connection, McpUnavailable
from studio.tools.mcp.results import PROGRESS, Progress, listed_tools
from studio.tools.mcp.servers import McpServerParams, SseServerParams, StdioServerParams, StreamableHttpServerParams
from studio.tools.reporter import emit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp import types

    from studio.tools.mcp.host import McpSessionHost


class McpTool(BaseModel):
    """What a server says about a tool."""

    model_config = ConfigDict(frozen=True, extra="allow", serialize_by_alias=True, populate_by_name=True)

    name: Annotated[str, Field(min_length=1, examples=["fetch"])]
    description: str | None = None
    input_schema: Annotated[
        dict[str, JsonValue],
        Field(
            alias="inputSchema",
            description="JSON schema of the arguments.",
            json_schema_extra={"x-multiline": True, "x-language": "json"},
        ),
    ]


UNKNOWN_IF_EMPTY = ("_meta", "lastModified")
"""Fields of later versions of the protocol."""
_EXAMPLE: JsonObject = {
    "name": "fetch",
    "description": "Fetch a page.",
    "inputSchema": {"type": "object", "properties": {}},
}


class McpSession:
    """A session that several tools share, and what the SDK's session has.

    Args:
        connection: Held open by whoever made this.
    """

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    async def initialize(self) -> types.InitializeResult | None:
        """Nothing is left to do: the session is open. AutoGen's scripts ask for it."""
        return self.connection.client and self.connection.client.session.initialize_result

    def __getattr__(self, name: str) -> Any:
        client = self.connection.client
        if client is None:
            raise McpUnavailable("The session with the MCP server has ended.", fix="Open a new one.")
        return getattr(client.session, name)


@asynccontextmanager
async def create_mcp_server_session(
    server_params: McpServerParams, host: McpSessionHost | None = None
) -> AsyncGenerator[McpSession]:
    """A session with a server, for `mcp_server_tools`; it ends with the block.

    Args:
        server_params: How the server is reached.
        host: What it is offered.

    Raises:
        McpUnavailable: The server does not start or cannot be reached.
    """
    connection = Connection(server_params, host)
    await connection.open()
    try:
        yield McpSession(connection)
    finally:
        await connection.close()


class McpToolAdapter(BaseTool):
    """Calls one tool of an MCP server. Between `start` and `stop` all calls share a session; else each has its own."""

    positional = ("server_params", "tool")
    server_kind: ClassVar[type[BaseModel]]

    if TYPE_CHECKING:  # each adapter declares it with the one kind of server that it takes
        server_params: Any

    tool: Annotated[McpTool, Field(examples=[_EXAMPLE])]

    _connection: Connection | None = PrivateAttr(default=None)
    _keeps_session: bool = PrivateAttr(default=False)
    _shared: McpSession | None = PrivateAttr(default=None)
    """A session that whoever made it ends."""
    _arguments: type[BaseModel] | None = PrivateAttr(default=None)

    @field_validator("tool", mode="before")
    @classmethod
    def _sdk_tool_is_json(cls, value: object) -> object:
        if isinstance(value, BaseModel) and not isinstance(value, McpTool):
            return value.model_dump(mode="json", by_alias=True, exclude_none=True)
        return value

    @classmethod
    async def from_server_params(cls, server_params: McpServerParams, tool_name: str) -> Self:
        """Make the adapter for a tool that the server is asked for.

        Raises:
            ConfigError: The server has no such tool.
        """
        tools = await _tools_of(server_params)
        for tool in tools:
            if tool.name == tool_name:
                return cls(server_params=server_params, tool=tool)
        raise ConfigError(f"Tool '{tool_name}' not found, available tools: {', '.join(tool.name for tool in tools)}")

    def sharing(self, session: McpSession | None) -> Self:
        """This adapter, with a session that it neither opens nor ends."""
        self._shared = session
        return self

    @property
    def server(self) -> McpServerParams:
        """How the server is reached."""
        return cast("McpServerParams", self.server_params)

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        return ToolSchema(
            name=self.tool.name,
            description=self.tool.description or "",
            parameters=parameters_of(self.tool.input_schema),
            strict=False,
        )

    def capabilities(self) -> Iterator[Capability]:
        yield from self.server.capabilities()

    async def start(self) -> None:
        self._keeps_session = True

    async def stop(self) -> None:
        self._keeps_session = False
        if self._connection is not None:
            await self._connection.close()

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        checked = self._checked(arguments)
        shared = self._shared
        connection = self._connection or Connection(self.server) if shared is None else shared.connection
        if self._keeps_session and shared is None:
            self._connection = connection
        progress = Progress()
        try:
            result = await connection.ask(
                lambda client: client.call_tool(self.tool.name, checked, progress_callback=progress.note)
            )
        finally:
            for event in progress.recorded:
                emit(PROGRESS, event)
            if not self._keeps_session and shared is None:
                await connection.close()
        content = [content_item(part) for part in result.content]
        text = json.dumps(content)
        if result.is_error:
            raise ToolFailed(text)
        return ToolReturn(content, text)

    def _checked(self, arguments: JsonObject) -> JsonObject:
        if self._arguments is None:
            self._arguments = model_from_schema(self.tool.input_schema, f"{self.tool.name}Args")
        try:
            return self._arguments.model_validate(arguments).model_dump(mode="json", exclude_unset=True)
        except ValidationError as error:
            raise ToolFailed(str(error)) from error


def content_item(part: types.ContentBlock) -> JsonValue:
    """A part of a result as AutoGen writes it: all fields, but no empty ones that it does not know."""
    return _known(part.model_dump(mode="json", by_alias=True))


def _known(item: JsonValue) -> JsonValue:
    if not isinstance(item, dict):
        return item
    return {name: _known(value) for name, value in item.items() if value is not None or name not in UNKNOWN_IF_EMPTY}


class StdioMcpToolAdapter(McpToolAdapter):
    """Calls one tool of an MCP server that is a program."""

    provider = "autogen_ext.tools.mcp.StdioMcpToolAdapter"
    aliases = (
        "autogen_ext.tools.mcp._stdio.StdioMcpToolAdapter",
        "autogen_ext.tools.mcp._factory.StdioMcpToolAdapter",
        "studio.tools.mcp.StdioMcpToolAdapter",
    )
    needs_jail = True

    server_params: Annotated[StdioServerParams, Field(examples=[{"command": "uvx", "args": ["mcp-server-fetch"]}])]


class SseMcpToolAdapter(McpToolAdapter):
    """Calls one tool of an MCP server over HTTP with Server-Sent Events."""

    provider = "autogen_ext.tools.mcp.SseMcpToolAdapter"
    aliases = (
        "autogen_ext.tools.mcp._sse.SseMcpToolAdapter",
        "autogen_ext.tools.mcp._factory.SseMcpToolAdapter",
        "studio.tools.mcp.SseMcpToolAdapter",
    )

    server_params: Annotated[SseServerParams, Field(examples=[{"url": "http://localhost:8000/sse"}])]


class StreamableHttpMcpToolAdapter(McpToolAdapter):
    """Calls one tool of an MCP server over streamable HTTP."""

    provider = "autogen_ext.tools.mcp.StreamableHttpMcpToolAdapter"
    aliases = (
        "autogen_ext.tools.mcp._factory.StreamableHttpMcpToolAdapter",
        "autogen_ext.tools.mcp._streamable_http.StreamableHttpMcpToolAdapter",
        "studio.tools.mcp.StreamableHttpMcpToolAdapter",
    )

    server_params: Annotated[StreamableHttpServerParams, Field(examples=[{"url": "http://localhost:8000/mcp"}])]


_ADAPTERS: dict[str, type[McpToolAdapter]] = {
    "StdioServerParams": StdioMcpToolAdapter,
    "SseServerParams": SseMcpToolAdapter,
    "StreamableHttpServerParams": StreamableHttpMcpToolAdapter,
}


async def mcp_server_tools(server_params: McpServerParams, session: McpSession | None = None) -> list[McpToolAdapter]:
    """All tools of a server, each as a tool of its own.

    Args:
        server_params: How the server is reached.
        session: One that all tools use; otherwise each opens its own.
    """
    adapter = _ADAPTERS[server_params.type]
    found = await _tools_of(server_params, session)
    return [adapter(server_params=server_params, tool=tool).sharing(session) for tool in found]


async def _tools_of(server: McpServerParams, session: McpSession | None = None) -> list[McpTool]:
    connection = Connection(server) if session is None else session.connection
    try:
        return [McpTool.model_validate(tool) for tool in await connection.ask(listed_tools)]
    finally:
        if session is None:
            await connection.close()
