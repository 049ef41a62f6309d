"""Secrets are told to a studio and to everything that a team uses, and are then found nowhere."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from studio.components import JsonObject
from studio.settings import Settings
from studio.web.app import create_app
from tests.fakes.openai_server import HEADERS, Call, OpenAIServer, Reply
from tests.processes import StudioProcess
from tests.security.canaries import CANARIES, Echo, leaking_team, leaks_in
from tests.security.posting import model_of, requests_to
from tests.web.made_inputs import hidden_document

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

WAYS = ("plain", "url", "hex", "base64", "base64a", "base64ab", "urlsafe", "text", "raise")


@dataclass
class Studio:
    """A server in a process of its own, and all that came out of it."""

    data_dir: Path
    collector: Echo
    module: str = "studio"
    url: str = ""
    http: httpx.Client = field(default_factory=httpx.Client)
    seen: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])

    @contextmanager
    def serving(self) -> Generator[StudioProcess]:
        """What it prints is searched, too."""
        given = {
            "CANARY": CANARIES["env:CANARY"],
            "STUDIO_SANDBOX": "process",
            "STUDIO_OTLP_ENDPOINT": f"http://127.0.0.1:{self.collector.port}",
            "STUDIO_TRACE_CONTENT": "1",
        }
        command = ("serve", "--port", 0, "--data-dir", self.data_dir)
        with StudioProcess.start(*command, environment=given, module=self.module, errors="apart") as process:
            assert process.errors is not None
            self.url, _, token = process.output.readline().strip().partition(": ")[2].partition("/?token=")
            self.http = httpx.Client(headers={"Authorization": f"Bearer {token}"}, base_url=self.url, timeout=60)
            with self.http:
                yield process
            process.terminate()
            process.wait(30)
            for name, stream in (("standard output", process.output), ("standard error", process.errors)):
                self.seen.append((name, stream.read().encode()))

    def ask(self, method: str, path: str, **body: Any) -> Any:
        response = self.http.request(method, path, json=body if method != "GET" else None)
        assert response.status_code < 300, response.text
        self.seen.append((f"{method} {path}", response.content))
        return response.json() if response.content else None

    def set_up(self, model: OpenAIServer, tools: Echo) -> str:
        """Store the secrets, and a team that may use them; its id."""
        for reference, value in CANARIES.items():
            scheme, _, name = reference.partition(":")
            if scheme == "secret":
                self.ask("PUT", f"/api/secrets/{name}", value=value)
        team = leaking_team(model.url, tools.port)
        needed = self.ask("POST", "/api/validate", component=team)["capabilities"]
        self.ask("POST", "/api/approvals", hashes=[one["hash"] for one in needed], component=team)
        return self.ask("POST", "/api/teams", component=team)["id"]

    def followed(self, run_id: str) -> str:
        """The state in which a run ends, and all that its pages are told on the way."""
        with self.http.stream("GET", f"/api/runs/{run_id}/stream") as response:
            self.seen.append((f"the stream of {run_id}", response.read()))
        return self.ask("GET", f"/api/runs/{run_id}")["state"]

    def told(self, run_id: str, text: bytes, times: int) -> None:
        """Follow a run until something was said so often; then it is in the database, too."""
        got = b""
        with self.http.stream("GET", f"/api/runs/{run_id}/stream") as response:
            for piece in response.iter_bytes():
                got += piece
                if got.count(text) >= times:
                    return self.seen.append((f"the beginning of {run_id}", got))

    def download(self, path: str) -> None:
        response = self.http.get(path)
        assert response.status_code == 200, response.text
        with zipfile.ZipFile(io.BytesIO(response.content)) as files:
            self.seen += [(f"{path} {name}", files.read(name)) for name in files.namelist()]

    def visit(self, **values: str) -> int:
        """Every address that can be read; how many there are."""
        app, known = create_app(Settings(data_dir=self.data_dir)), _Known(values)
        routes = [one for one in iter_route_contexts(app.routes) if one.path is not None]
        paths = {one.path.format_map(known) for one in routes if one.path and "GET" in (one.methods or ())}
        for path in sorted(paths):
            with self.http.stream("GET", path) as response:
                assert response.status_code < 500, path
                if (
                    response.headers.get("Content-Type", "").partition(";")[0] != "text/event-stream"
                ):  # those may not end
                    self.seen.append((f"GET {path}", response.read()))
        return len(paths)

    def post_everywhere(self, team: JsonObject, **values: str) -> dict[str, int]:
        """Send a task or a component to every route that takes one, follow what begins by it; each route's answer."""
        app, known, answers = create_app(Settings(data_dir=self.data_dir)), _Known(values), dict[str, int]()
        for document in (app.openapi(), hidden_document(app)):
            for sent in requests_to(document, team, known):
                content, key = b"", values.get("key") if sent.path.startswith("/d/") else None
                headers = {"Authorization": f"Bearer {key}"} if key else None
                with self.http.stream(sent.method, sent.path, json=sent.body, headers=headers) as response:
                    answers[sent.what] = response.status_code
                    for piece in response.iter_bytes():
                        content += piece
                        if b'"request_id":' in content and "event-stream" in response.headers["Content-Type"]:
                            break  # a try waits for what it is told next, and ends with its reader
                self.seen.append((sent.what, content))
                if sent.path.startswith(("/api/runs", "/d/")) and response.status_code in (201, 202):
                    self.followed(json.loads(content)["id"])
        return answers

    def leaks(self) -> list[str]:
        files = [(str(file), file.read_bytes()) for file in sorted(self.data_dir.rglob("*")) if file.is_file()]
        spans = [("a span", span) for span in self.collector.got]
        return [leak for place, content in (*self.seen, *files, *spans) for leak in leaks_in(place, content)]


