"""Lists and results of the protocol as the studio's own."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from pydantic import JsonValue

from studio.components import JsonObject
from studio.effects.progress import listener, progress_words
from studio.errors import ToolFailed
from studio.messages import Image
from studio.tools.workbench import ImageResultContent, ResultContent, TextResultContent

if TYPE_CHECKING:
    from mcp import types
    from mcp.client import Client

PROGRESS = "progress"
"""Name of the event that a server's notification of its progress becomes."""
MAX_TOLD = 100
"""Notifications of one call that are kept."""
MAX_SAID = 1_000
"""Characters of the message in one."""
MAX_PAGES = 100
"""Pages of a list of tools that are asked for."""


async def listed_tools(client: Client) -> list[JsonValue]:
    """All tools of a server, page by page, as the server writes them."""
    found: list[JsonValue] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
        cursor = page.next_cursor
        if not cursor:
            return found
    raise ToolFailed(f"The server's list of tools has more than {MAX_PAGES} pages.")


class Progress:
    """What a server tells of its progress during one call."""

    def __init__(self) -> None:
        self.recorded: deque[JsonObject] = deque(maxlen=MAX_TOLD)
        """The latest; a server may tell its progress for every byte."""
        self._show = listener()  # the SDK tells of it in a context of its own

    async def note(self, progress: float, total: float | None, message: str | None) -> None:
        """For the SDK's client."""
        said = message[:MAX_SAID] if message else message
        recorded: JsonObject = {"progress": progress, "total": total, "message": said}
        self.recorded.append({name: value for name, value in recorded.items() if value is not None})
        self._show(progress_words(PROGRESS, recorded))

    def events(self) -> list[JsonValue]:
        """The same as events of a tool, as an effect holds them."""
        return [{"name": PROGRESS, "content": recorded} for recorded in self.recorded]


def parts_of(result: types.CallToolResult) -> list[ResultContent]:
    """What a call gave: text and pictures as such, everything else as its JSON."""
    from mcp import types

    parts: list[ResultContent] = []
    for item in result.content:
        if isinstance(item, types.TextContent):
            parts.append(TextResultContent(content=item.text))
        elif isinstance(item, types.ImageContent):
            parts.append(ImageResultContent(content=Image.from_base64(item.data)))
        else:
            parts.append(TextResultContent(content=item.model_dump_json(by_alias=True, exclude_none=True)))
    return parts
