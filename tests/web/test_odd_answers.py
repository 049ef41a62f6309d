"""What tools answer may be odd and honest: each page of the run can be read all the same, also where it was logged as
older versions did."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.settings import Settings
from studio.web.app import create_app
from tests.web.bundles import bring_in, bundle_of
from tests.web.documents import assistant, function_tool, team
from tests.web.doors import BASE_URL, TOKEN, client_of
from tests.web.following import entries, stream

PARAMETER = re.compile(r"{(\w+)(?::\w+)?}")
VALUES = {
    "nan": 'float("nan")',
    "inf in a list": '[1, float("inf"), {"a": float("-inf")}]',
    "inf in an object": '{"a": float("inf"), "nan": "NaN"}',
    "half a character": '"caf\\ud800"',
    "half a character as a key": '{"caf\\ud800": ["\\udfff"]}',
    "halves in the wrong order": '"\\ude00\\ud83d"',
    "NUL": '"a\\0b"',
    "300 lists": 'eval("[" * 90 + "]" * 90) and nested(300)',
    "300 objects": 'nested(300, "object")',
    "900 lists": "nested(900)",
    "bytes": 'b"\\xff\\0"',
    "set": "{1, 2}",
    "tuple": "(1, (2, float('nan')))",
    "object": "object()",
    "4000 digits": "10 ** 4000",
    "5000 digits": "10 ** 5000",
    "digits in an object": '{"a": -10 ** 400}',
    "datetime": '__import__("datetime").datetime.now()',
    "dataclass": '__import__("dataclasses").make_dataclass("Point", ["x"])(float("nan"))',
    "decimal": '__import__("decimal").Decimal("NaN")',
    "keys that are no text": '{1: "a", None: "b", 2.5: "c", float("nan"): "d"}',
    "circle": "circle()",
    "long key": '{"k" * 900: {"l" * 900: 1}}',
    "exception": 'raised("caf\\ud800")',
    "event": 'told("caf\\ud800", [float("nan"), "\\udfff", nested(300)])',
    "event's name": 'told("\\ud800", "x")',
}
TOOL = f"""
from studio.tools import emit

def give(which: str):
    return {{{", ".join(f"{name!r}: lambda: {code}" for name, code in VALUES.items())}}}[which]()

def nested(levels, kind="list"):
    value = 1
    for _ in range(levels):
        value = [value] if kind == "list" else {{"a": value}}
    return value

def circle():
    value = []
    value.append(value)
    return value

def raised(text):
    raise ValueError(text)

def told(name, content):
    emit(name, content)
    return "told"
