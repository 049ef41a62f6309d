"""An agent that looks into local files."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, cast

from pydantic import Field, JsonValue, PrivateAttr, TypeAdapter

from studio import effects
from studio.agents.base import ChatAgent
from studio.agents.file_browser import Page, Viewport, read_page
from studio.components import Capability, JsonObject
from studio.components.folders import file_capability, resolve_folder
from studio.effects import EffectRequest
from studio.messages import (
    AssistantMessage,
    BaseChatMessage,
    CancellationToken,
    FunctionCall,
    LLMMessage,
    Response,
    TextMessage,
    ToolSchema,
    UserMessage,
)
from studio.models import ChatCompletionClient

_HISTORY: TypeAdapter[list[LLMMessage]] = TypeAdapter(list[LLMMessage])
RULER = "======================="


def _tool(name: str, description: str, **arguments: str) -> ToolSchema:
    schema: ToolSchema = {"name": name, "description": description}
    if arguments:
        properties: dict[str, JsonValue] = {
            each: {"type": "string", "description": text} for each, text in arguments.items()
        }
        schema["parameters"] = {"type": "object", "properties": properties, "required": list(arguments)}
    return schema


TOOLS = (
    _tool(
        "open_path",
        "Open a local file or directory at a path in the text-based file browser and return current viewport content.",
        path="The relative or absolute path of a local file to visit.",
    ),
    _tool(
        "page_down", "Scroll the viewport DOWN one page-length in the current file and return the new viewport content."
    ),
    _tool("page_up", "Scroll the viewport UP one page-length in the current file and return the new viewport content."),
    _tool("find_next", "Scroll the viewport to next occurrence of the search string."),
    _tool(
        "find_on_page_ctrl_f",
        "Scroll the viewport to the first occurrence of the search string. This is equivalent to Ctrl+F.",
        search_string="The string to search for on the page. This search string supports wildcards like '*'",
    ),
)


class FileSurfer(ChatAgent):
    """Opens local files and folders one page at a time and answers with what it reads."""

    provider = "autogen_ext.agents.file_surfer.FileSurfer"
    aliases = (
        "autogen_ext.agents.file_surfer._file_surfer.FileSurfer",
        "autogen_ext.teams.magentic_one.FileSurfer",
        "studio.agents.FileSurfer",
    )
    positional: ClassVar[tuple[str, ...]] = ("name", "model_client", "description", "base_path")

    name: Annotated[str, Field(description="A word without spaces, unique in its team.", examples=["FileSurfer"])]
    model_client: Annotated[ChatCompletionClient, Field(description="The model that answers. It must support tools.")]
    description: Annotated[str, Field(description="What this agent does. Other agents and selectors read it.")] = (
        "An agent that can handle local files."
    )
    base_path: Annotated[
        str | None,
        Field(description="The agent reads only inside this folder. Empty: the team's own folder."),
    ] = None

    _history: list[LLMMessage] = PrivateAttr(default_factory=list[LLMMessage])
    _view: Viewport | None = PrivateAttr(default=None)
    _heard: Sequence[BaseChatMessage] | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, **data: Any) -> None:
        super().__init__(*args, **data)

    @classmethod
    def coerce(cls, config: JsonObject, warn: Any) -> JsonObject:
        del warn
        return {name: value for name, value in config.items() if name != "description" or value is not None}

    @property
    def folder(self) -> Path:
        """The only folder whose files are opened."""
        return resolve_folder(self.base_path or ".", "read", self.capabilities())

    def capabilities(self) -> Iterator[Capability]:
        yield file_capability("read", self.base_path or ".", "Reads files in {} and shows them to the model.")

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        self._history += [message.to_model_message() for message in messages]
        self._heard = messages
        text = await self._reply(cancellation_token)
        self._history.append(AssistantMessage(content=text, source=self.name))
        return Response(chat_message=TextMessage(content=text, source=self.name))

    async def _reply(self, token: CancellationToken | None) -> str:
        view = await self._opened(str(self.folder)) if self._view is None else self._view
        where = f"Your file viewer is currently open to the file or directory '{view.title}' with path '{view.path}'."
        *earlier, task = self._history or [UserMessage(content="", source="user")]
        content = task.content if isinstance(task, UserMessage) else str(task.content)
        result = await self.model_client.create(
            [*earlier, UserMessage(content=where, source="user"), UserMessage(content=content, source="user")],
            tools=TOOLS,
            cancellation_token=token,
        )
        if isinstance(result.content, str):
            return result.content
        for call in result.content:
            try:
                arguments = cast("JsonObject", json.loads(call.arguments or "{}"))
            except json.JSONDecodeError as error:
                return f"File surfer encountered an error decoding JSON arguments: {error}"
            view = await self._do(call, arguments, view)
        title = f"Title: {view.title}\n" if view.title is not None else ""
        position = f"Viewport position: Showing page {view.number + 1} of {len(view.pages)}."
        return f"Path: {view.path}\n{title}{position}\n{RULER}\n{view.text}"

    async def _do(self, call: FunctionCall, arguments: JsonObject, view: Viewport) -> Viewport:
        match call.name:
            case "open_path":
                return await self._opened(str(arguments.get("path", "")))
            case "page_up":
                view.move(-1)
            case "page_down":
                view.move(1)
            case "find_on_page_ctrl_f":
                view.find(str(arguments.get("search_string", "")))
            case "find_next":
                view.find_next()
            case _:
                pass  # a tool that the model made up changes nothing; it sees the same page again
        return view

    async def _opened(self, path: str) -> Viewport:
        """Look at a path, which is relative to the folder in view; one effect."""
        base, here = self.folder, Path(self._view.path) if self._view else self.folder

        def read() -> Page:
            around = here if os.path.isdir(here) else here.parent  # `is_dir` raises for a name that is too long
            return read_page(base, str(around / path) if around.is_relative_to(base) else path)

        async def perform() -> JsonValue:
            return cast("JsonValue", (await asyncio.to_thread(read))._asdict())

        request = EffectRequest("tool", self.name, lambda: {"name": "open_path", "base": str(base), "path": path})
        page = cast("dict[str, Any]", await effects.call(request, perform))
        self._view = Viewport(Page(**page))
        return self._view

    def unheard(self, messages: Sequence[BaseChatMessage]) -> Sequence[BaseChatMessage]:
        return () if self._heard is messages else messages

    async def on_reset(self, cancellation_token: CancellationToken | None = None) -> None:
        del cancellation_token
        self._history, self._view = [], None

    async def release(self) -> None:
        await self.model_client.close()

    async def save_state(self) -> Mapping[str, JsonValue]:
        return {**await super().save_state(), "history": _HISTORY.dump_python(self._history, mode="json")}

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        self._history = _HISTORY.validate_python(state.get("history") or [])
