"""The tools of an MCP server as a workbench of an agent."""

import asyncio
import sys
import tempfile
from pathlib import Path

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.messages import TextMessage
from autogen_ext.tools.mcp import McpWorkbench, StdioServerParams
from scripting import calls, model, said, show

SERVER = '''
try:
    from mcp.server import MCPServer
except ImportError:  # the SDK before version 2
    from mcp.server.fastmcp import FastMCP as MCPServer

server = MCPServer("harbour")


@server.tool()
def depth(harbour: str) -> str:
    """Say how deep a harbour is."""
    return f"{harbour}: 9 metres"


server.run()
'''


async def main():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.py"
        path.write_text(SERVER)
        params = StdioServerParams(command=sys.executable, args=[str(path)], read_timeout_seconds=30)
        async with McpWorkbench(params) as workbench:
            tools = await workbench.list_tools()
            print([(tool["name"], tool["description"], tool["parameters"]["required"]) for tool in tools])
            pilot = AssistantAgent(
                "pilot",
                model_client=model(calls(("depth", {"harbour": "Brest"})), "Deep enough."),
                workbench=workbench,
                reflect_on_tool_use=True,
            )
            result = await pilot.run(task="Can a ship of 8 metres enter Brest?")
            show(result)
            assert isinstance(result.messages[-1], TextMessage)
            assert "Brest: 9 metres" in said(result)[2]


asyncio.run(main())
