"""A knowledge base as a tool: the model asks for passages when it wants them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from studio.components import Capability, JsonObject
from studio.errors import ToolFailed
from studio.knowledge import (
    FOUND,
    MAX_QUERY_CHARS,
    BaseName,
    KnowledgeUnavailable,
    MaxCharacters,
    MaxPassages,
    find_excerpts,
    quoted,
)
from studio.messages import ToolSchema
from studio.tools.base import BaseTool, ToolReturn
from studio.tools.reporter import emit

NOTHING_FOUND = "No passage holds these words. Try other words."


def reads_knowledge(base_name: str) -> Capability:
    """What a person allows for a component that reads a knowledge base."""
    return Capability("knowledge", f"Reads the knowledge base {base_name!r}.", base_name)


class KnowledgeQuery(BaseModel):
    """What the model asks."""

    query: Annotated[
        str, Field(min_length=1, max_length=MAX_QUERY_CHARS, description="A question, or words to look for.")
    ]


class KnowledgeSearchTool(BaseTool):
    """Searches a knowledge base when the model calls it, and returns passages with file and page."""

    provider = "studio.tools.KnowledgeSearchTool"
    keywords = "rag retrieval documents memory cite handbook"
    positional = ("knowledge_base", "name", "description", "max_passages", "max_characters")

    knowledge_base: BaseName
    name: Annotated[str, Field(min_length=1, description="Name of the tool, as the model sees it.")] = (
        "search_knowledge"
    )
    description: Annotated[
        str,
        Field(description="Tells the model what the tool does.", json_schema_extra={"x-multiline": True}),
    ] = "Find passages of the documents that answer a question."
    max_passages: MaxPassages = 5
    max_characters: MaxCharacters = 6_000

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        return ToolSchema(
            name=self.name,
            description=self.description,
            parameters={
                "type": "object",
                "properties": {"query": KnowledgeQuery.model_json_schema()["properties"]["query"]},
                "required": ["query"],
                "additionalProperties": False,
            },
            strict=False,
        )

    @property
    def is_safe_to_repeat(self) -> bool:
        return True

    def capabilities(self) -> Iterator[Capability]:
        yield reads_knowledge(self.knowledge_base)

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        try:
            query = KnowledgeQuery.model_validate(arguments).query
            found = await find_excerpts(self.knowledge_base, query, self.max_passages, self.max_characters)
        except (ValidationError, KnowledgeUnavailable) as error:
            raise ToolFailed(str(error)) from error
        if found:
            emit(FOUND, [each.as_json() for each in found])
        text = quoted(found) or NOTHING_FOUND
        return ToolReturn(text, text)
