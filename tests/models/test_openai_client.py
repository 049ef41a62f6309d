"""The OpenAI client over real HTTP."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk
from pydantic import BaseModel

from studio.components import all_capabilities, load_component
from studio.errors import MissingSecret, ModelRefused, ModelUnavailable
from studio.messages import CreateResult, FunctionCall, LLMMessage, RequestUsage, ToolSchema, UserMessage
from studio.models import OpenAIChatCompletionClient
from studio.models.openai_answer import Fold
from tests.fakes.openai_server import Call, OpenAIServer, Reply
from tests.models.conftest import MakeClient

ASK: list[LLMMessage] = [UserMessage(content="hi", source="user")]
ADD = ToolSchema(name="add", description="Adds.", parameters={"type": "object", "properties": {}})


class Answer(BaseModel):
    text: str
    score: int = 0


async def collect(client: OpenAIChatCompletionClient, **more: Any) -> list[str | CreateResult]:
    return [item async for item in client.create_stream(ASK, **more)]


async def test_a_question_is_sent_with_its_options(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    await make_client(temperature=0.5).create(ASK)
    body = openai_server.requests[0].body
    assert body["messages"] == [{"role": "user", "content": "hi", "name": "user"}]
    assert (body["model"], body["temperature"]) == ("gpt-4o", 0.5)
    assert body.keys() == {"messages", "model", "temperature", "stream"}


@pytest.mark.parametrize("streamed", [False, True])
async def test_arguments_that_are_not_json_come_as_they_are(
    openai_server: OpenAIServer, make_client: MakeClient, streamed: bool
) -> None:
    openai_server.say(Reply(calls=[Call("add", "not json", id="y")]))
    client = make_client()
    result = (await collect(client, tools=[ADD]))[-1] if streamed else await client.create(ASK, tools=[ADD])
    assert isinstance(result, CreateResult)
    assert result.content == [FunctionCall(id="y", name="add", arguments="not json")]
    assert openai_server.requests[0].body["tool_choice"] == "auto"
    assert openai_server.requests[0].body["tools"][0]["function"]["name"] == "add"


async def test_nothing_is_sent_while_nobody_pulls(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say(Reply("one two three", hold=1))
    async with aclosing(make_client().create_stream(ASK)) as stream:
        assert openai_server.request_count == 0
        assert await anext(stream) == "one "
        await asyncio.to_thread(openai_server.wait_until_held)
        openai_server.release()
        assert await anext(stream) == "two "
    assert openai_server.request_count == 1


async def test_thoughts_in_the_text_are_taken_out(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say("<think>\nwell\n</think>\n\n42")
    result = await make_client().create(ASK)
    assert (result.thought, result.content) == ("well", "42")


async def test_an_answer_by_schema_is_asked_for_strictly(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say('{"text": "x", "score": 1}')
    await make_client().create(ASK, json_output=Answer)
    schema = openai_server.requests[0].body["response_format"]["json_schema"]
    assert (schema["name"], schema["strict"]) == ("Answer", True)
    assert schema["schema"]["required"] == ["text", "score"]
    assert schema["schema"]["additionalProperties"] is False


async def test_an_unreachable_server_is_named() -> None:
    client = OpenAIChatCompletionClient(model="m", base_url="http://127.0.0.1:9/v1", max_retries=0)
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1:9/v1 cannot be reached") as caught:
        await client.create(ASK)
    await client.close()
    assert "base URL" in caught.value.fix


async def test_no_objects_are_made_of_the_pieces_of_a_stream(
    openai_server: OpenAIServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take longer than all else that is done with a word."""

    def refuse(*_: object, **__: object) -> ChatCompletionChunk:
        raise AssertionError("A piece was made into an object.")

    monkeypatch.setattr(ChatCompletionChunk, "construct", refuse)
    openai_server.say("one two three")
    *words, result = await collect(make_client())
    assert words == ["one ", "two ", "three"]
    assert isinstance(result, CreateResult)
    assert (result.usage.prompt_tokens, result.usage.completion_tokens) == (11, 7)


