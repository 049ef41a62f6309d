"""A studio in a process of its own, spoken to over HTTP."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.processes import StudioProcess

ADDRESS = re.compile(r"(http://[^/]+)/\?token=(\S+)")


@contextmanager
def studio(data_dir: Path, *options: str) -> Generator[tuple[StudioProcess, httpx.Client]]:
    """A server on a free port and a client with its token."""
    process = StudioProcess.start("serve", "--port", 0, "--data-dir", data_dir, *options)
    with process.output as output:
        try:
            line = output.readline()
            found = ADDRESS.search(line)
            assert found, line + output.read()
            headers = {"Authorization": f"Bearer {found[2]}"}
            with httpx.Client(base_url=found[1], headers=headers, trust_env=False) as client:
                yield process, client
        finally:
            process.kill()
