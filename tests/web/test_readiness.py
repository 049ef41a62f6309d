"""`/healthz` tells whether to restart a server, `/readyz` whether to send it requests."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.store import open_store
from studio.web.app import services_of
from studio.web.readiness import Readiness
from tests.store.breaking import breakable
from tests.store.postgres import PostgresServer


def test_a_server_is_ready_for_whoever_asks(stranger: TestClient):
    answer = stranger.get("/readyz", headers={"Host": "any.example"})
    assert (answer.status_code, answer.json()) == (200, {"ok": True})


def test_a_server_that_is_stopping_lives_and_is_not_ready(stranger: TestClient, app: FastAPI):
    services = services_of(app)
    assert services
    services.closing.set()
    assert stranger.get("/readyz").status_code == 503
    assert stranger.get("/healthz").status_code == 200


async def test_a_server_is_ready_again_once_its_database_answers(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("studio.web.readiness.FRESH_S", 0.0)
    with tempfile.TemporaryDirectory() as folder:  # the path of a socket must be short
        async with (
            postgres.database() as url,
            breakable(url, postgres.socket, Path(folder)) as (broken_url, way),
            open_store(tmp_path, broken_url) as store,
        ):
            checked = Readiness(store)
            assert await checked.check()
            way.is_open = False
            way.cut()
            assert not await checked.check()
            way.is_open = True
            assert await checked.check()
