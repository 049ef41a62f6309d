"""A studio of its own process that is ended by force and started again, and clients that bear it."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.kills.teams import TOKENS, Kind
from tests.processes import StudioProcess

AGAIN_S = 0.05
"""After which a client whose connection was lost tries again."""
ENDED_WITHIN_S = 60
LOST = (httpx.TransportError, httpx.StreamError)


class Studio:
    """`studio serve` on one port and one data folder, in as many lives as one likes."""

    def __init__(self, data_dir: Path, log: Path, **environment: str) -> None:
        self._data_dir = data_dir
        self._log = log
        self._environment = {"OPENAI_API_KEY": "key", **environment}
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port: int = free.getsockname()[1]
        self._process: StudioProcess | None = None
        self.token = ""
        self.ended: list[tuple[float, float]] = []
        """When it was told to end, and when it was gone."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    async def start(self) -> None:
        """Return when pages can be opened."""
        command = ("serve", "--port", self._port, "--data-dir", self._data_dir)
        self._process = await asyncio.to_thread(
            StudioProcess.start, *command, environment=self._environment, errors=self._log
        )
        line = await asyncio.to_thread(self._process.output.readline)
        found = re.search(r"token=(\S+)", line)
        assert found, f"The studio did not start; see {self._log}."
        self.token = found[1]

    async def end(self, number: signal.Signals) -> None:
        """Send the signal and wait until the process is gone."""
        assert self._process
        told_at = time.monotonic()
        self._process.signal(number)
        await asyncio.to_thread(self._process.wait, ENDED_WITHIN_S)
        self._process.end()
        self.ended.append((told_at, time.monotonic()))

    def client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            base_url=self.url,
            headers={"Authorization": f"Bearer {self.token}"},
            trust_env=False,
            timeout=httpx.Timeout(30, read=60),
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
        )


@dataclass
class Watched:
    """What a client has seen of one run, over all connections."""

    run_id: str
    kind: str
    shown: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    shown_at: list[float] = field(default_factory=list[float])
    last_id: str = ""
    state: str = ""
    detail: str = ""
    in_flight: int = 0
    answered: dict[str, int] = field(default_factory=dict[str, int])
    """Which answers were acknowledged, and on which connection."""
    asked_again: list[str] = field(default_factory=list[str])
    """Questions that were open on a later connection although their answer was acknowledged."""
    connections: int = 0

    @property
    def has_ended(self) -> bool:
        return self.state in ("finished", "stopped", "cancelled", "failed", "interrupted")

    def shown_twice(self) -> list[str]:
        """Entries that were shown more than once, by their numbers or by what they are."""
        seen: set[str] = set()
        twice: list[str] = []
        for entry in self.shown:
            body = entry["body"]
            names = {f"number {entry['seq']}", *([f"id {body['id']}"] if body.get("id") else [])}
            twice += sorted(seen & names)
            seen |= names
        return twice


async def make_team(client: httpx.AsyncClient, kind: Kind, url: str) -> str:
    """Save a team with its rules, and approve all that it does."""
    made = await _json(client.post("/api/teams", json={"component": kind.make(url)}))
    team_id = str(made["id"])
    if kind.policy:
        await _json(client.put(f"/api/teams/{team_id}/policy", json=kind.policy))
    if kind.tokens:
        await _json(client.put(f"/api/teams/{team_id}/budget", json={"run": {"tokens": kind.tokens}}))
    return team_id


async def start_run(client: httpx.AsyncClient, team_id: str, task: str) -> str:
    """Start a run; what is missing is approved."""
    body = {"team_id": team_id, "task": task}
    while True:
        answer = await client.post("/api/runs", json=body)
        if answer.status_code == 403:
            hashes = [item["hash"] for item in answer.json()["missing"]]
            await _json(client.post("/api/approvals", json={"hashes": hashes}))
            continue
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


async def _json(answering: Any) -> Any:
    answer = await answering
    assert answer.is_success, answer.text
    return answer.json()


