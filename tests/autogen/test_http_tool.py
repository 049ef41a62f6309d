"""What a script may catch when it calls an HTTP tool itself."""

from __future__ import annotations

import pytest

from tests.autogen.conftest import RunScript

pytestmark = pytest.mark.slow


def test_errors_of_an_http_tool_are_those_of_its_library(run_script: RunScript):
    outcome = run_script("""
        import asyncio, socket
        from autogen_core import CancellationToken
        from autogen_ext.tools.http import HttpTool

        schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}

        async def fail(port, **arguments):
            tool = HttpTool("ask", "127.0.0.1", port, schema, timeout=0.1)
            try:
                await tool.run_json(arguments, CancellationToken())
            except Exception as error:
                print(type(error).__module__.partition(".")[0], type(error).__name__, type(error.__cause__).__name__)

        async def main():
            with socket.socket() as silent, socket.socket() as closed:
                silent.bind(("127.0.0.1", 0))
                silent.listen()
                closed.bind(("127.0.0.1", 0))
                await fail(silent.getsockname()[1], q="late")
                await fail(closed.getsockname()[1], q="refused")
                await fail(closed.getsockname()[1])

        asyncio.run(main())
    """)
    assert outcome.lines == [
        "httpx ReadTimeout ToolFailed",
        "httpx ConnectError ToolFailed",
        "pydantic_core ValidationError ToolFailed",
    ]
