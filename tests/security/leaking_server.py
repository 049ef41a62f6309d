"""An MCP server, over stdio, that tells its environment to whoever asks."""

from __future__ import annotations

import base64
import os

from mcp.server import MCPServer

server = MCPServer("leaking")


@server.tool()
def environment() -> str:
    """All variables: as they are, and as `env | base64` shows them."""
    lines = "\n".join(f"{name}={value}" for name, value in sorted(os.environ.items()))
    return f"{lines}\n{base64.encodebytes(lines.encode()).decode()}"


if __name__ == "__main__":
    server.run()
