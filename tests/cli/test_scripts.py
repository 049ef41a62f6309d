"""Python scripts as files of the commands: read, not executed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from studio.code import export_python
from studio.components import JsonObject, load_component
from tests.cli.conftest import Studio
from tests.processes import Outcome

TRAP = "import pathlib\nfrom studio.agents import UserProxyAgent\npathlib.Path('trap').write_text('')\n"


@pytest.fixture
def script(greeting: JsonObject, tmp_path: Path) -> Path:
    file = tmp_path / "greeting.py"
    file.write_text(export_python(load_component(greeting)), encoding="utf-8")
    return file


def test_a_script_is_checked_as_its_json_would_be(studio: Studio, script: Path):
    code, out, err = studio("check", script)
    assert (code, err) == (0, "")
    assert "1 loaded, 0 opaque, 0 wrong" in out


@pytest.mark.slow
def test_a_script_is_run_by_the_engine(studio_process: Callable[..., Outcome], script: Path):
    code, out, _ = studio_process("run", script, "--task", "Hello.", "--approve")
    assert code == 0
    assert "Good morning." in out


def test_a_script_is_exported_as_it_was(studio: Studio, script: Path):
    assert studio("export", script).out == script.read_text(encoding="utf-8")


def test_what_is_not_read_is_told_by_line_and_nothing_is_executed(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    Path("trap.py").write_text(TRAP + "for x in (): pass\n", encoding="utf-8")
    code, out, _ = studio("check", "trap.py")
    assert code == 1
    assert "trap.py:3:1:" in out
    assert "trap.py:4:1: A loop makes no component, so it is passed over." in out
    code, out, _ = studio("check", "--json", "trap.py")
    assert [each["line"] for each in json.loads(out)[0]["rejected"]] == [1, 3, 4]
    code, _, err = studio("run", "trap.py", "--task", "x")
    assert (code, "The script has no component" in err) == (1, True)
    assert not Path("trap").exists()


def test_a_script_that_is_no_text_is_a_clear_message(studio: Studio, tmp_path: Path):
    (tmp_path / "a.py").write_bytes(b"\xff\xfe")
    code, out, _ = studio("check", tmp_path / "a.py")
    assert (code, "not UTF-8 text" in out) == (1, True)


STANDS_IN = """
from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_ext.models.openai import OpenAIChatCompletionClient
import os
model = OpenAIChatCompletionClient(model=os.getenv("MODEL_OF_A_TEST"))
team = RoundRobinGroupChat([AssistantAgent("a", model)], max_turns=1)
"""


def test_a_script_with_stand_ins_is_checked_and_exported_but_not_run(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    file = tmp_path / "team.py"
    file.write_text(STANDS_IN, encoding="utf-8")
    code, _, err = studio("check", file)
    assert (code, "note: `model` is read from the environment variable" in err) == (0, True)
    assert "MODEL_OF_A_TEST" in studio("export", file).out
    code, _, err = studio("run", file, "--task", "x", "--approve")
    assert (code, "MODEL_OF_A_TEST" in err) == (1, True)
    monkeypatch.setenv("MODEL_OF_A_TEST", "gpt-4o")
    assert "gpt-4o" in studio("export", file).out
