"""Patterns that would keep Python's engine busy for days: they come with documents, breakpoints and rules for tools."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from pydantic import JsonValue

from studio.components import JsonObject
from studio.runs import ArgumentTest, RunState, ToolPolicy, ToolRule
from studio.settings import Settings
from tests.web.documents import assistant, shouting, team
from tests.web.following import entries, start, stream, wait_for

pytestmark = pytest.mark.timeout(60)
JSON = {"Content-Type": "application/json"}
NESTED = "(a+)+$"
LETTERS = "a" * 40 + "!"


def guarded(pattern: str) -> JsonObject:
    agent = assistant("writer", LETTERS)
    config = cast("dict[str, Any]", agent["config"])
    rail = {"provider": "studio.agents.RegexGuardrail", "config": {"name": "g", "pattern": pattern}}
    config["output_guardrails"] = [rail]
    return team(agent, max_messages=2)


def put(client: TestClient, document: JsonObject, name: str, value: JsonObject) -> str:
    """A team that something is kept with."""
    team_id = client.post("/api/teams", json={"component": document}).json()["id"]
    answer = client.put(f"/api/teams/{team_id}/{name}", json=value)
    assert answer.status_code == 200, answer.text
    return team_id


def started(client: TestClient, team_id: str) -> str:
    body = {"team_id": team_id, "task": "Go."}
    missing = client.post("/api/runs", json=body).json().get("missing", [])
    client.post("/api/approvals", json={"hashes": [item["hash"] for item in missing]})
    return client.post("/api/runs", json=body).json()["id"]


def test_a_guardrail_keeps_nobody_waiting(client: TestClient):
    run_id = start(client, guarded(NESTED))
    assert entries(stream(client, run_id))[-1]["body"]["state"] == "finished"


def test_a_breakpoint_keeps_nobody_waiting(client: TestClient):
    point: JsonObject = {"id": "b", "on": "text", "text": NESTED, "is_regex": True}
    team_id = put(client, team(assistant("writer", LETTERS), max_messages=2), "breakpoints", {"breakpoints": [point]})
    run_id = client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["id"]
    assert entries(stream(client, run_id))[-1]["body"]["state"] == "finished"


@pytest.mark.parametrize(("pattern", "length"), [(NESTED, 40), ("(a|aa)+", 19_999), (r"(\pL{8})*", 19_999)])
def test_a_rule_for_a_tool_keeps_nobody_waiting(server: TestClient, client: TestClient, pattern: str, length: int):
    """And where it would take too long, it is never taken for a permission."""
    document = json.loads(json.dumps(shouting()).replace("hello", "a" * length + "!"))
    test: JsonObject = {"argument": "text", "test": "matches", "value": pattern}
    rule: JsonObject = {"tool": "shout", "when": [test], "verdict": "allow"}
    run_id = started(client, put(client, document, "policy", {"policy": {"rules": [rule], "otherwise": "ask"}}))
    wait_for(server, run_id, RunState.PAUSED)
    assert client.get(f"/api/runs/{run_id}").json()["pending"]["kind"] == "approval"


@pytest.mark.parametrize("pattern", ["(?=a)a", r"(a)\1", "(", "a" * 2_001, "(a{1000}){1000}"])
def test_what_cannot_be_matched_safely_is_refused_where_it_is_set(client: TestClient, pattern: str):
    report = client.post("/api/validate", content=json.dumps({"component": guarded(pattern)}), headers=JSON)
    assert any(found["where"].endswith("/pattern") for found in report.json()["errors"]), report.text
    team_id = client.post("/api/teams", json={"component": team()}).json()["id"]
    point = {"id": "b", "on": "text", "text": pattern, "is_regex": True}
    rule = {"tool": "x", "when": [{"argument": "y", "test": "matches", "value": pattern}]}
    for name, value in [("breakpoints", {"breakpoints": [point]}), ("policy", {"policy": {"rules": [rule]}})]:
        answer = client.put(f"/api/teams/{team_id}/{name}", content=json.dumps(value), headers=JSON)
        assert answer.status_code == 422, answer.text


def test_a_team_whose_pattern_is_refused_now_is_still_shown_and_mended(client: TestClient):
    made = client.post("/api/teams", json={"component": guarded("(?<!x)y")}).json()
    assert client.get(f"/teams/{made['id']}").status_code == 200
    assert client.post("/api/runs", json={"team_id": made["id"], "task": "Go."}).status_code == 422
    mended = {"component": guarded("y"), "revision": made["revision"]}
    assert client.put(f"/api/teams/{made['id']}", json=mended).status_code == 200


@pytest.mark.embedded
def test_rules_that_were_kept_with_a_pattern_that_is_refused_now_stay_in_force(
    server: TestClient, client: TestClient, settings: Settings
):
    team_id = put(client, shouting(), "policy", {"policy": {}})
    test: JsonObject = {"argument": "text", "test": "matches", "value": "(?!safe).*"}
    rules: list[JsonValue] = [{"tool": "shout", "when": [test], "verdict": "ask"}]
    point: JsonObject = {"id": "b", "on": "text", "text": "(?!safe).*", "is_regex": True}
    keep(settings, team_id, {"rules": rules}, [point])
    assert client.get(f"/api/teams/{team_id}/policy").json()["policy"]["rules"][0]["when"] == [test]
    assert client.get(f"/api/teams/{team_id}/breakpoints").json()["breakpoints"][0]["text"] == point["text"]
    run_id = started(client, team_id)
    wait_for(server, run_id, RunState.PAUSED)
    assert client.get(f"/api/runs/{run_id}").json()["pending"]["details"]["tool"] == "shout"


def keep(settings: Settings, team_id: str, policy: JsonObject, breakpoints: list[JsonObject]) -> None:
    """Keep rules as an older studio did."""
    with closing(sqlite3.connect(settings.data_dir / "studio.db")) as database, database:
        values = (json.dumps(policy), json.dumps(breakpoints), team_id)
        database.execute("UPDATE team_settings SET policy = ?, breakpoints = ? WHERE team_id = ?", values)


def test_a_format_that_would_make_a_text_of_any_length_is_refused_before_a_run(client: TestClient):
    agent = assistant("writer", '{"a": "x"}')
    schema: JsonObject = {"type": "object", "properties": {"a": {"type": "string"}}}
    form: JsonObject = {"json_schema": schema, "format_string": "{a:>1500000000}", "content_model_name": "A"}
    config = cast("dict[str, Any]", agent["config"])
    config["structured_message_factory"] = {"provider": "studio.agents.StructuredMessageFactory", "config": form}
    made = client.post("/api/teams", json={"component": team(agent)}).json()
    refused = client.post("/api/runs", json={"team_id": made["id"], "task": "Go."})
    assert refused.status_code == 422
    assert refused.json()["findings"][0]["where"].endswith("/format_string")
    assert client.get(f"/teams/{made['id']}").status_code == 200


def test_so_many_patterns_that_each_could_look_at_little_are_refused(client: TestClient):
    team_id = client.post("/api/teams", json={"component": team()}).json()["id"]
    for count, status in ((50, 200), (51, 422)):
        points = [
            {"id": f"b{number}", "on": "text", "text": f"a.*{number}", "is_regex": True} for number in range(count)
        ]
        tests = [{"argument": "y", "test": "matches", "value": f"{number}.*"} for number in range(count)]
        rules = [{"tool": "x", "when": tests[place : place + 20]} for place in range(0, count, 20)]
        assert client.put(f"/api/teams/{team_id}/breakpoints", json={"breakpoints": points}).status_code == status
        assert client.put(f"/api/teams/{team_id}/policy", json={"policy": {"rules": rules}}).status_code == status


@pytest.mark.parametrize("count", [1, 50])
def test_patterns_share_what_is_looked_at_at_once(count: int):
    """One alone can tell; among many each could keep the others waiting."""
    test = ArgumentTest(argument="text", test="matches", value="(?:a|b)*a(?:a|b){15}c?")
    rules = tuple(ToolRule(tool=f"tool{number}", when=(test,), verdict="allow") for number in range(count))
    policy = ToolPolicy(rules=rules, otherwise="ask")
    assert policy.decision("tool0", {"text": "ab" * 9_000})[0] == ("allow" if count == 1 else "ask")
