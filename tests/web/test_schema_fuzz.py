"""No request, however it is made, gets an answer that is not ours: schemathesis against the OpenAPI document.

Pages and fragments, which that document leaves out, are described and tried in the same way. The requests are the same
each time; `STUDIO_FUZZ_EXAMPLES=2000` makes more of them.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator
from typing import NoReturn

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings

from studio.settings import Settings
from studio.web.app import create_app
from tests.extended import times
from tests.web.direct import Answer, Asked, ask
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.furnished import Furnished, furnish
from tests.web.made_inputs import Route, hidden_document, routes

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600 if "STUDIO_FUZZ_EXAMPLES" in os.environ else 240)]

EXAMPLES = int(os.environ.get("STUDIO_FUZZ_EXAMPLES", times(1, 5)))
OF_OPENAI = {"type", "param"}
"""Beside our shape, at the addresses that clients of OpenAI use."""
SHAPE = {"code", "message", "fix", "where"}
OAUTH = ("/register", "/token", "/.well-known/")
CAREFUL = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    phases=[Phase.generate],
)


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Furnished]:
    """One studio for all; no name of another machine can be resolved."""
    app = create_app(Settings(data_dir=tmp_path_factory.mktemp("studio") / "data", token=TOKEN))
    with pytest.MonkeyPatch.context() as patch, TestClient(app, base_url=BASE_URL) as server:
        patch.setattr(socket, "getaddrinfo", _nowhere)
        yield furnish(server, client_of(server, {"Authorization": f"Bearer {TOKEN}"}))


def _nowhere(*args: object, **kwargs: object) -> NoReturn:
    del args, kwargs
    raise socket.gaierror(socket.EAI_NONAME, "There is no network in this test.")


def test_no_reading_of_the_api_fails(furnished: Furnished):
    assert tried(furnished, [route for route in api(furnished) if route.label.startswith("GET ")]) == {}


def test_no_change_by_the_api_fails(furnished: Furnished):
    assert tried(furnished, [route for route in api(furnished) if not route.label.startswith("GET ")]) == {}


def test_no_page_and_no_fragment_fails(furnished: Furnished):
    assert tried(furnished, routes(hidden_document(app_of(furnished)))) == {}


def app_of(furnished: Furnished) -> FastAPI:
    assert isinstance(furnished.server.app, FastAPI)
    return furnished.server.app


def api(furnished: Furnished) -> list[Route]:
    return routes(app_of(furnished).openapi())


def tried(furnished: Furnished, found: list[Route]) -> dict[str, list[str]]:
    """What went wrong, by route."""
    assert len(found) > 15
    wrong = {route.label: problems(furnished, route) for route in found}
    return {label: said for label, said in wrong.items() if said}


def problems(furnished: Furnished, route: Route) -> list[str]:
    furnished.restore()
    said: dict[str, str] = {}

    @CAREFUL
    @given(route.requests(furnished.names()))
    def look(asked: Asked) -> None:
        bearer = furnished.key if asked.path.startswith("/d/") else TOKEN
        answer = ask(furnished.server, asked, {"Authorization": f"Bearer {bearer}"})
        furnished.note(asked.method, answer.status)
        if problem := wrong_with(answer, asked, route):
            said.setdefault(problem.splitlines()[-1], f"{problem}\n{asked}")

    look()
    return list(said.values())


def wrong_with(answer: Answer, asked: Asked, route: Route) -> str:
    if answer.error or answer.status >= 500 or not answer.status:
        return f"{answer.status}: {answer.body[:300]!r}\n{answer.error}".strip()
    if answer.status < 400:
        is_told = str(answer.status) in route.statuses or not asked.path.startswith("/api/")
        return "" if is_told else f"{answer.status} is not documented"
    if not asked.path.startswith(("/api/", "/fragments/", "/d/", *OAUTH)):
        return "" if answer.headers["content-type"].startswith("text/html") else f"{answer.status} is no page"
    if route.label.endswith("/mcp") and _is_of_mcp(answer):
        return ""
    if "/a2a/" in route.label and _is_of_a2a(answer):
        return ""
    if asked.path.startswith(OAUTH) and _is_of_oauth(answer):
        return ""
    return _wrong_with_error(answer)


def _is_of_oauth(answer: Answer) -> bool:
    """Whether it is refused in the form of RFC 6749, which libraries of clients read."""
    try:
        sent = json.loads(answer.body)
        return type(sent["error"]) is str and type(sent["error_description"]) is str
    except (ValueError, KeyError, TypeError):
        return False


def _is_of_a2a(answer: Answer) -> bool:
    """An error in the shape of AIP-193."""
    error = json.loads(answer.body)["error"]
    return error["code"] == answer.status and set(error) == {"code", "status", "message", "details"}


def _is_of_mcp(answer: Answer) -> bool:
    """Whether the protocol's own package refused it: as JSON-RPC, or in words where the body is not even JSON."""
    if answer.body.startswith(b"Invalid Content-Type"):
        return True
    try:
        sent = json.loads(answer.body)
        return sent["jsonrpc"] == "2.0" and type(sent["error"]["code"]) is int and bool(sent["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return False


def _wrong_with_error(answer: Answer) -> str:
    try:
        error = json.loads(answer.body)["error"]
    except (ValueError, KeyError, TypeError):
        return f"{answer.status} has not our shape: {answer.body[:200]!r}"
    error = {name: value for name, value in error.items() if name not in OF_OPENAI}
    if set(error) != SHAPE or not all(isinstance(value, str) for value in error.values()) or not error["message"]:
        return f"{answer.status} has not our shape: {error}"
    return ""
