"""Measure what starting the studio costs: import, first page, idle memory. Prints a Markdown table.

Run it with the interpreter of the environment that holds the studio: `.venv/bin/python scripts/measure.py`.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

REPEATS = 5
SCRIPT = """
from studio.agents import AssistantAgent
from studio.conditions import MaxMessageTermination
from studio.models import OpenAIChatCompletionClient
from studio.teams import RoundRobinGroupChat
"""
"""Names, and not the packages alone: their modules are loaded when something of them is used."""


def import_s() -> float:
    """Seconds to import what a script uses, in a fresh interpreter, without the interpreter's own start."""
    return _run_s(SCRIPT) - _run_s("pass")


def _run_s(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def first_page() -> tuple[float, float]:
    """Seconds from the command to the first page's last byte, and the server's idle memory in MB after it."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                url = _url_of(server)
                opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
                with opener.open(url) as page:
                    page.read()
                return time.perf_counter() - start, _memory_mb(server.pid)
            finally:
                server.terminate()


def _url_of(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"http://\S+token=\S+", line):
            return found.group()
    raise SystemExit("The server printed no address.")


def _memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else float("nan")


def main() -> None:
    imports = statistics.median(import_s() for _ in range(REPEATS))
    pages = [first_page() for _ in range(REPEATS)]
    seconds = statistics.median(page[0] for page in pages)
    memory = statistics.median(page[1] for page in pages)
    print("| | Team Studio |\n|---|---|")
    print(f"| import of the engine | {imports:.2f} s |")
    print(f"| command to first page | {seconds:.2f} s |")
    print(f"| memory, idle | {memory:.0f} MB |")


if __name__ == "__main__":
    main()
