"""Of a script that makes several components, one is chosen by the name of its variable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.code import read_python
from tests.cli.conftest import Outcome, Studio

SEVERAL = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.replay import ReplayChatCompletionClient
client = ReplayChatCompletionClient(["Good morning."])
agent = AssistantAgent("greeter", client)
team = RoundRobinGroupChat([agent], max_turns=1)
team.run(task="One.")
team = RoundRobinGroupChat([agent], max_turns=2)
team.run(task="Two.")
def make():
    return RoundRobinGroupChat([agent], max_turns=4)
other = make()
other.run(task="Three.")
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "several.py"
    file.write_text(SEVERAL, encoding="utf-8")
    return file


@pytest.mark.parametrize(("name", "turns"), [("team:7", 1), ("team:9", 2), ("make", 4)])
def test_each_team_is_exported_by_its_name(studio: Studio, script: Path, name: str, turns: int):
    code, out, err = studio("export", script, "--team", name)
    assert code == 0, err
    config: Any = read_python(out)["config"]
    assert config["max_turns"] == turns


@pytest.mark.parametrize("name", ["", "team", "nothing"])
def test_the_names_are_offered_with_their_lines(studio: Studio, script: Path, name: str):
    code, _, err = studio("export", script, *(("--team", name) if name else ()))
    assert code == 1
    assert "`team:7` in line 7 (RoundRobinGroupChat)" in err
    assert "Choose one with --team: team:7, team:9, make." in err


def test_the_names_of_a_script_with_one_team_hold_as_well(studio: Studio, tmp_path: Path):
    file = tmp_path / "one.py"
    file.write_text(SEVERAL.partition("team.run")[0], encoding="utf-8")
    for name in ("team", "RoundRobinGroupChat", ""):
        assert studio("export", file, "--team", name).code == 0
    code, _, err = studio("export", file, "--team", "agents")
    assert (code, "no component named 'agents'" in err) == (1, True)


def test_all_of_them_are_checked(studio: Studio, script: Path):
    code, out, _ = studio("check", script)
    assert (code, "3 loaded, 0 opaque, 0 wrong" in out) == (0, True)
    assert "team:7" in out


@pytest.mark.slow
def test_a_chosen_team_runs(studio_process: Callable[..., Outcome], script: Path):
    code, out, err = studio_process("run", script, "--team", "team:7", "--task", "Hello.", "--approve")
    assert code == 0, err
    assert "Good morning." in out


def test_of_very_many_the_first_are_checked_and_the_rest_is_told(studio: Studio, tmp_path: Path):
    file = tmp_path / "many.py"
    head = SEVERAL.partition("team =")[0]
    file.write_text(head + "".join(f"t{each} = RoundRobinGroupChat([agent])\n" for each in range(52)), encoding="utf-8")
    code, out, err = studio("check", file)
    assert (code, "50 loaded" in out) == (0, True)
    assert "2 more components are not read, from 't50' on." in err
    assert studio("export", file, "--team", "t51").code == 0