class _Known(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "library" if key == "gallery_id" else "1"


def published(studio: Studio, team_id: str) -> dict[str, str]:
    """The name of a deployment of the team, a key of its callers, a schedule and a hook."""
    made = studio.ask("POST", "/api/deployments", team_id=team_id, name="told", key_label="shop")
    schedule = studio.ask("POST", "/api/deployments/told/schedules", cron="@yearly", task="Go.")
    hook = studio.ask("POST", "/api/deployments/told/hooks", label="Tracker", task="Go.")
    return {"deployment": "told", "key": made["key"]["key"], "schedule_id": schedule["id"], "hook_id": hook["id"]}


def calls(model: OpenAIServer, *, holds_at: str = "") -> None:
    """Let the team tell everything in every way; before one of them the model waits."""
    for way in WAYS:
        if way == holds_at:
            model.say(Reply("", hold=HEADERS))
        model.say(Reply(calls=[Call("leak", {"how": way})]))
    model.say(Reply(calls=[Call("http", {})]), Reply(calls=[Call("environment", {})]))
    key = CANARIES["secret:model"]
    model.say(f"The key is {key}, or {base64.b64encode(key.encode()).decode()}, isn't it? {json.dumps(key)}")


def test_secrets_are_found_nowhere_after_runs_a_crash_forks_and_exports(tmp_path: Path):
    with OpenAIServer() as model, Echo() as tools, Echo() as collector:
        studio = Studio(tmp_path, collector)
        calls(model, holds_at="base64")
        with studio.serving() as process:
            team_id = studio.set_up(model, tools)
            run_id = studio.ask("POST", "/api/runs", team_id=team_id, task=f"Tell {CANARIES['secret:model']}.")["id"]
            model.wait_until_held(timeout_s=90)
            studio.told(run_id, b"call_3_0", times=2)  # that it was made, and what came of it
            process.kill()
        with studio.serving():
            assert studio.followed(run_id) == "finished"
            log = studio.ask("GET", f"/api/runs/{run_id}/events?limit=1000")["entries"]
            forked = studio.ask("POST", f"/api/runs/{run_id}/fork", seq=_place_of(log, "call_2_0"))["id"]
            replayed = studio.ask("POST", f"/api/runs/{run_id}/replay")["id"]
            states = [studio.followed(forked), studio.followed(replayed)]
            model.key = "another"
            failed = studio.ask("POST", "/api/runs", team_id=team_id, task="Fail.")["id"]
            assert [*states, studio.followed(failed)] == ["finished", "finished", "failed"]
            studio.download(f"/api/runs/{run_id}/test")
            assert studio.visit(team_id=team_id, run_id=run_id, other_id=forked) > 50
            studio.visit(team_id=team_id, run_id=failed, other_id=replayed)
        assert not studio.leaks()
        check_that_it_was_told(model, tools, studio, log)


def test_what_is_told_to_any_route_is_found_nowhere(tmp_path: Path):
    with OpenAIServer() as model, Echo() as tools, Echo() as collector:
        studio = Studio(tmp_path, collector)
        model.say(*["Done."] * 20)
        with studio.serving():
            team_id = studio.set_up(model, tools)
            run_id = studio.ask("POST", "/api/runs", team_id=team_id, task="Go.")["id"]
            assert studio.followed(run_id) == "finished"
            team = leaking_team(model.url, tools.port)
            needed = studio.ask("POST", "/api/validate", component=team)["capabilities"]
            connection_id = studio.ask("POST", "/api/connections", name="Here", component=model_of(team))["id"]
            made = published(studio, team_id)
            ids = {"team_id": team_id, "run_id": run_id, "connection_id": connection_id, **made}
            answers = studio.post_everywhere(team, **ids, hash=needed[0]["hash"])
            assert {what: status for what, status in answers.items() if status >= 300} == {}
            started = {
                "post /api/runs",
                "post /api/runs/{run_id}/next",
                "post /api/part-runs",
                "post /d/{deployment}/calls",
            }
            assert started < answers.keys()
            studio.visit(team_id=team_id, run_id=run_id, other_id=run_id)
        assert not studio.leaks()
        assert b"[removed: secret:model]" in b"".join(content for _, content in studio.seen)


def test_the_search_finds_what_is_told_where_nothing_is_hidden(tmp_path: Path):
    with OpenAIServer() as model, Echo() as tools, Echo() as collector:
        studio = Studio(tmp_path, collector, "tests.security.telling_everything")
        calls(model)
        with studio.serving():
            team_id = studio.set_up(model, tools)
            run_id = studio.ask("POST", "/api/runs", team_id=team_id, task=f"Tell {CANARIES['secret:model']}.")["id"]
            assert studio.followed(run_id) == "finished"
            studio.ask("GET", f"/api/runs/{run_id}/events?limit=1000")
            studio.download(f"/api/runs/{run_id}/test")
        leaks = studio.leaks()
    told_in = [leak.partition(" in ")[2] for leak in leaks]
    for place in ("the stream of", f"GET /api/runs/{run_id}", f"{tmp_path}/studio.db", "a span"):
        assert any(told.startswith(place) for told in told_in), place
    for reference in CANARIES:
        assert any(leak.startswith(f"{reference} as ") for leak in leaks), reference
    value = CANARIES["env:CANARY"]
    for spelling in (
        value,
        quote(value, safe=""),
        value.encode().hex(),
        base64.b64encode(value.encode()).decode()[4:20],
    ):
        assert any(f"env:CANARY as {spelling!r}"[:-1] in leak for leak in leaks), spelling


def check_that_it_was_told(model: OpenAIServer, tools: Echo, studio: Studio, log: list[dict[str, Any]]) -> None:
    """The search would have found something: everybody had the secrets, and told them."""
    assert model.requests[0].key == CANARIES["secret:model"]
    assert json.dumps(CANARIES["secret:http"]).encode() in b"".join(tools.got)
    said = {reference: json.dumps(log).count(f"[removed: {reference}]") for reference in CANARIES}
    assert said["env:CANARY"] >= len(WAYS)
    assert said["secret:http"] == 2
    assert said["secret:mcp"] >= 2
    assert said["secret:model"] >= 4
    told = [content for place, content in studio.seen if "stream" in place]
    assert any(b"Incorrect API key provided: [removed: secret:model]" in content for content in told)
    assert any(b"RoundRobinGroupChat" in span for span in studio.collector.got)
    assert studio.leaks() == [] != list(leaks_in("here", CANARIES["env:CANARY"].encode().hex().encode()))


def _place_of(log: list[dict[str, Any]], call_id: str) -> int:
    """The entry that tells what came of a call."""
    return next(
        one["seq"] for one in log if one["body"].get("type") == "ToolCallExecutionEvent" and call_id in str(one)
    )
