"""Measure what a newcomer waits for: start, first paint, bytes, the usual presses. Prints a Markdown table.

    .venv/bin/python scripts/measure_first_hour.py
    .venv/bin/python scripts/measure_first_hour.py --beside ../before   # another checkout, in turns with this one

Each number is the median of the rounds, each round a new data folder, a new server and a new browser. A busy machine
takes all times up: compare two versions only where they were measured in turns.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, cast

import httpx
from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.browser.building import agent, limit, replay, team  # noqa: E402
from tests.browser.conftest import QUIET, chromium_path  # noqa: E402

COMPILED = Path(tempfile.gettempdir()) / "studio-measured"
MESSAGES = 300
FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0"
NOW = "() => performance.now()"
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => done(performance.now())))"

Numbers = dict[str, float]
"""What was measured, by its name, which ends in its unit."""


class Devtools(Protocol):
    """What is used of Chromium's own interface; Playwright leaves its types open."""

    def send(self, method: str) -> dict[str, Any]: ...

    def on(self, event: str, handler: Any) -> None: ...


@contextmanager
def studio(checkout: Path, folder: Path, numbers: Numbers) -> Generator[tuple[str, httpx.Client]]:
    """A server over an empty folder: its address with the token, and a client of its API."""
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(checkout), "PYTHONPYCACHEPREFIX": str(COMPILED / checkout.name)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed studio is compiled
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=checkout, env=environment) as server:
        assert server.stdout is not None
        try:
            entrance = next(
                found.group() for line in server.stdout if (found := re.search(r"http://\S+token=\S+", line))
            )
            numbers["`studio serve` to its address, s"] = time.perf_counter() - began
            base, token = entrance.split("/?token=")
            with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
                yield entrance, client
        finally:
            server.terminate()


