"""Answers that a browser saves as a file."""

from __future__ import annotations

import json
import re

from fastapi import Response

from studio.components import JsonObject, take_out_secrets


def filename(name: str, suffix: str) -> str:
    """A file name made of the letters and digits of `name`; safe in a header and on every disk."""
    stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:60]
    return f"{stem or 'team'}{suffix}"


def download(content: str | JsonObject, name: str, media_type: str = "application/json") -> Response:
    """The file; a document holds no keys, also when it was stored before they were looked for everywhere."""
    if not isinstance(content, str):
        content = json.dumps(take_out_secrets(content)[0], indent=2, ensure_ascii=False)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content.encode("utf-8", "replace"), media_type=media_type, headers=headers)
