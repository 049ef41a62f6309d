"""Runs as files: packed, and brought into a studio."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient


def bundle_of(client: TestClient, run_id: str, *, files: bool = False) -> str:
    response = client.get(f"/api/runs/{run_id}/bundle", params={"files": files})
    assert response.status_code == 200, response.text
    assert response.headers["content-disposition"].startswith('attachment; filename="')
    return response.text


def bring_in(client: TestClient, page: str, **query: str) -> tuple[int, dict[str, Any]]:
    files = {"file": ("run.html", page.encode("utf-8", "surrogatepass"), "text/html")}
    response = client.post("/api/runs/import", files=files, params=query)
    return response.status_code, response.json()
