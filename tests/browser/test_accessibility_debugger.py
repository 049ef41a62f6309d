"""What stops, asks and changes a run, wide and narrow, light and dark: axe finds nothing, all fits the window."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.debugging import DECISION, ask_before, pair, shouting
from tests.browser.playing import STATE, give_task

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


def views(page: Page) -> None:
    """Bring the tabs beside the conversation into view, where the page is narrow."""
    narrow = page.get_by_role("tab", name="Views", exact=True)
    if narrow.is_visible():
        narrow.click()


@also_narrow
def test_the_debugger_and_the_inbox(open_page: OpenPage, make_team: MakeTeam, width_px: int) -> None:
    inspection = Inspection(open_page(width_px=width_px))
    page, look = inspection.page, inspection.look
    page.goto(make_team(shouting()), wait_until="domcontentloaded")
    views(page)
    ask_before(page, "shout")
    page.get_by_text("Add a rule by argument").click()
    look("Debug tab before a run")
    address = page.url
    give_task(page, address)
    expect(page.locator(DECISION)).to_be_visible()
    look("a decision")
    views(page)
    page.get_by_role("tab", name="Debug").click()
    look("Debug tab of a run that asks")
    page.goto(f"{page.url.split('/runs/')[0]}/inbox", wait_until="domcontentloaded")
    expect(page.locator(DECISION).first).to_be_visible()
    look("inbox")
    assert not inspection.faults, "\n".join(inspection.faults)


@also_narrow
def test_a_run_that_is_held(open_page: OpenPage, make_team: MakeTeam, width_px: int) -> None:
    inspection = Inspection(open_page(width_px=width_px))
    page, look = inspection.page, inspection.look
    page.goto(make_team(pair()), wait_until="domcontentloaded")
    views(page)
    page.get_by_role("tab", name="Debug").click()
    page.get_by_role("form", name="New breakpoint").get_by_label("Agent", exact=True).press("Enter")
    expect(page.get_by_role("checkbox", name="Before any agent")).to_be_visible()
    give_task(page, page.url)
    expect(page.locator(STATE)).to_have_text("Paused at a breakpoint")
    page.keyboard.press("s")
    expect(page.locator(STATE)).to_have_text("Paused after a step")
    views(page)
    page.get_by_role("tab", name="Debug").click()
    expect(page.get_by_role("textbox", name="Last message")).to_be_visible()
    look("Debug tab of a run that is held")
    assert not inspection.faults, "\n".join(inspection.faults)
