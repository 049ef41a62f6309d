"""Code executors as AutoGen's scripts derive them."""

from __future__ import annotations

from typing import Any, cast

from studio import executors as ours
from studio.autogen.freed import Freed, free


def create_default_code_executor(work_dir: str | None = None) -> Any:
    """One that runs code in a container, also where Docker is missing: AutoGen's then runs it on this machine."""
    return cast("Any", free(ours.DockerCommandLineCodeExecutor))(work_dir=work_dir)


class CodeExecutor(Freed, ours.CodeExecutor, stands_for=ours.CodeExecutor):
    """An executor of a script."""
