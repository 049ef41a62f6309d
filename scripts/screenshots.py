"""Makes the pictures of the docs by doing what these say, in a real browser against a real `studio serve`.

    python scripts/screenshots.py [FOLDER]

The folder is docs unless given; the pictures go into tutorial/images and how-to/images in it. `STUDIO_CHROMIUM` may
name the browser.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from few_colours import with_few_colours
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

JsonObject = dict[str, Any]  # as it comes from the studio and goes back
Scheme = Literal["light", "dark"]

DOCS = Path(__file__).parents[1] / "docs"
TUTORIAL_PX = (1280, 800)
WIDE_PX = (1440, 900)
NARROW_PX = (390, 844)
KINDS = {
    "round-robin": "Writer and critic",
    "selector": "Stargazing night",
    "swarm": "Help desk",
    "graph": "Incident report",
    "magentic-one": "Open question with a plan",
    "nested": "Newsroom",
    "agents-as-tools": "Coordinator with experts",
}
"""The picture of each kind of team, and the team of the shipped gallery that it shows."""
FETCH = '''import urllib.request


def weather(city: str) -> str:
    """The weather of a city, from a public service."""
    with urllib.request.urlopen(f"https://wttr.in/{city}?format=3", timeout=10) as answer:
        return answer.read().decode()
'''
"""A tool of somebody else's team."""
OPENAI: JsonObject = {
    "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
    "component_type": "model",
    "label": "OpenAI",
    "config": {"model": "gpt-4o-mini", "api_key": "env:OPENAI_API_KEY"},
}
QUESTION = "My internet fails every evening since Monday."
TASK = "Write a museum label, at most 40 words, for a meteorite that fell through a farmhouse roof."
INSTRUCTIONS = (
    "You review museum labels for children. Ask for one change at a time, in words that an eight-year-old "
    "understands. When nothing is left to change, answer with one sentence of praise and the word APPROVED."
)
RUN_LIMIT_MS = 60_000
"""The scripted run takes about eight seconds."""


