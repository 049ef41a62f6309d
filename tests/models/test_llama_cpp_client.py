"""The client of llama.cpp over a stand-in for its library.

The package must be compiled, so most machines have neither it nor a model. What stands in for `llama_cpp.Llama` has the
methods that the client uses, with their arguments and answers as version 0.3 of the package has them. These tests hold
what the client asks; test_llama_cpp_model.py asks the package itself, where it is installed.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import pytest
from pydantic import BaseModel

from studio.errors import ConfigError, ModelRefused
from studio.messages import CreateResult, FunctionCall, LLMMessage, SystemMessage, ToolSchema, UserMessage
from studio.models import LlamaCppChatCompletionClient
from studio.models.llama_cpp_engine import GivenUp, Question, interruptible

ASK: list[LLMMessage] = [SystemMessage(content="Be brief."), UserMessage(content="How deep?", source="user")]
DEPTH = ToolSchema(name="depth", description="How deep.")


class HandlerNotFound(Exception):
    """What the library raises for a format of a chat that it does not know."""


class Llama:
    """Gives scripted answers, one token for each piece."""

    made: list[Llama]
    answers: list[list[dict[str, Any]]]
    n_batch = 8
    call: Question

    def __init__(self, model_path: str, *, verbose: bool, **options: Any) -> None:
        if Path(model_path).name == "broken.gguf":
            raise ValueError("Failed to load model from file: broken.gguf")
        self.model_path, self.options, self.verbose = model_path, options, verbose
        self.asked: list[dict[str, Any]] = []
        self.read_count = 0
        self.is_closed = self.is_busy = False
        self.threads: set[int] = set()
        Llama.made.append(self)

    @classmethod
    def from_pretrained(cls, repo_id: str, filename: str | None, *, verbose: bool, **options: Any) -> Self:
        return cls(f"{repo_id}/{filename}", verbose=verbose, **options)

    def create_chat_completion(self, *, stream: bool = False, **arguments: Any) -> Any:
        assert not self.is_busy, "the engine knows one call at a time"
        self.asked.append(arguments)
        self.is_busy = True
        deltas = self.answers.pop(0)
        return self._chunks(deltas) if stream else self._whole(deltas)

    def eval(self, tokens: Sequence[int]) -> None:
        self.read_count += len(tokens)

    def generate(self, tokens: Sequence[int], length: int) -> Iterator[int]:
        self.eval(tokens)
        for token in range(length):
            self.threads.add(threading.get_ident())
            yield token
            self.eval([token])

    def _chunks(self, deltas: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        try:
            for index in self.generate(range(20), len(deltas)):
                ends = "stop" if index == len(deltas) - 1 else None
                choice = {"index": 0, "delta": deltas[index], "logprobs": None, "finish_reason": ends}
                yield {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
        finally:
            self.is_busy = False

    def _whole(self, deltas: list[dict[str, Any]]) -> dict[str, Any]:
        try:
            pieces = [deltas[index] for index in self.generate(range(20), len(deltas))]
        finally:
            self.is_busy = False
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "".join(piece.get("content", "") for piece in pieces),
        }
        calls = [call for piece in pieces for call in piece.get("tool_calls", ())]
        choice = {"index": 0, "message": message | ({"tool_calls": calls} if calls else {}), "finish_reason": "stop"}
        return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}

    def close(self) -> None:
        assert not self.is_busy, "its memory is gone, and the answer needs it"
        self.is_closed = True


def get_chat_completion_handler(name: str) -> None:
    if name != "chatml-function-calling":
        raise HandlerNotFound(f"Invalid chat handler: {name} (valid formats: [])")


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> type[Llama]:
    package = ModuleType("llama_cpp")
    formats = SimpleNamespace(
        get_chat_completion_handler=get_chat_completion_handler,
        LlamaChatCompletionHandlerNotFoundException=HandlerNotFound,
    )
    vars(package).update(Llama=Llama, llama_chat_format=formats)
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
    assert (client.total_usage().prompt_tokens, client.total_usage().completion_tokens) == (20, 3)
    expected = (f"{os.getcwd()}/m.gguf", False, {"seed": 7, "n_ctx": 512})
    assert (engine.model_path, engine.verbose, engine.options) == expected
    asked = engine.asked[0]
    assert asked["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How deep?"},
    ]
    assert (asked["temperature"], asked["seed"], asked["stop"]) == (0.5, 7, ["END"])
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


async def test_what_is_asked_for_is_asked_in_its_words(library: type[Llama]) -> None:
    class Depth(BaseModel):
        metres: int

    call = {"id": "c1", "type": "function", "function": {"name": "depth", "arguments": '{"of": "Brest"}'}}
    library.answers = [[{"tool_calls": [call]}], said('{"metres": 9}')]
    client = LlamaCppChatCompletionClient(model_path="m.gguf")
    called = await client.create(ASK, tools=[DEPTH], tool_choice="required")
    formed = await client.create(ASK, json_output=Depth)
    assert called.content == [FunctionCall(id="c1", name="depth", arguments='{"of": "Brest"}')]
    assert called.finish_reason == "function_calls"
    first, second = library.made[0].asked
    assert first["tools"][0]["function"]["name"] == "depth"
    assert first["tool_choice"] == {"type": "function", "function": {"name": "depth"}}
    assert second["response_format"]["type"] == "json_object"
    assert second["response_format"]["schema"]["required"] == ["metres"]
    assert formed.content == '{"metres": 9}'


async def test_one_of_several_tools_cannot_be_demanded(library: type[Llama]) -> None:
    client = LlamaCppChatCompletionClient(model_path="m.gguf")
    with pytest.raises(ModelRefused, match="not any one of several"):
        await client.create(ASK, tools=[DEPTH, ToolSchema(name="tide", description="")], tool_choice="required")
    assert library.made == []


async def test_a_format_that_cannot_stream_calls_gives_its_answer_whole(library: type[Llama]) -> None:
    library.answers = [said("Nine ", "metres"), said("Ten ", "metres")]
    client = LlamaCppChatCompletionClient(model_path="m.gguf", chat_format="chatml-function-calling")
    with_tools = [item async for item in client.create_stream(ASK, tools=[DEPTH])]
    without = [item async for item in client.create_stream(ASK)]
    assert with_tools[:-1] == ["Nine metres"]
    assert without[:-1] == ["Ten ", "metres"]


async def test_a_model_that_cannot_be_loaded_is_named(library: type[Llama]) -> None:
    with pytest.raises(ConfigError, match=r"llama.cpp cannot load 'broken.gguf'"):
        await LlamaCppChatCompletionClient(model_path="broken.gguf").create(ASK)
    with pytest.raises(ConfigError, match="needs a model"):
        await LlamaCppChatCompletionClient().create(ASK)
    with pytest.raises(ConfigError, match="Invalid chat handler: nope"):
        await LlamaCppChatCompletionClient(model_path="m.gguf", chat_format="nope").create(ASK)
    assert library.made == []


def test_a_question_that_was_given_up_reads_no_further(library: type[Llama]) -> None:
    llama = interruptible(library)("m.gguf", verbose=False)
    llama.call = Question()
    tokens = llama.generate(range(20), 5)
    assert [next(tokens), next(tokens)] == [0, 1]
    assert llama.read_count == 21
    llama.call.is_given_up = True
    with pytest.raises(GivenUp):
        next(tokens)
    with pytest.raises(GivenUp):
        llama.eval(range(20))
    assert llama.read_count == 21
