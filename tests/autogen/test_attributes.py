"""What AutoGen's components have beside their fields, and the words in which they refuse."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_an_executor_has_a_real_folder_and_says_at_once_what_it_does_not_take(run_script: RunScript):
    outcome = run_script("""
        import asyncio, warnings
        from pathlib import Path
        from autogen_ext.code_executors.docker import DockerCommandLineCodeExecutor
        from autogen_ext.code_executors.jupyter import JupyterCodeExecutor
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

        for kind in (DockerCommandLineCodeExecutor, JupyterCodeExecutor, LocalCommandLineCodeExecutor):
            try:
                kind(timeout=0)
            except ValueError as error:
                print(error)
        try:
            DockerCommandLineCodeExecutor().work_dir
        except RuntimeError as error:
            print(error)

        class Mine(LocalCommandLineCodeExecutor):
            pass

        async def main():
            given = Mine(work_dir=Path("code"))
            print(given.work_dir, given.work_dir.name, given.dump_component().config["work_dir"])
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                LocalCommandLineCodeExecutor(work_dir=".")
                await given.restart()
            print([str(each.message) for each in told])
            async with LocalCommandLineCodeExecutor() as executor:
                print(executor.work_dir.is_dir(), executor.dump_component().config.get("work_dir"))

        asyncio.run(main())
    """)
    limit = "Timeout must be greater than or equal to 1."
    assert outcome.lines == [
        *[limit] * 3,
        "Working directory not properly initialized. It is made when the executor is started.",
        "code code code",
        "['Using the current directory as work_dir is deprecated.', "
        "'Restarting local command line code executor is not supported. No action is taken.']",
        "True None",
    ]


def test_a_memorys_config_has_its_fields_and_their_defaults(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.memory.chromadb import HttpChromaDBVectorMemoryConfig, PersistentChromaDBVectorMemoryConfig
        from autogen_ext.memory.redis import RedisMemoryConfig

        http = HttpChromaDBVectorMemoryConfig(host="example.com", collection_name="mine")
        print(http.client_type, http.host, http.port, http.collection_name, http.k)
        print(PersistentChromaDBVectorMemoryConfig().client_type)
        config = RedisMemoryConfig(top_k=4)
        print(config.top_k, config.redis_url, hasattr(config, "nothing"))
    """)
    assert outcome.lines == ["http example.com 8000 mine 3", "persistent", "4 redis://localhost:6379 False"]


def test_a_tool_says_where_it_is_and_what_it_takes(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.tools import AgentTool
        from autogen_core import CancellationToken
        from autogen_core.tools import StaticWorkbench, ToolOverride
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from autogen_ext.tools.http import HttpTool

        schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
        http = HttpTool("ask", host="example.com", port=80, json_schema=schema, return_type="json")
        print(http.server_params.host, http.server_params.method, http.args_type()(q="x"), http.return_type)
        bench = StaticWorkbench([http], tool_overrides={"ask": ToolOverride(name="asks")})
        print(bench._override_name_to_original)

        async def main():
            tool = AgentTool(AssistantAgent("a", ReplayChatCompletionClient(["done"])))
            result = await tool.run(tool.args_type()(task="do it"), CancellationToken())
            print(result.messages[-1].content)

        asyncio.run(main())
    """)
    assert outcome.lines == ["example.com POST q='x' json", "{'asks': 'ask'}", "done"]


def test_an_mcp_server_is_offered_the_model_of_its_workbench(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams

        client = ReplayChatCompletionClient(["hello"])
        bench = McpWorkbench(StdioServerParams(command="echo"), model_client=client)
        print(bench._model_client is client, bench.host.sampler.client_config is client)
        config = bench._to_config()
        print(config.server_params.command, config.model_client.provider.rpartition(".")[2])
        print(type(McpWorkbench._from_config(config)._model_client).__name__)
        print(McpWorkbench(StdioServerParams(command="echo"))._model_client)
    """)
    assert outcome.lines == ["True True", "echo ReplayChatCompletionClient", "ReplayChatCompletionClient", "None"]


def test_a_picture_is_one_of_pillows_too(run_script: RunScript):
    pytest.importorskip("PIL")
    outcome = run_script("""
        from autogen_core import Image
        from PIL import Image as Pillow

        print(Image(Pillow.new("RGB", (3, 2))).image.size)
    """)
    assert outcome.lines == ["(3, 2)"]


