"""The fake itself: what other tests rely on."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest

from tests.fakes.openai_server import HEADERS, Call, OpenAIServer, Reply


def ask(server: OpenAIServer, **body: Any) -> httpx.Response:
    return httpx.post(f"{server.url}/chat/completions", json={"model": "m", "messages": [], **body}, timeout=5)


def test_it_says_what_it_was_told_in_order_and_then_the_rest(openai_server: OpenAIServer) -> None:
    openai_server.say("one", "two")
    openai_server.say("other", model="n")
    openai_server.always(lambda body: f"{len(body['messages'])} messages")
    answers = [ask(openai_server, model=name).json() for name in ("m", "n", "m", "m")]
    texts = [answer["choices"][0]["message"]["content"] for answer in answers]
    assert texts == ["one", "other", "two", "0 messages"]
    assert openai_server.request_count == 4


def test_it_streams_words_tool_calls_and_usage(openai_server: OpenAIServer) -> None:
    openai_server.say(Reply("a b", calls=[Call("add", {"a": 1})]))
    text = ask(openai_server, stream=True, stream_options={"include_usage": True}).text
    assert '"content": "a "' in text
    assert '"name": "add"' in text
    assert '"total_tokens": 18' in text
    assert text.endswith("data: [DONE]\n\n")


def test_a_held_stream_sends_nothing_until_it_is_released(openai_server: OpenAIServer) -> None:
    openai_server.say(Reply("a b c", hold=1))
    url = f"{openai_server.url}/chat/completions"
    with httpx.stream("POST", url, json={"model": "m", "messages": [], "stream": True}, timeout=5) as response:
        openai_server.wait_until_held()
        assert openai_server.pieces_sent == 1
        openai_server.release()
        lines = [line for line in response.iter_lines() if "content" in line]
    assert len(lines) == 4
    assert openai_server.pieces_sent == 3


async def test_it_notices_that_a_client_hung_up(openai_server: OpenAIServer) -> None:
    openai_server.say(Reply("a", hold=HEADERS))
    async with httpx.AsyncClient() as client, asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(client.post(f"{openai_server.url}/chat/completions", json={"messages": []}))
        await asyncio.to_thread(openai_server.wait_until_held)
        asking.cancel()
    await asyncio.to_thread(openai_server.wait_until_idle)


@pytest.mark.parametrize("reply", [Reply("a b", cut=HEADERS), Reply("a b", cut=1)])
def test_a_cut_answer_ends_the_connection(openai_server: OpenAIServer, reply: Reply) -> None:
    openai_server.say(reply)
    with pytest.raises(httpx.RemoteProtocolError):
        ask(openai_server, stream=True)


def test_errors_have_status_body_and_headers(openai_server: OpenAIServer) -> None:
    openai_server.say(Reply(status=429, retry_after="3"))
    limited = ask(openai_server)
    openai_server.key = "sk-right"
    assert (limited.status_code, limited.headers["retry-after"]) == (429, "3")
    assert ask(openai_server).status_code == 401


def test_an_answer_held_for_ever_does_not_keep_the_server_from_stopping() -> None:
    with OpenAIServer() as server:
        server.say(Reply("a", hold=HEADERS))
        with pytest.raises(httpx.ReadTimeout):
            httpx.post(f"{server.url}/chat/completions", json={"messages": []}, timeout=0.2)