@contextmanager
def fresh_page(browser: Browser, entrance: str) -> Generator[tuple[Page, list[float]]]:
    """A page with a cold cache that is signed in, and the bytes that each answer took."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.request.get(entrance)
    page = context.new_page()
    session = cast("Devtools", page.context.new_cdp_session(page))
    session.send("Network.enable")
    transferred: list[float] = []

    def count(answer: dict[str, Any]) -> None:
        transferred.append(float(answer["encodedDataLength"]))

    session.on("Network.loadingFinished", count)
    yield page, transferred
    context.close()


def open_cold(
    browser: Browser, entrance: str, path: str, ready: str, name: str, numbers: Numbers, *, is_usable: bool = False
) -> None:
    """How soon a page paints and is there, and what it takes over the wire."""
    with fresh_page(browser, entrance) as (page, transferred):
        page.goto(entrance.split("/?")[0] + path, wait_until="commit")
        page.wait_for_selector(ready, state="attached")
        usable = float(page.evaluate(NOW))
        page.wait_for_load_state("networkidle")
        numbers[f"{name}: first paint, ms"] = float(page.evaluate(FIRST_PAINT))
        if is_usable:
            numbers[f"{name}: usable, ms"] = usable
        numbers[f"{name}: transferred, kB"] = sum(transferred) / 1000


def pressed(page: Page, press: Any, shown: str) -> float:
    """Milliseconds from a press to the first frame that shows what it is for."""
    began = float(page.evaluate(NOW))
    press()
    page.wait_for_selector(shown)
    return float(page.evaluate(NEXT_FRAME)) - began


def run_of(client: httpx.Client, component: dict[str, Any]) -> str:
    """Play a team of scripted replies to its end."""
    team_id = client.post("/api/teams", json={"component": component, "name": "Long"}).json()["id"]
    run_id = str(client.post("/api/runs", json={"team_id": team_id, "task": "Go."}).json()["id"])
    while (state := client.get(f"/api/runs/{run_id}").json()["state"]) != "finished":
        assert state in ("created", "queued", "running"), state
        time.sleep(0.02)
    return run_id


def seconds_of(client: httpx.Client, run_id: str) -> float:
    run = client.get(f"/api/runs/{run_id}").json()
    ended, started = (datetime.fromisoformat(run[name]) for name in ("ended_at", "started_at"))
    return (ended - started).total_seconds()


def measure(checkout: Path, browser: Browser) -> Numbers:
    """One round."""
    numbers: Numbers = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        studio(checkout, Path(folder) / "data", numbers) as (entrance, client),
    ):
        open_cold(browser, entrance, "/teams", ".starter", "First page", numbers)
        pair = team(agent("writer"), agent("critic"))
        team_id = client.post("/api/teams", json={"component": pair, "name": "Pair"}).json()["id"]
        ready = "[data-builder]:not([aria-busy]) .node[data-card]"
        open_cold(browser, entrance, f"/teams/{team_id}", ready, "Builder", numbers, is_usable=True)
        open_cold(browser, entrance, f"/teams/{team_id}/play", ".composer", "Playground", numbers)
        script = replay(*(f"Message {number}." for number in range(MESSAGES)))
        members = (agent(name, model_client=script) for name in ("one", "two"))
        long = team(*members, termination_condition=limit(MESSAGES))
        run_id = run_of(client, long)
        numbers[f"{MESSAGES} scripted messages, run to end, s"] = seconds_of(client, run_id)
        name = f"Run of {MESSAGES} messages to its last"
        open_cold(browser, entrance, f"/runs/{run_id}", ".run-end", name, numbers, is_usable=True)
        with fresh_page(browser, entrance) as (page, _):
            measure_presses(page, entrance, client, numbers)
    return numbers


def measure_presses(page: Page, entrance: str, client: httpx.Client, numbers: Numbers) -> None:
    """What a person presses most, in a builder and in the playground of a run that takes its time."""
    slow = replay("word " * 400)
    slow["config"]["delay_s"] = 0.02
    component = team(agent("writer", model_client=slow, model_client_stream=True), agent("critic"))
    team_id = client.post("/api/teams", json={"component": component, "name": "Slow"}).json()["id"]
    base = entrance.split("/?")[0]
    page.goto(f"{base}/teams/{team_id}", wait_until="domcontentloaded")
    expect(page.locator("[data-builder]:not([aria-busy])")).to_be_visible()
    page.wait_for_load_state("networkidle")
    card = page.locator(".node[data-card] .node-name").first
    numbers["Press a card, to its form, ms"] = pressed(
        page, card.click, '#panel-form [data-form="/config/participants/0"]'
    )
    numbers["`Ctrl+K`, to the commands, ms"] = pressed(
        page, lambda: page.keyboard.press("Control+k"), "dialog[open], [role=dialog]:visible"
    )
    page.keyboard.press("Escape")
    page.goto(f"{base}/teams/{team_id}/play", wait_until="domcontentloaded")
    box = page.get_by_role("textbox", name="Task for the team")
    box.fill("Go.")
    page.wait_for_load_state("networkidle")
    running = "[data-part=state][data-state=running]"
    numbers["Run, to “Running”, ms"] = pressed(page, lambda: box.press("Enter"), running)
    page.locator(".turn[data-source=writer]").wait_for()
    numbers["Pause, to “Pausing”, ms"] = pressed(
        page, page.get_by_role("button", name="Pause").click, "[data-part=state]:has-text('Paus')"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--beside", type=Path, help="another checkout of the studio")
    options = parser.parse_args()
    checkouts = [ROOT, *([options.beside.resolve()] if options.beside else [])]
    rounds: dict[Path, list[Numbers]] = {checkout: [] for checkout in checkouts}
    for number in range(options.rounds):
        for checkout in checkouts:
            print(f"round {number + 1}: {checkout.name}", file=sys.stderr)
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
                rounds[checkout].append(measure(checkout, browser))
                browser.close()
    print("| | " + " | ".join(checkout.name for checkout in checkouts) + " |")
    print("|---|" + "---|" * len(checkouts))
    for name in rounds[ROOT][0]:
        values = (statistics.median(each[name] for each in rounds[checkout]) for checkout in checkouts)
        print(
            f"| {name} | "
            + " | ".join(f"{value:.2f}" if name.endswith(", s") else f"{value:.0f}" for value in values)
            + " |"
        )


if __name__ == "__main__":
    main()
