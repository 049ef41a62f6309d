"""Clients that talk to the fake server and are closed at the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Protocol

import pytest

from studio.models import OpenAIChatCompletionClient
from tests.fakes.openai_server import OpenAIServer
from tests.models.services import KEYS


class MakeClient(Protocol):
    """Makes a client of the fake server; keywords are fields of its config."""

    def __call__(self, **config: Any) -> OpenAIChatCompletionClient: ...


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys that the clients of `services.py` name."""
    for variable, value in KEYS.items():
        monkeypatch.setenv(variable, value)


@pytest.fixture
async def make_client(openai_server: OpenAIServer) -> AsyncIterator[MakeClient]:
    """A factory of clients for the fake server."""
    made: list[OpenAIChatCompletionClient] = []

    def make(**config: Any) -> OpenAIChatCompletionClient:
        given: dict[str, Any] = {"model": "gpt-4o", "base_url": openai_server.url, **config}
        client = OpenAIChatCompletionClient(**given)
        made.append(client)
        return client

    yield make
    for client in made:
        await client.close()
