"""What the builder's checklist gets from the server: errors, advice with remedies, and what is missing here."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.documents import assistant, team

OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"
MODEL = "/config/participants/0/config/model_client"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def openai(**config: Any) -> dict[str, Any]:
    return {"provider": OPENAI, "component_type": "model", "config": {"model": "gpt-4o", **config}}


def writer(name: str, **config: Any) -> Any:
    made: Any = assistant(name)
    made["config"]["model_client"] = openai(**config)
    return made


def check(client: TestClient, component: Any) -> Any:
    return client.post("/api/validate", json={"component": component}).json()


def test_advice_comes_with_what_a_press_can_do(client: TestClient):
    endless: Any = team(assistant("one"))
    endless["config"]["termination_condition"] = None
    (found,) = check(client, endless)["warnings"]
    assert (found["code"], found["where"]) == ("may_run_forever", "/config/termination_condition")
    (fix,) = found["fixes"]
    endless["config"]["termination_condition"] = fix["value"]
    assert fix["pointer"] == "/config/termination_condition"
    assert check(client, endless)["warnings"] == []


def test_an_error_comes_with_its_remedy_too(client: TestClient):
    errors = check(client, team(assistant("one"), assistant("one")))["errors"]
    assert len(errors) == 2
    for error in errors:
        assert error["fixes"] == [{"label": "Rename to one_2", "pointer": error["where"], "value": "one_2"}]


def test_a_variable_that_is_not_set_is_a_need_with_every_place_that_reads_it(client: TestClient):
    (need,) = check(client, team(writer("one"), writer("two", api_key="env:OPENAI_API_KEY")))["needs"]
    assert (need["reference"], need["name"], need["is_stored"]) == ("env:OPENAI_API_KEY", "openai-api-key", False)
    other = MODEL.replace("0", "1")
    assert need["where"] == f"{MODEL}/config/api_key"
    assert need["places"] == [f"{MODEL}/config/api_key", f"{other}/config/api_key"]


def test_a_stored_secret_is_no_need_and_a_missing_one_can_be_stored(client: TestClient):
    component = team(writer("one", api_key="secret:mine"))
    (need,) = check(client, component)["needs"]
    assert (need["name"], need["places"]) == ("mine", [])
    client.put("/api/secrets/mine", json={"value": "sk-1"})
    assert check(client, component)["needs"] == []


def test_a_variable_whose_key_is_stored_already_only_needs_to_be_named(client: TestClient):
    client.put("/api/secrets/openai-api-key", json={"value": "sk-1"})
    (need,) = check(client, team(writer("one")))["needs"]
    assert need["is_stored"]


def test_a_variable_that_is_set_is_no_need(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    assert check(client, team(writer("one")))["needs"] == []


def test_a_reference_inside_a_longer_text_is_shown_and_not_rewritten(client: TestClient):
    one = writer("one", api_key="secret:mine", default_headers={"X-Key": "Bearer {env:GATEWAY_KEY}"})
    gateway = next(need for need in check(client, team(one))["needs"] if need["reference"] == "env:GATEWAY_KEY")
    assert gateway["where"] == f"{MODEL}/config/default_headers/X-Key"
    assert gateway["name"] == ""


def test_needs_and_permissions_stay_known_while_another_part_is_wrong(client: TestClient):
    whole = check(client, team(writer("one"), assistant("two")))
    broken = check(client, team(writer("one"), assistant("two words")))
    assert not broken["ok"]
    assert broken["needs"] == whole["needs"] != []
    assert broken["capabilities"] == whole["capabilities"] != []


def test_no_value_of_a_secret_is_in_the_answer(client: TestClient):
    client.put("/api/secrets/openai-api-key", json={"value": "sk-very-secret"})
    answer = client.post("/api/validate", json={"component": team(writer("one"), writer("two", api_key="secret:mine"))})
    assert "sk-very-secret" not in answer.text