def test_a_class_that_dumps_itself_is_dumped_as_it_says(run_script: RunScript):
    outcome = run_script("""
        from autogen_agentchat.agents import AssistantAgent
        from autogen_core import ComponentModel
        from autogen_core.memory import ListMemory
        from autogen_ext.models.replay import ReplayChatCompletionClient

        class Mine(ListMemory):
            def dump_component(self):
                return ComponentModel(provider="mine.Memory", config={"a": 1})

        agent = AssistantAgent("a", ReplayChatCompletionClient(["x"]), memory=[Mine()])
        print(agent.dump_component().config["memory"])
    """)
    assert outcome.lines == ["[{'provider': 'mine.Memory', 'config': {'a': 1}}]"]


def test_a_config_that_does_not_fit_is_refused_as_pydantic_does(run_script: RunScript):
    outcome = run_script("""
        from autogen_core.models import ChatCompletionClient
        from pydantic import ValidationError

        config = {"model": "gpt-5", "reasoning_effort": "much"}
        try:
            ChatCompletionClient.load_component({"provider": "OpenAIChatCompletionClient", "config": config})
        except ValidationError as error:
            print(error.errors()[0]["loc"], str(error.__cause__)[:20])
    """)
    assert outcome.lines == ["('reasoning_effort',) “Reasoning effort” m"]


def test_what_autogens_own_tests_take_from_private_modules_is_there(run_script: RunScript):
    outcome = run_script("""
        import inspect, warnings
        from types import SimpleNamespace
        from autogen_core._function_utils import get_typed_signature
        from autogen_core.code_executor import FunctionWithRequirements
        from autogen_core.code_executor._func_with_reqs import build_python_functions_file
        from autogen_core.models import UserMessage
        from autogen_ext.models._utils.parse_r1_content import parse_r1_content
        from autogen_ext.models.ollama._ollama_client import convert_tools as for_ollama
        from autogen_ext.models.openai._model_info import resolve_model
        from autogen_ext.models.openai._openai_client import calculate_vision_tokens, convert_tools, to_oai_type
        from autogen_ext.models.openai._transformation import get_transformer
        from autogen_ext.models.openai._transformation.registry import _find_model_family

        def add(a: "int", b=2) -> "str": ...

        add.__annotations__["b"] = "float"
        print(get_typed_signature(add))
        print(parse_r1_content("<think>hm</think> 42"))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            print(parse_r1_content("</think><think>"), len(told))
        schema = {"name": "t", "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}}}
        print(convert_tools([schema])[0]["function"]["name"], for_ollama([schema])[0].function.name)
        print(resolve_model("gpt-4o"), _find_model_family("openai", "gpt-4o-mini"))
        for size in ((1, 1), (4096, 1024), (512, 1024)):
            print(calculate_vision_tokens(SimpleNamespace(image=SimpleNamespace(size=size))))
        print(to_oai_type(UserMessage(content="hi", source="Ann"), prepend_name=True))
        print(get_transformer("openai", "gpt-4o", "unknown") == get_transformer("openai", "gpt-4o", "gpt-4o"))
        made = FunctionWithRequirements.from_str("def one() -> int:\\n    return 1\\n")
        print("def one() -> int:" in build_python_functions_file([made]))
    """)
    assert outcome.lines == [
        "(a: int, b: float = 2) -> str",
        "('hm', '42')",
        "(None, '</think><think>') 1",
        "t t",
        "gpt-4o gpt-4o",
        *("255", "765", "425"),
        "[{'role': 'user', 'content': 'Ann said:\\nhi', 'name': 'Ann'}]",
        "True",
        "True",
    ]


def test_a_component_class_without_its_variables_is_warned_of(run_script: RunScript):
    outcome = run_script("""
        import warnings
        from autogen_core import Component, ComponentBase
        from pydantic import BaseModel

        class Config(BaseModel):
            x: int = 1

        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")

            class Mine(ComponentBase[Config], Component[Config]):
                component_type = "mine"

        print([str(each.message) for each in told])
    """)
    lacks = "Class variable 'component_config_schema' must be defined in Mine to be a valid component"
    assert outcome.lines == [f'["{lacks}"]']
