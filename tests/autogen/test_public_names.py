"""Every public name of AutoGen 0.7.5 is there, or its `ImportError` says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from studio.autogen.names import MODULES, names_in
from studio.autogen.unsupported import advice, known_reason
from tests.autogen.conftest import RunScript

PUBLIC = Path(__file__).with_name("public_names.txt")


def everything() -> Iterator[tuple[str, str]]:
    for line in PUBLIC.read_text().splitlines():
        module, _, names = line.partition(":")
        yield from ((module, name) for name in names.split())


def test_every_public_name_is_there_or_its_lack_is_explained():
    there = {module: {place.shown for place in names_in(module)} for module in MODULES}
    unexplained = [
        f"{module}.{name}"
        for module, name in everything()
        if name not in there.get(module, ()) and not known_reason(f"{module}.{name}")
    ]
    assert unexplained == []


def test_a_slip_of_the_pen_is_answered_with_what_is_there():
    assert advice("autogen_ext.models.opena", MODULES) == "Did you mean 'openai'?"
    assert advice("autogen_agentchat.messages.AssistantAgent", MODULES) == "It is in autogen_agentchat.agents."
    renamed = "AutoGen has renamed it: import autogen_core.tools."
    assert advice("autogen_core.components.tools.FunctionTool", MODULES) == renamed
    assert advice("autogen_core.nothing", MODULES) == "Take the import out, or run this script with AutoGen."


@pytest.mark.slow
def test_each_public_name_can_be_imported_or_says_more_than_that_it_is_missing(run_script: RunScript):
    outcome = run_script(
        """
        import importlib, sys
        from pathlib import Path

        for line in Path(sys.argv[1]).read_text().splitlines():
            module, _, names = line.partition(":")
            for name in names.split():
                try:
                    found = getattr(importlib.import_module(module), name)
                except ImportError as error:
                    said = str(error)
                    if not said.startswith("Team Studio has no counterpart of") or said.count(". ") < 1:
                        print(module, name, said)
        print("done")
        """,
        str(PUBLIC),
    )
    assert outcome.lines == ["done"]


@pytest.mark.slow
def test_names_are_also_where_autogen_only_passes_them_on(run_script: RunScript):
    outcome = run_script("""
        from importlib.metadata import version
        import PIL
        from autogen_agentchat.agents._user_proxy_agent import InputFuncType
        from autogen_agentchat.messages import FunctionCall, Image
        from autogen_agentchat.teams._group_chat._round_robin_group_chat import RoundRobinGroupChatConfig
        from autogen_core.code_executor import Alias
        from autogen_core.code_executor._func_with_reqs import import_to_str, to_code
        from autogen_core.memory._list_memory import ListMemoryConfig
        from autogen_core.tools._function_tool import FunctionToolConfig
        from autogen_ext.code_executors import DockerCommandLineCodeExecutor, LocalCommandLineCodeExecutor
        from autogen_ext.models.openai._model_info import ModelFamily, ModelInfo
        from autogen_ext.teams.magentic_one import MagenticOneGroupChat
        from autogen_ext.tools.mcp import SseServerParams, StdioServerParams

        def one():
            return 1

        print(version("autogen-agentchat"), PIL.Image.new("RGB", (2, 2)).size, import_to_str(Alias("a", "b")))
        print(to_code(one).strip().splitlines()[0])
        print(StdioServerParams(command="x", transport="stdio", runtime="node").command)
        print(SseServerParams(url="http://localhost:1", env={}).url)
    """)
    assert outcome.lines == ["0.7.5 (2, 2) import a as b", "def one():", "x", "http://localhost:1"], outcome.err
