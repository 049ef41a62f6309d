"""Runs through the API: started, and followed as a page follows them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.runs import RunState
from studio.web.app import services_of
from tests.web.documents import team


@dataclass(frozen=True)
class Sent:
    """One event of a stream as the browser gets it."""

    name: str
    id: str
    data: Any


def start(client: TestClient, document: JsonObject, task: object = "Say hello.") -> str:
    made = client.post("/api/teams", json={"component": document}).json()
    response = client.post("/api/runs", json={"team_id": made["id"], "task": task})
    assert response.status_code == 201, response.text
    return response.json()["id"]


def stream(client: TestClient, run_id: str, **headers: str) -> list[Sent]:
    """Follow a run to its end."""
    response = client.get(f"/api/runs/{run_id}/stream", headers=headers)
    assert response.headers["Content-Type"].startswith("text/event-stream")
    assert "Content-Encoding" not in response.headers
    return [_sent(block) for block in response.text.split("\n\n") if "event:" in block]


def _sent(block: str) -> Sent:
    fields = dict(line.split(": ", 1) for line in block.splitlines())
    return Sent(fields["event"], fields.get("id", ""), json.loads(fields["data"]))


def entries(sent: list[Sent]) -> list[dict[str, Any]]:
    return [entry for event in sent if event.name == "entries" for entry in event.data]


def wait_for(server: TestClient, run_id: str, state: RunState) -> None:
    """Wait until a run has come to a state, by following it as pages do."""
    app = server.app
    assert isinstance(app, FastAPI)

    async def follow() -> None:
        services = services_of(app)
        assert services is not None
        async for batch in services.supervisor.subscribe(run_id):
            if batch.view.state is state:
                return

    assert server.portal is not None
    server.portal.call(follow)


def ended(client: TestClient, document: JsonObject, task: str = "Say hello.") -> str:
    run_id = start(client, document, task)
    stream(client, run_id)
    return run_id


def compare(client: TestClient, runs: tuple[str, str], **query: object) -> dict[str, Any]:
    params = {name: str(value) for name, value in query.items()}
    response = client.get(f"/api/runs/{runs[0]}/diff/{runs[1]}", params=params)
    assert response.status_code == 200, response.text
    return response.json()


def decide(client: TestClient, run_id: str, pending: dict[str, Any], **data: object) -> int:
    body = {
        "command": "decide",
        "request_id": pending["request_id"],
        "data": {"hash": pending["details"]["hash"], **data},
    }
    return client.post(f"/api/runs/{run_id}/commands", json=body).status_code


def following(response: httpx.Response) -> Iterator[tuple[str, Any]]:
    """The events of a stream, each as it comes."""
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def keeping(client: TestClient, agent: JsonObject, name: str = "Folders") -> str:
    """The id of a team of that agent, with all that it asks for approved."""
    answer = client.post("/api/teams", json={"component": team(agent, label=name, max_messages=2)})
    assert answer.status_code == 201, answer.text
    team_id = str(answer.json()["id"])
    refused = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()
    assert "missing" in refused, refused
    body = {"hashes": [each["hash"] for each in refused["missing"]], "team_id": team_id, "scope": "team"}
    assert client.post("/api/approvals", json=body).status_code == 201
    return team_id


def told(client: TestClient, team_id: str, task: str = "Go.") -> str:
    """All that is in the log of a run of it."""
    answer = client.post("/api/runs", json={"team_id": team_id, "task": task})
    assert answer.status_code == 201, answer.text
    run_id = answer.json()["id"]
    with client.stream("GET", f"/api/runs/{run_id}/stream") as events:
        return "".join(events.iter_text())


def events(client: TestClient, run_id: str, **query: str | int | bool) -> list[dict[str, Any]]:
    return client.get(f"/api/runs/{run_id}/events", params=query).json()["entries"]


def unpacked(index: dict[str, Any], after: int = 0) -> list[dict[str, Any]]:
    """The rows of an index, as a page reads them."""
    columns = ("kind", "type", "source", "note")
    rows: list[dict[str, Any]] = []
    for place, step in enumerate(index["seq"]):
        after += step
        told = {name: index["words"][index[name][place]] for name in columns}
        numbers = {name: index[name][place] for name in ("at", "prompt_tokens", "completion_tokens", "size", "marks")}
        rows.append({"seq": after, **told, **numbers})
    return rows


def allow(client: TestClient, team_id: str, hashes: list[str], **more: object) -> int:
    body = {"hashes": hashes, "team_id": team_id, "scope": "team", **more}
    return client.post("/api/approvals", json=body).status_code
