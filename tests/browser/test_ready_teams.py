"""Ready teams: found, watched, used and run, by pointer and by keyboard."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage, StudioServer
from tests.browser.playing import MESSAGES, expect_end

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_a_team_is_found_watched_used_and_run_by_pointer(
    open_page: OpenPage, studio_server: StudioServer, api: httpx.Client
) -> None:
    page = open_page()
    page.goto(f"{studio_server.url}/galleries", wait_until="domcontentloaded")
    page.get_by_role("link", name="Ready teams").click()
    page.get_by_role("combobox", name="Theme").select_option("Operations")
    page.get_by_role("searchbox").fill("meeting")
    page.get_by_role("button", name="Apply").click()
    expect(page.get_by_role("status").filter(has_text="1 team")).to_be_visible()
    page.get_by_role("link", name="Meeting notes to tasks").click()

    recording = page.get_by_role("region", name="Recorded run")
    expect(recording.get_by_role("table").first).to_contain_text("Send the offer to the museum")
    recording.get_by_text("meeting-notes.txt").click()
    expect(recording.get_by_text("museum wants our offer")).to_be_visible()
    turns = recording.get_by_role("listitem")
    count = turns.count()
    recording.get_by_role("button", name="Play").click()
    expect(turns).to_have_count(1)
    recording.get_by_role("button", name="Show all").click()
    expect(turns).to_have_count(count)
    before = len(api.get("/api/teams").json())

    page.get_by_role("button", name="Use this team").click()
    task = page.get_by_role("textbox", name="Task for the team")
    expect(task).to_have_value(re.compile("Turn the notes"))
    assert len(api.get("/api/teams").json()) == before + 1
    expect(page.get_by_role("list", name="Attached files")).to_contain_text("meeting-notes.txt")
    page.get_by_role("button", name="Run", exact=True).click()
    expect_end(page, "TASKS CHECKED")
    expect(page.locator(MESSAGES).first).to_contain_text("meeting-notes.txt")
    run_id = page.url.rsplit("/", 1)[1]
    assert [each["name"] for each in api.get(f"/api/runs/{run_id}/files").json()] == ["meeting-notes.txt"]


def tab_to(page: Page, name: str) -> None:
    """Go on with Tab until a link or button with this text has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if name in page.evaluate("document.activeElement.textContent"):
            return
    pytest.fail(f"no {name!r} within 80 presses")


@pytest.mark.extended
def test_a_team_is_found_used_and_run_by_keyboard(open_page: OpenPage, studio_server: StudioServer) -> None:
    page = open_page()
    page.goto(f"{studio_server.url}/ready-teams", wait_until="domcontentloaded")
    page.get_by_role("searchbox").focus()
    page.keyboard.type("translation")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("search=translation"))
    tab_to(page, "Translation with review")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Recorded run")).to_be_visible()
    tab_to(page, "Use this team")
    page.keyboard.press("Enter")
    task = page.get_by_role("textbox", name="Task for the team")
    expect(task).to_be_focused()
    expect(task).to_have_value(re.compile("^Translate into English"))
    page.keyboard.press("Enter")
    expect_end(page, "APPROVED")


@also_narrow
def test_its_pages_are_accessible(open_page: OpenPage, studio_server: StudioServer, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    for path in ("/ready-teams", "/ready-teams?search=nothing+like+it", "/ready-teams/spreadsheet-charts"):
        inspection.page.goto(f"{studio_server.url}{path}", wait_until="domcontentloaded")
        expect(inspection.page.get_by_role("heading", level=1)).to_be_visible()
        inspection.look(path)
    assert inspection.faults == []
