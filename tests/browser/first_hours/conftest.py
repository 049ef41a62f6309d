"""A studio of its own for each first hour, over an empty data folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.browser.conftest import NewStudio, OpenPage, StudioServer
from tests.browser.first_hours.hands import Hands
from tests.fakes.ollama_server import OllamaServer


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer() as server:
        yield server


@pytest.fixture
def studio_server(tmp_path: Path, ollama: OllamaServer, new_studio: NewStudio) -> Iterator[StudioServer]:
    with new_studio(tmp_path / "data", {"OLLAMA_HOST": ollama.url, "OPENAI_API_KEY": "test-key"}) as server:
        yield server


@pytest.fixture(params=["pointer", pytest.param("keyboard", marks=pytest.mark.extended)])
def hands(request: pytest.FixtureRequest, open_page: OpenPage) -> Hands:
    page = open_page()
    page.goto("/", wait_until="domcontentloaded")
    return Hands(page, by_pointer=request.param == "pointer")


@pytest.fixture
def red_ends() -> list[str]:
    """A test names here the tasks whose runs are to fail."""
    return []


@pytest.fixture(autouse=True)
def nothing_else_fails(hands: Hands, api: httpx.Client, red_ends: list[str]) -> Iterator[None]:
    """Runs end in red only where a test asks for it."""
    del hands
    yield
    runs = api.get("/api/runs").json()
    assert sorted(run["task"] for run in runs if run["state"] == "failed") == sorted(red_ends)
    assert {run["state"] for run in runs} <= {"finished", "failed"}
