"""Measure runs that many people watch: what is lost, what comes twice, how late a word is. Prints a Markdown table.

    .venv/bin/python scripts/measure_streams.py --runs 500 --losses 8     # many small runs over bad lines
    .venv/bin/python scripts/measure_streams.py --runs 50 --pages 2 --words 150 --pace-ms 50 --losses 0    # how late

The studio and the model each have a process of their own. The model puts the time into each word that it sends, and
whoever sees the word first, a watcher or a page of a browser, compares it with the clock: late is all that passes from
the model's side of the wire to the text in the page.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import httpx
from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from studio.components import JsonObject  # noqa: E402
from tests.browser.conftest import QUIET, chromium_path  # noqa: E402
from tests.browser.playing import agent, round_robin  # noqa: E402
from tests.fakes.openai_server import OpenAIExchange, OpenAIServer  # noqa: E402
from tests.web.watching import Watcher  # noqa: E402

MARK = b"t0000000000000x"
SENT = re.compile(r"t(\d{13})x")
PAGE_EVENTS = 2000
PAGE_WATCH = """
window.late_ms = []
const seen = new Set()
const look = (text) => {
  for (const [word, sent] of text.matchAll(/t(\\d{13})x/g)) {
    if (seen.has(word)) continue
    seen.add(word)
    window.late_ms.push(Date.now() - Number(sent))
  }
}
new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    if (target.nodeType === Node.TEXT_NODE) look(target.data)
    else for (const node of addedNodes) look(node.textContent)
  }
}).observe(document, { subtree: true, childList: true, characterData: true })
"""


class PacedExchange(OpenAIExchange):
    """Puts the time into each word when it goes out, and waits between them."""

    pace_s = 0.0

    async def _fault_point(self, pieces: int) -> None:
        await super()._fault_point(pieces)
        if pieces > 0 and self.pace_s:
            await asyncio.sleep(self.pace_s)

    async def _chunk(self, raw: bytes) -> None:
        await super()._chunk(raw.replace(MARK, f"t{time.time_ns() // 1_000_000}x".encode()))


class PacedServer(OpenAIServer):
    exchange = PacedExchange


def serve_model(words: int, pace_ms: float) -> None:
    """Be the model until the standard input ends."""
    PacedExchange.pace_s = pace_ms / 1000
    with PacedServer() as server:
        server.always(" ".join([MARK.decode()] * words))
        print(server.url, flush=True)
        sys.stdin.read()


@dataclass(frozen=True)
class Studio:
    url: str
    token: str
    pid: int

    @property
    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory_mb(self) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024


@contextmanager
def program(command: Sequence[str], pattern: str) -> Generator[tuple[subprocess.Popen[str], re.Match[str]]]:
    """A program, and what it prints of where it is found."""
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            found = next((each for line in process.stdout if (each := re.search(pattern, line))), None)
            if found is None:
                raise SystemExit(f"{command} printed no address.")
            yield process, found
        finally:
            process.terminate()


@contextmanager
def served(folder: str) -> Generator[Studio]:
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", folder]
    with program(command, r"(http://[^/]+)/\?token=(\S+)") as (process, found):
        yield Studio(found[1], found[2], process.pid)


def talking(base_url: str, turns: int) -> JsonObject:
    """Two agents that take turns, behind streamed models."""
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": base_url, "api_key": "measured", "max_retries": 0},
    }
    return round_robin(agent("ann", model), agent("bob", model), message_count=turns + 1)


@dataclass
class Found:
    """What was measured."""

    faults: list[str]
    entries: int
    connections: int
    seconds: float
    cpu_s: float
    words: int
    watched_ms: list[float]
    paged_ms: list[float]


class Measurement:
    """Starts runs and watches them."""

    def __init__(self, given: argparse.Namespace, studio: Studio, client: httpx.AsyncClient) -> None:
        self._given = given
        self._studio = studio
        self._client = client
        self._late_ms: list[float] = []

    async def run(self, model_url: str, browser: Browser | None) -> Found:
        given = self._given
        team_id = await self._team(model_url)
        await self._allow_all(team_id)
        pages = [await self._page(browser, team_id) for _ in range(given.pages)] if browser else []
        cpu_s, began = self._studio.cpu_s, time.perf_counter()
        watchers: list[Watcher] = []
        async with asyncio.TaskGroup() as group:
            for page in pages:
                await page.keyboard.press("Enter")
            for number in range(given.runs - len(pages)):
                watcher = self._watcher(await self._start(team_id), number)
                group.create_task(watcher.watch())
                watchers.append(watcher)
        for page in pages:
            await page.locator(".run-end").wait_for(timeout=120_000)
        seconds, cpu_s = time.perf_counter() - began, self._studio.cpu_s - cpu_s
        paged = [late for page in pages for late in await page.evaluate("window.late_ms")]
        counts = [await self._compare(watcher) for watcher in watchers]
        return Found(
            faults=[fault for watcher in watchers for fault in watcher.faults],
            entries=sum(counts),
            connections=sum(watcher.connections for watcher in watchers),
            seconds=seconds,
            cpu_s=cpu_s,
            words=given.runs * given.turns * given.words,
            watched_ms=self._late_ms,
            paged_ms=paged,
        )

    def _watcher(self, run_id: str, number: int) -> Watcher:
        random = Random(self._given.seed * 100_000 + number)
        return Watcher(self._studio.url, self._studio.token, run_id, random, self._given.losses, self._seen)

    def _seen(self, text: str) -> None:
        now_ms = time.time() * 1000
        self._late_ms += [now_ms - int(sent) for sent in SENT.findall(text) if int(sent)]

    async def _team(self, model_url: str) -> str:
        component = talking(model_url, self._given.turns)
        return str((await self._client.post("/api/teams", json={"component": component})).json()["id"])

    async def _allow_all(self, team_id: str) -> None:
        component = (await self._client.get(f"/api/teams/{team_id}")).json()["component"]
        report = (await self._client.post("/api/validate", json={"component": component})).json()
        hashes = [each["hash"] for each in report["capabilities"]]
        (await self._client.post("/api/approvals", json={"hashes": hashes})).raise_for_status()

    async def _start(self, team_id: str) -> str:
        answer = await self._client.post("/api/runs", json={"team_id": team_id, "task": "Talk."})
        return str(answer.raise_for_status().json()["id"])

    async def _page(self, browser: Browser, team_id: str) -> Page:
        """A tab in the foreground, in which a task stands that needs to be sent only."""
        context = await browser.new_context(viewport={"width": 1440, "height": 900})
        await context.add_init_script(PAGE_WATCH)
        page = await context.new_page()
        await page.goto(f"{self._studio.url}/?token={self._studio.token}", wait_until="domcontentloaded")
        await page.goto(f"{self._studio.url}/teams/{team_id}/play")
        await page.get_by_role("textbox", name="Task for the team").fill("Talk.")
        return page

    async def _compare(self, watcher: Watcher) -> int:
        entries: list[dict[str, object]] = []
        while True:
            after = entries[-1]["seq"] if entries else 0
            answer = await self._client.get(f"/api/runs/{watcher.run_id}/events?after={after}&limit={PAGE_EVENTS}")
            page = answer.json()
            entries += page["entries"]
            if page["is_whole"]:
                break
        watcher.compare(entries)
        return len(entries)


@asynccontextmanager
async def browsing(pages: int) -> AsyncGenerator[Browser | None]:
    if not pages:
        yield None
        return
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
        yield browser
        await browser.close()


def part(times: Sequence[float], share: float) -> str:
    """The time within which that share of all came."""
    if not times:
        return "-"
    return f"{sorted(times)[min(math.ceil(share * len(times)) - 1, len(times) - 1)]:.0f} ms"


def rows(found: Found, memory_mb: float) -> Generator[tuple[str, str]]:
    yield "entries in the logs", f"{found.entries:,}"
    yield "connections", f"{found.connections:,}"
    yield "lost, doubled, or wrong", str(len(found.faults))
    yield "words of models", f"{found.words:,} in {found.seconds:.1f} s"
    yield "processor time of the studio", f"{found.cpu_s:.1f} s, {1e6 * found.cpu_s / found.words:.0f} µs a word"
    yield "memory of the studio, at most", f"{memory_mb:.0f} MB"
    for where, times in (("a watcher", found.watched_ms), ("a page's DOM", found.paged_ms)):
        shares = " / ".join(part(times, share) for share in (0.5, 0.95, 0.99))
        yield f"from the model to {where}: 50 / 95 / 99 % within", f"{shares} ({len(times):,} words)"


async def measure(given: argparse.Namespace) -> None:
    model = [sys.executable, __file__, "--serve-model", "--words", str(given.words), "--pace-ms", str(given.pace_ms)]
    with (
        tempfile.TemporaryDirectory() as folder,
        program(model, r"(http\S+)") as (_, address),
        served(folder) as studio,
    ):
        headers = {"Authorization": f"Bearer {studio.token}"}
        async with (
            httpx.AsyncClient(base_url=studio.url, headers=headers, trust_env=False, timeout=60) as client,
            browsing(given.pages) as browser,
        ):
            found = await Measurement(given, studio, client).run(address[1], browser)
        print(f"| {given.runs} runs, {given.turns} turns of {given.words} words, one each {given.pace_ms:g} ms | |")
        print("|---|---|")
        for name, value in rows(found, studio.memory_mb):
            print(f"| {name} | {value} |")
    for fault in found.faults[:20]:
        print(json.dumps(fault), file=sys.stderr)
    if found.faults:
        raise SystemExit(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--words", type=int, default=60, help="in each turn; one comes at a time")
    parser.add_argument("--pace-ms", type=float, default=50, help="between two words of a model")
    parser.add_argument("--losses", type=int, default=0, help="connections that each watcher loses")
    parser.add_argument("--pages", type=int, default=0, help="runs that a page of a browser looks at instead")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--serve-model", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve_model:
        return serve_model(given.words, given.pace_ms)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 4 * given.runs + 1000), hard), hard))
    return asyncio.run(measure(given))


if __name__ == "__main__":
    main()
