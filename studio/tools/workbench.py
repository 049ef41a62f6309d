"""Workbenches: sets of tools as an agent sees them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, aclosing
from types import TracebackType
from typing import Annotated, ClassVar, Literal, Self, cast

from pydantic import BaseModel, Field, JsonValue, model_validator

from studio.components import Component
from studio.errors import StudioError
from studio.messages import BaseMessage, CancellationToken, Image, ToolSchema
from studio.tools.base import BaseTool, StreamTool, error_text
from studio.tools.overrides import ToolOverride, ToolOverrides, check_unique, shown


class TextResultContent(BaseModel, defer_build=True):
    """Text as part of a result."""

    type: Literal["TextResultContent"] = "TextResultContent"
    content: str


class ImageResultContent(BaseModel, defer_build=True):
    """A picture as part of a result."""

    type: Literal["ImageResultContent"] = "ImageResultContent"
    content: Image


ResultContent = Annotated[TextResultContent | ImageResultContent, Field(discriminator="type")]


class ToolResult(BaseModel, defer_build=True):
    """What a call through a workbench gave; an error is a result as well."""

    type: Literal["ToolResult"] = "ToolResult"
    name: str
    result: list[ResultContent]
    is_error: bool = False

    def to_text(self, replace_image: str | None = None) -> str:
        """The parts on one line each.

        Args:
            replace_image: Stands in for pictures, which otherwise appear as `[Image: ...]` with all their data.
        """
        parts: list[str] = []
        for part in self.result:
            if isinstance(part, TextResultContent):
                parts.append(part.content)
            else:
                parts.append(replace_image if replace_image is not None else f"[Image: {part.content.to_base64()}]")
        return "\n".join(parts)


class Workbench(Component):
    """A set of tools that are listed, called, started and stopped together."""

    component_type: ClassVar[str] = "workbench"

    async def list_tools(self) -> list[ToolSchema]:
        """The tools as the model sees them."""
        raise NotImplementedError

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, object] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        """Call a tool by the name that the model sees; never raises for what the tool does."""
        raise NotImplementedError

    async def call_tool_stream(
        self,
        name: str,
        arguments: Mapping[str, object] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        """As `call_tool`, with what happens on the way; the last item is the `ToolResult`."""
        yield await self.call_tool(name, arguments, cancellation_token, call_id)

    async def start(self) -> None:
        """Make ready; called before the first use."""

    async def stop(self) -> None:
        """Let go of everything."""

    async def reset(self) -> None:
        """Forget state of earlier calls."""

    async def save_state(self) -> Mapping[str, JsonValue]:
        return {}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        """Take up a saved state."""

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.stop()


class StaticWorkbench(Workbench):
    """A fixed set of tools."""

    provider = "autogen_core.tools.StaticWorkbench"
    aliases = (
        "autogen_core.tools._static_workbench.StaticWorkbench",
        "autogenstudio.gallery.builder.StaticWorkbench",
        "studio.tools.StaticWorkbench",
    )
    positional = ("tools", "tool_overrides")

    tools: Sequence[BaseTool] = Field(default_factory=list[BaseTool])
    tool_overrides: ToolOverrides = Field(default_factory=dict[str, ToolOverride])

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        # Only what an override makes clash is refused: two tools of one name are for the agent to report.
        own = {tool.schema["name"] for tool in self.tools if not tool.is_opaque} if self.tool_overrides else set[str]()
        check_unique(self.tool_overrides, own)
        return self

    async def list_tools(self) -> list[ToolSchema]:
        return [shown(tool.schema, self.tool_overrides) for tool in self.tools]

    def _find(self, shown_name: str) -> BaseTool | None:
        for tool in self.tools:
            own_name = tool.schema["name"]
            override = self.tool_overrides.get(own_name)
            # As in AutoGen the tool's own name keeps working beside the one that the model sees.
            if shown_name == own_name or (override is not None and override.name == shown_name):
                return tool
        return None

    async def start(self) -> None:
        for tool in self.tools:
            await tool.start()

    async def stop(self) -> None:
        async with AsyncExitStack() as ending:
            for tool in self.tools:
                ending.push_async_callback(tool.stop)

    async def call_tool(
        self,
        name: str,
        arguments: Mapping[str, object] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolResult:
        result: object = None
        async with aclosing(self.call_tool_stream(name, arguments, cancellation_token, call_id)) as items:
            async for item in items:
                result = item
        return cast("ToolResult", result)

    async def call_tool_stream(
        self,
        name: str,
        arguments: Mapping[str, object] | None = None,
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        tool = self._find(name)
        if tool is None:
            yield _failed(name, f"Tool {name} not found.")
        elif isinstance(tool, StreamTool):
            async with aclosing(_streamed(tool, name, arguments or {}, cancellation_token, call_id)) as items:
                async for item in items:
                    yield item
        else:
            try:
                returned = await tool.call(arguments or {}, cancellation_token, call_id)
            except StudioError as error:
                yield _failed(name, error.what)
            else:
                yield _succeeded(name, returned.text)

    async def save_state(self) -> Mapping[str, JsonValue]:
        tools: JsonValue = {tool.schema["name"]: dict(await tool.save_state_json()) for tool in self.tools}
        return {"type": "StaticWorkbenchState", "tools": tools}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        saved = cast("Mapping[str, Mapping[str, JsonValue]]", state.get("tools") or {})
        for tool in self.tools:
            if (name := tool.schema["name"]) in saved:
                await tool.load_state_json(saved[name])


class StaticStreamWorkbench(StaticWorkbench):
    """A fixed set of tools that can report progress."""

    provider = "autogen_core.tools.StaticStreamWorkbench"
    aliases = (
        "autogen_core.tools._static_workbench.StaticStreamWorkbench",
        "autogen_agentchat.agents._assistant_agent.StaticStreamWorkbench",
        "studio.tools.StaticStreamWorkbench",
    )


async def _streamed(
    tool: StreamTool,
    name: str,
    arguments: Mapping[str, object],
    cancellation_token: CancellationToken | None,
    call_id: str | None,
) -> AsyncGenerator[object, None]:
    """The items of a streaming tool, with its last one, the value, as a result.

    A message is passed on at once, so that nothing moves ahead of the pull; other items only when one follows.
    """
    held: list[object] = []
    try:
        async with aclosing(tool.run_json_stream(arguments, cancellation_token, call_id)) as items:
            async for item in items:
                if held:
                    yield held.pop()
                if isinstance(item, BaseMessage):
                    yield item
                else:
                    held.append(item)
    except Exception as error:  # noqa: BLE001 -- a tool is foreign code: whatever it raises is its result
        for item in held:
            yield item
        yield _failed(name, error_text(error))
        return
    value = held[0] if held else None
    yield value if isinstance(value, ToolResult) else _succeeded(name, tool.return_value_as_string(value))


def _succeeded(name: str, text: str) -> ToolResult:
    return ToolResult(name=name, result=[TextResultContent(content=text)])


def _failed(name: str, text: str) -> ToolResult:
    return ToolResult(name=name, result=[TextResultContent(content=text)], is_error=True)
