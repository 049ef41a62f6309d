"""`studio doctor`: whether this machine has what the studio needs."""

from __future__ import annotations

import os
import platform
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from studio.components import component_classes
from studio.galleries import shipped_galleries
from studio.settings import Settings

OLDEST_SQLITE = (3, 35)
"""The first with RETURNING, which the store's statements use."""


def examine(settings: Settings) -> bool:
    """Print one line per thing looked at; true when all of them are in order."""
    findings = list(_findings(settings))
    for is_fine, text in findings:
        print(f"{'ok  ' if is_fine else 'BAD '} {text}")
    return all(is_fine for is_fine, _ in findings)


def _findings(settings: Settings) -> Iterator[tuple[bool, str]]:
    yield True, f"Python {platform.python_version()} on {platform.system()}"
    yield sqlite3.sqlite_version_info >= OLDEST_SQLITE, f"SQLite {sqlite3.sqlite_version}"
    yield _is_writable(settings.data_dir), f"Data folder {settings.data_dir}"
    count = sum(1 for _ in component_classes())
    yield count > 0, f"{count} components are registered"
    galleries = shipped_galleries()
    yield bool(galleries), f"Shipped galleries: {len(galleries)}"
    keys = [name for name in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY") if os.environ.get(name)]
    yield True, f"Model keys in the environment: {', '.join(keys) or 'none (the scripted teams need none)'}"


def _is_writable(folder: Path) -> bool:
    """Whether files can be made in the folder, or in the first of its parents that exists."""
    nearest = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK)
