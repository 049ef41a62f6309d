"""All tools of an MCP server as a workbench."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar, Self, cast

from pydantic import Field, JsonValue, PrivateAttr, TypeAdapter, model_validator

from studio import effects
from studio.components import Capability, Component, JsonObject, Warn
from studio.effects import EffectRequest, ToolCall
from studio.errors import StudioError
from studio.messages import CancellationToken, ToolSchema, linked
from studio.models.schema_model import parameters_of
from studio.tools.base import defaults_in
from studio.tools.mcp.connection import Connection
from studio.tools.mcp.files import keep_files
from studio.tools.mcp.host import ChatCompletionClientSampler, McpSessionHost, as_json
from studio.tools.mcp.results import Progress, listed_tools, parts_of
from studio.tools.mcp.servers import McpServerParams, StdioServerParams
from studio.tools.overrides import ToolOverrides, check_unique, original_name, shown
from studio.tools.reporter import calling_agent, pass_on
from studio.tools.workbench import ResultContent, TextResultContent, ToolResult, Workbench

if TYPE_CHECKING:
    from mcp import types
    from mcp.client import Client
    from pydantic import BaseModel

_PARTS: TypeAdapter[list[ResultContent]] = TypeAdapter(list[ResultContent])


class McpWorkbench(Workbench):
    """All tools of an MCP server. The session starts with the first call and ends with the run.

    In a script, a workbench that was started explicitly stays open across runs until it is stopped.
    """

    provider = "autogen_ext.tools.mcp.McpWorkbench"
    keywords = "server model context protocol"
    aliases = (
        "autogen_ext.tools.mcp._workbench.McpWorkbench",
        "autogenstudio.gallery.builder.McpWorkbench",
        "studio.tools.mcp.McpWorkbench",
    )
    positional = ("server_params", "tool_overrides", "host")

    server_params: McpServerParams
    tool_overrides: ToolOverrides = Field(default_factory=dict)
    host: Annotated[
        McpSessionHost | None,
        Field(
            description="What the server can request from the studio. Empty: nothing.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None

    _connection: Connection | None = PrivateAttr(default=None)
    _starts_count: int = PrivateAttr(default=0)
    """By how many it was started and not stopped: a program, and each agent that is in a run."""
    _tools: list[JsonObject] | None = PrivateAttr(default=None)
    """The server's list, as it was last told."""
    _may_have_changed: bool = PrivateAttr(default=True)
    """Whether a tool was called since: servers offer other tools after a login, say."""

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        check_unique(self.tool_overrides, own_names=())
        return self

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        coerced = super().coerce(config, warn)
        client = coerced.get("model_client")
        if client is None or coerced.get("host") is not None:
            return coerced
        # AutoGen 0.7 offers the server a model in a field of its own.
        sampler: JsonObject = {"provider": ChatCompletionClientSampler.provider, "config": {"client_config": client}}
        host: JsonObject = {"provider": McpSessionHost.provider, "config": {"sampler": sampler}}
        return {**{name: value for name, value in coerced.items() if name != "model_client"}, "host": host}

    @property
    def needs_jail(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride] -- of others it is known by class
        return isinstance(self.server_params, StdioServerParams)

    def capabilities(self) -> Iterator[Capability]:
        yield from self.server_params.capabilities()

    async def start(self) -> None:
        """Open the session now; it would open by itself.

        Raises:
            McpUnavailable: The server does not start or cannot be reached.
        """

        async def perform() -> JsonValue:
            await self._opened().open()
            return None

        await effects.call(self._request({"start": self.server_params.label}), perform)
        self._starts_count += 1

    async def stop(self) -> None:
        """End the session, unless somebody else has started it, too."""
        self._starts_count = max(self._starts_count - 1, 0)
        if self._starts_count:
            return
        self._tools = None
        if self._connection is not None:
            await self._connection.close()

    async def list_tools(self) -> list[ToolSchema]:
        if self._tools is None or self._may_have_changed:
            body: JsonObject = {"list_tools": self.server_params.label}
            changed = cast("list[JsonObject] | None", await self._asked(body, self._changed_list))
            self._tools = self._tools if changed is None else changed
            self._may_have_changed = False
        return [
            shown(
                ToolSchema(
                    name=str(tool["name"]),
                    description=str(tool.get("description") or ""),
                    parameters=parameters_of(cast("JsonObject", tool.get("inputSchema") or {})),
                ),
                self.tool_overrides,
            )
            for tool in self._tools or ()
        ]

    async def _changed_list(self, client: Client) -> JsonValue:
        """The server's list, or None when it is as before: so the log holds it once."""
        found = await listed_tools(client)
        return None if found == self._tools else found

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, object] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        given = cast("JsonObject", dict(arguments or {}))
        own_name = original_name(name, self.tool_overrides)

        async def perform_with(given: JsonObject) -> JsonValue:
            progress, kept = Progress(), list[JsonValue]()
            try:
                result = await self._opened().ask(
                    lambda client: client.call_tool(own_name, given, progress_callback=progress.note)
                )
            except StudioError as error:
                parts, is_error = [TextResultContent(content=error.what)], True
            else:
                parts, is_error = parts_of(result), bool(result.is_error)
                kept = await keep_files(own_name, result, calling_agent())
            recorded = [*progress.events(), *kept]
            events: JsonObject = {"events": recorded} if recorded else {}
            return {**_answer(parts, is_error), **events}

        def taken(given: JsonObject) -> JsonObject:
            schemas = (tool.get("inputSchema") for tool in self._tools or () if tool.get("name") == own_name)
            return {**defaults_in(cast("JsonObject", next(schemas, None) or {})), **given}

        tool_call = ToolCall(name, given, calling_agent(), perform_with, _saying, _said_by, taken)
        body: JsonObject = {"name": name, "arguments": given, "call_id": call_id}
        request = EffectRequest("tool", name, lambda: body, tool=tool_call)
        self._may_have_changed = True
        with linked(cancellation_token):
            answer = cast("JsonObject", await effects.call(request, lambda: perform_with(given)))
        if "events" in answer:
            pass_on(name, call_id, answer)
        return ToolResult(
            name=name, result=_PARTS.validate_python(answer["content"]), is_error=bool(answer["is_error"])
        )

    @property
    def initialize_result(self) -> types.InitializeResult | None:
        """How the server introduced itself, while a session is open."""
        return self._connection and self._connection.introduction

    async def list_resources(self) -> types.ListResourcesResult:
        """Resources of the server, its first page."""
        from mcp import types

        answer = await self._asked({"list_resources": None}, _as_json(lambda client: client.list_resources()))
        return types.ListResourcesResult.model_validate(answer)

    async def list_resource_templates(self) -> types.ListResourceTemplatesResult:
        """Templates of resources of the server, the first page."""
        from mcp import types

        ask = _as_json(lambda client: client.list_resource_templates())
        return types.ListResourceTemplatesResult.model_validate(await self._asked({"list_templates": None}, ask))

    async def read_resource(self, uri: str) -> types.ReadResourceResult:
        """The content of a resource."""
        from mcp import types

        ask = _as_json(lambda client: client.read_resource(uri))
        return types.ReadResourceResult.model_validate(await self._asked({"read_resource": uri}, ask))

    async def list_prompts(self) -> types.ListPromptsResult:
        """Prompts of the server, its first page."""
        from mcp import types

        answer = await self._asked({"list_prompts": None}, _as_json(lambda client: client.list_prompts()))
        return types.ListPromptsResult.model_validate(answer)

    async def get_prompt(self, name: str, arguments: Mapping[str, str] | None = None) -> types.GetPromptResult:
        """A prompt, filled in."""
        from mcp import types

        given = dict(arguments or {})
        ask = _as_json(lambda client: client.get_prompt(name, given))
        body: JsonObject = {"get_prompt": name, "arguments": cast("JsonValue", given)}
        return types.GetPromptResult.model_validate(await self._asked(body, ask))

    async def save_state(self) -> Mapping[str, JsonValue]:
        return {"type": "McpWorkBenchState"}

    async def _asked(self, body: JsonObject, question: Callable[[Client], Awaitable[JsonValue]]) -> JsonValue:
        async def perform() -> JsonValue:
            return await self._opened().ask(question)

        return await effects.call(self._request(body), perform)

    def _request(self, body: JsonObject) -> EffectRequest:
        return EffectRequest("tool", self.server_params.label, lambda: body, is_safe=True)

    def _opened(self) -> Connection:
        if self._connection is None:
            self._connection = Connection(self.server_params, self.host)
        return self._connection


