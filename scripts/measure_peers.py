"""What a call of a team over HTTP costs here, and where AutoGen Studio serves it. Prints Markdown.

    .venv/bin/python scripts/measure_peers.py --autogenstudio PEER/bin/autogenstudio

AutoGen Studio stands in an environment of its own. Both serve one agent, whose model is a server of this script that
answers at once, so what a call takes beyond that server's answer is what serving adds. They are measured in turns.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.components import JsonObject  # noqa: E402
from tests.web.openai_clients import Server  # noqa: E402
from tests.web.serving import studio  # noqa: E402

ANSWER = "The answer."
MODEL = "gpt-4o-mini"
CALLERS = (1, 50, 200)
START_S = 120
LIMITS: JsonObject = {"calls_at_once": 1_000, "calls_per_minute": 10_000, "day_usd": 100_000, "day_tokens": 10**12}
USAGE = {"prompt_tokens": 8, "completion_tokens": 3, "total_tokens": 11}
Call = Callable[[httpx.AsyncClient], Awaitable[bool]]


@dataclass
class Served:
    """Something that answers calls.

    Args:
        title: What it is called in the table.
        url: Where it is.
        call: Asks once; whether that was answered.
        pid: Of its process.
        headers: Which each request needs.
    """

    title: str
    url: str
    call: Call
    pid: int
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    times_ms: list[float] = field(default_factory=list[float])
    rates: dict[int, list[float]] = field(default_factory=dict[int, list[float]])
    failed: int = 0

    def client(self) -> httpx.AsyncClient:
        limits = httpx.Limits(max_connections=None)
        return httpx.AsyncClient(base_url=self.url, headers=self.headers, timeout=120, limits=limits, trust_env=False)

    @property
    def memory_mb(self) -> float:
        """Of the process and of those that it has started."""
        pids, found = [self.pid], 0
        while pids:
            pid = pids.pop()
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            found += next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)
            pids += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        return found / 1024


async def _complete(request: Request) -> Response:
    body = await request.json()
    base = {"id": "c", "created": 1_700_000_000, "model": MODEL}
    message = {"role": "assistant", "content": ANSWER}
    if not body.get("stream"):
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({**base, "object": "chat.completion", "choices": [choice], "usage": USAGE})
    kind = "chat.completion.chunk"
    chunks: list[object] = [
        {**base, "object": kind, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**base, "object": kind, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {**base, "object": kind, "choices": [], "usage": USAGE},
    ]
    said = [*(f"data: {json.dumps(each)}\n\n" for each in chunks), "data: [DONE]\n\n"]
    return StreamingResponse(iter(said), media_type="text/event-stream")


def serve_model(port: int) -> None:
    app = Starlette(routes=[Route("/v1/chat/completions", _complete, methods=["POST"])])
    uvicorn.run(app, port=port, log_level="error")


def component(model_url: str) -> JsonObject:
    """The team, as AutoGen's JSON."""
    client: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "version": 1,
        "config": {"model": MODEL, "api_key": "sk-none", "base_url": f"{model_url}/v1"},
    }
    agent: JsonObject = {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "version": 1,
        "config": {
            "name": "writer",
            "model_client": client,
            "description": "Answers.",
            "system_message": "Answer.",
            "reflect_on_tool_use": False,
            "tool_call_summary_format": "{result}",
        },
    }
    stop: JsonObject = {
        "provider": "autogen_agentchat.conditions.MaxMessageTermination",
        "component_type": "termination",
        "version": 1,
        "config": {"max_messages": 2},
    }
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "version": 1,
        "config": {"participants": [agent], "termination_condition": stop},
    }


