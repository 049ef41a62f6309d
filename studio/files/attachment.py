"""What is said of a file in tasks, logs and the metadata of messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from studio.files.media_types import PICTURES, is_text
from studio.files.names import MAX_NAME

FileUse = Literal["text", "picture", "folder"]
"""How agents get a file: its text in the prompt, as a picture, or in the working folder of code alone."""
FILES = "files"
"""The key of the metadata of a message."""
WRITTEN = "written"
"""Likewise: how many characters at the beginning of its text a person wrote; the rest is the text of files."""
MAX_PICTURE_BYTES = 5 * 1024 * 1024
"""What services of models take as one picture."""


class Attachment(BaseModel):
    """A file under a name; `sha256` finds its content."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    name: Annotated[str, Field(min_length=1, max_length=2 * MAX_NAME)]
    sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    size: Annotated[int, Field(ge=0)]
    media_type: Annotated[str, Field(max_length=100)]


def default_use(media_type: str, size: int) -> FileUse:
    """How agents get a file when nobody chose."""
    if media_type in PICTURES and size <= MAX_PICTURE_BYTES:
        return "picture"
    return "text" if is_text(media_type) and size else "folder"


def files_metadata(files: Sequence[Attachment]) -> dict[str, str]:
    """What the metadata of a message says of its files: JSON text, since AgentChat takes nothing else there."""
    return {FILES: json.dumps([file.model_dump() for file in files], ensure_ascii=False)} if files else {}


def written_text(content: str, metadata: Mapping[str, str]) -> str:
    """What of the text of a message is not the text of its files."""
    count = metadata.get(WRITTEN, "") if FILES in metadata else ""
    return content[: int(count)] if count.isdecimal() else content


def sized(size: int) -> str:
    """A number of bytes as people read it."""
    for unit, factor in (("GB", 1024**3), ("MB", 1024**2), ("KB", 1024)):
        if size >= factor:
            return f"{size / factor:.1f}".removesuffix(".0") + f" {unit}"
    return f"{size} bytes" if size != 1 else "1 byte"
