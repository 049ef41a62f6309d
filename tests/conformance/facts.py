"""Where AutoGen's recorded facts lie: the folder of AUTOGEN_GOLDEN, else one beside the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MISSING = "AutoGen's recorded facts are not here; set AUTOGEN_GOLDEN to the folder of its golden files."


def golden_folder() -> Path:
    """The folder of golden transcripts, whether or not it exists."""
    return Path(os.environ.get("AUTOGEN_GOLDEN") or ROOT.parent / "shared" / "autogen" / "golden")


def published_files() -> list[object]:
    """Files that AutoGen or its studio published, as pytest parameters; one visible skip where they are missing."""
    return _json_files("files")


def example_files() -> list[object]:
    """Single components as AutoGen 0.7 dumped them, as pytest parameters."""
    return _json_files("examples")


def _json_files(folder: str) -> list[object]:
    found = sorted((golden_folder().parent / folder).glob("*.json"))
    files = [path for path in found if path.name != "MANIFEST.json"]
    return list(files) or [pytest.param(Path(), marks=pytest.mark.skip(reason=MISSING), id="missing")]
