"""Files brought into a studio in a process that is watched: see tests/web/audited.py."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def audited(folder: Path, files: list[Path], *, timeout_s: float = 120) -> list[dict[str, Any]]:
    """Bring the files into a studio in a process of its own; what was seen, file by file."""
    command = [sys.executable, "-m", "tests.web.audited", str(folder / "data"), *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout_s)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