@contextmanager
def studio(data_dir: Path) -> Generator[str]:
    """A studio with nothing in it yet; gives the address with the token."""
    command = [sys.executable, "-m", "studio", "serve", "--port", "0", "--data-dir", str(data_dir)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "the studio did not start"
        yield found.group()
    finally:
        process.terminate()
        process.wait(15)


def take_screenshot(page: Page, file: Path, part: Locator | None = None) -> None:
    """A picture of what the page shows now, or of a part of it."""
    page.evaluate("document.fonts.ready")
    picture = (part or page).screenshot(animations="disabled")
    empty = page.context.new_page()  # the policy of the studio's own pages forbids what it takes
    file.write_bytes(with_few_colours(picture, empty))
    empty.close()
    page.bring_to_front()
    print(file.name)


def builder_is_ready(page: Page) -> None:
    """The team is drawn, checked and saved, and the palette is full."""
    expect(page.locator("[data-builder]:not([aria-busy])")).to_be_visible()
    expect(page.locator("[data-palette-list]:not([aria-busy])")).to_be_attached()
    expect(page.locator("[data-checklist]")).not_to_have_attribute("data-state", "waiting")
    expect(page.locator("[data-save-state]")).to_have_text("Saved", timeout=RUN_LIMIT_MS)


class Tutorial:
    """The steps of docs/tutorial/first-team.md, with a picture after each."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._page = page
        self._folder = folder

    def follow(self, address: str) -> None:
        """Do all of it."""
        self._open(address)
        self._take_a_team()
        self._run()
        self._change()
        self._compare()
        self._export()
        self._begin_one()

    def _open(self, address: str) -> None:
        self._page.goto(address)
        expect(self._page.get_by_role("heading", name="Start with a team that already works")).to_be_visible()
        self._picture("teams")

    def _take_a_team(self) -> None:
        page = self._page
        page.get_by_role("button", name="Writer and critic", exact=True).first.click()
        page.wait_for_url(re.compile(r"/teams/[^/]+$"))
        expect(page.locator("[data-builder]:not([aria-busy])")).to_be_visible()
        self._select("critic")
        self._picture("builder")

    def _run(self) -> None:
        page = self._page
        page.goto(page.url.split("?")[0] + "/play", wait_until="domcontentloaded")
        page.get_by_role("textbox", name="Task for the team").fill(TASK)
        page.locator("[data-part=composer] button[type=submit]").click()
        expect(page.locator("[data-part=chat]")).to_contain_text("APPROVED", timeout=RUN_LIMIT_MS)
        expect(page.locator("[data-part=state]")).to_contain_text("Finished", timeout=RUN_LIMIT_MS)
        self._picture("playground")

    def _change(self) -> None:
        page = self._page
        page.get_by_role("link", name="Edit team").click()
        expect(page.locator("[data-builder]:not([aria-busy])")).to_be_visible()
        self._select("critic")
        page.get_by_role("textbox", name="System message").fill(INSTRUCTIONS)
        page.get_by_role("textbox", name="System message").blur()
        expect(page.locator("[data-save-state]")).to_have_text("Saved", timeout=RUN_LIMIT_MS)
        self._picture("changed")

    def _compare(self) -> None:
        self._page.get_by_role("button", name="Versions").click()
        expect(self._page.locator(".versions-changes")).to_contain_text("critic")
        self._picture("versions")
        self._page.keyboard.press("Escape")

    def _export(self) -> None:
        page = self._page
        page.get_by_role("tab", name="Python").click()
        expect(page.locator("#panel-python")).to_contain_text("def build_team")
        self._picture("export")

    def _select(self, agent: str) -> None:
        self._page.get_by_role("group", name=f"{agent}, Assistant").click()
        expect(self._page.locator("[data-inspector] [data-title]")).to_have_text(agent)
        expect(self._page.get_by_role("textbox", name="System message")).to_be_visible()
        expect(self._page.locator("[data-canvas]")).to_contain_text("10 messages are reached")

    def _begin_one(self) -> None:
        page = self._page
        page.get_by_role("link", name="Teams", exact=True).first.click()
        page.get_by_role("button", name="New team", exact=True).click()
        self._picture("templates")
        page.get_by_role("dialog").get_by_role("button", name="Blank team").click()
        page.wait_for_url(re.compile(r"/teams/[^/]+$"))
        builder_is_ready(page)
        expect(page.locator("[data-first-steps]")).to_be_visible()
        self._picture("first-steps")

    def _picture(self, name: str) -> None:
        take_screenshot(self._page, self._folder / f"{name}.png")


class HowTo:
    """The pictures of the how-to guides: each kind of team, and what can be done beside the canvas."""

    def __init__(self, page: Page, folder: Path) -> None:
        self._page = page
        self._folder = folder

    def take_kinds(self, suffix: str) -> None:
        """Every kind of team on the canvas."""
        for name, label in KINDS.items():
            self._open(self._shipped(label))
            self._picture(f"{name}-{suffix}")

    def take_tools(self) -> None:
        """A form, the checklist, and a try."""
        page = self._page
        self._open(self._shipped("Help desk"))
        page.get_by_role("group", name="technician, Assistant").click()
        expect(page.get_by_role("textbox", name="System message")).to_be_visible()
        self._picture("form")
        page.get_by_role("tab", name="Try").click()
        page.get_by_role("textbox", name="Message to this component").fill(QUESTION)
        page.get_by_role("button", name="Send").click()
        expect(page.locator("[data-try-chat]")).to_contain_text("channel 11, where nobody is.", timeout=RUN_LIMIT_MS)
        self._picture("try")
        self._open(self._unfinished(self._shipped("Help desk")))
        page.locator("[data-checklist]").click()
        expect(page.locator("#checklist")).to_be_visible()
        self._picture("checklist")

    def take_review(self) -> None:
        """What a stranger's team may do, before it is decided and after its code has changed."""
        page = self._page
        team = self._call("POST", "/api/teams", {"name": "Weekend planner", "component": self._stranger(FETCH)})
        page.goto(f"/teams/{team['id']}/review")
        page.locator("summary").first.click()
        page.get_by_label("Only these hosts").first.check()
        page.get_by_role("button", name="Add wttr.in:443").click()
        page.locator("main").evaluate("main => main.scrollTo(0, 0)")
        self._picture("review")
        page.get_by_role("button", name="Allow all").click()
        expect(page.get_by_role("link", name="Continue to the run")).to_be_visible()
        changed = self._stranger(FETCH.replace("format=3", "format=4").replace("timeout=10", "timeout=60"))
        body: JsonObject = {"component": changed, "layout": {}, "revision": team["revision"]}
        self._call("PUT", f"/api/teams/{team['id']}", body)
        page.reload()
        expect(page.get_by_text("What changed")).to_be_visible()
        self._picture("review-changed")
        page.goto("/settings/approvals")
        self._picture("approvals")

    def _stranger(self, source: str) -> JsonObject:
        """A team with code, a program and a service."""
        team = self._shipped("Writer and critic")
        config: JsonObject = {"name": "weather", "description": "Weather.", "source_code": source, "global_imports": []}
        tool: JsonObject = {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}
        server: JsonObject = {"type": "StdioServerParams", "command": "uvx", "args": ["mcp-server-calendar"]}
        calendar: JsonObject = {
            "provider": "autogen_ext.tools.mcp.McpWorkbench",
            "component_type": "workbench",
            "config": {"server_params": server},
        }
        first, second, *others = team["config"]["participants"]
        first = {**first, "config": {**first["config"], "name": "planner", "model_client": OPENAI, "tools": [tool]}}
        second = {**second, "config": {**second["config"], "name": "secretary", "workbench": [calendar]}}
        return {**team, "config": {**team["config"], "participants": [first, second, *others]}}

    def _open(self, component: JsonObject) -> None:
        page = self._page
        team = self._call("POST", "/api/teams", {"component": component})
        page.goto(f"/teams/{team['id']}", wait_until="domcontentloaded")
        builder_is_ready(page)
        if (canvas := page.locator("[data-show=canvas]")).is_visible():
            canvas.click()

    def _shipped(self, label: str) -> JsonObject:
        teams = self._call("GET", "/api/galleries/team-studio")["components"]["teams"]
        return next(team for team in teams if team["label"] == label)

    def _unfinished(self, team: JsonObject) -> JsonObject:
        """The same team with something of each kind left to do."""
        first = team["config"]["participants"][0]["config"]
        nobody = {**first, "model_client": OPENAI, "handoffs": ["technician", "accounts", "manager"]}
        members = [{**team["config"]["participants"][0], "config": nobody}, *team["config"]["participants"][1:]]
        return {**team, "config": {**team["config"], "participants": members, "termination_condition": None}}

    def _call(self, method: str, path: str, body: JsonObject | None = None) -> Any:
        token = self._page.locator("meta[name=csrf-token]").get_attribute("content")
        answer = self._page.request.fetch(path, method=method, data=body, headers={"X-Studio-CSRF": token or ""})
        assert answer.ok, answer.text()
        return answer.json()

    def _picture(self, name: str) -> None:
        take_screenshot(self._page, self._folder / f"{name}.png")


def opened(browser: Browser, address: str, size_px: tuple[int, int], scheme: Scheme) -> BrowserContext:
    """A window of its own, signed in."""
    context = browser.new_context(
        base_url=address.split("/?")[0],
        viewport={"width": size_px[0], "height": size_px[1]},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    context.set_default_timeout(15_000)
    context.new_page().goto(address)
    return context


def make_all(browser: Browser, address: str, folder: Path) -> None:
    """Make all pictures, the tutorial's in the studio as it is when it starts."""
    tutorial, how_to = folder / "tutorial" / "images", folder / "how-to" / "images"
    for each in (tutorial, how_to):
        each.mkdir(parents=True, exist_ok=True)
    with opened(browser, address, TUTORIAL_PX, "light") as context:
        Tutorial(context.pages[0], tutorial).follow(address)
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for scheme in schemes:
        for size_px in (WIDE_PX, NARROW_PX):
            with opened(browser, address, size_px, scheme) as context:
                HowTo(context.pages[0], how_to).take_kinds(f"{scheme}-{size_px[0]}")
    with opened(browser, address, WIDE_PX, "light") as context:
        HowTo(context.pages[0], how_to).take_tools()
    with opened(browser, address, WIDE_PX, "light") as context:
        HowTo(context.pages[0], how_to).take_review()


def main() -> None:
    """Make the pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS
    browser_path = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as data_dir, studio(Path(data_dir)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        make_all(browser, address, folder)
        browser.close()


if __name__ == "__main__":
    main()
