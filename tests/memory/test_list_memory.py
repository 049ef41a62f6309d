"""The memory that is a list."""

from __future__ import annotations

from studio.components import Component, load_component
from studio.contexts import UnboundedChatCompletionContext
from studio.memory import ListMemory
from studio.messages import MemoryContent, SystemMessage

METRIC = MemoryContent(content="Use metric units.", mime_type="text/plain", metadata={"k": "v"})
BRIEF = MemoryContent(content={"style": "brief"}, mime_type="application/json")


async def test_everything_is_added_as_one_system_message() -> None:
    context = UnboundedChatCompletionContext()
    found = await ListMemory(memory_contents=[METRIC, BRIEF]).update_context(context)
    assert found.memories.results == [METRIC, BRIEF]
    text = "\nRelevant memory content (in chronological order):\n1. Use metric units.\n2. {'style': 'brief'}\n"
    assert await context.get_messages() == [SystemMessage(content=text)]


async def test_an_empty_memory_adds_nothing() -> None:
    context = UnboundedChatCompletionContext()
    found = await ListMemory().update_context(context)
    assert found.memories.results == []
    assert await context.get_messages() == []


async def test_what_is_added_is_state_and_not_config() -> None:
    memory = ListMemory(name="m", memory_contents=[METRIC])
    await memory.add(BRIEF)
    assert (await memory.query("anything")).results == [METRIC, BRIEF]
    assert memory.dump_component() == ListMemory(name="m", memory_contents=[METRIC]).dump_component()
    other = ListMemory()
    await other.load_state(await memory.save_state())
    assert other.content == [METRIC, BRIEF]
    await other.clear()
    assert other.content == []


def test_it_loads_and_dumps_unchanged() -> None:
    written = ListMemory(name="m", memory_contents=[METRIC, BRIEF]).dump_component()
    assert load_component(written, expected=Component).dump_component() == written
