"""What kind of content a file has, found in the content itself: a name or a header can say anything."""

from __future__ import annotations

import codecs
from pathlib import PurePath

BINARY = "application/octet-stream"
TEXT = "text/plain"
PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What models are shown as pictures."""
HEAD_BYTES = 16
"""Of the beginning of a file, what tells a binary type."""

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"PAR1", "application/vnd.apache.parquet"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
    (b"\x1aE\xdf\xa3", "video/webm"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
)
_TEXTS = {
    ".csv": "text/csv",
    ".tsv": "text/tab-separated-values",
    ".json": "application/json",
    ".md": "text/markdown",
    ".html": "text/html",
    ".htm": "text/html",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
    ".eml": "message/rfc822",
}
"""By the end of a name: which text it is, where the content is text."""
_OFFICE = "application/vnd.openxmlformats-officedocument"
_OLE = "application/x-ole-storage"
_CONTAINERS = {
    ("application/zip", ".docx"): f"{_OFFICE}.wordprocessingml.document",
    ("application/zip", ".pptx"): f"{_OFFICE}.presentationml.presentation",
    ("application/zip", ".xlsx"): f"{_OFFICE}.spreadsheetml.sheet",
    (_OLE, ".msg"): "application/vnd.ms-outlook",
}
"""Likewise: which document it is, where the content is a container of that kind."""


def is_text(media_type: str) -> bool:
    """Whether the content is UTF-8 text, whatever its name makes of it."""
    return media_type == TEXT or media_type in _TEXTS.values()


def named_type(media_type: str, name: str) -> str:
    """The type of a file by its content, with what its name adds where that is text or a container."""
    ending = PurePath(name).suffix.lower()
    return _TEXTS.get(ending, media_type) if media_type == TEXT else _CONTAINERS.get((media_type, ending), media_type)


class TypeFinder:
    """Finds the type of content that comes in parts."""

    def __init__(self) -> None:
        self._head = b""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_text = True

    def add(self, part: bytes) -> None:
        """Look at the next part."""
        if len(self._head) < HEAD_BYTES:
            self._head += part[: HEAD_BYTES - len(self._head)]
        if self._is_text:
            try:
                self._decoder.decode(part)
                self._is_text = b"\0" not in part
            except UnicodeDecodeError:
                self._is_text = False

    def finish(self) -> str:
        """The type of all of it."""
        if self._head.startswith(b"RIFF") and self._head[8:12] == b"WEBP":
            return "image/webp"
        if self._head.startswith(b"RIFF") and self._head[8:12] == b"WAVE":
            return "audio/wav"
        if self._head[4:8] == b"ftyp":
            return "audio/mp4" if self._head[8:11] == b"M4A" else "video/mp4"
        found = next((kind for magic, kind in _MAGIC if self._head.startswith(magic)), None)
        if found is not None:
            return found
        try:
            self._decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return BINARY
        return TEXT if self._is_text else BINARY
