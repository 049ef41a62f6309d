"""The client of llama.cpp over a stand-in for its library.

The package must be compiled, so neither it nor a model is here. What stands in for `llama_cpp.Llama` has the methods
that the client uses, with their arguments and the chunks as version 0.3 of the package documents them. So these tests
hold what the client asks and makes of answers, not that a real model gives them.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Self

import pytest
from pydantic import BaseModel

from studio.errors import ConfigError
from studio.messages import CreateResult, FunctionCall, LLMMessage, SystemMessage, ToolSchema, UserMessage
from studio.models import LlamaCppChatCompletionClient

ASK: list[LLMMessage] = [SystemMessage(content="Be brief."), UserMessage(content="How deep?", source="user")]


class Llama:
    """Gives scripted chunks; counts a token for each letter."""

    made: list[Llama]
    answers: list[list[dict[str, Any]]]

    def __init__(self, model_path: str, *, verbose: bool, **options: Any) -> None:
        if model_path == "broken.gguf":
            raise ValueError("Failed to load model from file: broken.gguf")
        self.model_path, self.options, self.verbose = model_path, options, verbose
        self.asked: list[dict[str, Any]] = []
        self.n_tokens = 0
        self.is_closed = self.is_busy = False
        self.threads: set[int] = set()
        type(self).made.append(self)

    @classmethod
    def from_pretrained(cls, repo_id: str, filename: str | None, *, verbose: bool, **options: Any) -> Self:
        return cls(f"{repo_id}/{filename}", verbose=verbose, **options)

    def create_chat_completion(self, **arguments: Any) -> Iterator[dict[str, Any]]:
        assert not self.is_busy, "the engine knows one call at a time"
        self.asked.append(arguments)
        self.is_busy = True
        return self._chunks(self.answers.pop(0))

    def _chunks(self, deltas: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for index, delta in enumerate(deltas):
            self.threads.add(threading.get_ident())
            ends = None if index < len(deltas) - 1 else "tool_calls" if "tool_calls" in delta else "stop"
            self.n_tokens = 20
            choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": ends}
            yield {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        self.is_busy = False

    def tokenize(self, text: bytes, *, add_bos: bool) -> list[int]:
        assert not add_bos
        return list(text)

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> type[Llama]:
    package = ModuleType("llama_cpp")
    vars(package)["Llama"] = Llama
    monkeypatch.setitem(sys.modules, "llama_cpp", package)
    Llama.made, Llama.answers = [], []
    return Llama


def said(*words: str) -> list[dict[str, Any]]:
    return [{"role": "assistant"}, *({"content": word} for word in words)]


async def test_an_answer_is_streamed_and_counted(library: type[Llama]) -> None:
    library.answers = [said("Nine ", "metres")]
    client = LlamaCppChatCompletionClient(model_path="m.gguf", n_ctx=512, seed=7, temperature=0.5, stop=["END"])
    items = [item async for item in client.create_stream(ASK)]
    [engine] = library.made
    assert items[:-1] == ["Nine ", "metres"]
    assert isinstance(items[-1], CreateResult)
    assert (items[-1].content, items[-1].finish_reason) == ("Nine metres", "stop")
    assert (client.total_usage().prompt_tokens, client.total_usage().completion_tokens) == (9, 11)
    assert (engine.model_path, engine.verbose, engine.options) == ("m.gguf", False, {"seed": 7, "n_ctx": 512})
    asked = engine.asked[0]
    assert asked["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How deep?"},
    ]
    assert (asked["stream"], asked["temperature"], asked["seed"], asked["stop"]) == (True, 0.5, 7, ["END"])
    assert threading.get_ident() not in engine.threads


async def test_a_model_is_loaded_once_and_let_go_by_close(library: type[Llama]) -> None:
    library.answers = [said("one"), said("two"), said("three")]
    client = LlamaCppChatCompletionClient(repo_id="maker/model", filename="*q4.gguf")
    assert [(await client.create(ASK)).content for _ in range(2)] == ["one", "two"]
    [engine] = library.made
    assert (engine.model_path, engine.options) == ("maker/model/*q4.gguf", {"n_ctx": 2048})
    await client.close()
    assert engine.is_closed
    assert (await client.create(ASK)).content == "three"
    assert len(library.made) == 2


async def test_calls_to_one_client_wait_for_each_other(library: type[Llama]) -> None:
    library.answers = [said("one", " two"), said("three")]
    client = LlamaCppChatCompletionClient(model_path="m.gguf")
    async with asyncio.TaskGroup() as tasks:
        first, second = (tasks.create_task(client.create(ASK)) for _ in range(2))
    assert [first.result().content, second.result().content] == ["one two", "three"]


async def test_a_tool_call_and_an_answer_by_schema_are_asked_for_in_its_words(library: type[Llama]) -> None:
    class Depth(BaseModel):
        metres: int

    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "depth", "arguments": '{"of": "Brest"}'}}
    library.answers = [[{"role": "assistant"}, {"tool_calls": [call]}], said('{"metres": 9}')]
    client = LlamaCppChatCompletionClient(model_path="m.gguf")
    called = await client.create(ASK, tools=[ToolSchema(name="depth", description="How deep.")])
    formed = await client.create(ASK, json_output=Depth)
    assert called.content == [FunctionCall(id="c1", name="depth", arguments='{"of": "Brest"}')]
    assert called.finish_reason == "function_calls"
    first, second = library.made[0].asked
    assert first["tools"][0]["function"]["name"] == "depth"
    assert second["response_format"]["type"] == "json_object"
    assert second["response_format"]["schema"]["required"] == ["metres"]
    assert formed.content == '{"metres": 9}'


async def test_a_model_that_cannot_be_loaded_is_named(library: type[Llama]) -> None:
    with pytest.raises(ConfigError, match=r"llama.cpp cannot load 'broken.gguf'"):
        await LlamaCppChatCompletionClient(model_path="broken.gguf").create(ASK)
    with pytest.raises(ConfigError, match="needs a model"):
        await LlamaCppChatCompletionClient().create(ASK)
    assert library.made == []
