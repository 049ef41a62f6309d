"""The memory at Mem0: its real client against a server of ours. Mem0's own cloud and models are not asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from studio import effects
from studio.components import JsonObject, all_capabilities, load_component, validate_component
from studio.contexts import UnboundedChatCompletionContext
from studio.memory import Mem0Memory, MemoryUnavailable
from studio.messages import MemoryContent, SystemMessage, UserMessage
from tests.fakes.mem0_server import Mem0Server, mem0_server
from tests.teams.scripted import CountingWorld

Make = Callable[..., Mem0Memory]
LOCAL: JsonObject = {"embedder": {"provider": "openai", "config": {"api_key": "env:OPENAI_API_KEY"}}}


@pytest.fixture
def server() -> Iterator[Mem0Server]:
    with mem0_server() as running:
        yield running


@pytest.fixture
async def make_memory(server: Mem0Server, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """Memories at the fake server."""
    monkeypatch.setenv("MEM0_API_KEY", "m0-right")
    made: list[Mem0Memory] = []

    def make(**fields: Any) -> Mem0Memory:
        memory = Mem0Memory(host=server.url, **fields)
        made.append(memory)
        return memory

    yield make
    for memory in made:
        await memory.close()


def text(content: str) -> MemoryContent:
    return MemoryContent(content=content, mime_type="text/plain", metadata={"topic": "units"})


async def test_what_mem0_finds_is_added_as_a_system_message(make_memory: Make, server: Mem0Server):
    memory = make_memory(user_id="u1", limit=2)
    for line in ("Use metric units.", "Be brief.", "Third."):
        await memory.add(text(line))
    context = UnboundedChatCompletionContext()
    await context.add_message(UserMessage(content="How far?", source="user"))
    found = await memory.update_context(context)
    assert found.memories.results[0].metadata == {"topic": "units", "score": 0.5}
    last = (await context.get_messages())[-1]
    assert last == SystemMessage(content="\nRelevant memories:\n1. Use metric units.\n2. Be brief.")
    assert server.keys == {"Token m0-right"}


async def test_a_look_up_is_one_effect(make_memory: Make):
    world = CountingWorld()
    with effects.use(world):
        memory = make_memory()
        await memory.add(text("x"))
        await memory.query("x")
        await memory.clear()
        assert (await memory.query("x")).results == []
    assert world.asked == ["memory"] * 4


async def test_users_have_memories_of_their_own(make_memory: Make):
    await make_memory(user_id="u1").add(text("x"))
    assert (await make_memory(user_id="u2").query("x")).results == []
    assert (await make_memory().query("x")).results == []


async def test_a_query_may_say_how_many_and_what_else_mem0_should_look_for(make_memory: Make, server: Mem0Server):
    await make_memory(user_id="u1", limit=5).query("x", limit=2, filters={"topic": "units"}, threshold=0.3)
    body = server.asked[-1][2]
    assert body["filters"] == {"user_id": "u1", "topic": "units"}
    assert (body["top_k"], body["threshold"]) == (2, 0.3)


async def test_a_service_that_fails_ends_the_look_up(make_memory: Make, server: Mem0Server):
    memory = make_memory()
    await memory.query("x")
    server.status = 500
    with pytest.raises(MemoryUnavailable, match=server.url):
        await memory.query("x")


def test_a_key_in_the_open_is_never_written_back():
    memory = load_component({"provider": "autogen_ext.memory.mem0.Mem0Memory", "config": {"api_key": "m0-open"}})
    assert memory.dump_component()["config"] == {"limit": 10, "is_cloud": True, "api_key": "env:MEM0_API_KEY"}
    assert [each.detail for each in all_capabilities(memory)] == [
        "env:MEM0_API_KEY to https://api.mem0.ai:443",
        "https://api.mem0.ai:443",
    ]


def test_a_local_one_needs_a_config_and_names_its_secrets():
    document = Mem0Memory(is_cloud=False, config=LOCAL).dump_component()
    report = validate_component(document)
    assert report.ok
    assert not report.warnings
    assert ("secret", "env:OPENAI_API_KEY") in [(each.kind, each.detail) for each in report.capabilities]
    missing = validate_component({"provider": Mem0Memory.provider, "config": {"is_cloud": False}})
    assert "`config` is required" in missing.errors[0].message
    open_key: JsonObject = {
        "provider": Mem0Memory.provider,
        "config": {"is_cloud": False, "config": {"api_key": "sk-1"}},
    }
    assert "in plain text" in validate_component(open_key).warnings[0].message
