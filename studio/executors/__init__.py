"""Executors: where the code that a model writes is run."""

from typing import TYPE_CHECKING

from studio.components.lazy_exports import lazy
from studio.executors.imports import Alias as Alias
from studio.executors.imports import ImportFromModule as ImportFromModule

if TYPE_CHECKING:
    from studio.executors.base import CodeExecutor as CodeExecutor
    from studio.executors.base import CommandLineCodeResult as CommandLineCodeResult
    from studio.executors.base import ExecutorUnavailable as ExecutorUnavailable
    from studio.executors.cells import JupyterCodeResult as JupyterCodeResult
    from studio.executors.command_line import FunctionsUnusable as FunctionsUnusable
    from studio.executors.docker import DockerCommandLineCodeExecutor as DockerCommandLineCodeExecutor
    from studio.executors.docker_jupyter import DockerJupyterCodeExecutor as DockerJupyterCodeExecutor
    from studio.executors.docker_jupyter import DockerJupyterCodeResult as DockerJupyterCodeResult
    from studio.executors.docker_jupyter import DockerJupyterServer as DockerJupyterServer
    from studio.executors.functions import CodeFunction as CodeFunction
    from studio.executors.functions import FunctionWithRequirements as FunctionWithRequirements
    from studio.executors.functions import FunctionWithRequirementsStr as FunctionWithRequirementsStr
    from studio.executors.functions import with_requirements as with_requirements
    from studio.executors.gateway import JupyterConnectable as JupyterConnectable
    from studio.executors.gateway import JupyterConnectionInfo as JupyterConnectionInfo
    from studio.executors.jupyter import JupyterCodeExecutor as JupyterCodeExecutor
    from studio.executors.local import LocalCommandLineCodeExecutor as LocalCommandLineCodeExecutor
else:
    __getattr__ = lazy(
        __name__,
        {
            "base": "CodeExecutor CommandLineCodeResult ExecutorUnavailable",
            "cells": "JupyterCodeResult",
            "command_line": "FunctionsUnusable",
            "docker": "DockerCommandLineCodeExecutor",
            "docker_jupyter": "DockerJupyterCodeExecutor DockerJupyterCodeResult DockerJupyterServer",
            "functions": "CodeFunction FunctionWithRequirements FunctionWithRequirementsStr with_requirements",
            "gateway": "JupyterConnectable JupyterConnectionInfo",
            "jupyter": "JupyterCodeExecutor",
            "local": "LocalCommandLineCodeExecutor",
        },
    )
