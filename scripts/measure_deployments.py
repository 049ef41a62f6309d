"""Measure what publishing adds: latency by protocol, calls a second, words a second, and memory. Prints Markdown.

    .venv/bin/python scripts/measure_deployments.py
    .venv/bin/python scripts/measure_deployments.py --calls 100     # fewer, for a first look

The studio runs in a process of its own; its callers share the machine with it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any
from uuid import uuid4

import httpx

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.components import JsonObject  # noqa: E402
from tests.web.documents import assistant, team  # noqa: E402
from tests.web.mcp_clients import mcp_client  # noqa: E402
from tests.web.openai_clients import Server, writer  # noqa: E402
from tests.web.publishing import ASKS  # noqa: E402
from tests.web.serving import studio  # noqa: E402

WORDS = 1_000
LONG = team(assistant("writer", "word " * WORDS), max_messages=2)
LIMITS: JsonObject = {"calls_at_once": 1_000, "calls_per_minute": 10_000, "day_usd": 100_000, "day_tokens": 10**12}
CALLERS = (1, 50, 200)
SETTLE_S = 5
"""After which a call that waits is held by nothing but the database."""
Call = Callable[[httpx.AsyncClient, str], Awaitable[None]]


async def _post(client: httpx.AsyncClient, path: str, body: JsonObject, **more: Any) -> None:
    answer = await client.post(path, json=body, **more)
    answer.raise_for_status()


async def rest(client: httpx.AsyncClient, name: str) -> None:
    await _post(client, f"/d/{name}/calls", {"task": "Go."}, params={"wait_s": 50})


async def responses(client: httpx.AsyncClient, name: str) -> None:
    await _post(client, f"/d/{name}/v1/responses", {"model": name, "input": "Go."})


async def completions(client: httpx.AsyncClient, name: str) -> None:
    body: JsonObject = {
        "model": name,
        "messages": [{"role": "user", "content": "Go."}],
        "metadata": {"thread": str(uuid4())},
    }
    await _post(client, f"/d/{name}/v1/chat/completions", body)


async def a2a(client: httpx.AsyncClient, name: str) -> None:
    body: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": _said()}
    await _post(client, f"/d/{name}/a2a", body, headers={"A2A-Version": "1.0"})


async def a2a_rest(client: httpx.AsyncClient, name: str) -> None:
    await _post(client, f"/d/{name}/a2a/message:send", _said(), headers={"A2A-Version": "1.0"})


def _said() -> JsonObject:
    return {"message": {"messageId": str(uuid4()), "role": "ROLE_USER", "parts": [{"text": "Go."}]}}


async def ag_ui(client: httpx.AsyncClient, name: str) -> None:
    messages: JsonObject = {"messages": [{"id": "u", "role": "user", "content": "Go."}]}
    await _post(client, f"/d/{name}/agui", {**messages, "threadId": str(uuid4()), "runId": str(uuid4())})


async def ui_stream(client: httpx.AsyncClient, name: str) -> None:
    message: JsonObject = {"id": str(uuid4()), "role": "user", "parts": [{"type": "text", "text": "Go."}]}
    await _post(client, f"/d/{name}/ui", {"id": str(uuid4()), "messages": [message]})


PROTOCOLS: Mapping[str, Call] = {
    "REST": rest,
    "Responses": responses,
    "Chat Completions": completions,
    "A2A": a2a,
    "A2A over HTTP+JSON": a2a_rest,
    "AG-UI": ag_ui,
    "AI SDK": ui_stream,
}


class Site:
    """A studio with the three teams published, and their keys."""

    def __init__(self, owner: httpx.Client, clients: ExitStack, pid: int) -> None:
        self.owner, self.pid = owner, pid
        self.url = str(owner.base_url).rstrip("/")
        server = Server(owner, clients)
        teams = {"plain": writer(), "long": LONG, "asks": ASKS}
        self.keys = {name: server.published(name, each, limits=LIMITS).api_key for name, each in teams.items()}

    def client(self, name: str) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self.keys[name]}"}
        limits = httpx.Limits(max_connections=None)
        return httpx.AsyncClient(base_url=self.url, headers=headers, timeout=120, limits=limits, trust_env=False)

    def run_ms(self, count: int) -> float:
        """Median of how long the runs of the last calls took, by their own record."""
        calls = self.owner.get("/api/deployments/plain/calls").json()[:count]
        runs = [self.owner.get(f"/api/runs/{call['id']}").json() for call in calls]
        times = [(datetime.fromisoformat(run["ended_at"]), datetime.fromisoformat(run["started_at"])) for run in runs]
        return median((ended - began).total_seconds() for ended, began in times) * 1000

    def memory_kb(self) -> int:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


async def latencies(site: Site, count: int) -> Sequence[tuple[str, float, float]]:
    """By protocol: the median of a call and of its run, in milliseconds."""
    found: list[tuple[str, float, float]] = []
    async with site.client("plain") as client:
        for title, call in PROTOCOLS.items():
            await call(client, "plain")
            found.append((title, await _median_ms(lambda call=call: call(client, "plain"), count), site.run_ms(count)))
    async with mcp_client(f"{site.url}/d/plain", site.keys["plain"]) as program:

        async def call_tool() -> None:
            await program.call_tool("plain", {"task": "Go."})

        await call_tool()
        found.append(("MCP", await _median_ms(call_tool, count), site.run_ms(count)))
    return found


async def _median_ms(call: Callable[[], Awaitable[None]], count: int) -> float:
    times: list[float] = []
    for _ in range(count):
        began = time.perf_counter()
        await call()
        times.append(time.perf_counter() - began)
    return median(times) * 1000


async def rate(site: Site, name: str, call: Call, callers: int, calls: int) -> float:
    """Calls a second of so many callers, each with one at a time."""
    left = iter(range(calls))
    async with site.client(name) as client:

        async def work() -> None:
            for _ in left:
                await call(client, name)

        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(callers):
                group.create_task(work())
        return calls / (time.perf_counter() - began)


async def waiting_kb(site: Site, calls: int) -> float:
    """What a call that waits for its caller takes of the studio's memory."""
    await rate(site, "asks", rest, 20, 100)  # what is made once is there by then
    await asyncio.sleep(SETTLE_S)
    before, calls = site.memory_kb(), min(calls, 800)  # of 1,000 at once
    await rate(site, "asks", rest, 20, calls)
    await asyncio.sleep(SETTLE_S)
    return (site.memory_kb() - before) / calls


