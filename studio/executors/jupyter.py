"""Code in a Jupyter kernel on this machine, which keeps its variables from one execution to the next."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, cast

from studio.components import Capability, JsonObject
from studio.components.folders import describe_folder, make_folder
from studio.errors import Finding
from studio.executors.base import CODE_RUNS_HERE, ExecutorUnavailable, path_of
from studio.executors.cells import CellExecutor, KernelName, OutputFolder
from studio.executors.surroundings import environment_at
from studio.models.extras import needs_extra
from studio.sandbox import Policy, confined, current_jail, place_of
from studio.sandbox.grants import granted_hosts

START_LIMIT_S = 60


class JupyterCodeExecutor(CellExecutor):
    """Runs Python code in a Jupyter kernel on this machine: in the sandbox, or in scripts as their user.

    Needs the extra `jupyter`.
    """

    provider = "autogen_ext.code_executors.jupyter.JupyterCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.jupyter._jupyter_code_executor.JupyterCodeExecutor",
        "studio.executors.JupyterCodeExecutor",
    )
    positional = ("kernel_name", "timeout", "output_dir")
    needs_jail = True

    kernel_name: KernelName = "python3"
    output_dir: OutputFolder = None

    def advice(self) -> Iterator[Finding]:
        message = "Code that a model writes runs on this machine, with the rights of the studio's user."
        yield CODE_RUNS_HERE(message, "Use a Jupyter kernel in Docker.")

    def capabilities(self) -> Iterator[Capability]:
        place = describe_folder(self.output_dir) if self.output_dir else "a temporary folder"
        kernel = f"a Jupyter kernel {self.kernel_name!r} on this machine"
        text = f"Runs any code that the model writes in {kernel}, in {place}."
        yield Capability("process", text, f"Jupyter kernel {self.kernel_name} with output in {place}", is_open=True)

    async def _start(self) -> None:
        async with AsyncExitStack() as resources:
            temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
            resources.enter_context(temporary)
            home = path_of(temporary)
            self._folder = make_folder(self.output_dir, self.capabilities()) if self.output_dir else home
            policy = Policy(self._folder, writable=(home,), hosts=granted_hosts(self.capabilities()))
            self._kernel = await resources.enter_async_context(_started(self.kernel_name, home, policy))
            self._resources = resources.pop_all()


class _KernelSpec(Protocol):
    """The part of a kernel's description that is used here."""

    argv: list[str]
    resource_dir: str


class _Manager(Protocol):
    """The part of jupyter_client's kernel manager that is used here, with its types."""

    @property
    def kernel_spec(self) -> _KernelSpec: ...

    def format_kernel_cmd(self) -> list[str]: ...

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

    async def execute(self, code: str, on_output: Callable[[str, JsonObject], None]) -> bool:
        def hear_message(message: dict[str, Any]) -> None:
            on_output(str(message["header"]["msg_type"]), cast("JsonObject", message["content"]))

        reply = await self._client.execute_interactive(
            code, allow_stdin=False, stop_on_error=False, output_hook=hear_message
        )
        return reply["content"]["status"] == "ok"

    async def interrupt(self) -> None:
        await self._manager.interrupt_kernel()


@asynccontextmanager
async def _started(kernel_name: str, home: Path, policy: Policy) -> AsyncGenerator[_Kernel]:
    """A kernel that is ready; at the end of the block it is gone.

    Raises:
        MissingExtra: The extra `jupyter` is not installed.
        ExecutorUnavailable: There is no such kernel, or it does not start.
        JailUnavailable: It cannot be confined as it should be.
    """
    with needs_extra("jupyter", "JupyterCodeExecutor"):
        from jupyter_client.kernelspec import NoSuchKernel
        from jupyter_client.manager import AsyncKernelManager
    # Sockets in a folder of our own: nobody else on the machine can listen in, as with TCP.
    manager = cast(
        "_Manager",
        AsyncKernelManager(
            kernel_name=kernel_name,
            transport="ipc",
            ip=str(home / "kernel"),
            connection_file=str(home / "kernel.json"),
        ),
    )
    try:
        kernel = manager.kernel_spec
    except NoSuchKernel as error:
        raise ExecutorUnavailable(
            f"Unknown Jupyter kernel {kernel_name!r} here.", fix="Install it, or choose another."
        ) from error
    command = manager.format_kernel_cmd()
    places = (*place_of(command[0]), Path(kernel.resource_dir))
    async with confined(_without_parent(command), replace(policy, readable=places)) as kernel.argv:
        await manager.start_kernel(cwd=str(policy.folder), env=environment_at(home))
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


def _without_parent(command: list[str]) -> list[str]:
    """The command of a kernel that does not look after the server: in a jail it would not find it, and end itself."""
    return ["/usr/bin/env", "JPY_PARENT_PID=1", *command] if current_jail.get().is_confining else command
