"""Measure the playground with long runs: how soon they are there, how smoothly they scroll. Prints a Markdown table.

Run it with the interpreter of the environment that holds the studio: `.venv/bin/python scripts/measure_playground.py`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.long_runs import write_long_run  # noqa: E402
from tests.browser.servers import StudioServer  # noqa: E402

QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"]
HEADS = (
    "Entries",
    "Its end is read",
    "All is known",
    "The middle is read",
    "Frames/s",
    "95 % within",
    "Longest task",
    "Elements",
    "Data",
)
WHEEL_TURNS = 80
WHEEL_PX = 400
# Set before the page's own scripts run, so that nothing of the opening is missed.
WATCH = """
window.long_ms = 0
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.long_ms = Math.max(window.long_ms, task.duration)
}).observe({ type: 'longtask', buffered: true })
const seen = (selector, name) => {
  const look = () => (document.querySelector(selector) ? performance.mark(name) : requestAnimationFrame(look))
  look()
}
seen('.run-end', 'shown')
seen('[data-playground][aria-busy="false"]', 'known')
"""
MARKS = "() => ['shown', 'known'].map((name) => performance.getEntriesByName(name)[0]?.startTime)"
SIZE = """() => {
  const asked = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/'))
  const bytes = asked.reduce((sum, one) => sum + one.transferSize, 0)
  return { nodes: document.querySelectorAll('*').length, kilobytes: Math.round(bytes / 1024) }
}"""
JUMP = """() => new Promise((done) => {
  const scroller = document.querySelector('[data-part=chat-scroll]')
  const nodes = () => [...document.querySelectorAll('.chat > *')]
  const isIn = ({ top }) => top > 200 && top < innerHeight
  const inView = () => nodes().find((node) => isIn(node.getBoundingClientRect()))
  const before = inView()
  const began = performance.now()
  scroller.scrollTop = scroller.scrollHeight / 2
  const look = () => {
    const isThere = inView() && inView() !== before && !document.querySelector('.turn-waiting')
    if (isThere) done(performance.now() - began)
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})"""
FRAMES = """() => {
  window.frames_seen = []
  const tick = (at) => { window.frames_seen.push(at); window.frame_watch = requestAnimationFrame(tick) }
  window.frame_watch = requestAnimationFrame(tick)
}"""
FRAME_TIMES = """() => {
  cancelAnimationFrame(window.frame_watch)
  return window.frames_seen.slice(1).map((at, index) => at - window.frames_seen[index])
}"""


@dataclass(frozen=True)
class Opening:
    """One opening of a run. Times in ms: its end can be read, its whole is known, a place in its middle is there."""

    shown_ms: float
    known_ms: float
    middle_ms: float
    nodes: int
    kilobytes: int
    frame_rate: float
    slow_frame_ms: float
    longest_task_ms: float


def measure(page: Page, address: str) -> Opening:
    page.goto(address, wait_until="domcontentloaded")
    page.wait_for_function("() => performance.getEntriesByName('known').length > 0", timeout=60_000)
    shown_ms, known_ms = page.evaluate(MARKS)
    size = page.evaluate(SIZE)
    middle_ms = page.evaluate(JUMP)
    page.locator("[data-part=chat-scroll]").hover()
    page.evaluate(FRAMES)
    for turn in range(WHEEL_TURNS):
        page.mouse.wheel(0, -WHEEL_PX if turn < WHEEL_TURNS / 2 else WHEEL_PX)
    times = sorted(page.evaluate(FRAME_TIMES))
    return Opening(
        shown_ms=shown_ms,
        known_ms=known_ms,
        middle_ms=middle_ms,
        nodes=size["nodes"],
        kilobytes=size["kilobytes"],
        frame_rate=1000 * len(times) / sum(times),
        slow_frame_ms=times[int(len(times) * 0.95)],
        longest_task_ms=page.evaluate("window.long_ms"),
    )


@contextmanager
def served(data_dir: Path) -> Generator[str]:
    """A studio over a folder; gives the address with the token."""
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", str(data_dir)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            found = next((each for line in process.stdout if (each := re.search(r"http://\S+token=\S+", line))), None)
            if found is None:
                raise SystemExit("The studio did not start.")
            yield found.group()
        finally:
            process.terminate()


def opened(browser: Browser, entrance: str, run_id: str, repeats: int) -> list[Opening]:
    found: list[Opening] = []
    for _ in range(repeats + 1):  # the first one warms the caches of the server and is left out
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        context.add_init_script(WATCH)
        page = context.new_page()
        page.goto(entrance, wait_until="domcontentloaded")
        found.append(measure(page, f"{entrance.split('/?')[0]}/runs/{run_id}"))
        context.close()
    return found[1:]


def row(shown: int, openings: list[Opening]) -> str:
    def middle(name: str) -> float:
        return statistics.median(getattr(each, name) for each in openings)

    cells = [
        f"{shown:,}",
        f"{middle('shown_ms'):.0f} ms",
        f"{middle('known_ms'):.0f} ms",
        f"{middle('middle_ms'):.0f} ms",
        f"{middle('frame_rate'):.0f}",
        f"{middle('slow_frame_ms'):.0f} ms",
        f"{middle('longest_task_ms'):.0f} ms",
        f"{middle('nodes'):,.0f}",
        f"{middle('kilobytes'):.0f} kB",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    chromium = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    print("| " + " | ".join(HEADS) + " |")
    print("|---" * len(HEADS) + "|")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        runs = {size: write_long_run(StudioServer(Path(folder)), size) for size in given.sizes}
        browser = playwright.chromium.launch(executable_path=chromium, args=QUIET)
        with served(Path(folder)) as entrance:
            for size, run_id in runs.items():
                print(row(size, opened(browser, entrance, run_id, given.repeats)), flush=True)
        browser.close()


if __name__ == "__main__":
    main()
