"""A knowledge base as a memory: passages that fit the last message stand in the prompt."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from studio.components import Capability, JsonObject
from studio.errors import ConfigError
from studio.knowledge import BaseName, Excerpt, MaxCharacters, MaxPassages, find_excerpts, quoted
from studio.memory.service import ServiceMemory
from studio.messages import MemoryContent
from studio.tools.knowledge_search import reads_knowledge


class KnowledgeMemory(ServiceMemory):
    """Finds passages of a knowledge base for the last message and adds them to the prompt, with file and page."""

    provider = "studio.memory.KnowledgeMemory"
    keywords = "rag retrieval documents search cite handbook"
    positional = ("knowledge_base", "max_passages", "max_characters")

    knowledge_base: BaseName
    max_passages: MaxPassages = 5
    max_characters: MaxCharacters = 6_000

    def capabilities(self) -> Iterator[Capability]:
        yield reads_knowledge(self.knowledge_base)

    def _settings(self) -> JsonObject:
        return {
            "knowledge_base": self.knowledge_base,
            "max_passages": self.max_passages,
            "max_characters": self.max_characters,
        }

    async def _find(self, text: str, options: Mapping[str, Any]) -> list[MemoryContent]:
        del options
        excerpts = await find_excerpts(self.knowledge_base, text, self.max_passages, self.max_characters)
        return [_content(each) for each in excerpts]

    async def _keep(self, content: MemoryContent, item_id: str) -> None:
        del content, item_id
        raise self._is_only_read()

    async def _forget(self) -> None:
        raise self._is_only_read()

    def _is_only_read(self) -> ConfigError:
        return ConfigError(
            f"Agents only read the knowledge base {self.knowledge_base!r}.", fix="Change it on the page Knowledge."
        )

    def _reminder(self, found: Sequence[MemoryContent]) -> str:
        return quoted([Excerpt(text=str(each.content), **cast("Any", each.metadata or {})) for each in found])


def _content(excerpt: Excerpt) -> MemoryContent:
    metadata = excerpt.as_json()
    return MemoryContent(content=str(metadata.pop("text")), mime_type="text/plain", metadata=metadata)
