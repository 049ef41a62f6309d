"""The panels beside the canvas: how wide they are, folded or not, and code over the canvas."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, agent, open_team, team, wait_for_builder

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def width(panel: Locator) -> int:
    return int(panel.evaluate("node => node.offsetWidth"))


def handle(page: Page, name: str) -> Locator:
    return page.get_by_role("separator", name=name)


def pull(page: Page, handle: Locator, by_px: int) -> None:
    box = handle.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 300
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by_px / 2, y)
    page.mouse.move(x + by_px, y)
    page.mouse.up()


def test_a_panel_is_as_wide_as_somebody_made_it_by_pointer_or_by_key_also_after_a_reload(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer")))
    side, inspector = page.locator("[data-side]"), page.locator("[data-inspector]")
    usual = width(inspector)
    pull(page, handle(page, "Width of the inspector"), -100)
    assert width(inspector) == usual + 100
    handle(page, "Width of the left panel").focus()
    before = width(side)
    page.keyboard.press("ArrowRight")
    assert width(side) == before + 16
    page.keyboard.press("End")
    assert handle(page, "Width of the left panel").get_attribute("aria-valuenow") == str(width(side)) == "420"
    page.reload(wait_until="domcontentloaded")
    wait_for_builder(page)
    assert (width(side), width(inspector)) == (420, usual + 100)
    handle(page, "Width of the inspector").dblclick(position={"x": 5, "y": 300})
    assert width(inspector) == usual


def test_a_folded_panel_leaves_its_button_and_opens_for_what_is_in_it(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer"), termination_condition=None))
    pull(page, handle(page, "Width of the inspector"), 320)
    expect(page.locator("#panel-form")).to_be_hidden()
    page.reload(wait_until="domcontentloaded")
    unfold = page.get_by_role("button", name="Expand inspector")
    expect(unfold).to_be_visible()
    page.keyboard.press("Control+b")
    expect(page.locator("#panel-palette")).to_be_hidden()
    page.locator("[data-checklist][data-state=warning]").press("Enter")
    expect(page.locator("#checklist :focus")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("[data-field='/config/termination_condition'] :focus")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("[data-fold=inspector]").focus()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search components")).to_be_focused()


def test_code_may_lie_over_the_canvas_which_takes_no_focus_meanwhile(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer")))
    inspector, usual = page.locator("[data-inspector]"), width(page.locator("[data-inspector]"))
    expect(page.locator("[data-widen]")).to_be_hidden()
    page.get_by_role("tab", name="Python").click()
    page.get_by_role("button", name="Expand panel").press("Enter")
    assert width(inspector) > 1000
    expect(page.locator("[data-canvas][inert]")).to_be_attached()
    page.get_by_role("tab", name="Form").click()
    assert width(inspector) == usual
    page.get_by_role("tab", name="JSON").click()
    assert width(inspector) > 1000
    page.get_by_role("button", name="Dock panel").click()
    assert width(inspector) == usual


def test_on_a_phone_the_inspector_is_a_sheet_that_is_folded_until_it_is_wanted(open_page: OpenPage):
    page = open_page(390, 844)
    open_team(page, team(agent("writer"), agent("critic")))
    page.get_by_role("button", name="Canvas").click()
    expect(page.locator("#panel-form")).to_be_hidden()
    expect(page.locator("[data-inspector-head] h2")).to_be_visible()
    expand = page.get_by_role("button", name="Expand inspector")
    expect(expand).to_be_in_viewport(ratio=1)
    expand.click()
    expect(page.locator("#panel-form")).to_be_visible()
    page.get_by_role("button", name="Collapse inspector").click()
    expect(page.locator("#panel-form")).to_be_hidden()
