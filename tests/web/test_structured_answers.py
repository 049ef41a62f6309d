"""What callers get of a team whose agent answers in a structure."""

from __future__ import annotations

import json
from typing import Any

from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.web.a2a_clients import SAID, VERSION
from tests.web.documents import assistant, team
from tests.web.publishing import Published, publish

ORDER = {"order": "7", "items": [{"name": "tea", "count": 2}]}
SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"order": {"type": "string"}, "items": {"type": "array", "items": {"type": "object"}}},
    "required": ["order"],
}


def answering(reply: str, **form: Any) -> JsonObject:
    """A team whose only agent answers by a schema."""
    agent: Any = assistant("clerk", reply)
    agent["config"]["structured_message_factory"] = {
        "provider": "autogen_agentchat.messages.StructuredMessageFactory",
        "config": {"json_schema": SCHEMA, "content_model_name": "Order", **form},
    }
    return team(agent, max_messages=2)


def artifact_of(published: Published) -> Any:
    """The answer of a call, as a task of A2A has it."""
    answer = published.caller.post(f"{published.url}/a2a/message:send", json={"message": SAID}, headers=VERSION)
    return answer.json()["task"]["artifacts"][0]["parts"]


def test_a_structured_answer_is_json_by_all_protocols(client: TestClient):
    published = publish(client, answering(json.dumps(ORDER)))
    assert json.loads(published.call()["answer"]) == ORDER
    body = {"model": "support", "input": "Go."}
    response = published.caller.post(f"{published.url}/v1/responses", json=body).json()
    assert json.loads(response["output"][0]["content"][0]["text"]) == ORDER


def test_a_task_of_a2a_has_it_as_data_and_as_text(client: TestClient):
    data, text = artifact_of(publish(client, answering(json.dumps(ORDER))))
    assert data == {"data": ORDER, "mediaType": "application/json"}
    assert json.loads(text["text"]) == ORDER


def test_an_agent_that_has_words_for_it_says_those(client: TestClient):
    published = publish(client, answering(json.dumps(ORDER), format_string="Order {order} has {items[0][name]}."))
    assert published.call()["answer"] == "Order 7 has tea."
    data, text = artifact_of(published)
    assert (data["data"], text["text"]) == (ORDER, "Order 7 has tea.")


def test_words_that_do_not_fit_an_answer_leave_it_as_json(client: TestClient):
    given = answering('{"order": "7"}', format_string="Order {order} has {items[0][name]}.")
    assert json.loads(publish(client, given).call()["answer"]) == {"order": "7", "items": None}


def test_a_plain_answer_after_a_structured_one_is_no_data(client: TestClient):
    component: Any = answering(json.dumps(ORDER))
    component["config"]["participants"].append(assistant("writer", "Sent."))
    component["config"]["termination_condition"]["config"]["max_messages"] = 3
    published = publish(client, component)
    assert published.call()["answer"] == "Sent."
    assert artifact_of(published) == [{"text": "Sent.", "mediaType": "text/plain"}]
