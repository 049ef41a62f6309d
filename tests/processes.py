"""Commands of the studio in processes of their own, forked from one that has imported it: see `tests/warm.py`.

What a new interpreter alone shows, such as which modules a command imports, is tested by `subprocess`.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import sys
import tempfile
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from types import TracebackType
from typing import Literal, NamedTuple, Self, TextIO

_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(["tests.warm"])

KILLED_WITHIN_S = 15

Errors = Literal["with output", "apart"] | Path


class Outcome(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@dataclass(frozen=True)
class Command:
    """What a process runs: `python -m MODULE ARGUMENTS`, with these variables in place of its parent's."""

    module: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    folder: Path


@dataclass(frozen=True)
class StudioProcess:
    """A running command, and what it prints; killed where a context of it ends."""

    output: TextIO
    """Standard output, and standard error where that has no stream of its own."""
    errors: TextIO | None
    process: ForkServerProcess

    @classmethod
    def start(
        cls,
        *arguments: object,
        environment: Mapping[str, str] | None = None,
        module: str = "studio",
        errors: Errors = "with output",
    ) -> Self:
        """Run `python -m MODULE ARGUMENTS` with the environment of this process and these variables besides.

        Args:
            errors: Where standard error goes: to the output, to a stream of its own, or to the end of a file.
        """
        command = _command(module, arguments, environment, Path.cwd())
        reading, writing = _forking.Pipe(duplex=False)
        reading_errors, writing_errors = _forking.Pipe(duplex=False) if errors == "apart" else (None, errors)
        if writing_errors == "with output":
            writing_errors = writing
        process = _forking.Process(target=_run_piped, args=(command, writing, writing_errors), daemon=True)
        process.start()
        writing.close()
        if isinstance(writing_errors, Connection):
            writing_errors.close()
        return cls(_text(reading), _text(reading_errors) if reading_errors else None, process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()

    @property
    def is_running(self) -> bool:
        return self.process.is_alive()

    @property
    def code(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self.process.exitcode

    def signal(self, number: signal.Signals) -> None:
        if self.process.pid is not None and self.is_running:
            os.kill(self.process.pid, number)

    def terminate(self) -> None:
        self.process.terminate()

    def kill(self) -> None:
        self.process.kill()

    def wait(self, limit_s: float) -> int:
        """Its exit code, once it has ended."""
        self.process.join(limit_s)
        assert self.process.exitcode is not None, f"The studio still runs after {limit_s} s."
        return self.process.exitcode

    def end(self) -> None:
        """Kill it, also where it is frozen, and let go of what it printed."""
        self.kill()
        self.wait(KILLED_WITHIN_S)
        self.output.close()
        if self.errors is not None:
            self.errors.close()


def run(
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    module: str = "studio",
    folder: Path | None = None,
    stdin: str = "",
    limit_s: float = 60,
) -> Outcome:
    """Run `python -m MODULE ARGUMENTS` in a folder to its end."""
    with tempfile.TemporaryDirectory() as name:
        files = Path(name)
        (files / "in").write_text(stdin, encoding="utf-8")
        command = _command(module, arguments, environment, folder or Path.cwd())
        process = _forking.Process(target=_run_filed, args=(command, files), daemon=True)
        process.start()
        process.join(limit_s)
        if process.exitcode is None:
            process.kill()
            process.join(KILLED_WITHIN_S)
        out, err = ((files / stream).read_text(encoding="utf-8") for stream in ("out", "err"))
        assert process.exitcode is not None, f"The command did not end within {limit_s} s.\n{out}\n{err}"
        return Outcome(process.exitcode, out, err)


def _command(
    module: str, arguments: tuple[object, ...], environment: Mapping[str, str] | None, folder: Path
) -> Command:
    return Command(module, tuple(str(each) for each in arguments), {**os.environ, **(environment or {})}, folder)


def _text(reading: Connection) -> TextIO:
    with reading:
        return os.fdopen(os.dup(reading.fileno()), encoding="utf-8", errors="replace")


def _run_piped(command: Command, out: Connection, errors: Connection | Path) -> None:
    with out, errors.open("ab") if isinstance(errors, Path) else errors as opened:
        os.dup2(out.fileno(), 1)
        os.dup2(opened.fileno(), 2)
    _run(command)


def _run_filed(command: Command, files: Path) -> None:
    with ExitStack() as opened:
        for number, (name, mode) in enumerate((("in", "rb"), ("out", "wb"), ("err", "wb"))):
            os.dup2(opened.enter_context((files / name).open(mode)).fileno(), number)
    _run(command)


def _run(command: Command) -> None:
    os.environ.clear()
    os.environ.update(command.environment)
    os.chdir(command.folder)
    sys.path.insert(0, str(command.folder))
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)  # those of the parent were made for it
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1)
    if wanted := command.environment.get("PYTHONWARNINGS"):
        warnings.simplefilter("error" if wanted == "error" else "default")
    module = importlib.import_module(command.module)
    if hasattr(module, "__path__"):  # a package, of which `python -m` runs this
        module = importlib.import_module(f"{command.module}.__main__")
    sys.exit(module.main(list(command.arguments)))
