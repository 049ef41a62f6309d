"""The scripted client, against what AutoGen's does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from studio.components import Component, load_component
from studio.errors import ModelRefused
from studio.messages import AssistantMessage, CreateResult, FunctionCall, LLMMessage, RequestUsage, UserMessage
from studio.models import ReplayChatCompletionClient

ASK: list[LLMMessage] = [UserMessage(content="three little words", source="user")]
CALL = CreateResult(
    finish_reason="function_calls",
    content=[FunctionCall(id="c1", arguments="{}", name="add")],
    usage=RequestUsage(prompt_tokens=1, completion_tokens=2),
    cached=False,
)


async def test_text_replies_come_in_order_with_words_as_usage() -> None:
    client = ReplayChatCompletionClient(chat_completions=["one two", "three"])
    first, second = await client.create(ASK), await client.create(ASK)
    assert (first.content, second.content) == ("one two", "three")
    assert first.usage == RequestUsage(prompt_tokens=3, completion_tokens=2)
    assert first.finish_reason == "stop"
    assert first.cached
    assert client.total_usage() == RequestUsage(prompt_tokens=6, completion_tokens=3)
    assert client.remaining_tokens(ASK) == 10_000 - 9


async def test_only_text_is_counted() -> None:
    client = ReplayChatCompletionClient(chat_completions=["ok"])
    call = AssistantMessage(content=[FunctionCall(id="1", arguments="{}", name="f")], source="a")
    assert client.count_tokens([*ASK, call]) == 3


async def test_a_whole_result_is_given_as_it_is_written() -> None:
    client = ReplayChatCompletionClient(chat_completions=[CALL])
    assert await client.create(ASK) == CALL
    assert client.actual_usage() == RequestUsage(prompt_tokens=3, completion_tokens=2)


async def test_streamed_text_comes_word_by_word_and_a_whole_result_at_once() -> None:
    client = ReplayChatCompletionClient(chat_completions=["one two three", CALL])
    pieces = [item async for item in client.create_stream(ASK)]
    assert pieces[:-1] == ["one ", "two ", "three"]
    assert isinstance(pieces[-1], CreateResult)
    assert [item async for item in client.create_stream(ASK)] == [CALL]


async def test_the_end_of_the_script_is_an_error_until_reset() -> None:
    client = ReplayChatCompletionClient(chat_completions=["only"])
    await client.create(ASK)
    for _ in range(2):
        with pytest.raises(ModelRefused, match="The script has no more replies"):
            await client.create(ASK)
    client.reset()
    assert (await client.create(ASK)).content == "only"


async def test_a_script_that_repeats_starts_again_after_its_last_reply() -> None:
    client = ReplayChatCompletionClient(chat_completions=["one two", "three"], repeats=True)
    assert [(await client.create(ASK)).content for _ in range(5)] == ["one two", "three"] * 2 + ["one two"]
    streamed = [item async for item in client.create_stream(ASK)]
    assert (streamed[0], client.total_usage().completion_tokens) == ("three", 9)


async def test_an_empty_script_has_nothing_to_repeat() -> None:
    with pytest.raises(ModelRefused, match="The script has no more replies"):
        await ReplayChatCompletionClient(chat_completions=[], repeats=True).create(ASK)


async def test_a_call_that_was_given_up_puts_its_reply_back() -> None:
    client = ReplayChatCompletionClient(chat_completions=["one two", "three"], delay_s=60)
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(client.create(ASK))
        await asyncio.sleep(0)
        asking.cancel()
    fast = ReplayChatCompletionClient(chat_completions=["one two"])
    stream = fast.create_stream(ASK)
    assert await anext(stream) == "one "
    await stream.aclose()
    assert (await fast.create(ASK)).content == "one two"


def test_it_claims_no_abilities_and_writes_only_what_was_given() -> None:
    client = ReplayChatCompletionClient(chat_completions=["a"])
    assert client.info["family"] == "unknown"
    assert not client.info["function_calling"]
    assert client.dump_component()["config"] == {"chat_completions": ["a"]}
    assert list(client.capabilities()) == []


@pytest.mark.parametrize("config", [{"chat_completions": []}, {"chat_completions": ["a"], "delay_s": 0.05}])
def test_it_loads_and_dumps_unchanged(config: dict[str, Any]) -> None:
    written = ReplayChatCompletionClient(**config).dump_component()
    assert written["component_type"] == "replay_chat_completion_client"
    assert load_component(written, expected=Component).dump_component() == written
