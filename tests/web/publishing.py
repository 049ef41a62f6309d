"""Published teams, and clients that hold their keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.web.app import services_of
from studio.web.dependencies import Services
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.doors import client_of

ASKS = team(assistant("writer", "A draft.", "Another draft."), USER_PROXY, max_messages=4)
"""A team that asks its caller once."""
LIMITS: JsonObject = {"calls_at_once": 500, "calls_per_minute": 1000, "day_usd": 1000, "day_tokens": 10**9}
"""Those of a deployment that all tests of a file call."""


@dataclass(frozen=True)
class Published:
    """A deployment and its first key; `caller` holds that key."""

    owner: TestClient
    caller: TestClient
    name: str
    key: str
    key_id: str
    team_id: str

    @property
    def url(self) -> str:
        return f"/d/{self.name}"

    def call(self, task: Any = "Say hello.", wait_s: float = 20, **body: Any) -> Any:
        """A call to its end, or to its question."""
        answer = self.caller.post(f"{self.url}/calls", params={"wait_s": wait_s}, json={"task": task, **body})
        assert answer.status_code in (200, 202), answer.text
        return answer.json()

    def another_caller(self, label: str = "other") -> TestClient:
        """A client with another key of the same deployment."""
        made = self.owner.post(f"/api/deployments/{self.name}/keys", json={"label": label}).json()
        return client_of(self.owner, {"Authorization": f"Bearer {made['key']}"})


def running(server: TestClient) -> Services:
    """What the started server works with."""
    assert isinstance(server.app, FastAPI)
    services = services_of(server.app)
    assert services is not None
    return services


def deployed(owner: httpx.Client | TestClient, body: JsonObject) -> Any:
    """A new deployment, as it is told; what its team asks for is approved first."""
    answer = owner.post("/api/deployments", json=body)
    if missing := answer.json().get("missing"):
        owner.post("/api/approvals", json={"hashes": [each["hash"] for each in missing]})
        answer = owner.post("/api/deployments", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def publish(
    owner: TestClient, component: JsonObject | None = None, name: str = "support", **settings: Any
) -> Published:
    """Publish a team."""
    component = component or team(assistant("writer", "The answer."), max_messages=2)
    made = owner.post("/api/teams", json={"component": component, "name": f"Team of {name}"}).json()
    body = {"team_id": made["id"], "name": name, "settings": settings, "key_label": "shop"}
    key = deployed(owner, body)["key"]
    caller = client_of(owner, {"Authorization": f"Bearer {key['key']}"})
    return Published(owner, caller, name, key["key"], key["id"], made["id"])
