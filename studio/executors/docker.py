"""Code in a Docker container, through the `docker` command."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from pydantic import Field, PrivateAttr, field_validator

from studio.components import Capability
from studio.executors.base import CodeExecutor, CommandLineCodeResult, ExecutorUnavailable, folder_at, path_of
from studio.executors.program import CANCELLED, TIMED_OUT, Outcome, run_program
from studio.executors.scripts import LANGUAGES, OutsideWorkspace, program_for, write_script
from studio.messages import CancellationToken, CodeBlock

WORKSPACE = "/workspace"
PULL_LIMIT_S = 600
"""How long getting the image and starting a container may take."""
COMMAND_LIMIT_S = 30
GRACE_S = 10
"""How much longer than the code's own limit the `docker` command may take before the container is restarted."""
GENERATED_NAME = re.compile(r"autogen-code-exec-[0-9a-f-]{36}")
"""AutoGen writes the name of one past container into its JSON; two runs must not share it."""


class DockerCommandLineCodeExecutor(CodeExecutor):
    """Runs Python and shell code in a Docker container of its own."""

    provider = "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.DockerCommandLineCodeExecutor",
        "autogen_ext.code_executors.docker._docker_code_executor.DockerCommandLineCodeExecutor",
        "studio.executors.DockerCommandLineCodeExecutor",
    )
    positional = ("image", "container_name")
    result_type = CommandLineCodeResult

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
        str | None,
        Field(title="Folder", description="Where code is put and leaves files; a temporary one when left out."),
    ] = None
    bind_dir: Annotated[
        str | None,
        Field(
            title="Folder as the engine sees it",
            description="Where it differs, as when the studio itself runs in a container.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = None
    auto_remove: Annotated[bool, Field(title="Remove the container when it stops")] = True
    stop_container: Annotated[bool, Field(title="Stop the container at the end of a run")] = True
    functions_module: Annotated[
        str,
        Field(
            title="Module of functions",
            description="Kept for AutoGen, not used.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = "functions"
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

    _temporary: tempfile.TemporaryDirectory[str] | None = PrivateAttr(default=None)
    _folder: Path = PrivateAttr(default=Path())
    _container: str = PrivateAttr(default="")

    @field_validator("work_dir", "bind_dir", mode="before")
    @classmethod
    def _path_is_text(cls, value: object) -> object:
        return str(value) if isinstance(value, Path) else value

    def capabilities(self) -> Iterator[Capability]:
        detail = {
            "image": self.image,
            "folder": self.bind_dir or self.work_dir,
            "volumes": self.extra_volumes,
            "hosts": self.extra_hosts,
            "init_command": self.init_command,
        }
        text = f"Runs any code that the model writes in a Docker container of {self.image!r}."
        yield Capability("process", text, f"docker {json.dumps(detail, sort_keys=True)}")

    async def _start(self) -> None:
        await _require_engine()
        self._folder = folder_at(self.work_dir) if self.work_dir else Path()
        self._temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
        self._folder = self._folder if self.work_dir else path_of(self._temporary)
        named = self.container_name
        self._container = named if named and not GENERATED_NAME.fullmatch(named) else f"studio-code-{uuid4()}"
        try:
            await self._run_container()
        except BaseException:
            await self._remove()
            self._temporary.cleanup()
            raise

    async def _run_container(self) -> None:
        bound = folder_at(self.bind_dir) if self.bind_dir else self._folder
        options = ["--detach", "--init", "--name", self._container, "--workdir", WORKSPACE, "--entrypoint", "/bin/sh"]
        options += ["--rm"] if self.auto_remove else []
        options += ["--volume", f"{bound}:{WORKSPACE}:rw"]
        for source, target in self.extra_volumes.items():
            options += ["--volume", f"{source}:{target.get('bind', '')}:{target.get('mode', 'rw')}"]
        for host, address in self.extra_hosts.items():
            options += ["--add-host", f"{host}:{address}"]
        outcome = await _docker("run", *options, self.image, "-c", "exec sleep infinity", limit_s=PULL_LIMIT_S)
        if outcome.exit_code != 0:
            raise ExecutorUnavailable(
                f"No container of the image {self.image!r} could be started: {_reason(outcome)}",
                fix="Check the image's name, and that the Docker engine can get it.",
            )
        if self.init_command:
            outcome = await _docker("exec", self._container, "/bin/sh", "-c", self.init_command, limit_s=PULL_LIMIT_S)
            if outcome.exit_code != 0:
                raise ExecutorUnavailable(f"The container's first command failed: {_reason(outcome)}")

    async def _stop(self) -> None:
        if self.stop_container:
            await self._remove()
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    async def _remove(self) -> None:
        if self.auto_remove:
            await _docker("rm", "--force", self._container)
        else:
            await _docker("stop", "--time", "0", self._container)

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> CommandLineCodeResult:
        if not blocks:
            raise ValueError("No code blocks to execute.")
        output = ""
        exit_code = 0
        files: list[Path] = []
        try:
            for block in blocks:
                language = block.language.lower()
                if language not in LANGUAGES:
                    output, exit_code = f"{output}\nunknown language {language}", 1
                    break
                files.append(write_script(block, self._folder, extension=language))
                outcome = await self._run(program_for(language), files[-1], token)
                output, exit_code = output + _told(outcome), outcome.exit_code
                if exit_code != 0:
                    break
        except OutsideWorkspace as error:
            output, exit_code = f"{output}{error}", 1
        finally:
            for file in files if self.delete_tmp_files else ():
                file.unlink(missing_ok=True)
        return CommandLineCodeResult(exit_code=exit_code, output=output, code_file=str(files[0]) if files else None)

    async def _run(self, program: str, file: Path, token: CancellationToken) -> Outcome:
        """Run a file in the container. What is stopped from outside takes the whole container's processes along."""
        script = file.relative_to(self._folder).as_posix()
        command = ("exec", self._container, "timeout", str(self.timeout), program, script)
        is_done = False
        try:
            outcome = await _docker(*command, limit_s=self.timeout + GRACE_S, token=token)
            is_done = not outcome.stopped
        finally:
            if not is_done:
                await _docker("restart", "--time", "0", self._container)
        return outcome


def _told(outcome: Outcome) -> str:
    if outcome.exit_code == TIMED_OUT:
        return f"{outcome.stderr}{outcome.stdout}\n Timeout"
    if outcome.exit_code == CANCELLED and outcome.stopped:
        return "Code execution was cancelled."
    return outcome.stderr + outcome.stdout


def _reason(outcome: Outcome) -> str:
    return outcome.stopped or (outcome.stderr or outcome.stdout).strip()[-2000:] or f"exit code {outcome.exit_code}"


async def _require_engine() -> None:
    """See that a Docker engine answers.

    Raises:
        ExecutorUnavailable: There is no `docker` command, or no engine behind it.
    """
    fix = "Start Docker on the machine of the studio, or choose another executor for this team."
    if shutil.which("docker") is None:
        raise ExecutorUnavailable("The team runs code in Docker, but there is no `docker` command here.", fix=fix)
    outcome = await _docker("version", "--format", "{{.Server.Version}}")
    if outcome.exit_code != 0:
        raise ExecutorUnavailable(
            f"The team runs code in Docker, but no Docker engine answers: {_reason(outcome)}", fix=fix
        )


async def _docker(*arguments: str, limit_s: float = COMMAND_LIMIT_S, token: CancellationToken | None = None) -> Outcome:
    return await run_program(("docker", *arguments), timeout_s=limit_s, token=token)
