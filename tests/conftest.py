"""Fixtures that more than one folder uses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fakes.openai_server import OpenAIServer


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A running fake model server; what it says is told in the test."""
    with OpenAIServer() as server:
        yield server
