"""Executors: where the code that a model writes is run."""

from studio.executors.base import CodeExecutor as CodeExecutor
from studio.executors.base import CommandLineCodeResult as CommandLineCodeResult
from studio.executors.base import ExecutorUnavailable as ExecutorUnavailable
from studio.executors.docker import DockerCommandLineCodeExecutor as DockerCommandLineCodeExecutor
from studio.executors.jupyter import JupyterCodeExecutor as JupyterCodeExecutor
from studio.executors.jupyter import JupyterCodeResult as JupyterCodeResult
from studio.executors.local import LocalCommandLineCodeExecutor as LocalCommandLineCodeExecutor
