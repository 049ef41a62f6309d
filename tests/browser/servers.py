"""The studio that browsers meet: one process, or web replicas and workers behind a balancer."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from tests.fakes.balancer import Balancer
from tests.processes import StudioProcess, run

ENTRANCE = re.compile(r"(http://[^/]+:(\d+))(/\?token=\S+)")
STOPPED_WITHIN_S = 15


@dataclass
class StudioServer:
    """One `studio serve` in a process of its own, over a data folder that outlives it."""

    data_dir: Path
    database_url: str = field(default="", kw_only=True)
    environment: dict[str, str] = field(default_factory=dict[str, str])
    entrance: str = ""
    output: list[str] = field(default_factory=list[str])
    _processes: list[StudioProcess] = field(default_factory=list[StudioProcess])
    _readers: list[threading.Thread] = field(default_factory=list[threading.Thread])

    @property
    def url(self) -> str:
        """Address without the token."""
        return self.entrance.split("/?")[0]

    @property
    def is_running(self) -> bool:
        return any(process.is_running for process in self._processes)

    def start(self, port: int = 0) -> None:
        """Start and wait for the address; a second start after `kill` uses the same data."""
        self.entrance = self._begin("serve", "--port", port, "--data-dir", self.data_dir)[0]

    def stop(self) -> int:
        """End it as an operator does, and give the exit code; of several the worst."""
        for process in self._processes:
            process.terminate()
        return self._ended()

    def kill(self) -> None:
        """End it as a crash does."""
        for process in self._processes:
            process.kill()
        self._ended()

    def _begin(self, *command: object) -> re.Match[str]:
        """A process that serves pages, and the address that it printed."""
        process = self._process(*command)
        for line in process.output:
            self.output.append(line)
            if found := ENTRANCE.search(line):
                self._read_on(process)
                return found
        raise AssertionError("The server did not start:\n" + "".join(self.output))

    def _process(self, *command: object) -> StudioProcess:
        process = StudioProcess.start(*command, environment=self.environment)
        self._processes.append(process)
        return process

    def _read_on(self, process: StudioProcess) -> None:
        reader = threading.Thread(target=self._drain, args=(process,), daemon=True)
        reader.start()
        self._readers.append(reader)

    def _drain(self, process: StudioProcess) -> None:
        with process.output as lines:
            self.output.extend(lines)

    def _ended(self) -> int:
        codes = [process.wait(STOPPED_WITHIN_S) for process in self._processes]
        for reader in self._readers:
            reader.join(STOPPED_WITHIN_S)
        self._processes.clear()
        self._readers.clear()
        return max(codes, key=abs)


@dataclass
class FleetServer(StudioServer):
    """Two web replicas and two workers on a database of PostgreSQL. Each connection comes to the next replica."""

    _balancer: Balancer | None = None

    def __post_init__(self) -> None:
        own = {"STUDIO_DATABASE_URL": self.database_url, "STUDIO_DATA_DIR": str(self.data_dir)}
        self.environment = {**self.environment, **own}

    @override
    def start(self, port: int = 0) -> None:
        self._balancer = Balancer(port)
        self.environment["STUDIO_ALLOWED_HOSTS"] = self._balancer.host
        migrated = run("migrate", environment=self.environment)
        assert migrated.code == 0, migrated
        replicas = [self._begin("web", "--port", 0) for _ in range(2)]
        for _ in range(2):
            worker = self._process("worker")
            self.output.append(worker.output.readline())
            self._read_on(worker)
        self._balancer.begin([int(found[2]) for found in replicas])
        self.entrance = f"http://{self._balancer.host}{replicas[0][3]}"

    @override
    def _ended(self) -> int:
        if self._balancer is not None:
            self._balancer.close()
        return super()._ended()
