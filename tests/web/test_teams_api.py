"""Teams through the API."""

from __future__ import annotations

import json

import pytest
from fastapi.testclient import TestClient

from tests.web.documents import ROUND_ROBIN, assistant, gallery, team, termination


def test_a_blank_team_is_made_and_listed(client: TestClient):
    made = client.post("/api/teams", json={}).json()
    assert made["component"]["provider"] == ROUND_ROBIN
    assert [item["id"] for item in client.get("/api/teams").json()] == [made["id"]]


def test_a_team_is_kept_as_it_was_given(client: TestClient):
    document = team(label="Poets")
    made = client.post("/api/teams", json={"component": document, "layout": {"zoom": 1}}).json()
    read = client.get(f"/api/teams/{made['id']}").json()
    assert read["component"] == document
    assert (read["name"], read["layout"], read["revision"]) == ("Poets", {"zoom": 1}, 1)


def test_a_pasted_text_with_one_team_becomes_a_team(client: TestClient):
    text = json.dumps(gallery(teams=[team(label="Only one")], agents=[assistant("extra")]))
    assert client.post("/api/teams", json={"text": text}).json()["name"] == "Only one"


def test_yaml_is_read_as_well(client: TestClient):
    text = f"provider: {ROUND_ROBIN}\ncomponent_type: team\nlabel: From YAML\nconfig:\n  participants: []\n"
    assert client.post("/api/teams", json={"text": text}).json()["name"] == "From YAML"


def test_a_text_with_several_teams_says_where_to_bring_it(client: TestClient):
    response = client.post("/api/teams", json={"text": json.dumps([team(), team()])})
    assert response.status_code == 400
    error = response.json()["error"]
    assert (error["code"], error["message"]) == ("not_one_team", "This file contains 2 teams.")
    assert error["fix"] == "Open it as a gallery instead."


def test_a_team_is_copied_from_a_gallery(client: TestClient):
    added = client.post("/api/galleries", json={"text": json.dumps(gallery(teams=[team(label="Copied")]))}).json()
    wanted = {"gallery_id": added["id"], "group": "teams", "index": 0}
    assert client.post("/api/teams", json={"from_gallery": wanted}).json()["name"] == "Copied"
    wanted["index"] = 7
    assert client.post("/api/teams", json={"from_gallery": wanted}).status_code == 404


def test_the_second_of_two_people_is_told_that_the_first_saved(client: TestClient):
    made = client.post("/api/teams", json={"component": team()}).json()
    change = {"component": team(label="Changed"), "layout": {}, "revision": 1}
    assert client.put(f"/api/teams/{made['id']}", json=change).json()["revision"] == 2
    other = {**change, "component": team(label="Other")}
    response = client.put(f"/api/teams/{made['id']}", json=other)
    assert response.status_code == 409
    assert response.json()["error"]["code"] == "merge_conflict"
    assert client.get(f"/api/teams/{made['id']}").json()["component"]["label"] == "Changed"


def test_an_old_version_can_be_read_and_restored(client: TestClient):
    made = client.post("/api/teams", json={"component": team(label="First")}).json()
    address = f"/api/teams/{made['id']}"
    client.put(address, json={"component": team(label="Second"), "revision": 1, "note": "Renamed"})
    versions = client.get(f"{address}/versions").json()
    assert [(version["number"], version["note"]) for version in versions] == [(2, "Renamed"), (1, "")]
    assert client.get(f"{address}/versions/1").json()["component"]["label"] == "First"
    restored = client.post(f"{address}/versions/1/restore").json()
    assert (restored["revision"], restored["component"]["label"]) == (3, "First")


def test_a_wrong_team_is_kept_so_that_no_work_is_lost(client: TestClient):
    wrong = team(assistant("same"), assistant("same"))
    made = client.post("/api/teams", json={"component": wrong})
    assert made.status_code == 201
    assert client.get(f"/api/teams/{made.json()['id']}").json()["component"] == wrong


