"""Code in processes on this machine."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field, PrivateAttr, field_validator

from studio.components import Capability
from studio.executors.base import CodeExecutor, CommandLineCodeResult, folder_at, path_of
from studio.executors.program import Outcome, kill_group, run_program
from studio.executors.scripts import (
    LANGUAGES,
    MADE_UP,
    POWERSHELL,
    PYTHON,
    OutsideWorkspace,
    program_for,
    write_script,
)
from studio.messages import CancellationToken, CodeBlock
from studio.sandbox import bare_environment


class LocalCommandLineCodeExecutor(CodeExecutor):
    """Runs Python and shell code on this machine, with the rights of the studio's user.

    The processes see nothing of the studio's environment but the search path for programs.
    """

    provider = "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor"
    aliases = (
        "autogen_ext.code_executors.LocalCommandLineCodeExecutor",
        "autogenstudio.gallery.builder.LocalCommandLineCodeExecutor",
        "studio.executors.LocalCommandLineCodeExecutor",
    )
    positional = ("timeout", "work_dir")
    result_type = CommandLineCodeResult

    work_dir: Annotated[
        str | None,
        Field(title="Folder", description="Where code runs and leaves files; a temporary one when left out."),
    ] = None
    functions_module: Annotated[
        str,
        Field(
            title="Module of functions",
            description="Kept for AutoGen, not used.",
            json_schema_extra={"x-advanced": True},
        ),
    ] = "functions"
    cleanup_temp_files: Annotated[
        bool,
        Field(title="Delete scripts", description="Delete the files that code was run from; named ones stay."),
    ] = True

    _temporary: tempfile.TemporaryDirectory[str] | None = PrivateAttr(default=None)
    _folder: Path = PrivateAttr(default=Path())
    _left_running: set[int] = PrivateAttr(default_factory=set[int])
    """Process groups with programs that code put into the background."""

    @field_validator("work_dir", mode="before")
    @classmethod
    def _path_is_text(cls, value: object) -> object:
        return str(value) if isinstance(value, Path) else value

    @field_validator("functions_module")
    @classmethod
    def _is_a_module_name(cls, name: str) -> str:
        if not name.isidentifier():
            raise ValueError("Module name must be a valid Python identifier")
        return name

    def capabilities(self) -> Iterator[Capability]:
        place = f"the folder {self.work_dir!r}" if self.work_dir else "a temporary folder"
        text = f"Runs any code that the model writes on this machine, in {place}."
        yield Capability("process", text, f"Python and shell code in {place}, at most {self.timeout} s a block")

    async def _start(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="studio-code-", ignore_cleanup_errors=True)
        self._folder = folder_at(self.work_dir) if self.work_dir else path_of(self._temporary)

    async def _stop(self) -> None:
        while self._left_running:
            kill_group(self._left_running.pop())
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> CommandLineCodeResult:
        output = ""
        exit_code = 0
        files: list[Path] = []
        try:
            for block in blocks:
                language = block.language.lower()
                if language not in LANGUAGES:
                    output, exit_code = f"{output}\nunknown language {language}", 1
                    break
                files.append(write_script(block, self._folder))
                outcome = await self._run(language, files[-1], token)
                output, exit_code = output + _told(outcome), outcome.exit_code
                if exit_code != 0:
                    break
        except OutsideWorkspace as error:
            return CommandLineCodeResult(exit_code=1, output=str(error))
        finally:
            self._clean_up(files)
        return CommandLineCodeResult(exit_code=exit_code, output=output, code_file=str(files[0]) if files else None)

    async def _run(self, language: str, file: Path, token: CancellationToken) -> Outcome:
        assert self._temporary is not None, "only called between start and stop"
        program = sys.executable if language in PYTHON else program_for(language)
        options = ("-NoProfile", "-ExecutionPolicy", "Bypass", "-File") if language in POWERSHELL else ()
        outcome = await run_program(
            (program, *options, str(file)),
            folder=self._folder,
            environment=bare_environment(Path(self._temporary.name)),
            timeout_s=self.timeout,
            token=token,
        )
        if outcome.group is not None:
            self._left_running.add(outcome.group)
        return outcome

    def _clean_up(self, files: Sequence[Path]) -> None:
        if self.cleanup_temp_files:
            for file in files:
                if file.name.startswith(MADE_UP):
                    file.unlink(missing_ok=True)


def _told(outcome: Outcome) -> str:
    """What the model is told; of a program that was stopped only that it was, as in AutoGen."""
    return f"\n{outcome.stopped}" if outcome.stopped else outcome.stderr + outcome.stdout
