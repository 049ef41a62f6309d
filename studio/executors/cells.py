"""What the executors have in common that run code as cells of a Jupyter kernel."""

from __future__ import annotations

import asyncio
import base64
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Protocol, cast
from uuid import uuid4

from pydantic import BeforeValidator, Field, PrivateAttr

from studio.components import JsonObject
from studio.executors.base import CodeExecutor, ExecutorUnavailable
from studio.executors.command_line import path_as_text
from studio.executors.program import CANCELLED, TIMED_OUT
from studio.executors.scripts import with_quiet_pip
from studio.executors.workspace_files import write_within
from studio.messages import CancellationToken, CodeBlock, CodeResult

Output = tuple[str, JsonObject]
"""Kind and content of what a cell showed."""
SHOWN_KINDS = ("stream", "error", "execute_result", "display_data")
TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")

KernelName = Annotated[str, Field(min_length=1, description="Name of the Jupyter kernel.")]
OutputFolder = Annotated[
    str | None,
    BeforeValidator(path_as_text),
    Field(description="Folder for the images and pages of cells. Empty: a temporary one."),
]


class JupyterCodeResult(CodeResult):
    """What running cells gave."""

    output_files: list[Path] = []
    """Pictures and pages that the cells showed."""


@dataclass
class Shown:
    """What one cell gave."""

    outputs: list[Output]
    exit_code: int = 0
    stopped: str = ""
    failure: ExecutorUnavailable | None = None
    """The kernel was lost."""


class Kernel(Protocol):
    """A running kernel, wherever it is."""

    async def execute(self, code: str, on_output: Callable[[str, JsonObject], None]) -> bool:
        """Run one cell, tell `hear` the kind and content of what it shows, and say whether it ended well."""
        ...

    async def interrupt(self) -> None:
        """Break off the cell that runs; the variables stay."""
        ...


class CellExecutor(CodeExecutor):
    """Runs each block of code as a cell; variables stay from one to the next.

    A subclass sets `_kernel` and `_folder` in `_start`, and puts what it holds into `_resources`.
    """

    result_type: ClassVar[type[CodeResult]] = JupyterCodeResult

    if TYPE_CHECKING:  # each executor declares the fields itself, so that its form has its own order
        kernel_name: KernelName = "python3"
        output_dir: OutputFolder = None

    _kernel: Kernel | None = PrivateAttr(default=None)
    _resources: AsyncExitStack = PrivateAttr(default_factory=AsyncExitStack)

    async def _stop(self) -> None:
        self._kernel = None
        await self._resources.aclose()

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> JupyterCodeResult:
        assert self._kernel is not None, "only called between start and stop"
        outputs: list[str] = []
        files: list[str] = []
        exit_code = 0
        for block in blocks:
            code = with_quiet_pip(block.code, block.language.lower())
            shown = await run_cell(self._kernel, code, self.timeout, token)
            outputs.append("\n".join(self._texts(shown.outputs, files)) + shown.stopped)
            exit_code = shown.exit_code
            if exit_code != 0:
                break
        return cast(
            "JupyterCodeResult",
            self.result_type.model_validate(
                {"exit_code": exit_code, "output": "\n".join(outputs), "output_files": files}
            ),
        )

    def _texts(self, outputs: Sequence[Output], files: list[str]) -> Iterator[str]:
        """What the model reads; pictures and pages go into files."""
        for kind, content in outputs:
            if kind == "stream":
                yield str(content.get("text", ""))
            elif kind == "error":
                lines = cast("list[str]", content.get("traceback") or [])
                yield TERMINAL_COLOURS.sub("", "\n".join(lines))
            else:
                for mime, data in cast("JsonObject", content.get("data") or {}).items():
                    if mime == "text/plain":
                        yield str(data)
                    elif mime == "image/png":
                        with suppress(ValueError):  # a cell may show anything and call it a picture
                            files.append(self._save("png", base64.b64decode(str(data))))
                    elif mime == "text/html":
                        files.append(self._save("html", str(data).encode()))
                    elif mime != "image/jpeg":  # stands beside a PNG
                        yield json.dumps(data)

    def _save(self, extension: str, data: bytes) -> str:
        return str(write_within(self._folder, f"{uuid4().hex}.{extension}", data))


async def run_cell(kernel: Kernel, code: str, timeout_s: float, token: CancellationToken) -> Shown:
    """Run one cell. One that takes too long or is cancelled is interrupted; the kernel's variables stay.

    Raises:
        ExecutorUnavailable: The kernel is gone.
    """
    shown = Shown([])
    is_done = False
    try:
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(_run(kernel, code, timeout_s, shown))
            token.link_future(running)
        token.unlink_future(running)
        if running.cancelled():
            shown.exit_code, shown.stopped = CANCELLED, "\nCancelled"
        if shown.failure is not None:
            raise shown.failure
        is_done = not shown.stopped
    finally:
        if not is_done:
            await kernel.interrupt()
    return shown


async def _run(kernel: Kernel, code: str, timeout_s: float, shown: Shown) -> None:
    def on_output(kind: str, content: JsonObject) -> None:
        if kind in SHOWN_KINDS:
            shown.outputs.append((kind, content))

    try:
        async with asyncio.timeout(timeout_s):
            shown.exit_code = 0 if await kernel.execute(code, on_output) else 1
    except TimeoutError:
        shown.exit_code, shown.stopped = TIMED_OUT, "\nTimeout"
    except ExecutorUnavailable as error:  # bare: a task group would put it into a group
        shown.failure = error
