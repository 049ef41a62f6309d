"""Published teams, and the way to their pages."""

from __future__ import annotations

import httpx
from playwright.sync_api import Page

from tests.browser.building import JsonObject, agent, call, limit, origin, team


def greeter(label: str = "Greeter") -> JsonObject:
    return {**team(agent("writer"), termination_condition=limit(2)), "label": label}


def published(page: Page, api: httpx.Client, name: str, component: JsonObject | None = None) -> str:
    """A deployment, and its first key."""
    made = call(page, "POST", "/api/teams", {"component": component or greeter(), "name": f"Team of {name}"})
    body = {"team_id": made["id"], "name": name, "key_label": "shop"}
    answer = api.post("/api/deployments", json=body)
    if missing := answer.json().get("missing"):
        api.post("/api/approvals", json={"hashes": [each["hash"] for each in missing]}).raise_for_status()
        answer = api.post("/api/deployments", json=body)
    assert answer.is_success, answer.text
    return str(answer.json()["key"]["key"])


def visit(page: Page, path: str) -> None:
    page.goto(f"{origin(page)}{path}", wait_until="domcontentloaded")
