"""Values that are told to a studio as secrets, a team that tells them to everybody, and the search for them."""

from __future__ import annotations

import base64
import html
import json
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import quote, quote_plus

from studio.components import JsonObject
from tests.web.documents import function_tool, team, termination

HERE = Path(__file__).parent
CANARIES = {
    "secret:model": 'cnry-model-9d1f/"7+?k',
    "secret:http": "cnry-http-52ab/'8+?&m",
    "secret:mcp": "cnry-mcp-c3e0 /9+?%n",
    "env:CANARY": "cnry-env-e7b4/é6+?=p",
}
"""By their references; with characters that each way of writing them treats otherwise."""

LEAK = """
import base64, os, sys
from urllib.parse import quote

def leak(how: str) -> str:
    value = os.environ["CANARY"]
    if how == "raise":
        raise RuntimeError(f"cannot log in with {value}")
    print(value, file=sys.stderr)
    shown = {"plain": value, "url": quote(value, safe=""), "hex": value.encode().hex()}
    for start in ("", "a", "ab"):
        shown["base64" + start] = base64.b64encode((start + value + "after").encode()).decode()
    shown["urlsafe"] = base64.urlsafe_b64encode(f"user:{value}".encode()).decode()
    shown[value] = repr(value)
    return str(shown) if how == "text" else shown[how]
"""


def spellings(value: str) -> set[bytes]:
    """How a secret may stand somewhere. On purpose not what the studio takes for it."""
    data = value.encode()
    found = {
        data,
        quote(value, safe="").encode(),
        quote(value).encode(),
        quote_plus(value).encode(),
        data.hex().encode(),
    }
    found |= {json.dumps(value)[1:-1].encode(), json.dumps(value, ensure_ascii=False)[1:-1].encode()}
    found |= {html.escape(value).encode(), data[: data.index(b"/")]}
    for before in (b"", b"a", b"ab"):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            found.add(encode(before + data + b"after").rstrip(b"=")[4 : 4 + (len(data) - 4) * 4 // 3])
    return found


SPELLINGS = {reference: spellings(value) for reference, value in CANARIES.items()}


def leaks_in(place: str, content: bytes) -> Iterator[str]:
    """Which secrets stand there."""
    whole = content.replace(b"\n", b"").replace(b"\\n", b"")
    for reference, found in SPELLINGS.items():
        for spelling in found:
            if spelling in content or spelling in whole:
                yield f"{reference} as {spelling.decode()!r} in {place}"


class Echo(ThreadingHTTPServer):
    """Answers with what it was sent: the headers to a tool, nothing to those who send it spans."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got: list[bytes] = []

    @property
    def port(self) -> int:
        return self.server_address[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Echo)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = json.dumps(dict(self.headers.items())).encode()
        self.server.got += [body, headers]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(headers)

    def log_message(self, format: str, *args: object) -> None:
        pass


def leaking_team(model_url: str, echo_port: int) -> JsonObject:
    """An agent with a tool of each kind that knows a secret."""
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {
            "model": "gpt-4o",
            "base_url": model_url,
            "api_key": "secret:model",
            "max_retries": 0,
        },
    }
    http: JsonObject = {
        "provider": "autogen_ext.tools.http.HttpTool",
        "config": {
            "name": "http",
            "host": "127.0.0.1",
            "port": echo_port,
            "path": "/",
            "headers": {"Authorization": "Bearer {secret:http}", "X-Other": "secret:http"},
            "json_schema": {"type": "object", "properties": {}},
        },
    }
    mcp: JsonObject = {
        "provider": "autogen_ext.tools.mcp.McpWorkbench",
        "config": {
            "server_params": {
                "type": "StdioServerParams",
                "command": sys.executable,
                "args": [str(HERE / "leaking_server.py")],
                "env": {"MCP_TOKEN": "secret:mcp"},
                "read_timeout_seconds": 60,
            }
        },
    }
    bench: JsonObject = {
        "provider": "autogen_core.tools.StaticWorkbench",
        "config": {"tools": [function_tool(LEAK, "leak"), http]},
    }
    agent: JsonObject = {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_version": 2,
        "config": {
            "name": "teller",
            "description": "Tells.",
            "model_client": model,
            "workbench": [bench, mcp],
            "model_client_stream": True,
            "max_tool_iterations": 20,
            "reflect_on_tool_use": True,
            "tool_call_summary_format": "{result}",
        },
    }
    document = team(agent, label="Tellers")
    config = document["config"]
    assert isinstance(config, dict)
    config["termination_condition"] = termination(4)
    return document
