"""Makes the pictures of the reference of built-in galleries: the recorded run of each ready team.

python scripts/screenshots_teams.py [FOLDER]
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright
from screenshots import DOCS, opened, studio, take_screenshot

from studio.services.builtin_galleries import builtin_galleries

SIZE_PX = (800, 560)


def main() -> None:
    """Make the pictures."""
    folder = (Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS) / "reference" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    browser_path = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as data_dir, studio(Path(data_dir)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        with opened(browser, address, SIZE_PX, "light") as context:
            page = context.pages[0]
            for team in (team for each in builtin_galleries() for team in each.ready_teams):
                page.goto(f"/ready-teams/{team.slug}")
                expect(page.get_by_role("heading", name=team.label, exact=True)).to_be_visible()
                page.get_by_role("region", name="Recorded run").evaluate("region => region.scrollIntoView()")
                take_screenshot(page, folder / f"team-{team.slug}.png")
        browser.close()


if __name__ == "__main__":
    main()
