"""Code in a Jupyter kernel, which keeps its variables from one execution to the next."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import tempfile
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol, cast
from uuid import uuid4

from pydantic import Field, PrivateAttr, field_validator

from studio.components import Capability, JsonObject
from studio.executors.base import CodeExecutor, ExecutorUnavailable, folder_at, path_of
from studio.executors.program import CANCELLED, TIMED_OUT
from studio.executors.scripts import with_quiet_pip
from studio.messages import CancellationToken, CodeBlock, CodeResult
from studio.models.extras import needs_extra
from studio.sandbox import bare_environment

START_LIMIT_S = 60
Output = tuple[str, JsonObject]
"""Kind and content of what a cell showed."""
TERMINAL_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


class JupyterCodeResult(CodeResult):
    """What running cells gave."""

    output_files: list[str] = []
    """Pictures and pages that the cells showed."""


class JupyterCodeExecutor(CodeExecutor):
    """Runs Python code in a Jupyter kernel on this machine, with the rights of the studio's user.

    Needs the extra `jupyter`.
    """

    provider = "autogen_ext.code_executors.jupyter.JupyterCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.jupyter._jupyter_code_executor.JupyterCodeExecutor",
        "studio.executors.JupyterCodeExecutor",
    )
    positional = ("kernel_name", "timeout", "output_dir")
    result_type = JupyterCodeResult

    kernel_name: Annotated[str, Field(min_length=1, title="Kernel")] = "python3"
    output_dir: Annotated[
        str | None,
        Field(title="Folder", description="For pictures and pages that cells show; a temporary one when left out."),
    ] = None

    _kernel: _Kernel | None = PrivateAttr(default=None)
    _resources: AsyncExitStack = PrivateAttr(default_factory=AsyncExitStack)
    _folder: Path = PrivateAttr(default=Path())

    @field_validator("output_dir", mode="before")
    @classmethod
    def _path_is_text(cls, value: object) -> object:
        return str(value) if isinstance(value, Path) else value

    def capabilities(self) -> Iterator[Capability]:
        text = f"Runs any code that the model writes in a Jupyter kernel {self.kernel_name!r} on this machine."
        place = f"the folder {self.output_dir!r}" if self.output_dir else "a temporary folder"
        yield Capability("process", text, f"Jupyter kernel {self.kernel_name} with output in {place}")

    async def _start(self) -> None:
        async with AsyncExitStack() as resources:
            temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
            resources.enter_context(temporary)
            home = path_of(temporary)
            self._folder = folder_at(self.output_dir) if self.output_dir else home
            self._kernel = await resources.enter_async_context(_started(self.kernel_name, self._folder, home))
            self._resources = resources.pop_all()

    async def _stop(self) -> None:
        self._kernel = None
        await self._resources.aclose()

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> JupyterCodeResult:
        assert self._kernel is not None, "only called between start and stop"
        outputs: list[str] = []
        files: list[str] = []
        exit_code = 0
        for block in blocks:
            shown = await self._kernel.run(with_quiet_pip(block.code, block.language.lower()), self.timeout, token)
            outputs.append("\n".join(self._texts(shown.outputs, files)) + shown.stopped)
            exit_code = shown.exit_code
            if exit_code != 0:
                break
        return JupyterCodeResult(exit_code=exit_code, output="\n".join(outputs), output_files=files)

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
                        files.append(self._save("png", base64.b64decode(str(data))))
                    elif mime == "text/html":
                        files.append(self._save("html", str(data).encode()))
                    elif mime != "image/jpeg":  # stands beside a PNG
                        yield json.dumps(data)

    def _save(self, extension: str, data: bytes) -> str:
        file = self._folder / f"{uuid4().hex}.{extension}"
        file.write_bytes(data)
        return str(file)


@dataclass
class _Shown:
    """What one cell gave."""

    outputs: list[Output]
    exit_code: int = 0
    stopped: str = ""


class _Manager(Protocol):
    """The part of jupyter_client's kernel manager that is used here, with its types."""

    async def start_kernel(self, *, cwd: str, env: dict[str, str]) -> None: ...

    async def interrupt_kernel(self) -> None: ...

    async def shutdown_kernel(self, *, now: bool) -> None: ...

    def client(self) -> _Client: ...


class _Client(Protocol):
    """As `_Manager`, for its client."""

    def start_channels(self) -> None: ...

    def stop_channels(self) -> None: ...

    async def wait_for_ready(self, *, timeout: float) -> None: ...  # noqa: ASYNC109 -- its name for it

    async def execute_interactive(
        self, code: str, *, allow_stdin: bool, stop_on_error: bool, output_hook: Callable[[dict[str, Any]], None]
    ) -> dict[str, Any]: ...


class _Kernel:
    """A running kernel."""

    def __init__(self, manager: _Manager, client: _Client) -> None:
        self._manager = manager
        self._client = client

    async def run(self, code: str, timeout_s: float, token: CancellationToken) -> _Shown:
        """Run one cell. One that takes too long or is cancelled is interrupted; the kernel's variables stay."""
        shown = _Shown([])
        is_done = False
        try:
            async with asyncio.TaskGroup() as tasks:
                running = tasks.create_task(self._run(code, timeout_s, shown))
                token.link_future(running)
            token.unlink_future(running)
            if running.cancelled():
                shown.exit_code, shown.stopped = CANCELLED, "\nCancelled"
            is_done = not shown.stopped
        finally:
            if not is_done:
                await self._manager.interrupt_kernel()
        return shown

    async def _run(self, code: str, timeout_s: float, shown: _Shown) -> None:
        def hear(message: dict[str, Any]) -> None:
            kind = str(message["header"]["msg_type"])
            if kind in ("stream", "error", "execute_result", "display_data"):
                shown.outputs.append((kind, cast("JsonObject", message["content"])))

        try:
            async with asyncio.timeout(timeout_s):
                reply = await self._client.execute_interactive(
                    code, allow_stdin=False, stop_on_error=False, output_hook=hear
                )
        except TimeoutError:
            shown.exit_code, shown.stopped = TIMED_OUT, "\nTimeout"
        else:
            shown.exit_code = 0 if reply["content"]["status"] == "ok" else 1


@asynccontextmanager
async def _started(kernel_name: str, folder: Path, home: Path) -> AsyncGenerator[_Kernel]:
    """A kernel that is ready; at the end of the block it is gone.

    Raises:
        MissingExtra: The extra `jupyter` is not installed.
        ExecutorUnavailable: There is no such kernel, or it does not start.
    """
    with needs_extra("jupyter", "JupyterCodeExecutor"):
        from jupyter_client.kernelspec import NoSuchKernel
        from jupyter_client.manager import AsyncKernelManager
    # Sockets in a folder of our own: nobody else on the machine can listen in, as with TCP.
    manager = cast("_Manager", AsyncKernelManager(kernel_name=kernel_name, transport="ipc", ip=str(home / "kernel")))
    try:
        await manager.start_kernel(cwd=str(folder), env=bare_environment(home))
    except NoSuchKernel as error:
        raise ExecutorUnavailable(
            f"No Jupyter kernel is called {kernel_name!r} here.", fix="Install it, or choose another."
        ) from error
    client = manager.client()
    try:
        client.start_channels()
        await client.wait_for_ready(timeout=START_LIMIT_S)
        yield _Kernel(manager, client)
    except RuntimeError as error:
        raise ExecutorUnavailable(f"The Jupyter kernel {kernel_name!r} does not start: {error}") from error
    finally:
        client.stop_channels()
        await manager.shutdown_kernel(now=True)
