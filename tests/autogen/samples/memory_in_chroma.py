"""A vector memory in a folder, found by likeness, with an embedding of one's own."""

import asyncio
import math
import tempfile

from autogen_agentchat.agents import AssistantAgent
from autogen_core.memory import MemoryContent, MemoryMimeType
from autogen_ext.memory.chromadb import (
    ChromaDBVectorMemory,
    CustomEmbeddingFunctionConfig,
    PersistentChromaDBVectorMemoryConfig,
)
from chromadb import Documents, EmbeddingFunction
from scripting import heard, model, show

PAGES = {"fish.md": "herring herring shoal", "trees.md": "oak beech yew", "knots.md": "bowline hitch bend"}


class Letters(EmbeddingFunction[Documents]):
    """How often each letter stands in a text."""

    def __init__(self):
        """Nothing to set up."""

    def __call__(self, input):
        counts = [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in input]
        return [[number / math.hypot(*row) for number in row] for row in counts]

    @staticmethod
    def name():
        return "letters"

    @staticmethod
    def build_from_config(config):
        return Letters()

    def get_config(self):
        return {}


async def main():
    with tempfile.TemporaryDirectory() as folder:
        memory = ChromaDBVectorMemory(
            config=PersistentChromaDBVectorMemoryConfig(
                collection_name="pages",
                persistence_path=folder,
                k=1,
                score_threshold=0.2,
                embedding_function_config=CustomEmbeddingFunctionConfig(function=Letters, params={}),
            )
        )
        await memory.clear()
        for source, text in PAGES.items():
            await memory.add(
                MemoryContent(content=text, mime_type=MemoryMimeType.TEXT, metadata={"source": source, "chunk": 0})
            )
        reader = AssistantAgent("reader", model_client=model("They form shoals."), memory=[memory])
        result = await reader.run(task="herring shoal")
        print([message.type for message in result.messages])
        found = result.messages[1].content[0]
        print(found.content, found.metadata["source"], found.metadata["score"] > 0.5)
        assert found.metadata["source"] == "fish.md"
        print((await heard(reader))[1])
        show(await AssistantAgent("other", model_client=model("Hm.")).run(task="knots"))
        await memory.close()


asyncio.run(main())
