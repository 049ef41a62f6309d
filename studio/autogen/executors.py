"""Code executors as AutoGen's scripts make and derive them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast
from warnings import warn

from studio import executors as ours
from studio.autogen.compat_base import Freed, free, mix_in
from studio.autogen.dual_attribute import is_called_by_engine

_LANGUAGES = ("bash", "shell", "sh", "pwsh", "powershell", "ps1", "python")


class FreedExecutor(Freed):
    """Says at once what AutoGen's says of a time limit and a folder."""

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        limit = named.get("timeout")
        if isinstance(limit, int | float) and limit < 1:
            raise ValueError("Timeout must be greater than or equal to 1.")
        for name in ("work_dir", "output_dir"):
            place = named.get(name)
            if isinstance(place, str | Path) and Path(place).resolve() == Path.cwd().resolve():
                warn(f"Using the current directory as {name} is deprecated.", DeprecationWarning, stacklevel=2)
        super().__init__(**named)


class FolderOf:
    """A data descriptor for the folder of an executor: text for the engine, the real folder for a script.

    Args:
        name: The field.
        make: Makes a temporary one before the executor is started; None where only the start does.
    """

    def __init__(self, name: str, make: Callable[[Any], None] | None = None) -> None:
        self.name = name
        self._make = make

    def __get__(self, instance: Any, owner: Any) -> Any:
        if instance is None:
            raise AttributeError(f"{owner.__name__} has no {self.name}")  # Pydantic would take it for a default
        given: Any = cast("dict[str, Any]", vars(instance)).get(self.name)
        if is_called_by_engine(1):
            return given
        if instance._folder != Path():
            return instance._folder
        if given is not None:
            Path(given).mkdir(parents=True, exist_ok=True)
            return Path(given)
        if self._make is None:
            raise RuntimeError("Working directory not properly initialized. It is made when the executor is started.")
        self._make(instance)
        return instance._folder

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self.name] = value


class LocalCommandLineCodeExecutor(
    FreedExecutor, ours.LocalCommandLineCodeExecutor, stands_for=ours.LocalCommandLineCodeExecutor
):
    """Runs code on this machine."""

    provider = ours.LocalCommandLineCodeExecutor.provider
    aliases = ours.LocalCommandLineCodeExecutor.aliases

    SUPPORTED_LANGUAGES: ClassVar[list[str]] = list(_LANGUAGES)

    async def restart(self) -> None:
        """Do nothing: each block of code is a program of its own."""
        warn("Restarting local command line code executor is not supported. No action is taken.", stacklevel=2)


class DockerCommandLineCodeExecutor(
    FreedExecutor, ours.DockerCommandLineCodeExecutor, stands_for=ours.DockerCommandLineCodeExecutor
):
    """Runs code in a container, which may be given graphics cards; these have no JSON."""

    provider = ours.DockerCommandLineCodeExecutor.provider
    aliases = ours.DockerCommandLineCodeExecutor.aliases

    SUPPORTED_LANGUAGES: ClassVar[list[str]] = list(_LANGUAGES)

    def __init__(self, *args: Any, device_requests: Sequence[Mapping[str, Any]] | None = None, **data: Any) -> None:
        super().__init__(*args, **data)
        self._more_options = [part for request in device_requests or () for part in ("--gpus", _gpus(request))]


def _gpus(request: Mapping[str, Any]) -> str:
    """A `docker.types.DeviceRequest` as the command line has it.

    Source: Docker CLI reference, "docker container run", option `--gpus`.
    """
    named = {"driver": request.get("Driver"), "count": request.get("Count"), "device": request.get("DeviceIDs")}
    if named["count"] == -1:
        named["count"] = "all"
    wanted = (name for names in request.get("Capabilities") or () for name in names if name != "gpu")
    lists = {"device": named["device"], "capabilities": list(wanted)}
    fields = {**named, **{name: ",".join(each) for name, each in lists.items() if each}}
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(f"{name}={value}" for name, value in fields.items() if value)
    return line.getvalue()


def create_default_code_executor(work_dir: str | None = None) -> Any:
    """One that runs code in a container, also where Docker is missing: AutoGen's then runs it on this machine."""
    return DockerCommandLineCodeExecutor(work_dir=work_dir)


class CodeExecutor(Freed, ours.CodeExecutor, stands_for=ours.CodeExecutor):
    """An executor of a script, which starts and stops it itself."""

    async def release(self) -> None:
        """Leave it to the script."""


_FOLDER_OF: dict[type[ours.CodeExecutor], FolderOf] = {
    ours.LocalCommandLineCodeExecutor: FolderOf("work_dir", lambda executor: executor._make_folder()),
    ours.DockerCommandLineCodeExecutor: FolderOf("work_dir"),
    ours.JupyterCodeExecutor: FolderOf("output_dir"),
    ours.DockerJupyterCodeExecutor: FolderOf("output_dir"),
}
for kind, folder in _FOLDER_OF.items():
    mix_in(kind, FreedExecutor)
    type.__setattr__(free(kind), folder.name, folder)
