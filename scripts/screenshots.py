"""Makes the tutorial's pictures by doing what it says, in a real browser against a real `studio serve`.

    python scripts/screenshots.py [FOLDER]

The folder is docs/tutorial/images unless given. `STUDIO_CHROMIUM` may name the browser.
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

from playwright.sync_api import Page, expect, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "tutorial" / "images"
SIZE_PX = (1280, 800)
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
        self._export()

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
        page.get_by_role("link", name="Run", exact=True).click()
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
        page.get_by_role("textbox", name="Instructions").fill(INSTRUCTIONS)
        page.get_by_role("textbox", name="Instructions").blur()
        expect(page.locator("[data-save-state]")).to_have_text("Saved", timeout=RUN_LIMIT_MS)
        self._picture("changed")

    def _export(self) -> None:
        page = self._page
        page.get_by_role("tab", name="Python").click()
        expect(page.locator("#panel-python")).to_contain_text("def build_team")
        self._picture("export")

    def _select(self, agent: str) -> None:
        self._page.get_by_role("group", name=f"{agent}, Assistant").click()
        expect(self._page.locator("[data-inspector] [data-title]")).to_have_text(agent)
        expect(self._page.get_by_role("textbox", name="Instructions")).to_be_visible()
        expect(self._page.locator("[data-canvas]")).to_contain_text("10 messages are reached")

    def _picture(self, name: str) -> None:
        self._page.evaluate("document.fonts.ready")
        self._page.screenshot(path=self._folder / f"{name}.png", animations="disabled")
        print(f"{name}.png")


def main() -> None:
    """Make all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES
    folder.mkdir(parents=True, exist_ok=True)
    browser_path = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as data_dir, studio(Path(data_dir)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": SIZE_PX[0], "height": SIZE_PX[1]}, color_scheme="light", reduced_motion="reduce"
        )
        context.set_default_timeout(15_000)
        Tutorial(context.new_page(), folder).follow(address)
        browser.close()


if __name__ == "__main__":
    main()
