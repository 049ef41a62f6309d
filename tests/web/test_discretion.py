"""The log of the server, and what it says of its own faults, hold no secrets."""

from __future__ import annotations

import base64
import logging

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.web.doors import TOKEN

KEY = "sk-never-in-a-log-42"
logger = logging.getLogger("some.library")


def store_key(client: TestClient, value: str = KEY) -> None:
    assert client.put("/api/secrets/logged", json={"value": value}).status_code == 204


def log_failure() -> None:
    try:
        try:
            raise ConnectionError(f"refused {KEY}")
        except ConnectionError as error:
            raise LookupError("not found") from error
    except LookupError:
        logger.exception("It failed with %s for %s", KEY, "somebody")


def test_a_log_line_and_its_traceback_hold_no_secret(client: TestClient, caplog: pytest.LogCaptureFixture):
    store_key(client)
    log_failure()
    assert KEY not in caplog.text
    assert "It failed with [removed: secret:logged] for somebody" in caplog.text
    assert "ConnectionError: refused [removed: secret:logged]" in caplog.text
    assert "LookupError: not found" in caplog.text


def test_neither_does_one_hold_the_token_or_a_key_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setenv("SOME_API_KEY", KEY)
    request.getfixturevalue("client")
    logger.warning("%s and %s", base64.b64encode(KEY.encode()).decode(), TOKEN)
    assert caplog.messages == ["[removed: env:SOME_API_KEY]I= and [removed: the studio’s access token]"]


def test_a_line_without_secrets_is_left_as_it_is(client: TestClient, caplog: pytest.LogCaptureFixture):
    store_key(client)
    logger.warning("All is %s.", "well")
    assert (caplog.records[-1].msg, caplog.records[-1].args) == ("All is %s.", ("well",))


def test_after_the_server_the_log_is_as_before(app: FastAPI):
    before = logging.getLogRecordFactory()
    with TestClient(app):
        assert logging.getLogRecordFactory() is not before
    assert logging.getLogRecordFactory() is before


def test_a_secret_that_was_stored_before_the_start_is_known(app: FastAPI, settings: object):
    del settings
    with TestClient(app, headers={"Authorization": f"Bearer {TOKEN}"}, base_url="http://127.0.0.1:8040") as first:
        store_key(first)
    with TestClient(app, headers={"Authorization": f"Bearer {TOKEN}"}, base_url="http://127.0.0.1:8040"):
        record = logging.getLogger("x").makeRecord("x", 30, "f", 1, KEY, (), None)
    assert record.getMessage() == "[removed: secret:logged]"