@contextmanager
def program(command: Sequence[str | Path], url: str, path: str, **environment: str) -> Generator[int]:
    """A server in a process of its own, once it answers at this path; its ID."""
    with subprocess.Popen(
        [*map(str, command)],
        env={**os.environ, "PYTHONPATH": "", **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            until = time.monotonic() + START_S
            while not _answers(f"{url}{path}"):
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit(f"{command[0]} does not answer.")
                time.sleep(0.2)
            yield process.pid
        finally:
            process.terminate()


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, trust_env=False, timeout=5).status_code < 500
    except httpx.HTTPError:
        return False


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def served_here(folder: Path, model_url: str, more: ExitStack) -> Sequence[Served]:
    process, owner = more.enter_context(studio(folder / "studio"))
    key = Server(owner, more).published("plain", component(model_url), limits=LIMITS).api_key
    pid = process.process.pid
    assert pid is not None

    async def rest(client: httpx.AsyncClient) -> bool:
        answer = await client.post("/d/plain/calls", json={"task": "Go."}, params={"wait_s": 50})
        return answer.status_code == 200 and answer.json()["answer"] == ANSWER

    url, headers = str(owner.base_url).rstrip("/"), {"Authorization": f"Bearer {key}"}
    return [Served("Team Studio", url, rest, pid, headers)]


def served_by_autogen(command: Path, folder: Path, model_url: str, more: ExitStack) -> Sequence[Served]:
    file, port = folder / "team.json", free_port()
    file.write_text(json.dumps(component(model_url)))
    url = f"http://127.0.0.1:{port}"
    pid = more.enter_context(program([command, "serve", "--team", file, "--port", str(port)], url, "/docs"))

    async def predict(client: httpx.AsyncClient) -> bool:
        answer = await client.get("/predict/Go.")
        # 0.4.2.2 leaves out what messages say with the Pydantic that it installs today, so that is not looked for.
        return answer.is_success and answer.json()["status"] and '"source":"writer"' in answer.text

    return [Served("AutoGen Studio", url, predict, pid)]


async def measure(served: Served, calls: int) -> None:
    async with served.client() as client:
        assert await served.call(client), f"{served.title} does not answer."
        for _ in range(min(calls, 50)):
            began = time.perf_counter()
            served.failed += not await served.call(client)
            served.times_ms.append((time.perf_counter() - began) * 1000)
    for callers in CALLERS:
        served.rates.setdefault(callers, []).append(await _rate(served, callers, calls))


async def _rate(served: Served, callers: int, calls: int) -> float:
    """Calls a second of so many callers, each with one at a time."""
    left = iter(range(calls))
    async with served.client() as client:

        async def work() -> None:
            for _ in left:
                try:
                    served.failed += not await served.call(client)
                except httpx.HTTPError:
                    served.failed += 1

        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for _ in range(callers):
                group.create_task(work())
        return calls / (time.perf_counter() - began)


def table(model: Served, found: Sequence[Served]) -> Sequence[str]:
    base = median(model.times_ms)
    head = " | ".join(f"{callers} callers" for callers in CALLERS)
    lines = [f"The model server alone: {base:.1f} ms.", ""]
    lines += [f"| | Added to a call | {head} | Failed | Memory |", "|---|---|---|---|---|---|---|"]
    for each in found:
        rates = " | ".join(f"{max(each.rates[callers]):.0f}/s" for callers in CALLERS)
        added, memory = median(each.times_ms) - base, each.memory_mb
        lines.append(f"| {each.title} | {added:.0f} ms | {rates} | {each.failed} | {memory:.0f} MB |")
    return lines


def measured(options: argparse.Namespace, folder: Path) -> Sequence[str]:
    model_url = f"http://127.0.0.1:{free_port()}"
    own = [sys.executable, __file__, "--as-model", model_url.rpartition(":")[2]]
    with ExitStack() as more:
        pid = more.enter_context(program(own, model_url, "/", PYTHONPATH=str(ROOT)))

        async def complete(client: httpx.AsyncClient) -> bool:
            body = {"model": MODEL, "messages": [{"role": "user", "content": "Go."}]}
            return (await client.post("/v1/chat/completions", json=body)).is_success

        model = Served("The model", model_url, complete, pid)
        found = [*served_here(folder, model_url, more)]
        if options.autogenstudio:
            found += served_by_autogen(options.autogenstudio, folder, model_url, more)
        for _ in range(options.rounds):
            for each in (model, *found):
                asyncio.run(measure(each, options.calls))
        return table(model, found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=300, help="For each measurement.")
    parser.add_argument("--rounds", type=int, default=2, help="The best rate of these counts.")
    parser.add_argument("--autogenstudio", type=Path, help="Its command, in an environment of its own.")
    parser.add_argument("--as-model", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.as_model:
        serve_model(options.as_model)
        return
    with tempfile.TemporaryDirectory() as folder:
        print("\n".join(measured(options, Path(folder))))


if __name__ == "__main__":
    main()
