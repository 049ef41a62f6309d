"""An MCP server for tests, made with the official SDK. Run as a script: over stdio, or with `http` over both others.

Over HTTP it listens on a free port, which it prints first.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path
from typing import Annotated

import uvicorn
from mcp import types
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from pydantic import BaseModel

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGP8z8DAwMDAxMDAwMDAAAANHQEDasKb6QAAAABJRU5ErkJggg=="

server = MCPServer("tests")


class Answer(BaseModel):
    """What a person fills in."""

    colour: str


def ask_for_colour() -> Elicit[Answer]:
    return Elicit("Which colour?", Answer)


def ask_model() -> Sample:
    message = types.SamplingMessage(role="user", content=types.TextContent(type="text", text="Say hello."))
    return Sample([message], max_tokens=10, system_prompt="Be brief.")


def ask_for_folders() -> ListRoots:
    return ListRoots()


@server.tool()
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def everything() -> list[types.ContentBlock]:
    """Text, a picture and a resource."""
    note = types.TextResourceContents(uri="note://1", text="kept", mime_type="text/plain")
    return [
        types.TextContent(type="text", text="words"),
        types.ImageContent(type="image", data=PIXEL, mime_type="image/png"),
        types.EmbeddedResource(type="resource", resource=note),
    ]


@server.tool()
def recordings() -> list[types.ContentBlock]:
    """A sound and a resource of bytes."""
    sound = "UklGRiYAAABXQVZFZm10IA=="
    table = types.BlobResourceContents(uri="file:///out/table.bin?v=1", blob="AP8A", mime_type="application/x-table")
    return [
        types.AudioContent(type="audio", data=sound, mime_type="audio/wav"),
        types.EmbeddedResource(type="resource", resource=table),
    ]


@server.tool()
def refuse(why: str) -> types.CallToolResult:
    """Fail, saying why."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=why)], is_error=True)


@server.tool()
def own_pid() -> int:
    """The id of this process."""
    return os.getpid()


@server.tool()
def die() -> None:
    """End this process in the middle of a call."""
    os._exit(3)


@server.tool()
def environment() -> list[str]:
    """Names of all environment variables."""
    return sorted(os.environ)


@server.tool()
async def hang(note: str) -> None:
    """Write this process's id into a file and answer never."""
    Path(note).write_text(str(os.getpid()))  # noqa: ASYNC240 -- a pipe that the test reads
    await asyncio.Event().wait()


@server.tool()
async def bake(loaves: int, context: Context) -> str:
    """Tell of each loaf."""
    for loaf in range(1, loaves + 1):
        await context.report_progress(loaf, loaves, f"loaf {loaf}" if loaf < loaves else None)
    return "baked"


@server.tool()
def learn() -> str:
    """Offer one more tool from now on."""
    server.add_tool(lambda: "learnt", name="learnt", description="New.")
    return "done"


@server.tool()
def paint(answer: Annotated[Answer, Resolve(ask_for_colour)]) -> str:
    """Ask a person for a colour."""
    return f"painted {answer.colour}"


@server.tool()
def consult(reply: Annotated[types.CreateMessageResult, Resolve(ask_model)]) -> str:
    """Ask the client's model."""
    content = reply.content
    return content.text if isinstance(content, types.TextContent) else "?"


@server.tool()
def folders(found: Annotated[types.ListRootsResult, Resolve(ask_for_folders)]) -> list[str]:
    """Ask which folders there are."""
    return [str(root.uri) for root in found.roots]


@server.resource("note://{number}")
def note(number: str) -> str:
    """A note."""
    return f"note {number}"


@server.prompt()
def greet(name: str) -> str:
    """A greeting."""
    return f"Greet {name}."


def serve_http() -> None:
    app = server.streamable_http_app()
    app.router.routes.extend(server.sse_app().routes)
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    if sys.argv[1:] == ["http"]:
        serve_http()
    else:
        server.run("stdio")
