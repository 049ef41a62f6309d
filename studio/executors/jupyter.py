"""Code in a Jupyter kernel, which keeps its variables from one execution to the next."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast
from uuid import uuid4

from pydantic import Field, PrivateAttr, field_validator

from studio.components import Capability, JsonObject
from studio.errors import SetupError
from studio.executors.base import CodeExecutor, ExecutorUnavailable, folder_at
from studio.executors.program import CANCELLED, TIMED_OUT
from studio.executors.scripts import with_quiet_pip
from studio.messages import CancellationToken, CodeBlock, CodeResult
from studio.sandbox import bare_environment

if TYPE_CHECKING:
    from nbclient import NotebookClient

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

    _client: NotebookClient | None = PrivateAttr(default=None)
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
        try:
            import nbformat
            from jupyter_client.kernelspec import NoSuchKernel
            from nbclient import NotebookClient
        except ModuleNotFoundError as error:
            raise SetupError(
                "The Jupyter executor needs packages that are not installed.",
                fix="Install the extra: `pip install 'team-studio[jupyter]'`.",
            ) from error
        async with AsyncExitStack() as resources:
            temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
            home = Path(resources.enter_context(temporary)).resolve()
            self._folder = folder_at(self.output_dir) if self.output_dir else home
            notebook = cast("Any", nbformat).v4.new_notebook()
            client = NotebookClient(notebook, kernel_name=self.kernel_name, timeout=self.timeout, allow_errors=True)
            try:
                kernel = client.async_setup_kernel(cwd=str(self._folder), env=bare_environment(home))
                await resources.enter_async_context(cast("Any", kernel))
            except NoSuchKernel as error:
                raise ExecutorUnavailable(
                    f"No Jupyter kernel is called {self.kernel_name!r} here.", fix="Install it, or choose another."
                ) from error
            self._client = client
            self._resources = resources.pop_all()

    async def _stop(self) -> None:
        self._client = None
        await self._resources.aclose()

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> JupyterCodeResult:
        outputs: list[str] = []
        files: list[str] = []
        exit_code = 0
        for block in blocks:
            result = await self._run(with_quiet_pip(block.code, block.language.lower()), token)
            outputs.append(result.output)
            files += result.output_files
            exit_code = result.exit_code
            if exit_code != 0:
                break
        return JupyterCodeResult(exit_code=exit_code, output="\n".join(outputs), output_files=files)

    async def _run(self, code: str, token: CancellationToken) -> JupyterCodeResult:
        """Run one cell. One that takes too long or is cancelled is interrupted; the kernel's variables stay."""
        try:
            async with asyncio.TaskGroup() as tasks:
                running = tasks.create_task(self._cell(code))
                token.link_future(running)
        except* TimeoutError:
            await self._interrupt()
            return JupyterCodeResult(exit_code=TIMED_OUT, output="\nTimeout")
        except* asyncio.CancelledError:
            await self._interrupt()
            raise
        finally:
            token.unlink_future(running)
        if running.cancelled():
            await self._interrupt()
            return JupyterCodeResult(exit_code=CANCELLED, output="\nCancelled")
        return self._result(running.result())
