"""`studio run` plays a team on the terminal."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest

from studio.components import JsonObject
from studio.store import open_store
from tests.cli.conftest import Studio
from tests.fakes.openai_server import OpenAIServer
from tests.processes import Outcome

Process = Callable[..., Outcome]


@pytest.fixture
def team_file(tmp_path: Path, greeting: JsonObject) -> Path:
    file = tmp_path / "team.json"
    file.write_text(json.dumps(greeting), encoding="utf-8")
    return file


def with_tool(team: JsonObject) -> JsonObject:
    changed = copy.deepcopy(team)
    config = cast("dict[str, list[dict[str, JsonObject]]]", changed["config"])
    config["participants"][0]["config"]["workbench"] = [
        {
            "provider": "autogen_core.tools.StaticWorkbench",
            "config": {
                "tools": [
                    {
                        "provider": "autogen_core.tools.FunctionTool",
                        "config": {
                            "name": "add",
                            "description": "Adds.",
                            "source_code": "def add(a: int) -> int:\n    return a + 1\n",
                            "global_imports": [],
                            "has_cancellation_support": False,
                        },
                    }
                ]
            },
        }
    ]
    return changed


def with_person(team: JsonObject) -> JsonObject:
    changed = copy.deepcopy(team)
    config = cast("dict[str, list[JsonObject]]", changed["config"])
    config["participants"].append({"provider": "autogen_agentchat.agents.UserProxyAgent", "config": {"name": "you"}})
    return {**changed, "config": {**cast("JsonObject", config), "max_turns": 3}}


@pytest.mark.slow
def test_a_run_is_printed_with_its_end(studio_process: Process, team_file: Path):
    code, out, err = studio_process("run", team_file, "--task", "Say hello")
    assert (code, err) == (0, "")
    assert "(user)" in out
    assert "(greeter)" in out
    assert "Good morning." in out
    assert "Maximum number of turns 1 reached." in out


@pytest.mark.slow
def test_json_gives_one_object_a_line_and_the_result_last(studio_process: Process, team_file: Path):
    code, out, _ = studio_process("run", team_file, "-t", "Say hello", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [line["type"] for line in lines] == ["TextMessage", "TextMessage", "TaskResult"]
    assert lines[1]["content"] == "Good morning."


@pytest.mark.slow
def test_a_person_answers_on_standard_input(studio_process: Process, tmp_path: Path, greeting: JsonObject):
    file = tmp_path / "asks.json"
    file.write_text(json.dumps(with_person(greeting)), encoding="utf-8")
    code, out, _ = studio_process("run", file, "-t", "Hello", stdin="Hello yourself\n")
    assert code == 0
    assert "Hello yourself" in out
    assert "And good night." in out


@pytest.mark.slow
def test_a_person_who_is_not_there_ends_the_run_with_a_message(
    studio_process: Process, tmp_path: Path, greeting: JsonObject
):
    file = tmp_path / "asks.json"
    file.write_text(json.dumps(with_person(greeting)), encoding="utf-8")
    code, _, err = studio_process("run", file, "-t", "Hello")
    assert code == 1
    assert "'you' needs user input" in err
    assert "Traceback" not in err


@pytest.mark.slow
def test_what_a_team_could_do_is_shown_and_needs_approval(
    studio_process: Process, tmp_path: Path, greeting: JsonObject
):
    file = tmp_path / "tool.json"
    file.write_text(json.dumps(with_tool(greeting)), encoding="utf-8")
    refused = studio_process("run", file, "-t", "Hello")
    assert refused.code == 2
    assert "def add" in refused.err
    assert "Approval needs a terminal. Not approved: Runs the Python function" in refused.err
    assert "Good morning." not in refused.out
    assert studio_process("run", file, "-t", "Hello", "--approve").code == 0


def test_one_of_several_teams_must_be_chosen(studio: Studio, tmp_path: Path, greeting: JsonObject):
    file = tmp_path / "gallery.json"
    other = {**greeting, "label": "Other"}
    file.write_text(json.dumps({"name": "G", "components": {"teams": [greeting, other]}}), encoding="utf-8")
    code, _, err = studio("run", file, "-t", "Hello")
    assert code == 1
    assert "'Greeting', 'Other'" in err
    assert "no component named 'Third'" in studio("run", file, "-t", "Hello", "--team", "Third").err


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"provider": "autogen_agentchat.conditions.StopMessageTermination", "config": {}}, "only a team or an agent"),
        ({"provider": "elsewhere.Team", "component_type": "team", "config": {}}, "not installed"),
        ({"team_type": "RoundRobinGroupChat"}, "December 2024"),
        ({"provider": "autogen_agentchat.teams.RoundRobinGroupChat", "config": {}}, "participants"),
    ],
)
def test_what_cannot_run_is_told_in_one_line(studio: Studio, tmp_path: Path, document: JsonObject, message: str):
    file = tmp_path / "file.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    code, out, err = studio("run", file, "-t", "Hello")
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def asking(server: OpenAIServer, key: str) -> JsonObject:
    """An agent whose model is that server's."""
    model = {"provider": "OpenAIChatCompletionClient", "config": {"model": "m", "base_url": server.url, "api_key": key}}
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_version": 2,
        "config": {
            "name": "asker",
            "description": "",
            "model_client": cast("JsonObject", model),
            "reflect_on_tool_use": False,
            "tool_call_summary_format": "{result}",
        },
    }