def _answer(parts: Sequence[ResultContent], is_error: bool) -> JsonObject:
    return {"content": cast("JsonValue", _PARTS.dump_python(list(parts), mode="json")), "is_error": is_error}


def _saying(text: str, is_error: bool) -> JsonObject:
    return _answer([TextResultContent(content=text)], is_error)


def _said_by(answer: JsonValue) -> tuple[str, bool]:
    result = cast("JsonObject", answer)
    parts = _PARTS.validate_python(result["content"])
    return ToolResult(name="", result=parts).to_text("[picture]"), bool(result["is_error"])


def _as_json(question: Callable[[Client], Awaitable[BaseModel]]) -> Callable[[Client], Awaitable[JsonValue]]:
    async def ask(client: Client) -> JsonValue:
        return cast("JsonValue", as_json(await question(client)))

    return ask


class McpSessionActor(Component):
    """Part of AutoGen's files. Here, each workbench has its own session."""

    provider = "autogen_ext.tools.mcp.McpSessionActor"
    aliases = (
        "autogen_ext.tools.mcp._actor.McpSessionActor",
        "autogen_ext.tools.mcp._workbench.McpSessionActor",
        "studio.tools.mcp.McpSessionActor",
    )
    component_type: ClassVar[str] = "mcp_session_actor"
    positional = ("server_params",)

    server_params: McpServerParams

    def capabilities(self) -> Iterator[Capability]:
        yield from self.server_params.capabilities()