async def follow(
    client: httpx.AsyncClient, watched: Watched, *, until: Callable[[Watched], bool] = lambda watched: watched.has_ended
) -> None:
    """Watch a run to its end, or so far, and answer what it asks; where the server is gone, try again and again."""
    while not until(watched):
        try:
            async with aclosing(events(client, watched)) as sent:
                async for name, data in sent:
                    await _take(client, watched, name, data)
                    if until(watched):
                        return
        except LOST:
            await asyncio.sleep(AGAIN_S)


async def events(client: httpx.AsyncClient, watched: Watched) -> AsyncGenerator[tuple[str, Any]]:
    """What a run's page is sent on one connection, from where it was."""
    headers = {"Last-Event-ID": watched.last_id} if watched.last_id else {}
    async with client.stream("GET", f"/api/runs/{watched.run_id}/stream", headers=headers) as response:
        watched.connections += 1
        if response.status_code == 204:
            await response.aclose()
            run = await client.get(f"/api/runs/{watched.run_id}")
            watched.state, watched.detail = run.json()["state"], run.json()["detail"]
            return
        assert response.status_code == 200, response.status_code
        name, data, number = "", "", ""
        async for line in response.aiter_lines():
            match line.partition(": "):
                case ("event", _, rest):
                    name = rest
                case ("data", _, rest):
                    data = rest
                case ("id", _, rest):
                    number = rest
                case ("", _, _) if name:
                    watched.last_id = number or watched.last_id
                    yield name, json.loads(data)
                    name, data, number = "", "", ""
                case _:
                    pass


def take_note(watched: Watched, name: str, data: Any) -> None:
    """Keep what was sent."""
    if name == "entries":
        watched.shown += data
        watched.shown_at += [time.monotonic()] * len(data)
    elif name == "state":
        watched.state, watched.detail, watched.in_flight = data["state"], data["detail"], len(data["in_flight"])


async def _take(client: httpx.AsyncClient, watched: Watched, name: str, data: Any) -> None:
    take_note(watched, name, data)
    if name == "state":
        if data["state"] == "paused" and data["reason"] in ("killed", "error", "approval") and not data["pending"]:
            await tell(client, watched, {"command": "continue"})
        elif data["pending"]:
            await _answer(client, watched, data["pending"], data["usage"])


async def _answer(client: httpx.AsyncClient, watched: Watched, pending: Any, usage: Any) -> None:
    details, request_id = pending["details"], pending["request_id"]
    subject = f"{pending['kind']} {details.get('hash') or request_id}"
    answered_on = watched.answered.get(subject)
    if answered_on == watched.connections:
        return  # told before the answer came in
    if answered_on is not None:
        watched.asked_again.append(subject)
    if pending["kind"] == "approval":
        decision = {"hash": details["hash"], "verdict": "allow"}
        done = await tell(client, watched, {"command": "decide", "request_id": request_id, "data": decision})
    elif pending["kind"] == "budget":
        tokens = usage["prompt_tokens"] + usage["completion_tokens"] + 4 * TOKENS
        raised = {"run": {"tokens": tokens * 10}}
        done = (await client.put(f"/api/runs/{watched.run_id}/budget", json=raised)).status_code == 200
    else:
        text = "again" if pending["kind"] == "outcome" else "fine"
        done = await tell(client, watched, {"command": "answer", "request_id": request_id, "text": text})
    if done:
        watched.answered[subject] = watched.connections


async def tell(client: httpx.AsyncClient, watched: Watched, command: dict[str, Any]) -> bool:
    """Whether the command was acknowledged; one that came too late was not."""
    answer = await client.post(f"/api/runs/{watched.run_id}/commands", json=command)
    assert answer.status_code in (200, 409, 503), answer.text
    return answer.status_code == 200


@asynccontextmanager
async def studio_in(folder: Path) -> AsyncGenerator[tuple[Studio, httpx.AsyncClient]]:
    studio = Studio(folder / "data", folder / "server.txt")
    await studio.start()
    try:
        async with studio.client() as client:
            yield studio, client
    finally:
        await studio.end(signal.SIGKILL)