@pytest.mark.slow
async def test_a_secret_of_the_studio_is_used(studio_process: Process, tmp_path: Path, openai_server: OpenAIServer):
    async with open_store(tmp_path / "data") as store:
        await store.secrets.set("work-key", "sk-stored")
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(asking(openai_server, "secret:work-key")), encoding="utf-8")
    code, out, err = await asyncio.to_thread(studio_process, "run", file, "-t", "Hello", "--approve")
    assert (code, "OK." in out) == (0, True), err
    assert openai_server.requests[0].key == "sk-stored"


@pytest.mark.slow
def test_without_a_studio_it_says_where_the_secret_may_be_put(
    studio_process: Process, tmp_path: Path, openai_server: OpenAIServer
):
    file = tmp_path / "agent.json"
    file.write_text(json.dumps(asking(openai_server, "secret:work-key")), encoding="utf-8")
    code, _, err = studio_process("run", file, "-t", "Hello", "--approve")
    assert code == 1
    assert "Store a value for 'work-key' under Settings, Secrets, or set STUDIO_SECRET_WORK_KEY." in err
    assert not (tmp_path / "data").exists()


@pytest.mark.slow
def test_the_exact_thing_is_told_of_each_item_and_nothing_hides_in_it(
    studio_process: Process, tmp_path: Path, greeting: JsonObject
):
    team = with_tool(greeting)
    hostile = json.dumps(team).replace("return a + 1", "return a + 1  # \\u2713\\ufe00\\ud840\\udd00 p\\u0430y")
    docker = {
        "provider": "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor",
        "config": {"work_dir": "coding", "extra_volumes": {"/srv/x": {"bind": "/host", "mode": "rw"}}},
    }
    agent = {
        "provider": "autogen_agentchat.agents.CodeExecutorAgent",
        "config": {"name": "coder", "code_executor": docker},
    }
    document = json.loads(hostile)
    document["config"]["participants"].append(agent)
    file = tmp_path / "team.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    run, check = studio_process("run", file, "--task", "Go").err, studio_process("check", file).out
    for said in (run, check):
        assert "return a + 1  # \u2713<U+FE00>" in said
        assert "1 character hides in this" in said
        assert "p\u0430y (U+0430)" in said
        assert "/srv/x" in said
        assert "coding in the team's own folder" in said
    assert f"The team's own folder is {tmp_path / 'data' / 'work' / 'file-'}" in run