def test_a_deleted_team_is_gone(client: TestClient):
    made = client.post("/api/teams", json={}).json()
    assert client.delete(f"/api/teams/{made['id']}").status_code == 204
    response = client.get(f"/api/teams/{made['id']}")
    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")


def test_a_team_is_exported_as_python_and_json(client: TestClient):
    made = client.post("/api/teams", json={"component": team(label="Über poets!")}).json()
    address = f"/api/teams/{made['id']}"
    code = client.get(f"{address}/python").json()
    assert "RoundRobinGroupChat" in code["code"]
    assert code["filename"] == "ber_poets.py"
    file = client.get(f"{address}/python?download=1")
    assert file.text == code["code"]
    assert file.headers["Content-Type"].startswith("text/x-python")
    assert file.headers["Content-Disposition"] == 'attachment; filename="ber_poets.py"'
    assert client.get(f"{address}/json?download=1").json() == made["component"]


def test_python_of_an_unsaved_component_stores_nothing(client: TestClient):
    assert "RoundRobinGroupChat" in client.post("/api/python", json={"component": team()}).json()["code"]
    assert client.get("/api/teams").json() == []


def test_python_of_a_wrong_team_names_every_place(client: TestClient):
    wrong = team(max_messages="many")
    response = client.post("/api/python", json={"component": wrong})
    assert response.status_code == 422
    assert response.json()["findings"][0]["where"] == "/config/termination_condition/config/max_messages"


def test_validation_tells_parts_errors_and_capabilities(client: TestClient):
    wrong = team(assistant("one"), {"provider": "os.system", "config": {}}, max_messages="many")
    report = client.post("/api/validate", json={"component": wrong}).json()
    assert not report["ok"]
    assert report["errors"][0]["where"] == "/config/termination_condition/config/max_messages"
    statuses = {part["where"]: part["status"] for part in report["parts"]}
    assert statuses["/config/participants/0"] == "loaded"
    assert statuses["/config/participants/1"] == "opaque"
    assert statuses["/config/termination_condition"] == "wrong"


def test_a_key_in_the_open_never_reaches_the_database(client: TestClient):
    agent = assistant("writer")
    config = agent["config"]
    assert isinstance(config, dict)
    config["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {"model": "gpt-4o", "api_key": "sk-very-secret"},
    }
    made = client.post("/api/teams", json={"component": team(agent)}).json()
    assert "sk-very-secret" not in json.dumps(made)
    key = made["component"]["config"]["participants"][0]["config"]["model_client"]["config"]["api_key"]
    assert key.startswith("secret:")
    secrets = {secret["reference"]: secret for secret in client.get("/api/secrets").json()}
    assert secrets[key]["set"]
    assert secrets[key]["used_by"] == ["Greeters"]


@pytest.mark.parametrize(
    ("place", "component", "expected"),
    [
        ("/config/participants", assistant("writer"), "writer_2"),
        ("/config/termination_condition", termination(9), None),
    ],
)
def test_a_component_is_put_into_a_place(client: TestClient, place: str, component: dict[str, object], expected: str):
    made = client.post("/api/teams", json={"component": team(assistant("writer"))}).json()
    body = {"pointer": place, "component": component}
    changed = client.post(f"/api/teams/{made['id']}/components", json=body).json()
    assert changed["revision"] == 2
    config = changed["component"]["config"]
    if expected:
        assert [agent["config"]["name"] for agent in config["participants"]] == ["writer", expected]
    else:
        assert config["termination_condition"] == component


def test_a_component_is_not_put_where_it_does_not_fit(client: TestClient):
    made = client.post("/api/teams", json={"component": team()}).json()
    body = {"pointer": "/config/participants", "component": termination(2)}
    response = client.post(f"/api/teams/{made['id']}/components", json=body)
    assert response.status_code == 404
    assert client.get(f"/api/teams/{made['id']}").json()["revision"] == 1
