"""Workbenches and sessions of MCP servers as AutoGen's scripts make them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar
from warnings import warn

from pydantic import PrivateAttr

from studio.autogen.adapters import adopt, given
from studio.autogen.compat_base import Config, Freed, mix_in
from studio.autogen.dual_attribute import is_called_by_engine
from studio.tools import StaticWorkbench
from studio.tools.mcp import McpServerParams
from studio.tools.mcp import McpSessionActor as StudioMcpSessionActor
from studio.tools.mcp import McpWorkbench as StudioMcpWorkbench
from studio.tools.mcp.connection import Connection
from studio.tools.mcp.host import ChatCompletionClientSampler, McpSessionHost

if TYPE_CHECKING:
    from mcp import types
    from mcp.client import Client


class FreedWorkbench(Freed):
    """Knows tools that are shown differently by both names."""

    def __getattr__(self, name: str) -> Any:
        if name == "_override_name_to_original":
            overrides: dict[str, Any] = vars(self)["tool_overrides"]
            return {each.name: own for own, each in overrides.items() if each.name and each.name != own}
        return super().__getattr__(name)


class McpWorkbench(FreedWorkbench, StudioMcpWorkbench, stands_for=StudioMcpWorkbench):
    """Offers the server a model with `model_client`, as AutoGen's does."""

    provider = StudioMcpWorkbench.provider
    aliases = StudioMcpWorkbench.aliases
    positional = ("server_params", "tool_overrides", "model_client")
    component_provider_override = StudioMcpWorkbench.provider

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        client = named.pop("model_client", None)
        if isinstance(client, McpSessionHost):  # the third argument of later versions
            named["host"], client = client, None
        if client is not None:
            named.setdefault("host", _offering(client))
        super().__init__(**{name: value for name, value in named.items() if value is not None})

    async def start(self) -> None:
        """Open the session; of a script's second start nobody needs to know the end."""
        if self._starts_count and not is_called_by_engine(1):
            warn("McpWorkbench is already started. No need to start again.", UserWarning, stacklevel=2)
            return
        await super().start()

    @property
    def _model_client(self) -> Any:
        """The model that the server is offered, under AutoGen's name."""
        sampler = self.host and self.host.sampler
        return given(sampler.client_config) if isinstance(sampler, ChatCompletionClientSampler) else None

    def _to_config(self) -> Any:
        config: dict[str, Any] = dict(super()._to_config())
        model = self._model_client and self._model_client.dump_component()
        return Config.model_construct(None, **{**config, "server_params": self.server_params, "model_client": model})


def _offering(model_client: Any) -> McpSessionHost:
    return McpSessionHost(sampler=ChatCompletionClientSampler(client_config=adopt("model_client", model_client)))


class McpSessionActor(Freed, StudioMcpSessionActor, stands_for=StudioMcpSessionActor):
    """A session that a script opens, asks and ends itself."""

    provider = StudioMcpSessionActor.provider
    aliases = StudioMcpSessionActor.aliases
    name: ClassVar[str] = "mcp_session_actor"
    description: ClassVar[str] = "MCP session actor"

    _model_client: Any = PrivateAttr(default=None)
    _connection: Connection | None = PrivateAttr(default=None)

    def __init__(self, server_params: McpServerParams, model_client: Any = None) -> None:
        super().__init__(server_params=server_params)
        self._model_client = model_client

    @property
    def initialize_result(self) -> types.InitializeResult | None:
        """How the server introduced itself, while the session is open."""
        return self._connection and self._connection.introduction

    async def initialize(self) -> None:
        """Open the session; does nothing when it is open.

        Raises:
            McpUnavailable: The server does not start or cannot be reached.
        """
        if self._connection is None:
            host = None if self._model_client is None else _offering(self._model_client)
            connection = Connection(self.server_params, host)
            await connection.open()
            self._connection = connection

    async def call(self, type: str, args: Mapping[str, Any] | None = None) -> Awaitable[Any]:
        """Put a question to the server; the answer is to be awaited.

        Args:
            type: `list_tools`, `call_tool` and so on.
            args: The `name` of a tool or prompt, and arguments as `kargs`: those of the tool, a `uri`, or `arguments`.

        Raises:
            RuntimeError: The session is not open.
            ValueError: No such question, or something is missing.
        """
        question = _LISTS[type] if type in _LISTS else _question(type, args)
        if self._connection is None:
            raise RuntimeError("MCP Actor not running, call initialize() first")
        return self._connection.ask(question)

    async def close(self) -> None:
        """End the session; does nothing when there is none."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    def _to_config(self) -> Any:
        return Config.model_construct(None, server_params=self.server_params, model_client=None)


_LISTS: Mapping[str, Callable[[Client], Awaitable[Any]]] = {
    "list_tools": lambda client: client.list_tools(),
    "list_prompts": lambda client: client.list_prompts(),
    "list_resources": lambda client: client.list_resources(),
    "list_resource_templates": lambda client: client.list_resource_templates(),
}


def _question(kind: str, args: Mapping[str, Any] | None) -> Callable[[Client], Awaitable[Any]]:
    if kind not in ("call_tool", "get_prompt", "read_resource"):
        raise ValueError(f"Unknown command type: {kind}")
    if args is None:
        raise ValueError(f"args is required for {kind}")
    name: str | None = args.get("name")
    given_with: Mapping[str, Any] = args.get("kargs") or {}
    if kind == "read_resource":
        uri = given_with.get("uri")
        if uri is None:
            raise ValueError("uri is required for read_resource")
        return lambda client: client.read_resource(str(uri))
    if name is None:
        raise ValueError(f"name is required for {kind}")
    if kind == "call_tool":
        return lambda client: client.call_tool(name, dict(given_with))
    return lambda client: client.get_prompt(name, given_with.get("arguments"))


mix_in(StaticWorkbench, FreedWorkbench)
