"""A studio in a process of its own, spoken to over HTTP."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

ADDRESS = re.compile(r"(http://[^/]+)/\?token=(\S+)")


@contextmanager
def studio(data_dir: Path, *options: str) -> Generator[tuple[subprocess.Popen[str], httpx.Client]]:
    """A server on a free port and a client with its token."""
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", str(data_dir), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            found = ADDRESS.search(process.stdout.readline())
            assert found, process.stdout.read()
            headers = {"Authorization": f"Bearer {found[2]}"}
            with httpx.Client(base_url=found[1], headers=headers, trust_env=False) as client:
                yield process, client
        finally:
            process.kill()
