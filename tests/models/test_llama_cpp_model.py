"""The client of llama.cpp with the real package and a real, tiny model.

Run `pip install llama-cpp-python gguf` to have these tests; the first of the two is compiled, which takes a while.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any, Protocol

import pytest
from pydantic import BaseModel

from studio.errors import ConfigError, ModelRefused
from studio.messages import CancellationToken, CreateResult, LLMMessage, ToolSchema, UserMessage
from studio.models import LlamaCppChatCompletionClient
from tests.models.tiny_llama import make_model

pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed")
pytest.importorskip("gguf", reason="gguf, which writes model files, is not installed")
pytestmark = pytest.mark.slow

LONG = 32_768
"""Tokens of a context that the model would fill for far longer than a test may take."""
DEPTH = ToolSchema(
    name="depth",
    description="How deep.",
    parameters={"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"]},
)


class Make(Protocol):
    """Makes clients of the tiny model; keywords are fields of the config."""

    def __call__(self, **config: Any) -> LlamaCppChatCompletionClient: ...


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "tiny.gguf"
    make_model(path)
    return path


@pytest.fixture
async def make_client(model_file: Path) -> AsyncIterator[Make]:
    made: list[LlamaCppChatCompletionClient] = []

    def make(**config: Any) -> LlamaCppChatCompletionClient:
        given: dict[str, Any] = {"model_path": str(model_file), "n_ctx": 256, **config}
        made.append(LlamaCppChatCompletionClient(**given))
        return made[-1]

    yield make
    for client in made:
        await client.close()


def saying(text: str) -> list[LLMMessage]:
    return [UserMessage(content=text, source="user")]


async def test_an_answer_is_the_same_whole_and_in_pieces(make_client: Make):
    client = make_client()
    whole = await client.create(saying("How deep?"))
    *pieces, last = [item async for item in client.create_stream(saying("How deep?"))]
    assert pieces == ["N", "i", "e", "."]
    assert last == whole
    assert (whole.content, whole.finish_reason) == ("Nie.", "stop")
    # <|im_start|>, “user”, a line's end and “How deep?” each by its letters; then the answer and the sign of its end.
    assert (whole.usage.prompt_tokens, whole.usage.completion_tokens) == (1 + 4 + 1 + 9, 5)
    assert client.total_usage().completion_tokens == 10


async def test_an_answer_ends_at_its_limit_at_a_stop_word_and_at_the_end_of_the_context(make_client: Make):
    limited = await make_client(max_tokens=4).create(saying("~"))
    stopped = await make_client(stop=["yzx"]).create(saying("~"))
    full = await make_client().create(saying("~"))
    assert (limited.content, limited.finish_reason) == ("xyzx", "length")
    assert (stopped.content, stopped.finish_reason) == ("x", "stop")
    assert full.finish_reason == "length"
    assert full.usage.prompt_tokens + full.usage.completion_tokens == 256


async def test_a_schema_is_kept_to(make_client: Make):
    class Depth(BaseModel):
        metres: int
        of: str

    client = make_client(seed=7)
    formed = await client.create(saying("How deep?"), json_output=Depth)
    free = await client.create(saying("How deep?"), json_output=True)
    assert isinstance(formed.content, str)
    assert isinstance(free.content, str)
    Depth.model_validate_json(formed.content)
    assert free.content.lstrip().startswith("{")


@pytest.mark.parametrize("chat_format", [None, "chatml-function-calling"])
@pytest.mark.parametrize("is_streamed", [False, True])
async def test_a_tool_that_must_be_called_is(make_client: Make, chat_format: str | None, is_streamed: bool):
    client = make_client(n_ctx=1024, chat_format=chat_format)
    if is_streamed:
        stream = client.create_stream(saying("How deep?"), tools=[DEPTH], tool_choice="required")
        result = [item async for item in stream][-1]
    else:
        result = await client.create(saying("How deep?"), tools=[DEPTH], tool_choice="required")
    assert isinstance(result, CreateResult)
    assert isinstance(result.content, list)
    [call] = result.content
    assert call.name == "depth"
    assert json.loads(call.arguments) == {"of": ""}
    assert result.finish_reason == "function_calls"
    assert result.usage.completion_tokens > 5


async def test_a_format_that_knows_of_tools_lets_the_model_choose(make_client: Make):
    client = make_client(n_ctx=1024, chat_format="chatml-function-calling")
    [*_, result] = [item async for item in client.create_stream(saying("How deep?"), tools=[DEPTH])]
    assert isinstance(result, CreateResult)
    assert result.finish_reason in {"function_calls", "stop"}


async def test_a_cancelled_answer_frees_its_caller_and_the_model(make_client: Make):
    client, token = make_client(n_ctx=LONG), CancellationToken()
    stream = client.create_stream(saying("~"), cancellation_token=token)
    assert [await anext(stream) for _ in range(3)] == ["x", "y", "z"]
    token.cancel()
    with pytest.raises(asyncio.CancelledError):
        [item async for item in stream]
    assert (await client.create(saying("?"))).content == "Nie."


async def test_the_event_loop_goes_on_while_the_model_computes(make_client: Make):
    client = make_client(n_ctx=LONG)
    async with asyncio.TaskGroup() as tasks:
        endless = tasks.create_task(client.create(saying("~")))
        async with aclosing(make_client().create_stream(saying("?"))) as other:
            pieces = [piece async for piece in other]
        assert not endless.done()
        endless.cancel()
    assert pieces[:-1] == ["N", "i", "e", "."]
    assert endless.cancelled()
    assert (await client.create(saying("?"))).content == "Nie."


async def test_several_calls_to_one_client_are_answered_one_after_the_other(make_client: Make):
    client = make_client(max_tokens=6)
    async with asyncio.TaskGroup() as tasks:
        asked = [tasks.create_task(client.create(saying(text))) for text in ("?", "~", "?", "~")]
    assert [task.result().content for task in asked] == ["Nie.", "xyzxyz"] * 2


async def test_closing_waits_for_what_is_computed_and_the_client_can_be_used_again(make_client: Make):
    client = make_client(max_tokens=100)
    async with asyncio.TaskGroup() as tasks:
        asked = tasks.create_task(client.create(saying("~")))
        await asyncio.sleep(0)
        await client.close()
    assert asked.result().usage.completion_tokens == 100
    assert (await client.create(saying("?"))).content == "Nie."


async def test_a_conversation_that_is_too_long_is_told_with_both_lengths(make_client: Make):
    with pytest.raises(ModelRefused, match=r"takes 306 tokens, and the context of 'tiny.gguf' is 256\. Raise `n_ctx`"):
        await make_client().create(saying("?" * 300))
    with pytest.raises(ModelRefused, match="takes 306 tokens"):
        await anext(make_client().create_stream(saying("?" * 300)))


async def test_what_the_library_refuses_is_told_in_its_words(make_client: Make):
    with pytest.raises(ModelRefused, match=r"llama\.cpp cannot answer with 'tiny\.gguf': .*'user_id'"):
        await make_client().create(saying("?"), extra_create_args={"user_id": "x"})
    with pytest.raises(ConfigError, match="Invalid chat handler: nope"):
        await make_client(chat_format="nope").create(saying("?"))


async def test_a_file_that_is_not_there_or_holds_no_model_is_told(make_client: Make, tmp_path: Path):
    (tmp_path / "letter.gguf").write_text("Dear Ada")
    with pytest.raises(ConfigError, match=r"llama.cpp cannot load 'none.gguf': Model path does not exist"):
        await make_client(model_path=str(tmp_path / "none.gguf")).create(saying("?"))
    with pytest.raises(ConfigError, match=r"llama.cpp cannot load 'letter.gguf': Failed to load model"):
        await make_client(model_path=str(tmp_path / "letter.gguf")).create(saying("?"))
