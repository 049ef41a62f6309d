"""On a narrow window what does not fit into the bar is behind one button, by pointer and by keyboard."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.accessibility import Inspection
from tests.browser.conftest import OpenPage


def test_every_page_is_reached_on_a_narrow_window(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    page.goto("/", wait_until="domcontentloaded")
    menu, costs = page.get_by_role("button", name="Menu", exact=True), page.get_by_role("link", name="Costs")
    expect(costs).to_be_hidden()
    menu.click()
    inspection = Inspection(page)
    inspection.look("menu", ".rail")
    assert inspection.faults == []
    costs.click()
    expect(page.get_by_role("heading", name="Costs")).to_be_visible()
    menu.press("Enter")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Knowledge")).to_be_focused()
    page.keyboard.press("Escape")
    expect(costs).to_be_hidden()
    expect(menu).to_be_focused()


def test_a_wide_window_shows_all_at_once(open_page: OpenPage) -> None:
    page = open_page()
    page.goto("/", wait_until="domcontentloaded")
    expect(page.get_by_role("button", name="Menu", exact=True)).to_be_hidden()
    for name in ("Knowledge", "Costs", "Help", "Settings"):
        expect(page.get_by_role("navigation", name="Studio").get_by_role("link", name=name)).to_be_visible()
