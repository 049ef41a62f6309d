"""Sessions and tools of MCP servers as scripts make them."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.autogen.conftest import ROOT, RunScript
from tests.processes import Outcome

pytestmark = pytest.mark.slow

HEAD = f"""
import asyncio, sys
from unittest.mock import AsyncMock
from autogen_core import CancellationToken
from autogen_ext.tools.mcp import *
from mcp import ClientSession, Tool
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, CreateMessageResult, TextContent

params = StdioServerParams(
    command=sys.executable, args=[{str(ROOT / "tests/tools/mcp/server.py")!r}], read_timeout_seconds=15
)
token = CancellationToken()
"""


def run(run_script: RunScript, body: str) -> Outcome:
    """Run a script whose `main` has this body."""
    main = indent(dedent(body), "    ")
    return run_script(f"{HEAD}\nasync def main():\n{main}\nasyncio.run(main())")


def test_tools_use_a_session_that_the_script_opened_with_the_sdk(run_script: RunScript):
    outcome = run(
        run_script,
        """
        async with stdio_client(params) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            tools = {tool.name: tool for tool in await mcp_server_tools(params, session=session)}
            first = await tools["own_pid"].run_json({}, token)
            alone = StdioMcpToolAdapter(params, Tool(name="own_pid", inputSchema={"type": "object"}), session)
            print(len(tools) > 5, await alone.run_json({}, token) == first)
        """,
    )
    assert outcome.lines == ["True True"]


def test_a_stand_in_for_the_sdks_session_is_asked_as_autogen_asks_it(run_script: RunScript):
    outcome = run(
        run_script,
        """
        session = AsyncMock(spec=ClientSession)
        session.list_tools.return_value.tools = [Tool(name="fetch", description="Fetches.", inputSchema={})]
        session.call_tool.return_value = CallToolResult(content=[TextContent(type="text", text="page")])
        tool, = await mcp_server_tools(params, session=session)
        print((await tool.run(tool.args_type()(), token))[0].text, tool.description, tool.return_type())
        session.call_tool.assert_called_once_with(name="fetch", arguments={})
        """,
    )
    assert outcome.lines == ["page Fetches. <class 'object'>"]


def test_a_tool_gives_the_sdks_objects_and_their_text(run_script: RunScript):
    outcome = run(
        run_script,
        """
        tool = await StdioMcpToolAdapter.from_server_params(params, "everything")
        parts = await tool.run_json({}, token)
        print([part.type for part in parts], parts[0].text)
        print(tool.return_value_as_string(parts[::2]))
        try:
            await StdioMcpToolAdapter.from_server_params(params, "nope")
        except ValueError as error:
            print(str(error)[:21])
        """,
    )
    assert outcome.lines == [
        "['text', 'image', 'resource'] words",
        '[{"type": "text", "text": "words", "annotations": null}, {"type": "resource", "resource": '
        '{"uri": "note://1", "mimeType": "text/plain", "text": "kept"}, "annotations": null}]',
        "Tool 'nope' not found",
    ]


def test_a_session_answers_its_server_by_a_function(run_script: RunScript):
    outcome = run(
        run_script,
        """
        async def answer(context, asked):
            text = asked.messages[0].content.text
            return CreateMessageResult(role="assistant", content=TextContent(type="text", text=text[::-1]), model="m")

        async with create_mcp_server_session(params, sampling_callback=answer) as session:
            print((await session.initialize()).server_info.name)
            print((await session.call_tool("consult", {})).content[0].text)
        """,
    )
    assert outcome.lines == ["tests", ".olleh yaS"]


def test_a_workbench_is_told_of_a_second_start_and_ends_with_one_stop(run_script: RunScript):
    outcome = run(
        run_script,
        """
        import warnings

        warnings.simplefilter("always")
        workbench = McpWorkbench(params)
        await workbench.start()
        with warnings.catch_warnings(record=True) as told:
            await workbench.start()
        print([str(each.message) for each in told])
        await workbench.stop()
        print(workbench.initialize_result)
        """,
    )
    assert outcome.lines == ["['McpWorkbench is already started. No need to start again.']", "None"]


def test_a_workbench_names_the_provider_that_it_is_written_under(run_script: RunScript):
    outcome = run(
        run_script,
        """
        print(McpWorkbench.component_provider_override, McpWorkbench(params).dump_component().provider)
        """,
    )
    assert outcome.lines == [" ".join(["autogen_ext.tools.mcp.McpWorkbench"] * 2)], outcome.err


def test_an_actor_is_opened_asked_and_closed(run_script: RunScript):
    outcome = run(
        run_script,
        """
        from autogen_ext.models.replay import ReplayChatCompletionClient

        actor = McpSessionActor(params, model_client=ReplayChatCompletionClient(["Hello!"]))
        await actor.initialize()
        print(actor.name, actor.initialize_result.server_info.name)
        for kind in ("tools", "prompts", "resources", "resource_templates"):
            print(type(await (await actor.call(f"list_{kind}"))).__name__)
        called = await actor.call("call_tool", {"name": "consult", "kargs": {}})
        print((await called).content[0].text)
        read = await actor.call("read_resource", {"name": None, "kargs": {"uri": "note://7"}})
        print((await read).contents[0].text)
        greeting = await actor.call("get_prompt", {"name": "greet", "kargs": {"arguments": {"name": "Ada"}}})
        print((await greeting).messages[0].content.text)
        await actor.close()
        print(McpSessionActor.load_component(actor.dump_component()).server_params == params)
        """,
    )
    lists = ["ListToolsResult", "ListPromptsResult", "ListResourcesResult", "ListResourceTemplatesResult"]
    assert outcome.lines == ["mcp_session_actor tests", *lists, "Hello!", "note 7", "Greet Ada.", "True"]


def test_an_actor_says_what_is_wrong_with_a_question(run_script: RunScript):
    outcome = run(
        run_script,
        """
        actor = McpSessionActor(params)
        await actor.close()
        nothing = {"name": None, "kargs": {}}
        for question in (
            ("list_tools",), ("dance",), ("call_tool",), ("call_tool", nothing), ("get_prompt", nothing),
            ("read_resource", nothing),
        ):
            try:
                await actor.call(*question)
            except (RuntimeError, ValueError) as error:
                print(error)
        """,
    )
    assert outcome.lines == [
        "MCP Actor not running, call initialize() first",
        "Unknown command type: dance",
        "args is required for call_tool",
        "name is required for call_tool",
        "name is required for get_prompt",
        "uri is required for read_resource",
    ]
