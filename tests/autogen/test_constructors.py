"""What scripts hand to AutoGen's constructors, and what they then ask of the object."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import ROOT, RunScript
from tests.fakes.redis_server import RedisServer

pytestmark = pytest.mark.slow

MCP_SERVER = ROOT / "tests" / "tools" / "mcp" / "server.py"


def test_a_redis_store_is_made_around_a_client_of_the_script_and_leaves_it_open(run_script: RunScript):
    with RedisServer() as redis:
        outcome = run_script(
            """
            import asyncio, sys
            from autogen_core.models import CreateResult, RequestUsage, UserMessage
            from autogen_ext.cache_store.redis import RedisStore
            from autogen_ext.models.cache import CHAT_CACHE_VALUE_TYPE, ChatCompletionCache
            from autogen_ext.models.replay import ReplayChatCompletionClient
            from redis import Redis

            async def main(client):
                store = RedisStore[CHAT_CACHE_VALUE_TYPE](client)
                cache = ChatCompletionCache(ReplayChatCompletionClient(["once"]), store)
                for _ in range(2):
                    print((await cache.create([UserMessage(content="Hi", source="user")])).content)
                await cache.close()
                print(client.connection_pool._available_connections != [])
                usage = RequestUsage(prompt_tokens=1, completion_tokens=2)
                store.set("own", CreateResult(finish_reason="stop", content="x", usage=usage, cached=False))
                print(store.get("own")["content"], RedisStore(redis_instance=client).get("own")["content"])
                config = store.dump_component().config
                print(config["port"] == client.connection_pool.connection_kwargs["port"], "open" in str(config))

            client = Redis(host="127.0.0.1", port=int(sys.argv[1]), password="open")
            asyncio.run(main(client))
            client.close()
            """,
            str(redis.port),
        )
    assert outcome.lines == ["once", "once", "True", "x x", "True False"]
    assert redis.passwords == {"open"}


def test_an_agent_without_a_model_or_description_is_made_and_fails_when_it_asks(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import AssistantAgent, UserProxyAgent
        from autogen_agentchat.teams import RoundRobinGroupChat, SelectorGroupChat
        from autogen_ext.models.replay import ReplayChatCompletionClient

        client = ReplayChatCompletionClient(["hello"])
        team = RoundRobinGroupChat([AssistantAgent("a", client, description=None)], max_turns=1)
        print(asyncio.run(team.run(task="hi")).messages[-1].content)
        user = UserProxyAgent("u", description=None)
        print(repr(user.description), user.dump_component().config)
        agent = AssistantAgent("a", None)
        selector = SelectorGroupChat([agent, UserProxyAgent("u")], model_client=None)
        print(agent._model_client, selector._model_client)
        for use in (lambda: asyncio.run(agent.run(task="hi")), lambda: AssistantAgent("a", None, handoffs=["u"])):
            try:
                use()
            except AttributeError as error:
                print(error)
        try:
            AssistantAgent("a")
        except ValueError as error:
            print("Field required" in str(error))
        document = AssistantAgent("a", client).dump_component().model_dump()
        document["config"]["model_client"] = None
        try:
            AssistantAgent.load_component(document)
        except ValueError as error:
            print("Field required" in str(error))
    """)
    no_model = "'NoneType' object has no attribute 'model_info'"
    assert outcome.lines == [
        *("hello", "'' {'name': 'u', 'description': ''}", "None None", no_model, no_model, "True", "True")
    ], outcome.err


def test_a_disk_store_takes_the_place_of_a_cache_under_autogens_name(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.cache_store.diskcache import DiskCacheStore

        class Cache:
            directory = "here"

        for store in (DiskCacheStore(Cache()), DiskCacheStore(cache_instance=Cache())):
            store.set("a", [1])
            print(store.directory, DiskCacheStore(Cache()).get("a"))
    """)
    assert outcome.lines == ["here [1]", "here [1]"]


def test_tools_of_ours_are_called_with_an_instance_of_their_arguments(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core import CancellationToken
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
        from autogen_ext.memory.canvas import TextCanvas, TextCanvasMemory
        from autogen_ext.memory.canvas._canvas_writer import (
            ApplyPatchArgs, ApplyPatchTool, UpdateFileArgs, UpdateFileTool
        )
        from autogen_ext.tools.code_execution import (
            CodeExecutionInput, CodeExecutionResult, PythonCodeExecutionTool
        )

        async def main():
            token = CancellationToken()
            memory = TextCanvasMemory()
            done = await memory.get_update_file_tool().run(UpdateFileArgs(filename="a", new_content="x"), token)
            print(done.status, memory.canvas.get_latest_content("a"))
            canvas = TextCanvas()
            await UpdateFileTool(canvas).run(UpdateFileArgs(filename="b", new_content="old\\n"), token)
            patch = "@@ -1 +1 @@\\n-old\\n+new\\n"
            print((await ApplyPatchTool(canvas).run(ApplyPatchArgs(filename="b", patch_text=patch), token)).status)
            print(canvas.get_latest_content("b"), end="")
            async with LocalCommandLineCodeExecutor() as executor:
                tool = PythonCodeExecutionTool(executor)
                result = await tool.run(CodeExecutionInput(code="print(6 * 7)"), token)
                print(type(result) is CodeExecutionResult, result.success, result.output.strip())
                print(result.model_dump().strip(), tool.return_value_as_string(result).strip())
                print(tool.args_type() is CodeExecutionInput, tool.return_type() is CodeExecutionResult)
                print((await tool.run_json({"code": "print(7)"}, token)).output.strip())

        asyncio.run(main())
    """)
    assert outcome.lines == ["OK x", "PATCH APPLIED", "new", "True True 42", "42 42", "True True", "7"]


