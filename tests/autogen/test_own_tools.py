"""Tools of a script's own classes, where those have more to do than give a result."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript


@pytest.mark.slow
def test_a_stream_tool_that_nobody_hears_to_the_end_is_closed(run_script: RunScript):
    outcome = run_script("""
        import asyncio
        from autogen_core import CancellationToken
        from autogen_core.tools import BaseStreamTool
        from pydantic import BaseModel

        class NoArgs(BaseModel):
            pass

        class Counting(BaseStreamTool[NoArgs, NoArgs, NoArgs]):
            def __init__(self) -> None:
                super().__init__(NoArgs, NoArgs, "count", "Counts.")

            async def run(self, args, cancellation_token):
                return 2

            async def run_stream(self, args, cancellation_token):
                try:
                    yield 1
                    yield 2
                finally:
                    print("closed")

        async def main():
            items = Counting().run_json_stream({}, CancellationToken())
            print(await anext(items))
            await items.aclose()
            print("after")

        asyncio.run(main())
    """)
    assert outcome.lines == ["1", "closed", "after"]


def test_every_call_of_a_tool_is_logged_once(run_script: RunScript):
    outcome = run_script("""
        import asyncio, logging
        from autogen_agentchat.agents import AssistantAgent
        from autogen_agentchat.tools import AgentTool
        from autogen_core import CancellationToken, EVENT_LOGGER_NAME
        from autogen_core.logging import ToolCallEvent
        from autogen_core.tools import StaticStreamWorkbench
        from autogen_ext.code_executors.local import LocalCommandLineCodeExecutor
        from autogen_ext.models.replay import ReplayChatCompletionClient
        from autogen_ext.tools.code_execution import PythonCodeExecutionTool

        class Printing(logging.Handler):
            def emit(self, record):
                if isinstance(record.msg, ToolCallEvent):
                    print(record.msg.kwargs["tool_name"], record.msg.kwargs["result"].strip())

        logging.getLogger(EVENT_LOGGER_NAME).addHandler(Printing())
        logging.getLogger(EVENT_LOGGER_NAME).setLevel(logging.INFO)

        async def main():
            token = CancellationToken()
            async with LocalCommandLineCodeExecutor() as executor:
                code = PythonCodeExecutionTool(executor)
                await code.run_json({"code": "print(1)"}, token)
                await StaticStreamWorkbench([code]).call_tool("CodeExecutor", {"code": "print(2)"}, token)
            helper = AgentTool(AssistantAgent("helper", ReplayChatCompletionClient(["one", "two"])))
            await helper.run_json({"task": "Go"}, token)
            async for _ in StaticStreamWorkbench([helper]).call_tool_stream("helper", {"task": "Go"}, token):
                pass

        asyncio.run(main())
    """)
    assert outcome.lines == ["CodeExecutor 1", "CodeExecutor 2", "helper helper: one", "helper helper: two"]
