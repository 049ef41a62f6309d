"""The real client of OpenAI speaks Responses to a running studio, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from openai.types.responses import Response

from studio.components import JsonObject
from tests.web.documents import USER_PROXY, assistant, team
from tests.web.openai_clients import PICTURE, Server, writer
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
ENDED = {"completed", "failed", "cancelled", "incomplete"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("studio") / "data"
    with studio(folder) as (_, owner), ExitStack() as clients:
        yield Server(owner, clients)


def asking() -> JsonObject:
    return team(assistant("writer", "A draft.", "Another draft."), USER_PROXY, max_messages=4)


def read_by_the_model(response: Response) -> int:
    """Tokens: they grow with what the team remembers."""
    assert response.usage is not None
    return response.usage.input_tokens


def ended(client: openai.OpenAI, response: Response) -> Response:
    while response.status not in ENDED:
        response = client.responses.retrieve(response.id)
    return response


def without_background(response: Response) -> dict[str, Any]:
    """What the response says whichever way it was read."""
    return response.model_dump(exclude={"background"})


def test_a_response_is_the_answer(server: Server):
    client = server.published("plain", writer())
    done = client.responses.create(model="plain", input="Hello?", temperature=0.2)
    assert (done.status, done.output_text, done.error) == ("completed", "The answer.", None)
    assert done.usage is not None
    assert done.usage.total_tokens == done.usage.input_tokens + done.usage.output_tokens > 0
    assert without_background(client.responses.retrieve(done.id)) == without_background(done)
    [call] = server.calls("plain")
    assert (call["protocol"], f"resp_{call['id']}") == ("openai-responses", done.id)


def test_a_stream_has_the_answer_in_the_events_of_openai(server: Server):
    client = server.published("stream", writer())
    events = list(client.responses.create(model="stream", input="Hello?", stream=True))
    assert [event.type for event in events] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == [*range(9)]
    last = events[-1]
    assert last.type == "response.completed"
    assert last.response.output_text == "The answer."


def test_messages_on_the_way_are_reasoning_where_the_owner_shows_them(server: Server):
    both = team(assistant("writer", "One."), assistant("critic", "Two."))
    client = server.published("open", both, sees="messages")
    events = list(client.responses.create(model="open", input="Hello?", stream=True))
    told = [event.text for event in events if event.type == "response.reasoning_summary_text.done"]
    assert told == ["writer: One.", "critic: Two."]
    last = events[-1]
    assert last.type == "response.completed"
    assert [item.type for item in last.response.output] == ["reasoning", "reasoning", "message"]
    assert last.response.output_text == "Two."
    assert client.responses.retrieve(last.response.id).output == last.response.output


def test_a_stream_that_was_cut_is_continued_exactly(server: Server):
    both = team(assistant("writer", "One."), assistant("critic", "Two."))
    client = server.published("cut", both, sees="messages")
    with client.responses.create(model="cut", input="Hello?", stream=True, background=True) as stream:
        begun = next(iter(stream))
    assert begun.type == "response.created"
    whole = list(client.responses.retrieve(begun.response.id, stream=True))
    assert [event.sequence_number for event in whole] == [*range(len(whole))]
    for last in (0, 1, 7, len(whole) - 2):
        rest = list(client.responses.retrieve(begun.response.id, stream=True, starting_after=last))
        assert [each.to_dict() for each in rest] == [each.to_dict() for each in whole[last + 1 :]]
    assert list(client.responses.retrieve(begun.response.id, stream=True, starting_after=len(whole) - 1)) == []


def test_in_the_background_it_answers_at_once(server: Server):
    client = server.published("behind", writer())
    begun = client.responses.create(model="behind", input="Hello?", background=True)
    assert begun.status in ("queued", "in_progress", "completed")
    assert ended(client, begun).output_text == "The answer."


def test_a_response_is_cancelled(server: Server):
    client = server.published("cancelled", asking())
    done = client.responses.create(model="cancelled", input="Hello?")
    assert done.output_text.startswith("A draft.")
    again = client.responses.create(model="cancelled", input="Go on.", previous_response_id=done.id, background=True)
    assert again.id != done.id
    assert again.id.startswith(done.id)
    stopped = ended(client, client.responses.cancel(again.id))
    assert stopped.status in ("cancelled", "completed")
    assert client.responses.retrieve(done.id).status == "completed", "what was completed stays"


def test_a_response_is_deleted_with_its_call_and_the_run_goes_to_the_trash(server: Server):
    client = server.published("deleted", writer())
    done = client.responses.create(model="deleted", input="Forget this.")
    client.responses.delete(done.id)
    call_id = done.id.removeprefix("resp_")
    for gone in (client.responses.retrieve, client.responses.delete, client.responses.input_items.list):
        with pytest.raises(openai.NotFoundError):
            gone(done.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.create(model="deleted", input="And?", previous_response_id=done.id)
    headers = {"Authorization": f"Bearer {client.api_key}"}
    assert server.owner.get(f"/d/deleted/calls/{call_id}", headers=headers).status_code == 404
    assert [each["id"] for each in server.calls("deleted")] == [call_id], "its owner still sees what it took"
    assert "Forget this." in server.owner.get("/trash").text


def test_a_response_under_way_is_canceled_when_it_is_deleted(server: Server):
    client = server.published("undone", asking())
    asked = client.responses.create(model="undone", input="Write.", conversation="c-undone")
    client.responses.delete(asked.id)
    assert server.owner.get(f"/api/runs/{asked.id.removeprefix('resp_')}").json()["state"] == "cancelled"
    again = client.responses.create(model="undone", input="Write.", conversation="c-undone")
    assert again.output_text.startswith("A draft."), "it is no answer to what was deleted"


def test_a_piece_that_is_none_of_a_call_is_unknown_and_deletes_nothing(server: Server):
    client = server.published("pieces", asking())
    asked = client.responses.create(model="pieces", input="Write.")
    rest = client.responses.create(model="pieces", input="Go on.", previous_response_id=asked.id)
    right = int(rest.id.rpartition("_")[2])
    for place in (1, right - 1, right + 1, 999_999):
        for method in (client.responses.retrieve, client.responses.cancel, client.responses.delete):
            with pytest.raises(openai.NotFoundError):
                method(f"{asked.id}_{place}")
    assert client.responses.retrieve(rest.id).id == rest.id
    client.responses.delete(rest.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(asked.id)


def test_a_conversation_is_deleted_with_its_calls_and_begins_anew(server: Server):
    client = server.published("forgotten", writer())
    named = client.conversations.create()
    first = client.responses.create(model="forgotten", input="One.", conversation=named.id)
    second = client.responses.create(model="forgotten", input="Two.", conversation=named.id)
    other = client.responses.create(model="forgotten", input="Other.")
    assert read_by_the_model(second) > read_by_the_model(first)
    assert client.conversations.delete(named.id).deleted
    assert client.conversations.delete(named.id).deleted
    for each in (first, second):
        with pytest.raises(openai.NotFoundError):
            client.responses.retrieve(each.id)
    assert client.responses.retrieve(other.id).id == other.id
    new = client.responses.create(model="forgotten", input="One.", conversation=named.id)
    assert read_by_the_model(new) == read_by_the_model(first)


def test_what_a_response_was_made_from_is_listed(server: Server):
    client = server.published("inputs", asking())
    parts: Any = [{"type": "input_text", "text": "See."}, {"type": "input_image", "image_url": PICTURE}]
    asked = client.responses.create(model="inputs", input=[{"role": "user", "content": parts}])
    [item] = client.responses.input_items.list(asked.id)
    assert item.type == "message"
    shown = item.model_dump()["content"]
    assert [part["type"] for part in shown] == ["input_text", "input_image"]
    assert shown[0]["text"] == "See."
    answered = client.responses.create(model="inputs", input="Shorter.", previous_response_id=asked.id)
    [answer] = client.responses.input_items.list(answered.id)
    assert answer.model_dump()["content"][0]["text"] == "Shorter."
    with pytest.raises(openai.NotFoundError):
        client.responses.input_items.list(f"{asked.id}_999999")


def test_a_question_completes_a_response_and_the_next_one_answers_it(server: Server):
    client = server.published("asks", asking())
    first = client.responses.create(model="asks", input="Hello?", conversation="a-talk")
    assert first.output_text.startswith("A draft.")
    second = client.responses.create(model="asks", input="Go on.", conversation="a-talk")
    assert (second.status, len(server.calls("asks"))) == ("completed", 1)
    assert second.output_text.startswith("Another draft.")
    assert client.responses.retrieve(first.id).output_text == first.output_text
    assert client.responses.retrieve(second.id).output_text == second.output_text


def test_a_response_goes_on_from_an_earlier_one_and_twice_from_the_same_branches(server: Server):
    client = server.published("branches", writer())
    first = client.responses.create(model="branches", input="Hello?")
    tokens = [read_by_the_model(first)]
    for _ in range(2):
        more = client.responses.create(model="branches", input="Go on.", previous_response_id=first.id)
        assert more.previous_response_id == first.id
        tokens.append(read_by_the_model(more))
    assert tokens[0] < tokens[1] == tokens[2]
    calls = server.calls("branches")
    assert len({call["thread"] for call in calls}) == 2


def test_a_conversation_goes_on_by_its_name(server: Server):
    client = server.published("talks", writer())
    conversation = client.conversations.create()
    tokens = [
        read_by_the_model(client.responses.create(model="talks", input="Hello?", conversation=conversation.id))
        for _ in range(3)
    ]
    assert tokens[0] < tokens[1] < tokens[2]
    assert {call["thread"] for call in server.calls("talks")} == {conversation.id}


def test_a_picture_and_a_history_are_given_to_the_team(server: Server):
    client = server.published("history", writer())
    done = client.responses.create(
        model="history",
        input=[
            {"role": "user", "content": "Hello?"},
            {"role": "assistant", "content": "Yes?"},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "What is this?"},
                    {"type": "input_image", "image_url": PICTURE, "detail": "auto"},
                ],
            },
        ],
    )
    assert done.output_text == "The answer."
    assert "assistant: Yes?" in server.calls("history")[0]["task"]


def test_a_client_that_tries_again_joins_its_call(server: Server):
    client = server.published("retried", writer())
    for count in ("0", "1", "2"):
        headers = {"x-stainless-retry-count": count}
        assert client.responses.create(model="retried", input="Hello?", extra_headers=headers).status == "completed"
    assert len(server.calls("retried")) == 1


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"instructions": "Be a pirate."}, "instructions"),
        ({"tools": [{"type": "web_search"}]}, "tools"),
        ({"store": False}, "store"),
        ({"input": [{"role": "system", "content": "Be a pirate."}]}, "input.0.role"),
        ({"text": {"format": {"type": "json_object"}}}, "text"),
    ],
)
def test_what_a_team_cannot_do_is_refused_by_its_name(server: Server, given: dict[str, Any], param: str):
    client = server.published(f"refuses-{param.replace('.', '-')}", writer())
    model = str(client.base_url).split("/")[-3]
    with pytest.raises(openai.BadRequestError) as raised:
        client.responses.create(model=model, input=given.get("input", "Hello?"), extra_body=given)
    assert (raised.value.code, raised.value.param) == ("unsupported_parameter", param)


def test_other_keys_and_other_ids_find_nothing(server: Server):
    client, other = server.published("mine", writer()), server.published("theirs", writer())
    done = client.responses.create(model="mine", input="Hello?")
    for response_id in (done.id, "resp_none", "none", f"{done.id}_x"):
        with pytest.raises(openai.NotFoundError):
            other.responses.retrieve(response_id)
        with pytest.raises(openai.NotFoundError):
            other.responses.create(model="theirs", input="On.", previous_response_id=response_id)


def test_a_call_begun_by_one_protocol_is_read_and_cancelled_by_the_others(server: Server):
    client = server.published("cross", asking())
    done = client.responses.create(model="cross", input="Hello?")
    call_id = done.id.removeprefix("resp_")
    url = f"{str(client.base_url).removesuffix('/v1/')}/calls/{call_id}"
    with httpx.Client(headers={"Authorization": f"Bearer {client.api_key}"}) as rest:
        call = rest.get(url).json()
        assert (call["state"], call["answer"]) == ("waiting", "A draft.")
        assert rest.post(f"{url}/cancel").json()["state"] == "cancelled"
        body = {"task": "Hello?", "thread": "by-rest"}
        begun = rest.post(url.rpartition("/")[0], params={"wait_s": 20}, json=body).json()
    read = client.responses.retrieve(f"resp_{begun['id']}")
    assert (read.status, read.output_text.split("\n")[0]) == ("completed", "A draft.")
    assert json.dumps(read.to_dict())
