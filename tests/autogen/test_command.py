"""The command itself: arguments, modules, and what is said of names that are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.autogen.names import MODULES, names_in
from tests.autogen.conftest import RunCommand, RunScript

pytestmark = pytest.mark.slow


def test_a_script_sees_its_arguments_and_its_neighbours(run_script: RunScript, tmp_path: Path):
    (tmp_path / "neighbour.py").write_text("from autogen_core import CancellationToken\nword = 'found'\n")
    outcome = run_script("import sys, neighbour; print(sys.argv[1:], neighbour.word, __name__)", "--name", "x")
    assert outcome.lines == ["['--name', 'x'] found __main__"]


def test_pytest_runs_tests_written_for_agentchat(run_command: RunCommand, tmp_path: Path):
    (tmp_path / "test_it.py").write_text(
        "from unittest.mock import MagicMock\n"
        "from autogen_agentchat.agents import AssistantAgent\n\n"
        "def test_made():\n"
        "    client = MagicMock()\n"
        "    client.model_info = {'function_calling': True, 'vision': False, 'family': 'unknown'}\n"
        "    assert AssistantAgent('a', model_client=client)._model_client is client\n"
    )
    outcome = run_command("-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert outcome.code == 0, outcome.out + outcome.err
    assert "1 passed" in outcome.out


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "from autogen_agentchat.agents import Agent007",
            "no counterpart of 'Agent007' in AutoGen's 'autogen_agentchat.agents'",
        ),
        ("from autogen_agentchat.agents import AssistentAgent", "Did you mean 'AssistantAgent'?"),
        ("import autogen_ext.tools.azure", "no counterpart of AutoGen's module 'autogen_ext.tools.azure'"),
        (
            "from autogen_core._telemetry import anything",
            "no counterpart of 'anything' in AutoGen's 'autogen_core._telemetry'",
        ),
        ("import autogen_ext.tools.azure", "Write a FunctionTool that asks the service"),
        ("from autogen_ext.agents.openai import OpenAIAssistantAgent", "Use an OpenAIAgent"),
        ("from autogen_ext.agents.video_surfer import VideoSurfer", "It needs the packages opencv-python"),
    ],
)
def test_a_name_that_is_missing_is_an_import_error_that_says_so(run_script: RunScript, statement: str, said: str):
    script = f"try:\n    {statement}\nexcept ImportError as error:\n    print(error)\n"
    assert said in run_script(script).out


def test_private_modules_lead_to_the_names_around_them(run_script: RunScript):
    run_script("""
        from autogen_agentchat.base._task import TaskResult
        from autogen_agentchat.agents._assistant_agent import AssistantAgent
        from autogen_core.models._types import UserMessage
        import autogen_agentchat.agents
        assert AssistantAgent is autogen_agentchat.agents.AssistantAgent
        from autogen_agentchat.conditions import *
        assert MaxMessageTermination(3).max_messages == 3
    """)


def test_without_a_script_the_command_explains_itself(run_command: RunCommand):
    asked, forgotten, missing = run_command("--help"), run_command(), run_command("nowhere.py")
    assert (asked.code, asked.out.split()[0]) == (0, "usage:")
    assert (forgotten.code, forgotten.err.split()[0]) == (2, "usage:")
    assert (missing.code, missing.err) == (2, "There is no file 'nowhere.py'.\n")


def test_the_hook_is_only_there_under_the_command():
    with pytest.raises(ModuleNotFoundError):
        __import__("autogen_agentchat")


def test_no_name_stands_twice_in_the_table_with_the_same_place():
    for module in MODULES:
        found = [(place.shown, place.module) for place in names_in(module)]
        assert len(found) == len(set(found)), module
