"""`studio run` of a program of AutoGen Core: executed where somebody agrees, and kept as a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.agents.participant import require_loaded
from studio.cli.run_program import is_program
from studio.components import load_component
from studio.errors import InvalidComponent
from studio.settings import Settings
from studio.store import open_store
from studio.web.app import create_app
from studio.web.engine import ProcessRole
from tests.cli.conftest import Studio
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.processes import Outcome

PROGRAM = """
    import asyncio, os, sys
    from dataclasses import dataclass
    from autogen_core import (
        AgentId, DefaultTopicId, MessageContext, RoutedAgent, SingleThreadedAgentRuntime, default_subscription,
        message_handler,
    )
    from autogen_core.models import UserMessage
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    @dataclass
    class Draft:
        text: str

    @dataclass
    class Review:
        text: str
        stars: int

    class Writer(RoutedAgent):
        def __init__(self) -> None:
            super().__init__("Writes.")
            self.model = OpenAIChatCompletionClient(model="gpt-4o-mini", base_url="URL", api_key="very-secret-key-1")

        @message_handler
        async def write(self, message: Draft, ctx: MessageContext) -> Draft:
            answer = await self.model.create([UserMessage(content=message.text, source="user")])
            await self.publish_message(Review(str(answer.content) + os.environ["OWN_TOKEN"], 4), DefaultTopicId())
            return Draft(str(answer.content))

    @default_subscription
    class Shelf(RoutedAgent):
        def __init__(self) -> None:
            super().__init__("Keeps.")

        @message_handler
        async def keep(self, message: Review, ctx: MessageContext) -> None:
            raise ValueError("full")

    async def main() -> None:
        runtime = SingleThreadedAgentRuntime()
        await Writer.register(runtime, "writer", Writer)
        await Shelf.register(runtime, "shelf", Shelf)
        runtime.start()
        await runtime.send_message(Draft(sys.argv[1]), AgentId("writer", "default"))
        await runtime.stop_when_idle()
        open("ended.txt", "a").write("x")

    asyncio.run(main())
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, openai_server: OpenAIServer) -> Path:
    openai_server.always(Reply(text="A poem"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STUDIO_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("OWN_TOKEN", "canary-77777")
    file = tmp_path / "shelf.py"
    file.write_text(dedent(PROGRAM).replace("URL", openai_server.url), encoding="utf-8")
    return file


def runs(folder: Path) -> list[tuple[Any, list[Any]]]:
    """All that is kept, the newest first."""

    async def read() -> list[tuple[Any, list[Any]]]:
        async with open_store(folder / "data") as store:
            found = await store.runs.list()
            return [(await store.runs.get(each.id), list(await store.runs.read(each.id))) for each in found]

    return asyncio.run(read())


@pytest.mark.slow
def test_a_program_is_recorded_limited_and_replayed(
    program: Path, tmp_path: Path, studio: Studio, openai_server: OpenAIServer
):
    assert studio("run", program, "--task", "Herons", "--approve").code == 0
    [(run, entries)] = runs(tmp_path)
    assert (run.status.state, run.task_text, run.team_name) == ("finished", "Herons", "shelf")
    assert run.status.usage.prompt_tokens > 0
    assert run.status.usage.micro_usd > 0
    messages = [entry.body for entry in entries if entry.kind == "message"]
    ways = [(each["source"], each["metadata"].get("way"), each["metadata"].get("recipients")) for each in messages]
    assert sorted(ways[1:]) == [
        ("shelf", "failed", ""),
        ("user", "sent", "writer"),
        ("writer", "answered", "user"),
        ("writer", "published", "shelf"),
    ]
    assert {each["config"]["name"] for each in run.component["config"]["participants"]} == {"writer", "shelf"}
    with pytest.raises(InvalidComponent, match="only the record, so it cannot start it"):
        require_loaded(load_component(run.component))
    assert "very-secret" not in str(entries)
    assert "canary-77777" not in str(entries)
    [effect] = [entry.body for entry in entries if entry.kind == "effect"]
    assert effect["spent"]["agent"] == "writer"

    asked = openai_server.request_count
    assert studio("run", program, "--task", "Herons", "--approve", "--replay", run.id).code == 0
    assert openai_server.request_count == asked, "what was recorded answers"
    assert studio("run", program, "--task", "Storks", "--approve", "--replay", run.id).code == 1
    assert studio("run", program, "--task", "Herons", "--approve", "--usd", "0").code == 1
    assert openai_server.request_count == asked
    failed = [run.status.detail for run, _ in runs(tmp_path) if run.status.state == "failed"]
    assert len(failed) == 2
    assert any("limit of this run" in each for each in failed)
    assert any("Nothing is recorded" in each for each in failed)
    assert (tmp_path / "ended.txt").read_text() == "xx"


def test_a_program_is_not_executed_unless_somebody_agrees(
    program: Path, tmp_path: Path, studio_process: Callable[..., Outcome]
):
    code, _, err = studio_process("run", program, "--task", "Herons")
    assert code != 0
    assert "--approve" in err
    assert not (tmp_path / "ended.txt").exists()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from autogen_core import RoutedAgent", True),
        ("def f():\n    from autogen_core import SingleThreadedAgentRuntime as R", True),
        ("from autogen_core import CancellationToken", False),
        ("from autogen_agentchat.agents import AssistantAgent", False),
        ("from . import RoutedAgent", False),
        ("this is no Python", False),
    ],
)
def test_a_program_is_told_by_its_imports(tmp_path: Path, source: str, expected: bool):
    file = tmp_path / "script.py"
    file.write_text(source, encoding="utf-8")
    assert is_program(file) is expected


def test_a_team_needs_a_task(tmp_path: Path, studio: Studio):
    assert "A team needs a task" in studio("run", tmp_path / "team.json").err


@pytest.mark.slow
def test_the_page_of_a_recorded_program_says_how_to_run_it_again(program: Path, tmp_path: Path, studio: Studio):
    assert studio("run", program, "--task", "Herons", "--approve").code == 0
    [(run, _)] = runs(tmp_path)
    headers = {"Authorization": "Bearer token-of-one-test"}
    app = create_app(Settings(data_dir=tmp_path / "data", token="token-of-one-test"), ProcessRole.SERVER)
    with TestClient(app, base_url="http://127.0.0.1:8040", headers=headers) as client:
        page = client.get(f"/runs/{run.id}").text
        assert "studio run shelf.py" in page
        assert "data-again" not in page
        refused = client.post(f"/api/runs/{run.id}/rerun", json={})
        assert refused.status_code == 422, refused.text
        assert "`studio run FILE`" in refused.text
