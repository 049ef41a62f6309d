"""Python through the HTTP door: read, never executed, with every mistake at its line."""

from __future__ import annotations

from fastapi.testclient import TestClient

from studio.code.source import MAX_CHARACTERS
from tests.web.documents import assistant, team

HEAD = "from studio.agents import UserProxyAgent\nfrom studio.conditions import MaxMessageTermination\n"


def test_what_is_exported_is_read_back(client: TestClient):
    code = client.post("/api/python", json={"component": team(assistant("writer"))}).json()["code"]
    read = client.post("/api/python/read", json={"code": code})
    assert read.status_code == 200
    assert client.post("/api/python", json={"component": read.json()["component"]}).json()["code"] == code


def test_what_is_not_read_is_refused_with_line_and_column(client: TestClient):
    answer = client.post("/api/python/read", json={"code": f"{HEAD}import os\nagent = os.getcwd()\n  x"})
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid_python"
    [finding] = answer.json()["findings"]
    assert (finding["line"], finding["code"], finding["severity"]) == (5, "syntax", "error")
    answer = client.post("/api/python/read", json={"code": f"{HEAD}import os\nfor x in []: pass\nagent = os.getcwd()"})
    assert [(each["line"], each["column"]) for each in answer.json()["findings"]] == [(4, 1), (5, 9)]


def test_a_wrong_field_is_told_at_its_line_and_in_the_component(client: TestClient):
    answer = client.post("/api/python/read", json={"code": f"{HEAD}stop = MaxMessageTermination(max_messages='x')"})
    assert answer.status_code == 200
    assert answer.json()["component"]["config"] == {"max_messages": "x"}
    [finding] = answer.json()["findings"]
    assert (finding["where"], finding["line"], finding["column"]) == ("/config/max_messages", 3, 43)


def test_a_script_longer_than_any_team_is_too_large(client: TestClient):
    answer = client.post("/api/python/read", json={"code": "#" * (MAX_CHARACTERS + 1)})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_a_stranger_may_not_have_python_read(stranger: TestClient):
    assert stranger.post("/api/python/read", json={"code": HEAD}).status_code == 401
