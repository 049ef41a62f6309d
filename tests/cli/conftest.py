"""The `studio` command, in this process or, for terminals and signals, in one of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Protocol

import pytest

from studio.cli import main
from studio.components import JsonObject
from tests.processes import Outcome, run
from tests.web.documents import assistant, team


class Studio(Protocol):
    """Runs a command of the studio in this process."""

    def __call__(self, *arguments: object) -> Outcome: ...


Typed = Callable[..., Outcome]


@pytest.fixture
def studio(capsys: pytest.CaptureFixture[str]) -> Studio:
    def run(*arguments: object) -> Outcome:
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(code, str(printed.out), str(printed.err))

    return run


@pytest.fixture
def studio_process(tmp_path: Path) -> Callable[..., Outcome]:
    """Runs a command in a process of its own, with text on standard input."""

    def in_process(*arguments: object, stdin: str = "") -> Outcome:
        return run(*arguments, environment={"STUDIO_DATA_DIR": str(tmp_path / "data")}, stdin=stdin, limit_s=30)

    return in_process


@pytest.fixture
def greeting() -> JsonObject:
    """A team of one scripted agent that asks nobody and needs nothing."""
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "label": "Greeting",
        "config": {
            "participants": [
                {
                    "provider": "autogen_agentchat.agents.AssistantAgent",
                    "component_version": 2,
                    "config": {
                        "name": "greeter",
                        "description": "Greets.",
                        "model_client": {
                            "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
                            "config": {"chat_completions": ["Good morning.", "And good night."]},
                        },
                        "reflect_on_tool_use": False,
                        "tool_call_summary_format": "{result}",
                    },
                }
            ],
            "max_turns": 1,
        },
    }


@pytest.fixture
def typed(studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Typed]:
    """Runs a command over one data folder, with nobody at the terminal."""
    monkeypatch.setenv("STUDIO_DATA_DIR", str(tmp_path / "data"))
    with Path(os.devnull).open(encoding="utf-8") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield studio


def written(folder: Path, component: JsonObject | None = None, name: str = "team.json") -> Path:
    """The file of a team."""
    file = folder / name
    file.write_text(json.dumps(component or team(assistant("writer", "The answer."), max_messages=2)))
    return file
