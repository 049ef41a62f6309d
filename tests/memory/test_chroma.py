"""The memory in a Chroma database: a real one in a folder, and a real server."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from studio import effects
from studio.components import JsonObject, all_capabilities, load_component
from studio.components.secret_extraction import extract_secrets
from studio.contexts import UnboundedChatCompletionContext
from studio.errors import ConfigError
from studio.memory import (
    ChromaDBVectorMemory,
    CustomEmbeddingFunctionConfig,
    MemoryUnavailable,
    PersistentChromaDBVectorMemoryConfig,
    UnsuitableContent,
)
from studio.memory.service import content_from
from studio.messages import Image, MemoryContent, SystemMessage, UserMessage
from tests.memory.embedding import letters
from tests.pictures import PIXEL
from tests.teams.scripted import CountingWorld

Make = Callable[..., ChromaDBVectorMemory]


@pytest.fixture
async def make_memory(tmp_path: Path) -> AsyncIterator[Make]:
    """Memories in one folder, with an embedding that needs no download."""
    made: list[ChromaDBVectorMemory] = []

    def make(**fields: Any) -> ChromaDBVectorMemory:
        given = {"persistence_path": str(tmp_path / "chroma"), **fields}
        memory = ChromaDBVectorMemory(embedding_function=letters, **given)
        made.append(memory)
        return memory

    yield make
    for memory in made:
        await memory.close()


def text(content: str, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=content, mime_type="text/plain", metadata=metadata or None)


async def test_what_is_most_like_the_last_message_is_added_as_a_system_message(make_memory: Make):
    memory = make_memory(k=2)
    for line in ("aaaa", "aaab", "zzzz"):
        await memory.add(text(line))
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="aaaa", source="user"))
    found = await memory.update_context(context)
    assert [item.content for item in found.memories.results] == ["aaaa", "aaab"]
    last = (await context.get_messages())[-1]
    assert last == SystemMessage(content="\nRelevant memory content:\n1. aaaa\n2. aaab")


async def test_nothing_is_asked_for_an_empty_conversation(make_memory: Make):
    context = UnboundedChatCompletionContext()
    assert (await make_memory().update_context(context)).memories.results == []
    assert await context.get_messages() == []


async def test_a_look_up_is_one_effect(make_memory: Make):
    world = CountingWorld()
    with effects.use(world):
        memory = make_memory()
        await memory.add(text("abc"))
        await memory.query("abc")
        await memory.clear()
    assert world.asked == ["memory"] * 3
    assert cast("JsonObject", world.bodies[1])["text"] == "abc"


async def test_what_is_remembered_outlives_the_process_with_type_and_metadata(make_memory: Make):
    first = make_memory()
    await first.add(MemoryContent(content={"a": 1}, mime_type="application/json", metadata={"tags": ["x"], "n": 2}))
    await first.release()
    found = (await make_memory().query(text("a 1"))).results[0]
    assert (found.content, found.mime_type) == ({"a": 1}, "application/json")
    assert found.metadata is not None
    assert (found.metadata["tags"], found.metadata["n"]) == ('["x"]', 2)
    assert 0 <= cast("float", found.metadata["score"]) <= 1


async def test_what_is_too_unlike_is_left_out(make_memory: Make):
    memory = make_memory(score_threshold=0.95, k=5)
    await memory.add(text("aaaa"))
    await memory.add(text("zzzz"))
    assert [item.content for item in (await memory.query("aaaa")).results] == ["aaaa"]


async def test_a_query_may_ask_for_what_has_some_metadata(make_memory: Make):
    memory = make_memory()
    for line, topic in (("aaaa", "units"), ("aaab", "diet")):
        await memory.add(text(line, topic=topic))
    found = await memory.query("aaaa", where={"topic": "diet"})
    assert [item.content for item in found.results] == ["aaab"]


async def test_it_can_be_emptied_and_only_reset_when_allowed(make_memory: Make):
    memory = make_memory()
    await memory.add(text("abc"))
    with pytest.raises(ConfigError, match="Resetting this memory is not allowed"):
        await memory.reset()
    with pytest.raises(RuntimeError):  # as in AutoGen
        await memory.reset()
    await memory.clear()
    assert (await memory.query("abc")).results == []


async def test_a_picture_is_refused(make_memory: Make):
    with pytest.raises(UnsuitableContent, match="text and JSON"):
        await make_memory().add(MemoryContent(content=Image(data=PIXEL), mime_type="image/png"))


async def test_text_that_calls_itself_json_is_refused(make_memory: Make):
    with pytest.raises(UnsuitableContent, match="JSON content must be a dict"):
        await make_memory().add(MemoryContent(content="not a dict", mime_type="application/json"))


def test_text_that_was_called_json_comes_back_as_it_is():
    assert content_from("not a dict", {"mime_type": "application/json"}).content == "not a dict"


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def chroma_port(tmp_path: Path) -> Iterator[int]:
    """A real Chroma server."""
    code = "import sys; from chromadb.cli.cli import app; sys.argv = ['chroma', *sys.argv[1:]]; app()"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", code, "run", "--path", str(tmp_path / "served"), "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        while server.poll() is None and not is_listening(port):
            time.sleep(0.05)
        yield port
        server.terminate()


@pytest.mark.slow
async def test_a_server_may_keep_it(chroma_port: int):
    memory = ChromaDBVectorMemory(client_type="http", port=chroma_port, embedding_function=letters)
    await memory.add(text("abc"))
    assert [item.content for item in (await memory.query("abc")).results] == ["abc"]
    await memory.close()


async def test_a_server_that_is_not_there_is_reported_with_its_address():
    memory = ChromaDBVectorMemory(client_type="http", host="127.0.0.1", port=9, embedding_function=letters)
    with pytest.raises(MemoryUnavailable, match=r"http://127\.0\.0\.1:9"):
        await memory.query("abc")


async def test_a_script_may_give_its_fields_and_embedding_as_in_autogen(tmp_path: Path):
    def make(factor: int) -> Callable[[Sequence[str]], list[list[float]]]:
        return lambda texts: [[factor * number for number in vector] for vector in letters(texts)]

    config = PersistentChromaDBVectorMemoryConfig(
        persistence_path=str(tmp_path / "c"),
        k=1,
        embedding_function_config=CustomEmbeddingFunctionConfig(function=make, params={"factor": 2}),
    )
    memory = ChromaDBVectorMemory(config=config)
    await memory.add(text("abc"))
    assert len((await memory.query("abc")).results) == 1
    await memory.close()
    with pytest.raises(ConfigError, match="was defined in a script"):
        await ChromaDBVectorMemory.load_component(memory.dump_component()).query("abc")


def test_a_key_for_the_embedding_is_named_and_never_stored():
    embedding: JsonObject = {"function_type": "openai", "api_key": "sk-open", "model_name": "text-embedding-3-small"}
    document: JsonObject = {
        "provider": "autogen_ext.memory.chromadb.ChromaDBVectorMemory",
        "config": {"client_type": "http", "host": "db", "embedding_function_config": cast("Any", embedding)},
    }
    stored, found = extract_secrets(document)
    assert [secret.value for secret in found] == ["sk-open"]
    assert "sk-open" not in str(stored)
    memory = load_component(document, ChromaDBVectorMemory)
    assert "sk-open" not in str(memory.dump_component())
    assert {(each.kind, each.detail) for each in all_capabilities(memory)} == {
        ("host", "http://db:8000"),
        ("host", "https://api.openai.com:443/v1"),
        ("secret", "env:OPENAI_API_KEY to https://api.openai.com:443/v1"),
        ("spend", "text-embedding-3-small at https://api.openai.com:443/v1"),
    }
