"""An MCP server in plain Python that knows one generation of the protocol only, and notes what it is asked.

Arguments: `old` or `new`, and the file to note methods in. The old one leaves what it does not know unanswered.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

GENERATION, NOTES = sys.argv[1], Path(sys.argv[2])
TOOL: dict[str, object] = {
    "name": "hello",
    "description": "Greets.",
    "inputSchema": {"type": "object", "properties": {}},
}
CAPABILITIES: dict[str, object] = {"tools": {}}
SERVER = {"name": "plain", "version": "1"}
FRESH = {"ttlMs": 0, "cacheScope": "private", "resultType": "complete"}

OLD: dict[str, object] = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": CAPABILITIES, "serverInfo": SERVER},
    "tools/list": {"tools": [TOOL]},
    "tools/call": {"content": [{"type": "text", "text": "hello"}]},
}
NEW: dict[str, object] = {
    "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": CAPABILITIES, **FRESH},
    "tools/list": {"tools": [TOOL], **FRESH},
    "tools/call": {"content": [{"type": "text", "text": "hello"}], "resultType": "complete"},
}
REFUSED = {"code": -32022, "message": "Unsupported protocol version", "data": {"supported": ["2026-07-28"]}}


def answer(request: dict[str, object]) -> dict[str, object] | None:
    method = str(request["method"])
    known = OLD if GENERATION == "old" else NEW
    if method in known:
        return {"result": known[method]}
    return {"error": REFUSED} if GENERATION == "new" else None


for line in sys.stdin:
    request = json.loads(line)
    with NOTES.open("a") as notes:
        print(request["method"], file=notes)
    reply = answer(request) if "id" in request else None
    if reply is not None:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}), flush=True)
