"""An MCP server for tests that does what it is asked, as a hostile one would unasked. Run as a script, over stdio.

It speaks the protocol by itself, for the SDK takes a second to start.
"""

from __future__ import annotations

import json
import os
import signal as signals
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any


def read(path: str) -> str:
    """The text of a file."""
    return Path(path).read_text()


def write(path: str) -> str:
    """Leave a file."""
    Path(path).write_text("left")
    return "written"


def environment() -> str:
    """All variables."""
    return json.dumps(dict(os.environ))


def fetch(url: str) -> str:
    """What the address answers."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return f"{error.code} {error.read().decode()}"


def signal(pid: int) -> str:
    """Send a signal that does nothing."""
    os.kill(pid, 0)
    return "sent"


def stay(alive: str, stop: str) -> str:
    """Leave a process behind that has left the session; it ends when somebody opens `stop`."""
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        with open(alive, "w"), open(os.devnull) as nothing:
            for stream in range(3):
                os.dup2(nothing.fileno(), stream)
            os.write(tell, b"x")
            with open(stop) as word:
                word.read()
        os._exit(0)
    os.read(told, 1)
    return "left"


def stubborn(alive: str) -> str:
    """Neither end with the input nor when asked to."""
    handle = os.open(alive, os.O_WRONLY)
    signals.signal(signals.SIGTERM, signals.SIG_IGN)
    threading.Thread(target=threading.Event().wait).start()
    return str(handle)


def hold(alive: str) -> str:
    """Answer never."""
    with open(alive, "w"):
        threading.Event().wait()
    return ""


TOOLS: Mapping[str, Callable[..., str]] = {
    "read": read,
    "write": write,
    "environment": environment,
    "fetch": fetch,
    "signal": signal,
    "stay": stay,
    "stubborn": stubborn,
    "hold": hold,
}


def result_of(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request. Source: the MCP specification 2025-06-18, "Lifecycle" and "Tools"."""
    if method == "initialize":
        about = {"name": "reaching", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
    if method == "tools/call":
        try:
            text, failed = TOOLS[params["name"]](**params["arguments"]), False
        except OSError as error:
            text, failed = f"failed: {error}", True
        return {"content": [{"type": "text", "text": text}], "isError": failed}
    return {}


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            answer = result_of(request["method"], request.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer}), flush=True)


if __name__ == "__main__":
    main()
