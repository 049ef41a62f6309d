"""Code in a Docker container, through the `docker` command."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from pydantic import AfterValidator, Field, PrivateAttr

from studio.components import Capability
from studio.components.folders import describe_folder, make_folder
from studio.executors.base import CommandLineCodeResult, ExecutorUnavailable, path_of
from studio.executors.command_line import (
    INSTALL_LIMIT_S,
    PIP_INSTALL,
    CommandLineExecutor,
    Folder,
    Functions,
    FunctionsModule,
    reason,
)
from studio.executors.container import (
    STAYS,
    AutoRemove,
    Container,
    ContainerName,
    StopContainer,
    bound,
    checked_volumes,
    described_volume,
    is_read_only,
    volume,
)
from studio.executors.docker_engine import PULL_LIMIT_S
from studio.executors.program import CANCELLED, TIMED_OUT, Outcome
from studio.executors.scripts import program_for
from studio.messages import CancellationToken, CodeBlock

WORKSPACE = "/workspace"
STAY = "while :; do sleep 86400; done"
"""What the first process of the container does. The shell collects what others leave, and no signal of code ends it."""
GRACE_S = 10
"""How much longer than the code's own limit the `docker` command may take before the container is restarted."""
GENERATED_NAME = re.compile(r"autogen-code-exec-[0-9a-f-]{36}")
"""AutoGen writes the name of one past container into its JSON; two runs must not share it."""


