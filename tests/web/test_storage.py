"""What pages and programs are told while the database cannot be used."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app, services_of
from tests.web.documents import team
from tests.web.doors import BASE_URL, TOKEN, client_of


@pytest.fixture
def impatient_client(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr("studio.store.sqlite.PRAGMAS", ("busy_timeout = 20", "journal_mode = WAL"))
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        yield client_of(server, {"Authorization": f"Bearer {TOKEN}"})


@pytest.mark.embedded
def test_a_locked_database_is_told_in_a_sentence_and_pages_stay(
    impatient_client: TestClient, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        refused = impatient_client.post("/api/teams", json={"component": team()})
        assert refused.status_code == 503
        assert refused.json()["error"]["code"] == "storage_unavailable"
        assert "another program has locked it" in refused.json()["error"]["message"]
        assert impatient_client.get("/teams").status_code == 200
    assert "Not in the audit log: 'owner' 'POST /api/teams'" in caplog.text
    assert impatient_client.post("/api/teams", json={"component": team()}).status_code == 201


@pytest.mark.embedded
def test_who_asks_while_nobody_can_be_identified_is_told_to_come_back(
    client: TestClient, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client.get("/api/teams").status_code == 200
    monkeypatch.setattr("studio.web.auth.session_cache.FRESH_S", 0.0)
    services = services_of(client.app)  # pyright: ignore[reportArgumentType]
    assert services is not None
    services.accounts.presence.invalidate()
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as other:
        other.execute("ALTER TABLE user RENAME TO gone")
        refused = client.get("/api/teams")
        other.execute("ALTER TABLE gone RENAME TO user")
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    assert refused.json()["error"]["code"] == "storage_unavailable"
    assert str(settings.data_dir) not in refused.text, "nobody is identified yet"
    assert client.get("/api/teams").status_code == 200
