"""A canvas of text files as a memory: the agent reads all of it before each answer, and may write to it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self, cast

from pydantic import BaseModel, Field, JsonValue, PrivateAttr

from studio.errors import ToolFailed
from studio.memory.base import Conversation, Memory, MemoryQueryResult, UpdateContextResult
from studio.memory.canvas import TextCanvas
from studio.messages import CancellationToken, MemoryContent, SystemMessage, ToolSchema
from studio.tools import BaseTool
from studio.tools.base import StreamTool


class CanvasStatus(BaseModel):
    """What a tool of the canvas says when it is done."""

    status: str


class UpdateFileArgs(BaseModel):
    """What `update_file` takes."""

    filename: str
    new_content: str


class ApplyPatchArgs(BaseModel):
    """What `apply_patch` takes."""

    filename: str
    patch_text: str


class CanvasTool(StreamTool):
    """Writes to a canvas. It changes nothing outside of the run, so a call is no effect."""

    described: ClassVar[tuple[str, str, str]]
    """Name, description, and the argument beside `filename`."""

    _canvas: TextCanvas = PrivateAttr(default_factory=TextCanvas)

    @classmethod
    def on(cls, canvas: TextCanvas) -> Self:
        """The tool for this canvas. It belongs to its memory and has no JSON of its own."""
        made = cls.model_construct()
        made._canvas = canvas
        return made

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        name, description, argument = self.described
        properties: dict[str, JsonValue] = {
            each: {"type": "string", "title": each.replace("_", " ").title()} for each in ("filename", argument)
        }
        return {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": ["filename", argument],
                "additionalProperties": False,
            },
            "strict": False,
        }

    def _write(self, filename: str, text: str) -> str:
        raise NotImplementedError

    async def run_json_stream(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        del cancellation_token, call_id
        argument = self.described[2]
        for name in ("filename", argument):
            if not isinstance(args.get(name), str):
                raise ToolFailed(f"The argument {name!r} must be text.")
        yield CanvasStatus(status=self._write(str(args["filename"]), str(args[argument])))

    async def run(self, args: BaseModel, cancellation_token: CancellationToken | None = None) -> CanvasStatus:
        """Write what `UpdateFileArgs` or `ApplyPatchArgs` say."""
        [status] = [item async for item in self.run_json_stream(args.model_dump(), cancellation_token)]
        return cast("CanvasStatus", status)


class UpdateFileTool(CanvasTool):
    """Makes a file of the canvas, or replaces what it holds."""

    described = ("update_file", "Create/update a file on the canvas with the provided content.", "new_content")

    def _write(self, filename: str, text: str) -> str:
        self._canvas.add_or_update_file(filename, text)
        return "OK"


class ApplyPatchTool(CanvasTool):
    """Changes a file of the canvas by a diff."""

    described = (
        "apply_patch",
        "Apply a unified diff patch to an existing file on the canvas. "
        "The patch must be in diff/patch format. The file must exist or be created first.",
        "patch_text",
    )

    def _write(self, filename: str, text: str) -> str:
        if filename not in self._canvas.list_files():
            raise ToolFailed(f"There is no file {filename!r} on the canvas; create it first.")
        self._canvas.apply_patch(filename, text)
        return "PATCH APPLIED"


class TextCanvasMemory(Memory):
    """Text files that an agent reads before each answer and can edit. Agents can share one canvas."""

    provider = "studio.memory.TextCanvasMemory"
    aliases = (
        "autogen_ext.memory.canvas.TextCanvasMemory",
        "autogen_ext.memory.canvas._text_canvas_memory.TextCanvasMemory",
    )
    positional: ClassVar[tuple[str, ...]] = ("canvas",)
    starts_with: ClassVar[Mapping[str, JsonValue]] = {"gives_tools": True}

    files: Annotated[dict[str, str], Field(description="Initial files by name.")] = Field(
        default_factory=dict[str, str], description="Initial files by name."
    )
    gives_tools: Annotated[
        bool,
        Field(description="Give the agent the tools `update_file` and `apply_patch`."),
    ] = False

    _canvas: TextCanvas = PrivateAttr(default_factory=TextCanvas)

    def __init__(self, *args: Any, **data: Any) -> None:
        """Make one from fields, or as in AutoGen around a `canvas`."""
        named = self._name_arguments(args, data)
        canvas = cast("TextCanvas | None", named.pop("canvas", None))
        super().__init__(**named)
        if canvas is not None:
            self._canvas = canvas

    def model_post_init(self, _context: object, /) -> None:
        for name, text in self.files.items():
            self._canvas.add_or_update_file(name, text)

    @property
    def canvas(self) -> TextCanvas:
        """The files now."""
        return self._canvas

    async def update_context(self, model_context: Conversation) -> UpdateContextResult:
        """Add one system message with all files."""
        text = self._canvas.get_all_contents_for_context()
        await model_context.add_message(SystemMessage(content=text))
        found = MemoryQueryResult(results=[MemoryContent(content=text, mime_type="text/plain")])
        return UpdateContextResult(memories=found)

    async def query(
        self, query: str | MemoryContent = "", cancellation_token: CancellationToken | None = None, **options: Any
    ) -> MemoryQueryResult:
        """Nothing: the canvas is read as a whole."""
        del query, cancellation_token, options
        return MemoryQueryResult()

    async def add(self, content: MemoryContent, cancellation_token: CancellationToken | None = None) -> None:
        """Put a text on the canvas, under the `filename` of its metadata; without one it is left out."""
        del cancellation_token
        name = (content.metadata or {}).get("filename")
        if isinstance(name, str) and isinstance(content.content, str):
            self._canvas.add_or_update_file(name, content.content)

    async def clear(self) -> None:
        self._canvas.clear()

    def tools(self) -> Sequence[BaseTool]:
        return (self.get_update_file_tool(), self.get_apply_patch_tool()) if self.gives_tools else ()

    def get_update_file_tool(self) -> UpdateFileTool:
        """A tool that makes and replaces files."""
        return UpdateFileTool.on(self._canvas)

    def get_apply_patch_tool(self) -> ApplyPatchTool:
        """A tool that changes files by diffs."""
        return ApplyPatchTool.on(self._canvas)

    async def save_state(self) -> Mapping[str, JsonValue]:
        names = self._canvas.list_files()
        return {
            "files": {name: [revision.content for revision in self._canvas.get_all_revisions(name)] for name in names}
        }

    async def load_state(self, state: Mapping[str, JsonValue]) -> None:
        self._canvas.clear()
        for name, revisions in cast("dict[str, list[str]]", state.get("files") or {}).items():
            for text in revisions:
                self._canvas.add_or_update_file(name, text)
