"""Files that the answer of an MCP server holds: pictures, audio and embedded resources are kept with the run."""

from __future__ import annotations

import base64
import binascii
import mimetypes
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING

from pydantic import JsonValue

from studio.executors.run_files import MAX_FILE_MB, MAX_FILES, MB, current_run_files
from studio.files import FILES, clean_name

if TYPE_CHECKING:
    from mcp import types


async def keep_files(tool: str, result: types.CallToolResult, agent: str) -> list[JsonValue]:
    """Keep what an answer holds with the run that is under way, and give the events that tell of it.

    What is damaged or too large stays in the answer only. A link to a resource is not followed.

    Args:
        tool: Whose answer it is; pictures and audio have no names of their own.
        result: The answer.
        agent: Who called the tool.
    """
    files = current_run_files.get()
    if files is None:
        return []
    kept = list[JsonValue]()
    for item in result.content:
        found = _file_in(tool, item)
        if found is None or len(kept) == MAX_FILES:
            continue
        name, content = found
        attachment = await files.keep(name, _whole(content), agent)
        if attachment is not None:
            kept.append(attachment.model_dump())
    return [{"name": FILES, "content": kept}] if kept else []


def _file_in(tool: str, item: types.ContentBlock) -> tuple[str, bytes] | None:
    """The name and the content of a file, if a part of an answer is one."""
    from mcp import types

    if isinstance(item, types.ImageContent | types.AudioContent):
        content, name = _decoded(item.data), f"{tool}{mimetypes.guess_extension(item.mime_type) or ''}"
    elif isinstance(item, types.EmbeddedResource):
        resource = item.resource
        content = (
            resource.text.encode() if isinstance(resource, types.TextResourceContents) else _decoded(resource.blob)
        )
        name = str(resource.uri).partition("?")[0]
    else:
        return None
    return (clean_name(name), content) if content and len(content) <= MAX_FILE_MB * MB else None


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return b""


async def _whole(content: bytes) -> AsyncGenerator[bytes]:
    yield content
