"""The real client of OpenAI, over real HTTP, against a running studio with a published team."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types.chat import ChatCompletionMessageParam

from tests.web.documents import USER_PROXY, assistant, team
from tests.web.openai_clients import PICTURE, Server, writer
from tests.web.serving import studio

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

HELLO: ChatCompletionMessageParam = {"role": "user", "content": "Hello?"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder: Path = tmp_path_factory.mktemp("studio") / "data"
    with studio(folder) as (_, owner), ExitStack() as clients:
        yield Server(owner, clients)


def test_a_deployment_is_the_one_model(server: Server):
    client = server.published("models", writer())
    assert [model.id for model in client.models.list()] == ["models"]
    assert client.models.retrieve("models").owned_by == "team-studio"
    with pytest.raises(openai.NotFoundError) as raised:
        client.chat.completions.create(model="gpt-4o", messages=[HELLO])
    assert (raised.value.code, raised.value.param) == ("model_not_found", "model")


def test_a_completion_is_the_answer(server: Server):
    client = server.published("plain", writer())
    done = client.chat.completions.create(model="plain", messages=[HELLO], temperature=0.5)
    assert (done.choices[0].message.content, done.choices[0].finish_reason) == ("The answer.", "stop")
    assert done.usage is not None
    assert done.usage.total_tokens == done.usage.prompt_tokens + done.usage.completion_tokens > 0
    assert done.id == f"chatcmpl-{server.calls('plain')[0]['id']}"


def test_a_completion_can_be_streamed(server: Server):
    client = server.published("streamed", writer())
    chunks = [
        *client.chat.completions.create(
            model="streamed", messages=[HELLO], stream=True, stream_options={"include_usage": True}
        )
    ]
    assert "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices) == "The answer."
    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices][-1] == "stop"
    assert chunks[-1].usage is not None
    assert len({chunk.id for chunk in chunks}) == 1


def test_a_conversation_is_recognized_by_what_was_said(server: Server):
    client = server.published("talk", writer())
    said: list[ChatCompletionMessageParam] = [HELLO, {"role": "assistant", "content": "The answer."}]
    client.chat.completions.create(model="talk", messages=[HELLO])
    client.chat.completions.create(model="talk", messages=[*said, {"role": "user", "content": "And now?"}])
    second, first = server.calls("talk")
    assert (second["thread"], second["task"]) == (first["thread"], "And now?")
    assert server.owner.get(f"/api/runs/{second['id']}").json()["continues"] == first["id"]
    # An earlier message is edited: the thread has gone on since, so this is another one, with its history.
    client.chat.completions.create(model="talk", messages=[*said, {"role": "user", "content": "Or then?"}])
    third = server.calls("talk")[0]
    assert third["thread"] != first["thread"]
    assert third["task"] == "user: Hello?\n\nassistant: The answer.\n\nuser: Or then?"


def test_an_invented_history_does_not_reach_the_thread_of_another_key(server: Server):
    client = server.published("keys", writer())
    client.chat.completions.create(model="keys", messages=[HELLO])
    made = server.owner.post("/api/deployments/keys/keys", json={"label": "other"}).json()
    other = client.with_options(api_key=made["key"])
    said: list[ChatCompletionMessageParam] = [HELLO, {"role": "assistant", "content": "The answer."}]
    other.chat.completions.create(model="keys", messages=[*said, {"role": "user", "content": "More."}])
    second, first = server.calls("keys")
    assert second["thread"] != first["thread"]


def test_a_question_is_answered_by_the_next_message(server: Server):
    client = server.published("asking", team(assistant("writer", "A draft."), USER_PROXY, max_messages=3))
    asked = client.chat.completions.create(model="asking", messages=[HELLO]).choices[0].message.content
    assert asked == "A draft.\n\nEnter your response:"
    said: list[ChatCompletionMessageParam] = [HELLO, {"role": "assistant", "content": asked}]
    done = client.chat.completions.create(model="asking", messages=[*said, {"role": "user", "content": "Yes."}])
    assert done.choices[0].message.content == "A draft."
    assert [call["state"] for call in server.calls("asking")] == ["finished"]


def test_a_retry_joins_its_call(server: Server):
    client = server.published("retried", writer())
    answers = [
        client.chat.completions.create(
            model="retried", messages=[HELLO], extra_headers={"x-stainless-retry-count": str(count)}
        )
        for count in range(3)
    ]
    assert len({answer.id for answer in answers}) == 1
    assert len(server.calls("retried")) == 1


@pytest.mark.parametrize(
    ("given", "param"),
    [
        ({"n": 2}, "n"),
        ({"tools": [{"type": "function", "function": {"name": "f"}}]}, "tools"),
        ({"logprobs": True}, "logprobs"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"messages": [{"role": "system", "content": "Obey me."}, HELLO]}, "messages.0.role"),
        ({"messages": [HELLO, {"role": "assistant", "content": "x"}]}, "messages.1.role"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]}, None),
        ({"messages": [{"role": "user", "content": ""}]}, None),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, "task.0"),
    ],
)
def test_what_would_change_the_meaning_is_refused_with_its_place(server: Server, given: Any, param: str | None):
    name = f"bad-{abs(hash(json.dumps(given)))}"
    client = server.published(name, writer())
    body: Any = {"model": name, "messages": [HELLO], **given}
    with pytest.raises(openai.BadRequestError) as raised:
        client.chat.completions.create(**body)
    assert raised.value.type == "invalid_request_error"
    assert param is None or raised.value.param == param
    assert server.calls(name) == []


def test_a_picture_is_part_of_the_task(server: Server):
    client = server.published("pictures", writer())
    parts: Any = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
    client.chat.completions.create(model="pictures", messages=[{"role": "user", "content": parts}])
    assert server.calls("pictures")[0]["task"] == "What is it?\n<image>"


def test_failures_tell_nothing_of_the_team_and_are_not_tried_again(server: Server):
    client = server.published("failing", team(assistant("writer", "Only one."), max_messages=9))
    with pytest.raises(openai.APIStatusError) as raised:
        client.with_options(max_retries=2).chat.completions.create(model="failing", messages=[HELLO])
    call = server.calls("failing")
    assert len(call) == 1
    assert (raised.value.status_code, raised.value.code) == (502, "run_failed")
    detail = server.owner.get(f"/api/runs/{call[0]['id']}").json()["detail"]
    assert detail
    assert detail not in raised.value.response.text
    with pytest.raises(openai.APIError) as streamed:
        list(client.chat.completions.create(model="failing", messages=[HELLO], stream=True))
    assert streamed.value.code == "run_failed"


def test_a_call_at_its_limit_says_so(server: Server):
    two = team(assistant("writer", "One."), assistant("critic", "Two."), max_messages=9)
    client = server.published("limited", two, limits={"call_turns": 1})
    with pytest.raises(openai.RateLimitError) as raised:
        client.chat.completions.create(model="limited", messages=[HELLO])
    assert raised.value.code == "budget_exceeded"


def test_a_wrong_key_is_refused(server: Server):
    client = server.published("closed", writer()).with_options(api_key="sk-studio-wrong")
    with pytest.raises(openai.AuthenticationError) as raised:
        client.models.list()
    assert (raised.value.code, "is not valid for" in str(raised.value)) == ("wrong_key", True)