async def test_a_piece_may_lack_what_the_api_says_it_has() -> None:
    fold = Fold()
    pieces: list[dict[str, Any]] = [
        {},
        {"choices": None, "usage": None},
        {"choices": [{}]},
        {"choices": [{"delta": None, "logprobs": None, "finish_reason": None}]},
        {"choices": [{"delta": {"content": None, "tool_calls": None, "reasoning_content": None}}]},
        {"choices": [{"delta": {"content": "yes"}, "logprobs": {"content": None}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": None, "prompt_tokens_details": None}},
    ]
    assert [text for piece in pieces for text in fold.add(piece)] == ["yes"]
    assert fold.result().usage == RequestUsage(prompt_tokens=3, completion_tokens=0, cached_tokens=0)


async def test_a_service_without_stream_options_is_asked_again_without(
    openai_server: OpenAIServer, make_client: MakeClient
) -> None:
    openai_server.say(Reply(status=400, message="Unknown field: stream_options"), "yes", "again")
    client = make_client()
    assert (await collect(client))[0] == "yes"
    assert (await collect(client))[0] == "again"
    assert ["stream_options" in request.body for request in openai_server.requests] == [True, False, False]


async def test_the_key_of_the_environment_only_goes_to_its_own_service(
    openai_server: OpenAIServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    await make_client().create(ASK)
    await make_client(api_key="env:OPENAI_API_KEY").create(ASK)
    sent = [request.headers["authorization"] for request in openai_server.requests]
    assert sent == ["Bearer none", "Bearer sk-secret"]


async def test_headers_may_name_secrets(
    openai_server: OpenAIServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GATEWAY_KEY", "g-1")
    await make_client(default_headers={"X-Gateway": "env:GATEWAY_KEY", "X-Plain": "p"}).create(ASK)
    headers = openai_server.requests[0].headers
    assert (headers["x-gateway"], headers["x-plain"]) == ("g-1", "p")


def test_capabilities_tie_the_key_to_the_host() -> None:
    client = load_component({"provider": "OpenAIChatCompletionClient", "config": {"model": "gemini-2.0-flash"}})
    details = [(capability.kind, capability.detail) for capability in all_capabilities(client)]
    host = "https://generativelanguage.googleapis.com:443/v1beta/openai"
    assert details == [
        ("secret", f"env:GEMINI_API_KEY to {host}"),
        ("host", host),
        ("spend", f"gemini-2.0-flash at {host}"),
    ]


async def test_two_event_loops_can_use_one_client(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    client = make_client()

    async def ask_and_close() -> object:
        answer = (await client.create(ASK)).content
        await client.close()
        return answer

    assert await asyncio.to_thread(asyncio.run, ask_and_close()) == "OK."
    assert (await client.create(ASK)).content == "OK."
    assert openai_server.request_count == 2


async def test_nothing_of_the_servers_environment_is_sent(
    openai_server: OpenAIServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-secret: of-the-server")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-server")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-server")
    openai_server.say("Hello")
    await make_client(default_headers={"x-mine": "1"}).create(ASK)
    headers = openai_server.requests[0].headers
    assert headers["x-mine"] == "1"
    assert "of-the-server" not in str(headers)


async def test_a_redirect_is_not_followed(openai_server: OpenAIServer, make_client: MakeClient) -> None:
    openai_server.say(Reply(status=307, location=f"{openai_server.url}/elsewhere/chat/completions"), "never asked")
    with pytest.raises(ModelRefused, match="307"):
        await make_client(max_retries=0).create(ASK)
    assert openai_server.request_count == 1


async def test_a_key_may_be_copied_with_its_line_end(
    openai_server: OpenAIServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    openai_server.key = "sk-secret"
    openai_server.say("Hello")
    monkeypatch.setenv("PASTED_KEY", "sk-secret\n")
    await make_client(api_key="env:PASTED_KEY").create(ASK)
    monkeypatch.setenv("PASTED_KEY", "sk-secret\nsecond line")
    with pytest.raises(MissingSecret) as caught:
        await make_client(api_key="env:PASTED_KEY").create(ASK)
    assert "sk-secret" not in str(caught.value)


async def test_certificates_are_read_once_for_all_clients(
    openai_server: OpenAIServer, make_client: MakeClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It takes 20 ms, in which all runs would wait for the one that begins."""
    read: list[str] = []

    def counted(cafile: str) -> ssl.SSLContext:
        read.append(cafile)
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

    monkeypatch.setattr(ssl, "create_default_context", counted)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "own.pem"))
    openai_server.say("one", "two")
    for _ in range(2):
        await make_client().create(ASK)
    assert read == [str(tmp_path / "own.pem")]