def test_a_workbench_says_how_its_server_introduced_itself(run_script: RunScript):
    outcome = run_script(
        """
        import asyncio, sys
        from autogen_ext.tools.mcp import McpServerParams, McpWorkbench, StdioServerParams

        async def main():
            workbench = McpWorkbench(StdioServerParams(command=sys.executable, args=[sys.argv[1]]))
            print(workbench.initialize_result)
            async with workbench:
                known = workbench.initialize_result
                print(known.server_info.name, known.capabilities.tools is not None, bool(known.protocol_version))
            print(workbench.initialize_result)

        asyncio.run(main())
        """,
        str(MCP_SERVER),
    )
    assert outcome.lines == ["None", "tests True True", "None"]


def test_tools_of_a_server_may_share_the_session_of_the_script(run_script: RunScript):
    outcome = run_script(
        """
        import asyncio, sys
        from autogen_core import CancellationToken
        from autogen_ext.tools.mcp import StdioServerParams, create_mcp_server_session, mcp_server_tools

        async def main():
            server = StdioServerParams(command=sys.executable, args=[sys.argv[1]])
            async with create_mcp_server_session(server) as session:
                await session.initialize()
                tools = {tool.name: tool for tool in await mcp_server_tools(server, session=session)}
                numbers = [await tools["own_pid"].run_json({}, CancellationToken()) for _ in range(2)]
                await tools["own_pid"].stop()
                numbers.append(await tools["own_pid"].run_json({}, CancellationToken()))
                print(len({number[0].text for number in numbers}))
                print(len((await session.list_tools()).tools) == len(tools))

        asyncio.run(main())
        """,
        str(MCP_SERVER),
    )
    assert outcome.lines == ["1", "True"]


def test_an_agent_at_openai_and_one_that_runs_code_tell_their_config(run_script: RunScript):
    outcome = run_script("""
        from autogen_agentchat.agents import CodeExecutorAgent
        from autogen_core.model_context import BufferedChatCompletionContext
        from autogen_ext.agents.openai import OpenAIAgent
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
        from openai import AsyncOpenAI

        client = AsyncOpenAI(api_key="none")
        agent = OpenAIAgent("a", "Helps.", client, "gpt-4.1", "Be kind.", tools=["web_search_preview"])
        config = agent.to_config()
        print(config.model, config.instructions, config.temperature)
        for given in ({}, {"model_context": None}, {"model_context": BufferedChatCompletionContext(2)}):
            coder = CodeExecutorAgent("coder", LocalCommandLineCodeExecutor(), **given)
            print(coder.dump_component().config["model_context"]["provider"].rpartition(".")[2])
    """)
    assert outcome.lines == [
        "gpt-4.1 Be kind. 1.0",
        "UnboundedChatCompletionContext",
        "UnboundedChatCompletionContext",
        "BufferedChatCompletionContext",
    ]


