"""What the tests of all exports share: a model server, and a key in its environment."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.openai_server import OpenAIServer


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        yield running


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