class DockerCommandLineCodeExecutor(CommandLineExecutor):
    """Runs Python and shell code in a separate Docker container."""

    provider = "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.DockerCommandLineCodeExecutor",
        "autogen_ext.code_executors.docker._docker_code_executor.DockerCommandLineCodeExecutor",
        "studio.executors.DockerCommandLineCodeExecutor",
    )
    positional = ("image", "container_name")

    image: Annotated[str, Field(min_length=1, pattern="^[^-]", description="Docker image.")] = "python:3-slim"
    container_name: ContainerName = None
    work_dir: Annotated[
        Folder,
        Field(description="Folder in which code runs and leaves files. Empty: a temporary one."),
    ] = None
    bind_dir: Annotated[
        Folder,
        Field(
            description="The work dir as the Docker engine sees it. Required when the studio runs in a container.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    auto_remove: AutoRemove = True
    stop_container: StopContainer = True
    functions_module: FunctionsModule = "functions"
    functions: Functions = None
    extra_volumes: Annotated[
        dict[str, dict[str, str]],
        AfterValidator(checked_volumes),
        Field(
            description='By folder or volume: {"bind": path in the container, "mode": "rw" or "ro"}.',
            json_schema_extra={"x-advanced": True},
        ),
    ] = Field(
        default_factory=dict[str, dict[str, str]],
        description='By folder or volume: {"bind": path in the container, "mode": "rw" or "ro"}.',
    )
    extra_hosts: Annotated[
        dict[str, str],
        Field(description="Addresses by host name.", json_schema_extra={"x-advanced": True}),
    ] = Field(default_factory=dict[str, str], description="Addresses by host name.")
    init_command: Annotated[str | None, Field(description="Shell command that runs when the container starts.")] = None
    delete_tmp_files: Annotated[bool, Field(description="Delete the script files after they ran.")] = False

    _container: Container | None = PrivateAttr(default=None)
    _more_options: Sequence[str] = PrivateAttr(default=())
    """For `docker run`, of what has no JSON."""

    def capabilities(self) -> Iterator[Capability]:
        yield from super().capabilities()
        detail = {
            "image": self.image,
            "folder": describe_folder(self.work_dir) if self.work_dir else None,
            "bound": describe_folder(self.bind_dir) if self.bind_dir else None,
            "volumes": {described_volume(source): target for source, target in self.extra_volumes.items()},
            "hosts": self.extra_hosts,
            "init_command": self.init_command,
            **({} if self.stop_container else {"stays": True}),
        }
        command = f"docker {json.dumps(detail, sort_keys=True)}"
        yield Capability("process", " ".join(self._sentences()), command, is_open=True)

    def _sentences(self) -> Iterator[str]:
        """What a person must know who decides."""
        folder = self.bind_dir or self.work_dir
        place = f"the folder {describe_folder(folder)!r} of this machine" if folder else "a temporary folder"
        yield f"Runs any code that the model writes in a Docker container of {self.image!r}, which can change {place}."
        for source, target in self.extra_volumes.items():
            right = "read" if is_read_only(target) else "read and change"
            yield f"It can {right} {described_volume(source)!r} as {target['bind']!r}."
        for host, address in self.extra_hosts.items():
            yield f"The host name {host!r} is {address} there."
        if self.init_command:
            yield f"It starts with the command {self.init_command!r}."
        if not self.stop_container:
            yield STAYS

    async def _start(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
        self._folder = make_folder(self.work_dir, self.capabilities()) if self.work_dir else path_of(self._temporary)
        named = self.container_name
        name = named if named and not GENERATED_NAME.fullmatch(named) else f"studio-code-{uuid4()}"
        self._container = Container(self.image, name, is_removed=self.auto_remove, is_stopped=self.stop_container)
        try:
            await self._start_container(self._container)
            await self._run_first_command(self._container)
        except BaseException:
            await self._container.discard()
            self._drop_folder()
            raise

    async def _start_container(self, container: Container) -> None:
        seen = make_folder(self.bind_dir, self.capabilities()) if self.bind_dir else self._folder
        options = ["--workdir", WORKSPACE, "--entrypoint", "/bin/sh", *bound(seen, WORKSPACE)]
        for source, target in self.extra_volumes.items():
            options += volume(source, target, self.capabilities())
        for host, address in self.extra_hosts.items():
            options += ["--add-host", f"{host}:{address}"]
        command = ("-c", STAY)
        capabilities = tuple(self.capabilities())
        await container.start([*options, *self._more_options], command, folder=self._folder, capabilities=capabilities)

    async def _run_first_command(self, container: Container) -> None:
        if not self.init_command:
            return
        outcome = await container.execute("/bin/sh", "-c", self.init_command, limit_s=PULL_LIMIT_S)
        if outcome.exit_code != 0:
            raise ExecutorUnavailable(
                f"The container's first command failed: {reason(outcome)}",
                fix="It runs without root and reaches only allowed hosts. Install what it needs in an image.",
            )

    async def _stop(self) -> None:
        if self._container is not None:
            await self._container.stop()
        self._drop_folder()

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> CommandLineCodeResult:
        if not blocks:
            raise ValueError("No code blocks to execute.")
        return await super()._execute(blocks, token)

    async def _run(self, language: str, file: Path, token: CancellationToken) -> Outcome:
        script = file.relative_to(self._folder).as_posix()
        return await self._run_inside((program_for(language), script), self.timeout, token)

    async def _install(self, packages: Sequence[str], token: CancellationToken) -> Outcome:
        return await self._run_inside(("python", *PIP_INSTALL, *packages), INSTALL_LIMIT_S, token)

    async def _run_inside(self, program: Sequence[str], limit_s: int, token: CancellationToken) -> Outcome:
        assert self._container is not None, "only called between start and stop"
        return await self._container.execute("timeout", str(limit_s), *program, limit_s=limit_s + GRACE_S, token=token)

    def _extension(self, language: str) -> str:
        return language

    def _describe(self, outcome: Outcome) -> str:
        if outcome.exit_code == TIMED_OUT:
            return f"{super()._describe(outcome)}\n Timeout"
        if outcome.exit_code == CANCELLED and outcome.stopped:
            return "Code execution was cancelled."
        return super()._describe(outcome)

    def _clean_up(self, files: Sequence[Path]) -> None:
        for file in files if self.delete_tmp_files else ():
            file.unlink(missing_ok=True)
