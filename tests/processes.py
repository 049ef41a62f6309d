"""The `studio` command in a process of its own, forked from one that has imported it: see `tests/warm.py`."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from typing import TextIO

from studio.cli import main

_forking = multiprocessing.get_context("forkserver")
_forking.set_forkserver_preload(["tests.warm"])


@dataclass(frozen=True)
class StudioProcess:
    """A running `studio` command, and what it prints, on either stream."""

    output: TextIO
    process: ForkServerProcess

    @classmethod
    def start(cls, *arguments: object, environment: Mapping[str, str] | None = None) -> StudioProcess:
        """Run `studio ARGUMENTS` with the environment of this process and these variables besides."""
        reading, writing = _forking.Pipe(duplex=False)
        given = {**os.environ, **(environment or {})}
        process = _forking.Process(target=_run, args=([str(each) for each in arguments], given, writing), daemon=True)
        process.start()
        writing.close()
        output = os.fdopen(os.dup(reading.fileno()), encoding="utf-8", errors="replace")
        reading.close()
        return cls(output, process)

    @property
    def is_running(self) -> bool:
        return self.process.is_alive()

    def terminate(self) -> None:
        self.process.terminate()

    def kill(self) -> None:
        self.process.kill()

    def wait(self, limit_s: float) -> int:
        """Its exit code, negative for a signal, once it has ended."""
        self.process.join(limit_s)
        assert self.process.exitcode is not None, f"The studio still runs after {limit_s} s."
        return self.process.exitcode


def _run(arguments: Sequence[str], environment: Mapping[str, str], output: Connection) -> None:
    os.environ.clear()
    os.environ.update(environment)
    for stream in (1, 2):
        os.dup2(output.fileno(), stream)
    output.close()
    sys.exit(main(arguments))
