"""Names of files as people and programs give them, made safe to show, to send and to write into a folder."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from pathlib import PurePath, PurePosixPath

MAX_NAME = 200
MAX_DEPTH = 10
FALLBACK = "file"
_SEPARATORS = re.compile(r"[/\\]+")
_RESERVED = re.compile(r'[<>:"|?*]')
"""What some systems do not take in a name."""


def clean_name(name: str) -> str:
    """The last part of a path, without control characters and marks that change the direction of writing.

    At most `MAX_NAME` characters; its ending stays where it is short.
    """
    last = _SEPARATORS.split(unicodedata.normalize("NFC", name).rstrip("/\\"))[-1]
    shown = "".join(each for each in last if each.isprintable())
    plain = _RESERVED.sub("_", shown).strip().strip(".") or FALLBACK
    return _shortened(plain, MAX_NAME)


def clean_path(name: str) -> str:
    """A relative path with each of its last parts made safe."""
    return "/".join(clean_name(part) for part in PurePosixPath(name).parts[-MAX_DEPTH:]) or FALLBACK


def unique_name(name: str, taken: Collection[str]) -> str:
    """The name, with " (2)" and so on before its ending where others have it."""
    if name not in taken:
        return name
    path, number = PurePath(name), 2
    while (numbered := f"{_shortened(path.stem, MAX_NAME - 30)} ({number}){path.suffix[:20]}") in taken:
        number += 1
    return numbered


def _shortened(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    suffix = PurePath(name).suffix
    suffix = suffix if len(suffix) <= 20 else ""
    return name[: most - len(suffix)].rstrip() + suffix
