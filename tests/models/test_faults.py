"""What goes wrong at a service is told alike by every client, over real HTTP."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from studio.errors import ModelRefused, ModelUnavailable, StudioError
from studio.messages import CreateResult, LLMMessage, SystemMessage, UserMessage
from studio.models import ChatCompletionClient
from tests.fakes.model_server import HEADERS, Reply
from tests.models.services import SERVICES

ASK: list[LLMMessage] = [SystemMessage(content="be brief"), UserMessage(content="hi", source="user")]
ENOUGH = 3
"""So often a client asks at most that asks again by itself."""

FAULTS: dict[str, tuple[Reply, type[StudioError], str]] = {
    "wrong key": (Reply(status=401), ModelRefused, "status 401"),
    "forbidden": (Reply(status=403), ModelRefused, "status 403"),
    "bad request": (Reply(status=400), ModelRefused, "status 400"),
    "unknown model": (Reply(status=404, message="no such model"), ModelRefused, "no such model"),
    "overload": (Reply(status=429, retry_after="0"), ModelUnavailable, "status 429"),
    "server error": (Reply(status=500, retry_after="0"), ModelUnavailable, "status 500"),
    "out of service": (Reply(status=503, retry_after="0"), ModelUnavailable, "status 503"),
    "cut before the first byte": (Reply("a b", cut=HEADERS), ModelUnavailable, "closed the connection"),
    "slow first byte": (Reply("a b", hold=HEADERS), ModelUnavailable, "did not answer in time"),
}
"""The same for whole and streamed answers."""
OF_A_STREAM: dict[str, tuple[Reply, str]] = {
    "cut in the middle": (Reply("a b", cut=1), "closed the connection|ended before it was complete"),
    "malformed chunk": (Reply("a b", malformed=1), "did not return a chat completion"),
    "misshapen chunk": (Reply("a b", misshapen=1), "did not return a chat completion"),
    "no end": (Reply("a b", unfinished=True), "ended before it was complete"),
    "nothing at all": (Reply("", unfinished=True), "empty answer|ended before it was complete"),
    "slow second word": (Reply("a b", hold=1), "did not answer in time"),
}
OF_A_WHOLE: dict[str, tuple[Reply, str]] = {
    "malformed body": (Reply("a", malformed=0), "did not return a chat completion"),
    "cut": (Reply("a", cut=0), "closed the connection"),
}

pytestmark = [pytest.mark.usefixtures("keys"), pytest.mark.parametrize("name", SERVICES)]


async def streamed(client: ChatCompletionClient) -> list[str | CreateResult]:
    return [item async for item in client.create_stream(ASK)]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("is_streamed", [False, True], ids=["whole", "streamed"])
async def test_a_refusal_or_a_fault_of_the_connection(name: str, fault: str, is_streamed: bool) -> None:
    reply, error, message = FAULTS[fault]
    async with SERVICES[name].opened(timeout=0.2) as (server, client):
        server.say(*[reply] * ENOUGH)
        with pytest.raises(error, match=message) as caught:
            await (streamed(client) if is_streamed else client.create(ASK))
    assert caught.value.fix


@pytest.mark.parametrize("fault", OF_A_STREAM)
async def test_a_fault_in_the_middle_of_a_stream(name: str, fault: str) -> None:
    reply, message = OF_A_STREAM[fault]
    async with SERVICES[name].opened(timeout=0.2) as (server, client):
        server.say(reply)
        with pytest.raises(ModelUnavailable, match=message) as caught:
            await streamed(client)
    assert caught.value.fix


@pytest.mark.parametrize("fault", OF_A_WHOLE)
async def test_a_fault_of_a_whole_answer(name: str, fault: str) -> None:
    reply, message = OF_A_WHOLE[fault]
    async with SERVICES[name].opened(timeout=0.2) as (server, client):
        server.say(reply)
        with pytest.raises(ModelUnavailable, match=message):
            await client.create(ASK)


async def test_overload_is_waited_out_as_the_service_says(name: str) -> None:
    async with SERVICES[name].opened(max_retries=2) as (server, client):
        server.say(Reply(status=429, retry_after="0.01"), Reply(status=500, retry_after="0.01"), "fine", "again")
        assert (await client.create(ASK)).content == "fine"
        assert server.request_count == ENOUGH
        assert (await streamed(client))[0] == "again"


async def test_after_a_fault_the_client_can_be_used_again(name: str) -> None:
    async with SERVICES[name].opened(timeout=0.5) as (server, client):
        server.say(Reply("a b", cut=1), "fine")
        with pytest.raises(ModelUnavailable):
            await streamed(client)
        assert (await client.create(ASK)).content == "fine"


async def test_closing_a_stream_hangs_up(name: str) -> None:
    async with SERVICES[name].opened() as (server, client):
        server.say(Reply("one two three", hold=1))
        async with aclosing(client.create_stream(ASK)) as stream:
            assert await anext(stream) == "one "
        await asyncio.to_thread(server.wait_until_idle)
