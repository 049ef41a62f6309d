"""What the executors have in common that put code into files and run each as a program."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import AfterValidator, BeforeValidator, Field, PrivateAttr

from studio.components import Capability
from studio.executors.base import CodeExecutor, CommandLineCodeResult, ExecutorUnavailable
from studio.executors.functions import PROMPT, CodeFunction, as_code_functions, module_of, packages_of, prompt_of
from studio.executors.program import Outcome
from studio.executors.scripts import LANGUAGES, write_script
from studio.executors.workspace_files import OutsideWorkspace, write_within
from studio.messages import CancellationToken, CodeBlock, CodeResult

INSTALL_LIMIT_S = 600
PIP_INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")


class FunctionsUnusable(ExecutorUnavailable, ValueError):
    """The functions of an executor do not load, or what they need cannot be installed."""

    code = "functions_unusable"


def path_as_text(value: object) -> object:
    """A path as it stands in JSON."""
    return str(value) if isinstance(value, Path) else value


def _is_a_module_name(name: str) -> str:
    if not name.isidentifier():
        raise ValueError("Module name must be a valid Python identifier")
    return name


Folder = Annotated[str | None, BeforeValidator(path_as_text)]
FunctionsModule = Annotated[
    str,
    AfterValidator(_is_a_module_name),
    Field(description="Module from which code imports the functions.", json_schema_extra={"x-advanced": True}),
]
Functions = Annotated[
    list[CodeFunction] | None,
    BeforeValidator(as_code_functions),
    Field(description="Python functions that code can import.", json_schema_extra={"x-advanced": True}),
]


class CommandLineExecutor(CodeExecutor):
    """Runs each block of code as a program of its own, from a file in one folder.

    A subclass gives `_run` and `_install`, and makes the folder in `_start`.
    """

    result_type: ClassVar[type[CodeResult]] = CommandLineCodeResult
    FUNCTION_PROMPT_TEMPLATE: ClassVar[str] = PROMPT

    if TYPE_CHECKING:  # each executor declares the fields itself, so that its form has its own order
        functions_module: FunctionsModule = "functions"
        functions: Functions = None

    _temporary: tempfile.TemporaryDirectory[str] | None = PrivateAttr(default=None)
    _has_functions: bool = PrivateAttr(default=False)

    def capabilities(self) -> Iterator[Capability]:
        if self.functions:
            yield Capability("python", "Runs the Python functions of an executor.", module_of(self.functions))
        if packages := packages_of(self.functions or ()):
            names = ", ".join(packages)
            yield Capability("process", f"Installs Python packages: {names}.", f"pip install {names}")

    def format_functions_for_prompt(self, prompt_template: str = PROMPT) -> str:
        """The functions as a model can be told them.

        Args:
            prompt_template: Holds `$module_name` and `$functions`.
        """
        return prompt_of(self.functions or (), self.functions_module, prompt_template)

    async def _execute(self, blocks: Sequence[CodeBlock], token: CancellationToken) -> CommandLineCodeResult:
        await self._offer_functions(token)
        output, exit_code = "", 0
        files: list[Path] = []
        try:
            for block in blocks:
                language = block.language.lower()
                if language not in LANGUAGES:
                    output, exit_code = f"{output}\nunknown language {language}", 1
                    break
                files.append(write_script(block, self._folder, extension=self._extension(language)))
                outcome = await self._run(language, files[-1], token)
                output, exit_code = output + self._describe(outcome), outcome.exit_code
                if exit_code != 0:
                    break
        except OutsideWorkspace as error:
            output, exit_code = f"{output}{error}", 1
        finally:
            self._clean_up(files)
        return CommandLineCodeResult(exit_code=exit_code, output=output, code_file=str(files[0]) if files else None)

    async def _offer_functions(self, token: CancellationToken) -> None:
        """Put the functions beside the code; done once, when the first code is run.

        Raises:
            FunctionsUnusable: They do not load, or a package cannot be installed.
        """
        if not self.functions or self._has_functions:
            return
        if packages := packages_of(self.functions):
            outcome = await self._install(packages, token)
            if outcome.exit_code != 0:
                raise FunctionsUnusable(f"Pip install failed. {reason(outcome)}", fix="Check the package names.")
        file = write_within(self._folder, f"{self.functions_module}.py", module_of(self.functions).encode())
        outcome = await self._run("python", file, token)
        if outcome.exit_code != 0:
            raise FunctionsUnusable(f"Functions failed to load: {reason(outcome)}", fix="Check their imports.")
        self._has_functions = True

    async def _run(self, language: str, file: Path, token: CancellationToken) -> Outcome:
        """Run a file to its end, or to the time limit."""
        raise NotImplementedError

    async def _install(self, packages: Sequence[str], token: CancellationToken) -> Outcome:
        """Let code import these packages."""
        raise NotImplementedError

    def _extension(self, language: str) -> str | None:
        """How a made-up file name ends; None has it worked out from the language."""
        del language
        return None

    def _describe(self, outcome: Outcome) -> str:
        """What the model is told of a program's end."""
        return outcome.stderr + outcome.stdout

    def _clean_up(self, files: Sequence[Path]) -> None:
        """Delete what is not to stay."""

    def _drop_folder(self) -> None:
        self._has_functions = False
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


def reason(outcome: Outcome) -> str:
    """Why a program failed, in its own words."""
    return outcome.stopped or (outcome.stderr or outcome.stdout).strip()[-2000:] or f"exit code {outcome.exit_code}"
