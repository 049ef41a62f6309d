"""The log of the server, and what it says of its own faults, hold no secrets."""

from __future__ import annotations

import base64
import logging
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from studio.components import DefaultEnv, component_classes
from studio.components.secrets import is_secret_name
from studio.settings import Settings
from studio.web.app import create_app
from studio.web.observability import key_variables
from tests.web.doors import TOKEN

KEY = "sk-never-in-a-log-42"
HIDDEN = "[removed: the studio’s access token]"
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


def test_after_the_server_the_log_is_as_before(app: FastAPI, caplog: pytest.LogCaptureFixture):
    before = list(caplog.handler.filters)
    with TestClient(app):
        assert caplog.handler.filters != before
    assert caplog.handler.filters == before


def test_a_secret_that_was_stored_before_the_start_is_known(app: FastAPI, caplog: pytest.LogCaptureFixture):
    with TestClient(app, headers={"Authorization": f"Bearer {TOKEN}"}, base_url="http://127.0.0.1:8040") as first:
        store_key(first)
    with TestClient(app, headers={"Authorization": f"Bearer {TOKEN}"}, base_url="http://127.0.0.1:8040"):
        logger.warning(KEY)
    assert caplog.messages == ["[removed: secret:logged]"]


@pytest.mark.slow
@pytest.mark.parametrize("ends_first", [0, 1])
def test_of_two_servers_in_a_process_each_hides_its_secrets_until_it_ends(
    settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture, ends_first: int
):
    tokens = ["the-token-of-the-one", "the-token-of-the-other"]
    servers = [
        TestClient(create_app(settings.model_copy(update={"token": token, "data_dir": tmp_path / token})))
        for token in tokens
    ]
    for server in servers:
        server.__enter__()
    logger.warning(" ".join(tokens))
    servers[ends_first].__exit__(None, None, None)
    logger.warning(tokens[1 - ends_first])
    servers[1 - ends_first].__exit__(None, None, None)
    assert caplog.messages == [f"{HIDDEN} {HIDDEN}", HIDDEN]


class Unprintable:
    """Cannot be written out, and tells a secret by that."""

    def __str__(self) -> str:
        raise LookupError(KEY)

    __repr__ = __str__


@pytest.mark.parametrize(
    "arguments", [(KEY, KEY), ("%d", KEY), (f"%s %s {KEY}", 1), ("%s", Unprintable()), (Unprintable(),)]
)
def test_a_wrong_log_call_neither_fails_nor_tells_a_secret(
    client: TestClient, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, arguments: tuple[Any, ...]
):
    store_key(client)
    logger.warning(*arguments)
    assert "could not be formatted" in caplog.text
    assert KEY not in caplog.text + "".join(capfd.readouterr())


def test_what_goes_along_with_a_log_line_holds_no_secret(client: TestClient, caplog: pytest.LogCaptureFixture):
    store_key(client)
    logger.warning("Sent.", extra={"header": f"Bearer {KEY}"}, stack_info=True)
    assert vars(caplog.records[-1])["header"] == "Bearer [removed: secret:logged]"


def test_the_folder_of_a_shell_is_no_secret(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PWD", "/work/somewhere")
    monkeypatch.setenv("DB_PASS", KEY)
    assert "PWD" not in key_variables()
    assert "DB_PASS" in key_variables()


def test_components_of_the_studio_read_keys_only_from_variables_that_are_named_like_keys():
    """A server that starts has not imported them, and keeps such variables out of its log all the same."""
    own = [cls for cls in component_classes() if cls.__module__.startswith("studio.")]
    marks = {mark for cls in own for field in cls.model_fields.values() for mark in field.metadata}
    usual = {mark.name for mark in marks if isinstance(mark, DefaultEnv)}
    assert {"OPENAI_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"} <= usual
    assert [name for name in usual if not is_secret_name(name)] == []


def test_a_variable_that_another_component_reads_is_kept_out_of_the_log(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr("studio.web.observability._usual_variables", lambda: frozenset({"UNUSUAL"}))
    monkeypatch.setenv("UNUSUAL", KEY)
    client: TestClient = request.getfixturevalue("client")
    for _ in range(500):  # it is imported beside the start
        client.get("/healthz")
        logger.warning("The key is %s.", KEY)
        if caplog.messages[-1] == "The key is [removed: env:UNUSUAL].":
            return
    pytest.fail("The variable did not become known.")
