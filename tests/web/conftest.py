"""A studio in a folder of its own, entered through its HTTP door."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.settings import Settings
from studio.store import migrate_store
from studio.web.app import create_app
from studio.web.engine import ProcessRole
from tests.store.postgres import PostgresServer
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.replicas import replicas


@pytest.fixture(scope="session")
def first_start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a first start leaves behind: to make the tables and to read our galleries takes longer than most tests."""
    folder = tmp_path_factory.mktemp("first_start") / "data"
    with TestClient(create_app(Settings(data_dir=folder, token=TOKEN)), base_url=BASE_URL):
        pass
    return folder


@pytest.fixture(scope="session")
def first_database(request: pytest.FixtureRequest, first_start: Path) -> Iterator[str]:
    """The URL of what a first start leaves in PostgreSQL; empty where the studio is one process."""
    if not request.getfixturevalue("is_fleet"):
        yield ""
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    with postgres.database_of_a_thread() as url, start_blocking_portal() as portal:
        portal.call(migrate_store, first_start, url)
        with TestClient(create_app(Settings(data_dir=first_start, token=TOKEN, database_url=url)), base_url=BASE_URL):
            pass
        yield url


@pytest.fixture
def settings(
    request: pytest.FixtureRequest, tmp_path: Path, first_start: Path, first_database: str
) -> Iterator[Settings]:
    """Those of a studio that was started before, and that nobody has used."""
    copied = shutil.copytree(first_start, tmp_path / "data")
    if not first_database:
        yield Settings(data_dir=copied, token=TOKEN)
        return
    postgres: PostgresServer = request.getfixturevalue("postgres")
    with postgres.database_of_a_thread(first_database) as url:
        yield Settings(data_dir=copied, token=TOKEN, database_url=url)


@pytest.fixture
def app(settings: Settings) -> FastAPI:
    return create_app(settings, ProcessRole.REPLICA if settings.database_url else ProcessRole.SERVER)


@pytest.fixture
def server(app: FastAPI, settings: Settings) -> Iterator[TestClient]:
    """The running studio: one process, or the first of two web replicas beside two workers."""
    studio = replicas(app, settings, BASE_URL) if settings.database_url else TestClient(app, base_url=BASE_URL)
    with studio as server:
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