async def measured(site: Site, calls: int) -> Sequence[str]:
    lines = ["| Protocol | A call | Its run | Added |", "|---|---|---|---|"]
    lines += [
        f"| {title} | {whole:.1f} ms | {run:.1f} ms | {whole - run:.1f} ms |"
        for title, whole, run in await latencies(site, min(50, calls))
    ]
    lines += ["", "| Callers | Calls a second, REST | Chat Completions | Words a second |", "|---|---|---|---|"]
    for callers in CALLERS:
        by_rest = await rate(site, "plain", rest, callers, calls)
        by_chat = await rate(site, "plain", completions, callers, calls)
        words = await rate(site, "long", ui_stream, callers, calls // 2) * WORDS
        lines.append(f"| {callers} | {by_rest:.0f} | {by_chat:.0f} | {words:,.0f} |")
    return [*lines, "", f"A call that waits for its caller: {await waiting_kb(site, calls):.1f} kB of memory."]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=1_000, help="For each measurement.")
    calls = parser.parse_args().calls
    with (
        tempfile.TemporaryDirectory() as folder,
        studio(Path(folder) / "data") as (process, owner),
        ExitStack() as more,
    ):
        pid = process.process.pid
        assert pid is not None
        print("\n".join(asyncio.run(measured(Site(owner, more, pid), calls))))


if __name__ == "__main__":
    main()
