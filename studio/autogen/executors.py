"""Code executors as AutoGen's scripts make and derive them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast
from warnings import warn

from studio import executors as ours
from studio.autogen.freed import Freed, free, mix_in
from studio.autogen.shared import is_by_engine


class FreedExecutor(Freed):
    """Says at once what AutoGen's says of a time limit and a folder."""

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        limit = named.get("timeout")
        if isinstance(limit, int | float) and limit < 1:
            raise ValueError("Timeout must be greater than or equal to 1.")
        for name in ("work_dir", "output_dir"):
            if str(named.get(name)) == ".":
                warn(f"Using the current directory as {name} is deprecated.", DeprecationWarning, stacklevel=2)
        super().__init__(**named)


class FolderOf:
    """A data descriptor for the folder of an executor: text for the engine, the real folder for a script.

    Args:
        name: The field.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            raise AttributeError(f"{owner.__name__} has no {self._name}")  # Pydantic would take it for a default
        given: Any = cast("dict[str, Any]", vars(instance)).get(self._name)
        if is_by_engine(1):
            return given
        if instance._folder != Path():
            return instance._folder
        if given is None:
            raise RuntimeError("Working directory not properly initialized. It is made when the executor is started.")
        return Path(given)

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self._name] = value


class LocalCommandLineCodeExecutor(
    FreedExecutor, ours.LocalCommandLineCodeExecutor, stands_for=ours.LocalCommandLineCodeExecutor
):
    """Runs code on this machine."""

    provider = ours.LocalCommandLineCodeExecutor.provider
    aliases = ours.LocalCommandLineCodeExecutor.aliases

    async def restart(self) -> None:
        """Do nothing: each block of code is a program of its own."""
        warn("Restarting local command line code executor is not supported. No action is taken.", stacklevel=2)


def create_default_code_executor(work_dir: str | None = None) -> Any:
    """One that runs code in a container, also where Docker is missing: AutoGen's then runs it on this machine."""
    return cast("Any", free(ours.DockerCommandLineCodeExecutor))(work_dir=work_dir)


class CodeExecutor(Freed, ours.CodeExecutor, stands_for=ours.CodeExecutor):
    """An executor of a script."""


_FOLDER_OF: dict[type[ours.CodeExecutor], str] = {
    ours.LocalCommandLineCodeExecutor: "work_dir",
    ours.DockerCommandLineCodeExecutor: "work_dir",
    ours.JupyterCodeExecutor: "output_dir",
    ours.DockerJupyterCodeExecutor: "output_dir",
}
for kind, folder in _FOLDER_OF.items():
    mix_in(kind, FreedExecutor)
    type.__setattr__(free(kind), folder, FolderOf(folder))
