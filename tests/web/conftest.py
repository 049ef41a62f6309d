"""A studio in a folder of its own, entered through its HTTP door."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.web.app import create_app
from tests.web.doors import BASE_URL, TOKEN, client_of


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a first start leaves behind: to make the tables and to read our galleries takes longer than most tests."""
    folder = tmp_path_factory.mktemp("first_start") / "data"
    with TestClient(create_app(Settings(data_dir=folder, token=TOKEN)), base_url=BASE_URL):
        pass
    return folder


@pytest.fixture
def settings(tmp_path: Path, first_start: Path) -> Settings:
    """Those of a studio that was started before, and that nobody has used."""
    copied = shutil.copytree(first_start, tmp_path / "data")
    return Settings(data_dir=copied, token=TOKEN)


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
