"""A studio in a folder of its own, entered through its HTTP door."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app
from tests.web.doors import BASE_URL, TOKEN, client_of


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data", token=TOKEN)


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    return create_app(settings)


@pytest.fixture
def server(app: FastAPI) -> Iterator[TestClient]:
    """The running studio."""
    with TestClient(app, base_url=BASE_URL) as server:
        yield server


@pytest.fixture
def client(server: TestClient) -> TestClient:
    """A program with the access token."""
    return client_of(server, {"Authorization": f"Bearer {TOKEN}"})


@pytest.fixture
def stranger(server: TestClient) -> TestClient:
    """Somebody without a token."""
    return client_of(server)


@pytest.fixture
def browser(server: TestClient) -> TestClient:
    """Somebody who signed in with the address that the server printed."""
    browser = client_of(server)
    assert browser.get(f"/teams?token={TOKEN}").status_code == 303
    return browser
