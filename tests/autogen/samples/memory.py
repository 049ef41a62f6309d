"""A memory of preferences is asked at each turn; one of one's own searches a few pages."""

import asyncio
import re

from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import (
    ListMemory,
    Memory,
    MemoryContent,
    MemoryMimeType,
    MemoryQueryResult,
    UpdateContextResult,
)
from autogen_core.models import SystemMessage
from scripting import as_json, calls, heard, model, said, show, told


async def weather(city: str, units: str = "imperial") -> str:
    """Get the weather."""
    return f"{city}: 23 °C" if units == "metric" else f"{city}: 73 °F"


class Pages(Memory):
    """Finds pages by their words."""

    component_type = "memory"

    def __init__(self, page_length):
        self.page_length = page_length
        self._pages = []

    async def index(self, text, source):
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", text)).strip()
        for start in range(0, len(text), self.page_length):
            page = text[start : start + self.page_length].strip()
            await self.add(MemoryContent(content=page, mime_type=MemoryMimeType.TEXT, metadata={"source": source}))
        return len(self._pages)

    async def add(self, content, cancellation_token=None):
        self._pages.append(content)

    async def query(self, query, cancellation_token=None, **kwargs):
        words = str(query).lower().split()
        found = [page for page in self._pages if any(word in page.content.lower() for word in words)]
        return MemoryQueryResult(results=found)

    async def update_context(self, model_context):
        question = (await model_context.get_messages())[-1].content
        found = await self.query(question)
        text = "\n".join(str(page.content) for page in found.results)
        await model_context.add_message(SystemMessage(content=f"Pages:\n{text}"))
        return UpdateContextResult(memories=found)

    async def clear(self):
        self._pages.clear()

    async def close(self): ...


async def preferences():
    memory = ListMemory()
    await memory.add(MemoryContent(content="Metric units", mime_type=MemoryMimeType.TEXT))
    await memory.add(MemoryContent(content="Vegan meals", mime_type=MemoryMimeType.TEXT))
    client = model(calls(("weather", {"city": "Nice", "units": "metric"})), "Bean stew.")
    helper = AssistantAgent("helper", model_client=client, tools=[weather], memory=[memory])
    result = await told(helper.run_stream(task="The weather in Nice?"))
    assert said(result)[-1] == "Nice: 23 °C"
    for content in await heard(helper):
        print(repr(content)[:90])
    result = await told(helper.run_stream(task="A meal."))
    assert [message.type for message in result.messages] == ["TextMessage", "MemoryQueryEvent", "TextMessage"]
    dumped = as_json(memory)
    print(dumped["provider"], ListMemory.load_component(dumped).component_type)
    found = await memory.query("")
    print([item.content for item in found.results])
    await memory.clear()


async def pages():
    memory = Pages(page_length=40)
    print(await memory.index("<p>Herring swim in   shoals.</p><p>Eels swim alone, at night.</p>", "fish.html"))
    reader = AssistantAgent("reader", model_client=model("In shoals."), memory=[memory])
    result = await reader.run(task="herring habits")
    show(result)
    assert result.messages[1].content[0].metadata == {"source": "fish.html"}
    await memory.close()


asyncio.run(preferences())
asyncio.run(pages())
