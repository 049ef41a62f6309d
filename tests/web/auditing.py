"""Files brought into a studio in a process that is watched: see tests/web/audited.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.processes import run


def audited(folder: Path, files: list[Path], *, timeout_s: float = 120) -> list[dict[str, Any]]:
    """Bring the files into a studio in a process of its own; what was seen, file by file.

    It runs in the folder, so that a module which lies there can be imported.
    """
    done = run(folder / "data", *files, module="tests.web.audited", folder=folder, limit_s=timeout_s)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.lines]