def test_a_timeout_says_the_number_that_it_was_given(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.conditions import TimeoutTermination

        async def main():
            for given in (0, 0.0):
                condition = TimeoutTermination(given)
                print((await condition([])).content, condition.dump_component().config)
            loaded = TimeoutTermination.load_component(TimeoutTermination(timeout_seconds=0).dump_component())
            print((await loaded([])).content)

        asyncio.run(main())
    """)
    assert outcome.lines == [
        "Timeout of 0 seconds reached {'timeout_seconds': 0.0}",
        "Timeout of 0.0 seconds reached {'timeout_seconds': 0.0}",
        "Timeout of 0.0 seconds reached",
    ]


def test_a_graph_gives_its_ends_as_sets(run_script: RunScript):
    outcome = run_script("""
        from autogen_agentchat.teams import DiGraph, DiGraphEdge, DiGraphNode

        graph = DiGraph(nodes={"a": DiGraphNode(name="a", edges=[DiGraphEdge(target="b")]), "b": DiGraphNode(name="b")})
        starts, leaves = graph.get_start_nodes(), graph.get_leaf_nodes()
        print(isinstance(starts, set), isinstance(leaves, set), starts.pop(), leaves.pop())
    """)
    assert outcome.lines == ["True True a b"]


def test_typed_dictionaries_and_configs_of_clients_can_be_made(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.models.anthropic import AnthropicBedrockChatCompletionClient, BedrockInfo
        from autogen_ext.models.openai import BaseOpenAIChatCompletionClient, OpenAIChatCompletionClient
        from autogen_ext.models.openai import OpenAIClientConfigurationConfigModel
        from autogen_ext.models.openai.config import OpenAIClientConfiguration

        where = BedrockInfo(
            aws_access_key="a", aws_secret_key="b", aws_session_token="c", aws_region="eu-west-1"
        )
        able = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown"}
        client = AnthropicBedrockChatCompletionClient(model="m", bedrock_info=where, model_info=able)
        print(where["aws_region"], client.bedrock_info.aws_region)
        settings: OpenAIClientConfiguration = OpenAIClientConfiguration(model="gpt-4o", api_key="none")
        made = OpenAIChatCompletionClient(**settings)
        again = OpenAIChatCompletionClient._from_config(OpenAIClientConfigurationConfigModel(model="gpt-4o"))
        print(isinstance(made, BaseOpenAIChatCompletionClient), isinstance(again, BaseOpenAIChatCompletionClient))
    """)
    assert outcome.lines == ["eu-west-1 eu-west-1", "True True"]


def test_the_default_executor_never_gives_way_to_a_weaker_one(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.code_executors import create_default_code_executor

        print(create_default_code_executor("work").dump_component().label)
    """)
    assert outcome.lines == ["DockerCommandLineCodeExecutor"]


def test_what_an_argument_is_when_left_out_has_autogens_name(run_script: RunScript):
    outcome = run_script("""
        from autogen_agentchat.agents import CodeExecutorAgent, SocietyOfMindAgent
        from autogen_agentchat.teams import RoundRobinGroupChat, Swarm
        from autogen_core import Component
        from autogen_ext.agents.web_surfer import MultimodalWebSurfer
        from autogen_ext.models.replay import ReplayChatCompletionClient

        class Own(RoundRobinGroupChat):
            DEFAULT_DESCRIPTION = "Of our own."

        print(RoundRobinGroupChat.DEFAULT_NAME, Swarm.DEFAULT_NAME, Own.DEFAULT_NAME, Own.DEFAULT_DESCRIPTION)
        print(SocietyOfMindAgent.DEFAULT_INSTRUCTION[:7], SocietyOfMindAgent.DEFAULT_RESPONSE_PROMPT[:6])
        print(CodeExecutorAgent.DEFAULT_SYSTEM_MESSAGE[:7], CodeExecutorAgent.DEFAULT_SUPPORTED_LANGUAGES)
        print(CodeExecutorAgent.DEFAULT_AGENT_DESCRIPTION[:6], CodeExecutorAgent.NO_CODE_BLOCKS_FOUND_MESSAGE[:14])
        print(MultimodalWebSurfer.DEFAULT_START_PAGE, hasattr(Swarm, "DEFAULT_NOTHING"))
        print(isinstance(ReplayChatCompletionClient([]), Component))
    """)
    assert outcome.lines == [
        "RoundRobinGroupChat Swarm RoundRobinGroupChat Of our own.",
        "Earlier Output",
        "You are ['python', 'sh']",
        "A Code No code blocks",
        "https://www.bing.com/ False",
        "True",
    ]


def test_an_agent_that_runs_code_says_what_it_would_run(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_agentchat.agents import CodeExecutorAgent
        from autogen_agentchat.messages import TextMessage
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor

        async def main():
            agent = CodeExecutorAgent("runs", LocalCommandLineCodeExecutor(), sources=["a"])
            said = [TextMessage(content=f"```python\\nprint('{name}')\\n```", source=name) for name in "ab"]
            print([block.code.strip() for block in await agent.extract_code_blocks_from_messages(said)])

        asyncio.run(main())
    """)
    assert outcome.lines == ["[\"print('a')\"]"]


def test_tools_of_openai_are_told_as_objects(run_script: RunScript):
    outcome = run_script("""
        from autogen_ext.agents.openai import OpenAIAgent
        from openai import AsyncOpenAI

        agent = OpenAIAgent(
            name="a",
            description="d",
            client=AsyncOpenAI(api_key="k"),
            model="gpt-4.1",
            instructions="i",
            tools=["web_search_preview", {"type": "file_search", "vector_store_ids": ["v"]}],
        )
        print([tool["type"] for tool in agent.tools], [tool["type"] for tool in agent.to_config().tools])
        print(OpenAIAgent.from_config(agent.to_config()).tools == agent.tools)
    """)
    assert outcome.lines == ["['web_search_preview', 'file_search'] ['web_search_preview', 'file_search']", "True"]
