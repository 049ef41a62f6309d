"""Code in processes on this machine."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Protocol

from pydantic import Field, PrivateAttr

from studio.components import Capability
from studio.components.folders import describe_folder, make_folder
from studio.errors import Finding, Fix
from studio.executors.base import CODE_RUNS_HERE, path_of
from studio.executors.command_line import (
    INSTALL_LIMIT_S,
    PIP_INSTALL,
    CommandLineExecutor,
    Folder,
    Functions,
    FunctionsModule,
)
from studio.executors.docker import DockerCommandLineCodeExecutor
from studio.executors.program import Outcome, not_installed, run_program
from studio.executors.scripts import MADE_UP, POWERSHELL, PYTHON, program_for
from studio.executors.surroundings import environment_at
from studio.messages import CancellationToken
from studio.sandbox import JailUnavailable, Policy, confined, current_jail, kill_group
from studio.sandbox.grants import granted_hosts

logger = logging.getLogger(__name__)
NOT_DOWNLOADED = (
    "Some packages are missing, and this code was approved without network access: {}. Approve it for pypi.org and "
    "files.pythonhosted.org, or install them in the studio's environment."
)


class VirtualEnvironment(Protocol):
    """What `venv.EnvBuilder.ensure_directories` gives, as far as it is used."""

    env_exe: str
    bin_path: str


class LocalCommandLineCodeExecutor(CommandLineExecutor):
    """Runs Python and shell code on this machine: in the sandbox, or in scripts as their user.

    The processes get no environment variables of the studio except the search path for programs.
    """

    provider = "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.LocalCommandLineCodeExecutor",
        "autogenstudio.gallery.builder.LocalCommandLineCodeExecutor",
        "studio.executors.LocalCommandLineCodeExecutor",
    )
    positional = ("timeout", "work_dir")
    needs_jail = True

    work_dir: Annotated[
        Folder, Field(description="Folder in which code runs and leaves files. Empty: a temporary one.")
    ] = None
    functions_module: FunctionsModule = "functions"
    functions: Functions = None
    cleanup_temp_files: Annotated[
        bool,
        Field(description="Delete the script files after they ran. Files that the code names are kept."),
    ] = True

    _left_running: set[int] = PrivateAttr(default_factory=set[int])
    """Process groups with programs that code put into the background."""
    _virtual_environment: VirtualEnvironment | None = PrivateAttr(default=None)

    def __init__(self, *args: Any, virtual_env_context: VirtualEnvironment | None = None, **data: Any) -> None:
        """Make one as in AutoGen; a virtual environment in which Python shall run has no JSON."""
        super().__init__(*args, **data)
        self._virtual_environment = virtual_env_context

    def advice(self) -> Iterator[Finding]:
        docker = DockerCommandLineCodeExecutor(
            timeout=self.timeout,
            work_dir=self.work_dir,
            functions_module=self.functions_module,
            functions=self.functions,
        )
        message = "Code that a model writes runs on this machine, with the rights of the studio's user."
        fixes = [Fix("Run it in Docker", "", docker.dump_component())]
        yield CODE_RUNS_HERE(message, "Run it in a Docker container.", "", fixes)

    def capabilities(self) -> Iterator[Capability]:
        place = describe_folder(self.work_dir) if self.work_dir else "a temporary folder"
        text = f"Runs any code that the model writes on this machine, in {place}."
        yield from super().capabilities()
        detail = f"Python and shell code in {place}, at most {self.timeout} s a block"
        yield Capability("process", text, detail, is_open=True)

    async def _start(self) -> None:
        self._make_folder()
        try:
            # The studio writes into the folder before a program runs there, so it asks now whether one may.
            current_jail.get().command((self._python,), self._policy())
        except JailUnavailable:
            self._drop_folder()
            raise

    def _make_folder(self) -> None:
        """Make the folder that code runs in, unless there is one; it stays until the executor is stopped."""
        if self._temporary is None:
            named = make_folder(self.work_dir, self.capabilities()) if self.work_dir else None
            self._temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
            self._folder = named or path_of(self._temporary)

    async def _stop(self) -> None:
        while self._left_running:
            kill_group(self._left_running.pop())
        self._drop_folder()

    async def _run(self, language: str, file: Path, token: CancellationToken) -> Outcome:
        program = self._python if language in PYTHON else program_for(language)
        options = ("-NoProfile", "-ExecutionPolicy", "Bypass", "-File") if language in POWERSHELL else ()
        return await self._run_program((program, *options, str(file)), self.timeout, token)

    async def _run_program(self, command: Sequence[str], timeout_s: float, token: CancellationToken) -> Outcome:
        environment = self._environment()
        if shutil.which(command[0], path=environment["PATH"]) is None:
            return not_installed(command[0])
        async with confined(command, self._policy()) as confined_command:
            outcome = await run_program(
                confined_command, folder=self._folder, environment=environment, timeout_s=timeout_s, token=token
            )
        if outcome.group is not None:
            self._left_running.add(outcome.group)
        return outcome

    def _policy(self) -> Policy:
        """What its programs may do where the studio confines them."""
        return Policy(
            self._folder,
            readable=self._python_of_its_own(),
            writable=(self._home,),
            hosts=granted_hosts(self.capabilities()),
        )

    def _python_of_its_own(self) -> tuple[Path, ...]:
        """The virtual environment, and the Python that it was made with."""
        chosen = self._virtual_environment
        if chosen is None:
            return ()
        environment = Path(os.path.abspath(chosen.bin_path)).parent
        return environment, Path(os.path.realpath(chosen.env_exe)).parent.parent

    async def _install(self, packages: Sequence[str], token: CancellationToken) -> Outcome:
        """Into a folder of the run's own, unless they are there: nothing that a team names changes the studio."""
        pip = (self._python, *PIP_INSTALL)
        outcome = await self._run_program((*pip, "--no-index", "--dry-run", *packages), INSTALL_LIMIT_S, token)
        if outcome.exit_code == 0:
            return outcome
        if current_jail.get().is_confining and not granted_hosts(self.capabilities()):
            return Outcome(1, stderr=NOT_DOWNLOADED.format(", ".join(packages)))
        return await self._run_program(
            (*pip, "--prefix=", "--target", str(self._packages), *packages), INSTALL_LIMIT_S, token
        )

    @property
    def _home(self) -> Path:
        assert self._temporary is not None, "only called between start and stop"
        return path_of(self._temporary)

    @property
    def _packages(self) -> Path:
        """For what its functions need; what code installs by itself has another place."""
        return self._home / "needed"

    @property
    def _python(self) -> str:
        chosen = self._virtual_environment
        return sys.executable if chosen is None else os.path.abspath(chosen.env_exe)

    def _environment(self) -> dict[str, str]:
        environment = environment_at(self._home)
        if self.functions:
            found = (str(self._folder), str(self._packages), environment.get("PYTHONPATH"))
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, found))
        if self._virtual_environment is not None:
            programs = os.path.abspath(self._virtual_environment.bin_path)
            environment["PATH"] = f"{programs}{os.pathsep}{environment['PATH']}"
        return environment

    def _describe(self, outcome: Outcome) -> str:
        """Of a program that was stopped only that it was, as in AutoGen."""
        return f"\n{outcome.stopped}" if outcome.stopped else super()._describe(outcome)

    def _clean_up(self, files: Sequence[Path]) -> None:
        if self.cleanup_temp_files:
            for file in files:
                if file.name.startswith(MADE_UP):
                    self._delete(file)

    def _delete(self, file: Path) -> None:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:  # what the code printed is worth more than a tidy folder
            logger.error("Failed to delete temporary file %s: %s", file, error)
