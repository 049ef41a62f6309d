"""No request holds up the event loop, and with it every run: all routes are asked where everything is large.

Each is asked once, so that what is made at the first request counts as well. What the studio makes ready when it starts
is waited for.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.settings import Settings
from studio.web.app import create_app
from tests.extended import sample
from tests.web.documents import assistant, team
from tests.web.doors import BASE_URL, NEEDS_OF_PEOPLE, TOKEN, client_of
from tests.web.large import (
    DEPLOYMENT,
    EVALUATION,
    SCHEDULE,
    TURNS,
    WORSE,
    Large,
    fill,
    furnish_large,
    gallery_text,
    wait_to_end,
    wide_suite,
    wide_table,
    wide_team,
)
from tests.web.oauth_clients import PlainClient
from tests.web.watchdog import Watchdog

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PARAMETER = re.compile(r"{(\w+)}")
PATTERNS = 50
APART = ("/bundle", "/bundle/preview", "/share", "/test", "/compare/{other_id}", "/diff/{other_id}")
"""Made by another process: one run of them is enough."""
FILLINGS: Mapping[str, Sequence[str]] = {
    "team_id": ("{wide_team}", "{busy_team}"),
    "run_id": ("{long_run}", "{heavy_run}", "{wide_run}"),
    "other_id": ("{long_run}",),
    "session_id": ("{session}",),
    "gallery_id": ("{gallery}",),
    "group": ("agents",),
    "index": ("7",),
    "number": ("1",),
    "seq": ("SEQ",),
    "section": ("reference",),
    "page": ("components",),
    "picture": ("form.png",),
    "deployment": (DEPLOYMENT,),
    "schedule_id": (SCHEDULE,),
    "file_id": ("{file}",),
    "suite_id": ("{suite}",),
    "slug": ("compare-contracts",),
    "evaluation_id": (EVALUATION,),
    "base_id": ("{knowledge_base}",),
    "document_id": ("{knowledge_document}",),
}
"""For each parameter of a path, with the fields of `Large`. A route with another parameter needs a line here."""
NUMBERS = {"/api/runs/{run_id}/files/{number}/table": "3"}
"""Of routes for which only this file of a run is of the right kind."""
QUERIES = {
    "/knowledge/cited": "base=large&file=large.md",
    "/knowledge/{base_id}": "q=word",
    "/api/runs/{run_id}/files/{number}/changes": "to_number=2",
    "/api/runs/{run_id}/state": "at=SEQ",
    "/api/runs/{run_id}/search": "q=word",
    "/api/teams/{team_id}/changes": "since=1",
    "/api/search": "q=a+the+model+team+run",
    "/fragments/help": "q=a+the+model+team+run",
    "/fragments/schedule-times": "cron=0+0+29+2+*&zone=Europe/Berlin",
}
BULKY = ("/runs/{run_id}", "/api/runs/{run_id}", "/api/runs/{run_id}/events", "/api/runs/{run_id}/stream")
"""What passes on what a run says as it is; the other routes leave a large one to the process for views."""
GETS = sorted(route.partition(" ")[2] for route in NEEDS_OF_PEOPLE if route.startswith("GET "))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("studio") / "data"


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[TestClient]:
    with TestClient(create_app(Settings(data_dir=folder, token=TOKEN)), base_url=BASE_URL) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: TestClient) -> TestClient:
    return client_of(server, {"Authorization": f"Bearer {TOKEN}"})


@pytest.fixture(scope="module")
def large(folder: Path, server: TestClient, client: TestClient) -> Large:
    return furnish_large(server, client, *fill(folder))


def addresses(client: TestClient, large: Large, path: str) -> list[str]:
    """The route with each filling of its first parameter, and the first filling of the others."""
    if path == "/static":
        return re.findall(r'"(/static/[^"]+)"', client.get("/costs").text)
    names = PARAMETER.findall(path)
    firsts = (*FILLINGS[names[0]], *(("{bulky_run}",) if path in BULKY else ())) if names else ("",)
    if path == "/authorize":
        asking = PlainClient(client_of(client), DEPLOYMENT)
        asking.register()
        return [asking.request()]
    address = f"{path}?{QUERIES[path]}" if path in QUERIES else path
    found: list[str] = []
    for first in firsts[:1] if path.endswith(APART) else firsts:
        chosen = {name: FILLINGS[name][0] for name in names} | dict.fromkeys(names[:1], first)
        chosen |= {"number": NUMBERS[path]} if path in NUMBERS else {}
        filled = address.format_map(chosen).format_map(vars(large))
        found.append(
            filled.replace("SEQ", last_message(client, first.format_map(vars(large)))) if "SEQ" in filled else filled
        )
    return found


def last_message(client: TestClient, run_id: str) -> str:
    page = client.get(f"/api/runs/{run_id}/events", params={"newest": True, "limit": 20}).json()
    return str(max(entry["seq"] for entry in page["entries"] if entry["kind"] == "message"))


def watched(client: TestClient, method: str, address: str, **sent: Any) -> Any:
    watchdog = Watchdog()
    with watchdog.watching():
        answer = client.request(method, address, **sent)
    assert answer.status_code < 400, answer.text[:500]
    assert [str(stall) for stall in watchdog.stalls] == [], address
    assert watchdog.longest_s > 0
    return answer


@pytest.mark.parametrize("path", sample(GETS, 12))
def test_no_page_or_answer_holds_up_the_loop(client: TestClient, large: Large, path: str):
    found = addresses(client, large, path)
    assert found
    for address in found:
        watched(client, "GET", address)


def rules() -> dict[str, Any]:
    tests = [{"argument": "/x", "test": "matches", "value": f"(a|b)%{n}[x-z]*foo.*bar"} for n in range(PATTERNS)]
    return {"policy": {"rules": [{"tool": "t", "when": [test]} for test in tests]}}


def breakpoints() -> dict[str, Any]:
    pattern = "(a|b)%{}[x-z]*foo.*bar"
    return {
        "breakpoints": [
            {"id": f"b{n}", "on": "text", "text": pattern.format(n), "is_regex": True} for n in range(PATTERNS)
        ]
    }


CHANGES: Mapping[str, tuple[str, Callable[[], Mapping[str, Any]]]] = {
    "make a team": ("POST /api/teams", lambda: {"component": wide_team()}),
    "save": ("PUT /api/teams/{wide_team}", lambda: {"component": wide_team(999), "revision": 1}),
    "start": ("POST /api/runs", lambda: {"task": "Go."}),
    "fork of a wide team": ("POST /api/runs/{wide_run}/fork", lambda: {"seq": 2}),
    "fork at the end": ("POST /api/runs/{long_run}/fork", lambda: {"seq": 4 * TURNS - 10}),
    "another task": ("POST /api/runs/{long_run}/next", lambda: {"task": "More."}),
    "another task of a wide team": ("POST /api/runs/{wide_run}/next", lambda: {"task": "More."}),
    "another task after a large answer": ("POST /api/runs/{bulky_run}/next", lambda: {"task": "More."}),
    "fork after a large answer": ("POST /api/runs/{bulky_run}/fork", lambda: {"seq": 5}),
    "rerun": ("POST /api/runs/{long_run}/rerun", lambda: {}),
    "replay": ("POST /api/runs/{heavy_run}/replay", lambda: {}),
    "import of a gallery": ("POST /api/galleries", lambda: {"text": gallery_text()}),
    "preview of a gallery": ("POST /fragments/galleries/preview", lambda: {"text": gallery_text()}),
    "check": ("POST /api/validate", lambda: {"component": wide_team()}),
    "export": ("POST /api/python", lambda: {"component": wide_team()}),
    "form": ("POST /fragments/form", lambda: {"component": wide_team()}),
    "rules": ("PUT /api/teams/{wide_team}/policy", rules),
    "breakpoints": ("PUT /api/teams/{wide_team}/breakpoints", breakpoints),
    "search of documents": (
        "POST /api/knowledge/{knowledge_base}/search",
        lambda: {"query": "word " * 700, "limit": 50},
    ),
    "document read again": ("POST /api/knowledge/{knowledge_base}/documents/{knowledge_document}/read", lambda: {}),
    "suite": ("POST /api/teams/{busy_team}/suites", lambda: {"document": wide_suite()}),
    "preview of an evaluation": (
        "POST /api/suites/{suite}/evaluations/preview",
        lambda: {"version": "current", "repeats": 5, "usd": 1},
    ),
    "change of a suite": ("PUT /api/suites/{suite}", lambda: {"document": wide_suite(), "revision": 1}),
    "import into a suite": ("POST /fragments/suites/{suite}/imports", lambda: {"files": {"a.csv": wide_table()}}),
}
"""What is expensive of all that changes or makes something."""


@pytest.mark.parametrize("change", sample([*CHANGES], 12))
def test_no_change_holds_up_the_loop(server: TestClient, client: TestClient, large: Large, change: str):
    route, make = CHANGES[change]
    method, _, path = route.format_map(vars(large)).partition(" ")
    body = {**make(), **({"team_id": large.wide_team} if change == "start" else {})}
    watchdog = Watchdog()
    with watchdog.watching():
        answer = client.request(method, path, json=body)
        if answer.status_code == 201 and path.startswith("/api/runs"):
            wait_to_end(server, answer.json()["id"])
    assert answer.status_code < 400, answer.text[:500]
    assert [str(stall) for stall in watchdog.stalls] == []


def test_scoring_long_runs_does_not_hold_up_the_loop(client: TestClient, large: Large):
    runs = [large.long_run, large.heavy_run, large.bulky_run]
    found = watched(client, "POST", f"/api/suites/{large.suite}/scores", json={"run_ids": runs}).json()
    assert [run["run"] for run in found["runs"]] == runs


def test_a_large_evaluation_does_not_hold_up_the_loop(client: TestClient, large: Large):
    suite = client.post(f"/api/teams/{large.wide_team}/suites", json={"document": wide_suite()}).json()["id"]
    plan = {"repeats": 5, "usd": 1, "at_once": 2}
    started = watched(client, "POST", f"/api/suites/{suite}/evaluations", json=plan).json()
    path = f"/api/evaluations/{started['id']}"
    watchdog = Watchdog()
    with watchdog.watching():
        while client.get(path).json()["versions"][0]["open"] > 4_995:
            time.sleep(0.05)
        client.post(f"{path}/cancel")
        while client.get(path).json()["ended_at"] is None:
            time.sleep(0.05)
    assert [str(stall) for stall in watchdog.stalls] == []


def test_a_large_confirmation_does_not_hold_up_the_loop(client: TestClient, large: Large):
    del large
    body = {"usd": 1, "at_once": 1}
    started = watched(client, "POST", f"/api/evaluations/{EVALUATION}/confirm", json=body).json()
    assert started["versions"][0]["open"] == 5 * WORSE
    path = f"/api/evaluations/{started['id']}"
    client.post(f"{path}/cancel").raise_for_status()
    while client.get(path).json()["ended_at"] is None:
        time.sleep(0.05)


def test_a_long_answer_word_by_word_does_not_hold_up_the_loop(server: TestClient, client: TestClient, large: Large):
    del large
    writer = assistant("writer", "Grüße. \u2028" * 50_000)
    cast("JsonObject", writer["config"])["model_client_stream"] = True
    made = client.post("/api/teams", json={"component": team(writer, max_messages=2)}).json()
    watchdog = Watchdog()
    with watchdog.watching():
        run_id = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).json()["id"]
        wait_to_end(server, run_id)
    assert [str(stall) for stall in watchdog.stalls] == []


def test_a_file_of_a_large_run_does_not_hold_up_the_loop(server: TestClient, client: TestClient, large: Large):
    del large
    made = client.post("/api/teams", json={"component": wide_team()}).json()
    run_id = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).json()["id"]
    wait_to_end(server, run_id)
    bundle = client.get(f"/api/runs/{run_id}/bundle").content
    assert client.delete(f"/api/runs/{run_id}").status_code == 204
    assert watched(client, "POST", "/api/runs/import", files={"file": ("run.html", bundle)}).json()["id"] == run_id


def test_a_gallery_that_is_uploaded_does_not_hold_up_the_loop(client: TestClient, large: Large):
    del large
    watched(client, "POST", "/api/galleries", files={"file": ("gallery.json", gallery_text())})
