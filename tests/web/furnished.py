"""A studio with one of everything in it, so that requests get past "there is no such thing"."""

from __future__ import annotations

import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi.testclient import TestClient

from studio.runs import RunState
from studio.web.auth.roles import SAFE_METHODS
from tests.web.documents import ASK, SOURCE, function_tool, gallery, shouting, team
from tests.web.following import stream, wait_for
from tests.web.publishing import publish

TOOL = function_tool(SOURCE)


@dataclass
class Furnished:
    """What is in the studio; `restore` makes again what a request took away."""

    server: TestClient
    client: TestClient
    team_id: str = "none"
    gallery_id: str = "none"
    ended_id: str = "none"
    waiting_id: str = "none"
    request_id: str = "none"
    question_hash: str = "none"
    approval: str = "none"
    python: str = ""
    key: str = ""
    """Of a caller of the deployment `fuzzed`."""
    key_id: str = "none"
    call_id: str = "none"
    page: str = ""
    """A run as a page of its own."""
    is_touched: bool = True
    """Whether anything may have been taken away."""

    def note(self, method: str, status: int) -> None:
        """What was asked of the studio: a reading takes nothing away, nor does what was refused."""
        self.is_touched |= method not in SAFE_METHODS and status < HTTPStatus.BAD_REQUEST

    def restore(self) -> None:
        if not self.is_touched:
            return
        client = self.client
        client.put("/api/budget", json={})
        if client.get(f"/api/teams/{self.team_id}").json().get("revision") != 1:
            self.team_id = client.post("/api/teams", json={"component": shouting()}).json()["id"]
        if client.get(f"/api/galleries/{self.gallery_id}").status_code != 200:
            text = json.dumps(gallery(teams=[team(), shouting()], tools=[TOOL]))
            self.gallery_id = client.post("/api/galleries", json={"text": text}).json()["id"]
        if client.get("/api/galleries/library").json()["components"] == {}:
            client.post("/api/galleries/library/components", json={"component": TOOL})
        if client.get(f"/api/runs/{self.ended_id}").status_code != 200:
            self.ended_id = self._run(team())
            stream(client, self.ended_id)
        if client.get(f"/api/runs/{self.waiting_id}").json().get("state") != RunState.PAUSED:
            self._ask_anew()
        self._publish()
        self.python = client.get(f"/api/teams/{self.team_id}/python").json()["code"]
        client.put("/api/secrets/KEY", json={"value": "a value that nobody reads"})
        self.page = client.get(f"/api/runs/{self.ended_id}/bundle").text
        self.is_touched = False

    def names(self) -> dict[str, list[str]]:
        """Values that exist, by the names under which requests ask for them."""
        runs = [self.ended_id, self.waiting_id]
        return {
            "team_id": [self.team_id],
            "run_id": runs,
            "other_id": runs,
            "session_id": runs,
            "gallery_id": [self.gallery_id, "library"],
            "group": ["teams", "tools", "agents"],
            "capability_hash": [self.approval],
            "hash": [self.question_hash, self.approval],
            "request_id": [self.request_id],
            "deployment": ["fuzzed"],
            "key_id": [self.key_id],
            "call_id": [self.call_id],
            "response_id": [f"resp_{self.call_id}"],
            "name": ["KEY", "writer"],
            "tool": ["shout"],
            "agent": ["writer"],
            "model": ["gpt-4o"],
            "page": [self.page],
            "python": [self.python, SOURCE],
        }

    def _publish(self) -> None:
        """A deployment that is on, with a key that opens it, and a call of that key."""
        client, headers = self.client, {"Authorization": f"Bearer {self.key}"}
        client.patch("/api/deployments/fuzzed", json={"is_on": True, "settings": {}})
        if client.get(f"/d/fuzzed/calls/{self.call_id}", headers=headers).status_code != 200:
            client.delete("/api/deployments/fuzzed")
            published = publish(client, name="fuzzed")
            self.key, self.key_id, self.call_id = published.key, published.key_id, published.call()["id"]

    def _run(self, component: Any) -> str:
        made = self.client.post("/api/teams", json={"component": component}).json()
        return self._started(made["id"])

    def _started(self, team_id: str) -> str:
        """Start a run, after approving what it asks for."""
        body = {"team_id": team_id, "task": "Go."}
        missing = self.client.post("/api/runs", json=body).json().get("missing", [])
        if missing:
            self.client.post("/api/approvals", json={"hashes": [item["hash"] for item in missing]})
        return self.client.post("/api/runs", json=body).json()["id"]

    def _ask_anew(self) -> None:
        made = self.client.post("/api/teams", json={"component": shouting()}).json()
        self.client.put(f"/api/teams/{made['id']}/policy", json=ASK)
        self.waiting_id = self._started(made["id"])
        wait_for(self.server, self.waiting_id, RunState.PAUSED)
        pending = self.client.get(f"/api/runs/{self.waiting_id}").json()["pending"]
        self.request_id, self.question_hash = pending["request_id"], pending["details"]["hash"]
        self.approval = self.client.get("/api/approvals").json()[0]["hash"]


def furnish(server: TestClient, client: TestClient) -> Furnished:
    furnished = Furnished(server, client)
    furnished.restore()
    return furnished