"""
OLD: dict[str, str] = {
    "nan": "NaN",
    "inf": '{"a": -Infinity, "b": [Infinity]}',
    "half": r'"caf\ud800 \udc00"',
    "half a key": r'{"\udfff": "\ud83d"}',
    "lists": "[" * 300 + "]" * 300,
    "objects": '{"a":' * 300 + "1" + "}" * 300,
    "950 levels": "[" * 950 + "]" * 950,
    "digits": "9" * 4000,
}
"""JSON that older versions wrote into their logs."""


def pages_of(app: FastAPI, **values: str) -> Iterator[str]:
    """Each address of a run that can be read."""
    for one in iter_route_contexts(app.routes):
        names = PARAMETER.findall(one.path or "")
        if one.path and "GET" in (one.methods or ()) and "run_id" in names:
            seqs = values["seqs"].split() if "seq" in names else ["1"]
            for seq in seqs:
                known = {"other_id": values["run_id"], "number": "1", **values, "seq": seq}
                path = PARAMETER.sub(lambda match, known=known: known[match[1]], one.path)
                yield f"{path}?seq={seq}&text=caf&q=caf"


def check_that_all_can_be_read(server: TestClient, client: TestClient, run_id: str, seqs: str, **values: str) -> None:
    assert isinstance(server.app, FastAPI)
    paths = list(pages_of(server.app, run_id=run_id, seqs=seqs, **values))
    assert len(paths) > 20
    answers = {path: client.get(path) for path in paths}
    assert {path: answer.text for path, answer in answers.items() if answer.status_code >= 500} == {}


def calling(*which: str) -> JsonObject:
    agent = assistant("writer")
    config: Any = agent["config"]
    usage: JsonObject = {"prompt_tokens": 1, "completion_tokens": 1}
    config["model_client"]["config"]["chat_completions"] = [
        {
            "finish_reason": "function_calls",
            "content": [{"id": str(index), "name": "give", "arguments": json.dumps({"which": name})}],
            "usage": usage,
            "cached": False,
        }
        for index, name in enumerate(which)
    ]
    config["tools"] = [function_tool(TOOL, "give")]
    return team(agent, max_messages=len(which) + 1)


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return settings.model_copy(update={"sandbox": "process"})


def ran(client: TestClient, document: JsonObject) -> tuple[str, list[dict[str, Any]]]:
    body = {"team_id": client.post("/api/teams", json={"component": document}).json()["id"], "task": "Go."}
    response = client.post("/api/runs", json=body)
    if response.status_code == 403:
        hashes = [one["hash"] for one in response.json()["missing"]]
        assert client.post("/api/approvals", json={"hashes": hashes}).status_code == 201
        response = client.post("/api/runs", json=body)
    assert response.status_code == 201, response.text
    run_id = response.json()["id"]
    return run_id, entries(stream(client, run_id))


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_whatever_a_tool_gives_its_run_can_be_read_shared_and_repeated(server: TestClient, client: TestClient):
    run_id, sent = ran(client, calling(*VALUES))
    assert sent[-1]["body"]["state"] == "finished", sent[-1]
    said = [one["body"]["content"] for one in sent if one["kind"] == "message"][1:]
    assert len(said) == len(VALUES)
    told = dict(zip(VALUES, said, strict=True))
    assert (told["nan"], told["half a character"], told["set"]) == ("nan", "caf�", "{1, 2}")
    check_that_all_can_be_read(server, client, run_id, "1 2 3 9999")
    page = bundle_of(client, run_id)
    replayed = client.post(f"/api/runs/{run_id}/replay", json={}).json()["id"]
    assert stream(client, replayed)[-1].name == "done"
    assert client.get(f"/api/runs/{replayed}").json()["state"] == "finished"
    for each in (replayed, run_id):
        assert client.delete(f"/api/runs/{each}").status_code == 204
    assert bring_in(client, page)[0] == 201


@pytest.mark.slow
@pytest.mark.parametrize("odd", OLD)
def test_an_old_log_with_odd_answers_can_be_read_on_every_page(settings: Settings, odd: str):
    app = create_app(settings)
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with TestClient(app, base_url=BASE_URL) as server:
        client = client_of(server, headers)
        run_id, sent = ran(client, team(assistant("writer", "One."), max_messages=3))
        spoil(settings.data_dir / "studio.db", run_id, OLD[odd])
    with TestClient(create_app(settings), base_url=BASE_URL) as server:
        client = client_of(server, headers)
        check_that_all_can_be_read(server, client, run_id, " ".join(str(one["seq"]) for one in sent))
        page = bundle_of(client, run_id)
        assert client.delete(f"/api/runs/{run_id}").status_code == 204
        assert bring_in(client, page)[0] == 201


def spoil(database: Path, run_id: str, odd: str) -> None:
    """Put an odd value into all that a run has logged, as text."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT seq, kind, body FROM run_event WHERE run_id = ?", (run_id,)).fetchall()
        for seq, kind, body in rows:
            place = {"effect": "result", "state": "error"}.get(kind, "metadata")
            if place != "metadata" or odd.startswith('"'):
                changed = f'{body[:-1]}, "{place}": {{"odd": {odd}}}}}'
                connection.execute("UPDATE run_event SET body = ? WHERE run_id = ? AND seq = ?", (changed, run_id, seq))
        pending = f'{{"request_id": "x", "source": "y", "prompt": "z", "details": {{"odd": {odd}}}}}'
        connection.execute("UPDATE run SET pending = ? WHERE id = ?", (pending, run_id))
