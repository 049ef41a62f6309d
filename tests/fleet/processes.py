"""Web replicas and workers as processes of their own, on one PostgreSQL database."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from studio.components import JsonObject
from tests.processes import Outcome, StudioProcess, run

ADDRESS = re.compile(r"(http://[^/]+)/\?token=(\S+)")
ENDED = ("finished", "stopped", "cancelled", "failed", "interrupted")


@dataclass
class Fleet:
    """Starts processes that end with it. `url` is that of the database, `folder` holds the keys of all."""

    url: str
    folder: Path
    _stack: ExitStack = field(default_factory=ExitStack)

    def run(self, *arguments: str) -> Outcome:
        """What a command that ends at once says."""
        return run(*arguments, environment=self._environment)

    def web(self, command: str = "web") -> httpx.Client:
        """A client of a new replica."""
        process = self.start(command, "--port", "0")
        line = process.output.readline()
        found = ADDRESS.search(line)
        assert found, line
        client = httpx.Client(
            base_url=found[1], headers={"Authorization": f"Bearer {found[2]}"}, trust_env=False, timeout=60
        )
        return self._stack.enter_context(client)

    def worker(self) -> StudioProcess:
        """A new worker, which drives runs or stands by by now."""
        process = self.start("worker")
        process.output.readline()
        return process

    def start(self, *arguments: str) -> StudioProcess:
        return self._stack.enter_context(StudioProcess.start(*arguments, environment=self._environment))

    def close(self) -> None:
        self._stack.close()

    @property
    def _environment(self) -> dict[str, str]:
        return {"OPENAI_API_KEY": "key", "STUDIO_DATABASE_URL": self.url, "STUDIO_DATA_DIR": str(self.folder)}


@contextmanager
def fleet(url: str, folder: Path) -> Generator[Fleet]:
    """Processes on a database that is made ready for them."""
    made = Fleet(url, folder)
    migrated = made.run("migrate")
    assert migrated.code == 0, migrated
    try:
        yield made
    finally:
        made.close()


def start(client: httpx.Client, document: JsonObject, task: str = "Say hello.") -> str:
    """Start a run of a new team, and approve what it needs; returns its id."""
    made = client.post("/api/teams", json={"component": document})
    assert made.status_code == 201, made.text
    asked = {"team_id": made.json()["id"], "task": task}
    started = client.post("/api/runs", json=asked)
    if started.status_code == 403:
        client.post("/api/approvals", json={"hashes": [item["hash"] for item in started.json()["missing"]]})
        started = client.post("/api/runs", json=asked)
    assert started.status_code == 201, started.text
    return started.json()["id"]


def tell(client: httpx.Client, run_id: str, command: str, **more: object) -> httpx.Response:
    return client.post(f"/api/runs/{run_id}/commands", json={"command": command, **more})


def follow(client: httpx.Client, run_id: str, after: int = 0) -> Iterator[tuple[str, Any]]:
    """The events of a run as a page is sent them: name and data, until the stream ends."""
    with client.stream("GET", f"/api/runs/{run_id}/stream", headers={"Last-Event-ID": str(after)}) as response:
        name = ""
        for line in response.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


def shown_by(client: httpx.Client, run_id: str, text: str) -> None:
    """Return when somebody has said the text: it is in the log then."""
    for name, data in follow(client, run_id):
        if name == "entries" and any(entry["body"].get("content") == text for entry in data):
            return
    raise AssertionError(f"Nobody said {text!r}.")


def until(client: httpx.Client, run_id: str, state: str) -> JsonObject:
    """Follow a run until it is in a state; returns the view."""
    for name, data in follow(client, run_id):
        if name == "state" and data["state"] == state:
            return data
        assert name != "state" or data["state"] not in ENDED, data
    raise AssertionError(f"The run did not come to {state}.")


def numbers(client: httpx.Client, run_id: str) -> list[int]:
    """The numbers of the entries of an ended run, as they are streamed."""
    return [entry["seq"] for name, data in follow(client, run_id) if name == "entries" for entry in data]
