"""Code in a Docker container, through the `docker` command."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from pydantic import Field, PrivateAttr

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
from studio.executors.docker_engine import PULL_LIMIT_S, Labels, docker, require_engine
from studio.executors.program import CANCELLED, TIMED_OUT, Outcome
from studio.executors.scripts import program_for
from studio.messages import CancellationToken, CodeBlock

WORKSPACE = "/workspace"
GRACE_S = 10
"""How much longer than the code's own limit the `docker` command may take before the container is restarted."""
GENERATED_NAME = re.compile(r"autogen-code-exec-[0-9a-f-]{36}")
"""AutoGen writes the name of one past container into its JSON; two runs must not share it."""


class DockerCommandLineCodeExecutor(CommandLineExecutor):
    """Runs Python and shell code in a Docker container of its own."""

    provider = "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.DockerCommandLineCodeExecutor",
        "autogen_ext.code_executors.docker._docker_code_executor.DockerCommandLineCodeExecutor",
        "studio.executors.DockerCommandLineCodeExecutor",
    )
    positional = ("image", "container_name")

    image: Annotated[str, Field(min_length=1, pattern="^[^-]", title="Image")] = "python:3-slim"
    container_name: Annotated[
        str | None,
        Field(
            pattern="^[a-zA-Z0-9][a-zA-Z0-9_.-]*$",
            title="Name of the container",
            description="Made up when left out.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    work_dir: Annotated[
        Folder,
        Field(title="Folder", description="Where code is put and leaves files; a temporary one when left out."),
    ] = None
    bind_dir: Annotated[
        Folder,
        Field(
            title="Folder as the engine sees it",
            description="Where it differs, as when the studio itself runs in a container.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    auto_remove: Annotated[bool, Field(title="Remove the container when it stops")] = True
    stop_container: Annotated[bool, Field(title="Stop the container at the end of a run")] = True
    functions_module: FunctionsModule = "functions"
    functions: Functions = None
    extra_volumes: Annotated[
        dict[str, dict[str, str]],
        Field(
            title="More volumes",
            description='By folder or volume: {"bind": path in the container, "mode": "rw" or "ro"}.',
            json_schema_extra={"x-advanced": True},
        ),
    ] = Field(default_factory=dict[str, dict[str, str]])
    extra_hosts: Annotated[
        dict[str, str],
        Field(title="More hosts", description="Addresses by host name.", json_schema_extra={"x-advanced": True}),
    ] = Field(default_factory=dict[str, str])
    init_command: Annotated[
        str | None, Field(title="First command", description="A shell command, run when the container starts.")
    ] = None
    delete_tmp_files: Annotated[bool, Field(title="Delete scripts")] = False

    _container: str = PrivateAttr(default="")
    _more_options: Sequence[str] = PrivateAttr(default=())
    """For `docker run`, of what has no JSON."""

    def capabilities(self) -> Iterator[Capability]:
        detail = {
            "image": self.image,
            "folder": describe_folder(named) if (named := self.bind_dir or self.work_dir) else None,
            "volumes": self.extra_volumes,
            "hosts": self.extra_hosts,
            "init_command": self.init_command,
        }
        text = f"Runs any code that the model writes in a Docker container of {self.image!r}."
        yield from super().capabilities()
        command = f"docker {json.dumps(detail, sort_keys=True)}"
        yield Capability("process", text, command, is_open=True, has_own_network=True)

    async def _start(self) -> None:
        await require_engine()
        self._folder = make_folder(self.work_dir, self.capabilities()) if self.work_dir else Path()
        self._temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
        self._folder = self._folder if self.work_dir else path_of(self._temporary)
        named = self.container_name
        self._container = named if named and not GENERATED_NAME.fullmatch(named) else f"studio-code-{uuid4()}"
        labels = Labels(self._container)
        if named:
            await labels.remove_stopped()
        try:
            await self._run_container(labels)
        except BaseException:
            await labels.remove_started()
            self._drop_folder()
            raise

    async def _run_container(self, labels: Labels) -> None:
        bound = make_folder(self.bind_dir, self.capabilities()) if self.bind_dir else self._folder
        options = ["--detach", "--init", "--name", self._container, "--workdir", WORKSPACE, "--entrypoint", "/bin/sh"]
        options += [*labels.options, *(["--rm"] if self.auto_remove else [])]
        options += ["--volume", f"{bound}:{WORKSPACE}:rw"]
        for source, target in self.extra_volumes.items():
            options += ["--volume", f"{source}:{target.get('bind', '')}:{target.get('mode', 'rw')}"]
        for host, address in self.extra_hosts.items():
            options += ["--add-host", f"{host}:{address}"]
        options += self._more_options
        outcome = await docker("run", *options, self.image, "-c", "exec sleep infinity", limit_s=PULL_LIMIT_S)
        if outcome.exit_code != 0:
            raise ExecutorUnavailable(
                f"No container of the image {self.image!r} could be started: {reason(outcome)}",
                fix="Check the image's name, and that the Docker engine can get it.",
            )
        if self.init_command:
            outcome = await docker("exec", self._container, "/bin/sh", "-c", self.init_command, limit_s=PULL_LIMIT_S)
            if outcome.exit_code != 0:
                raise ExecutorUnavailable(f"The container's first command failed: {reason(outcome)}")

    async def _stop(self) -> None:
        if self.stop_container:
            await self._remove()
        self._drop_folder()

    async def _remove(self) -> None:
        if self.auto_remove:
            await docker("rm", "--force", self._container)
        else:
            await docker("stop", "--time", "0", self._container)

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
        """Run a program in the container. What is stopped from outside takes all the container's processes along."""
        command = ("exec", self._container, "timeout", str(limit_s), *program)
        is_done = False
        try:
            outcome = await docker(*command, limit_s=limit_s + GRACE_S, token=token)
            is_done = not outcome.stopped
        finally:
            if not is_done:
                await docker("restart", "--time", "0", self._container)
        return outcome

    def _extension(self, language: str) -> str:
        return language

    def _told(self, outcome: Outcome) -> str:
        if outcome.exit_code == TIMED_OUT:
            return f"{super()._told(outcome)}\n Timeout"
        if outcome.exit_code == CANCELLED and outcome.stopped:
            return "Code execution was cancelled."
        return super()._told(outcome)

    def _clean_up(self, files: Sequence[Path]) -> None:
        for file in files if self.delete_tmp_files else ():
            file.unlink(missing_ok=True)
