"""The way to a first team: templates to begin with, four steps that tick themselves, and words where nothing is yet."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, open_team, origin, team


def ticked(page: Page) -> Locator:
    return page.locator("[data-first-steps] li[data-done] [data-step]")


def step(page: Page, name: str) -> Locator:
    return page.locator("[data-first-steps]").get_by_role("button", name=name)


def choose(page: Page, name: str, *, by_pointer: bool) -> None:
    """Take what is called so in the search that has opened."""
    search = page.locator(".chooser-input")
    expect(search).to_be_focused()
    page.keyboard.type(name)
    found = page.locator(".chooser-option").filter(has_text=name).first
    expect(found).to_be_visible()
    if by_pointer:
        found.click()
    else:
        page.keyboard.press("Enter")


def go(page: Page, place: Locator, *, by_pointer: bool) -> None:
    if by_pointer:
        place.click()
    else:
        place.focus()
        page.keyboard.press("Enter")


@pytest.mark.parametrize("by_pointer", [True, False], ids=["pointer", "keyboard"])
def test_four_steps_lead_from_nothing_to_a_team_that_ran(open_page: OpenPage, by_pointer: bool):
    page = open_page()
    open_team(page, team(termination_condition=None))
    expect(step(page, "Add an agent")).to_have_attribute("aria-current", "step")
    go(page, step(page, "Add an agent"), by_pointer=by_pointer)
    choose(page, "Magentic-One coder", by_pointer=by_pointer)
    expect(step(page, "Choose a model")).to_have_attribute("aria-current", "step")
    expect(page.locator("#announcer")).to_have_text(re.compile("Add an agent: done. Next: Choose a model."))
    go(page, step(page, "Choose a model"), by_pointer=by_pointer)
    choose(page, "Scripted replies", by_pointer=by_pointer)
    expect(step(page, "Say when it stops")).to_have_attribute("aria-current", "step")
    go(page, step(page, "Say when it stops"), by_pointer=by_pointer)
    choose(page, "Max message", by_pointer=by_pointer)
    expect(ticked(page)).to_have_count(3)
    page.keyboard.press("Control+z")
    expect(ticked(page)).to_have_count(2)
    page.keyboard.press("Control+Shift+z")
    expect(ticked(page)).to_have_count(3)
    builder = page.url
    go(page, step(page, "Run it"), by_pointer=by_pointer)
    page.wait_for_url("**/play")
    page.get_by_role("textbox", name="Task for the team").fill("Hello")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/runs/"))
    page.goto(builder, wait_until="domcontentloaded")
    expect(ticked(page)).to_have_count(4)
    expect(page.locator("[data-first-steps-end]")).to_be_visible()


def test_they_go_for_good_and_come_back_as_a_command(open_page: OpenPage):
    page = open_page()
    open_team(page, team())
    hide = page.get_by_role("button", name="Hide the first steps")
    hide.focus()
    page.keyboard.press("Enter")
    expect(hide).to_be_hidden()
    expect(page.locator("[data-canvas]")).to_be_focused()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    open_team(page, team())
    expect(hide).to_be_hidden()
    page.keyboard.press("Control+k")
    page.keyboard.type("first steps")
    page.keyboard.press("Enter")
    expect(step(page, "Add an agent")).to_be_focused()


def test_whoever_has_a_team_is_left_alone(open_page: OpenPage):
    page = open_page()
    page.goto(f"{origin(page)}/teams", wait_until="domcontentloaded")
    page.get_by_role("button", name="New team").click()
    page.get_by_role("dialog").get_by_role("button", name="Help desk").click()
    expect(page.locator("[data-builder]:not([aria-busy])")).to_be_visible()
    expect(page.get_by_role("group", name="front_desk, Assistant")).to_be_visible()
    expect(page.locator("[data-first-steps]")).to_be_hidden()


def test_what_is_empty_says_what_to_do_next(open_page: OpenPage):
    page = open_page()
    open_team(page, team())
    page.get_by_label("Search components").fill("no such part")
    expect(page.locator("[data-palette-none]")).to_contain_text("no such part")
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_label("Search components")).to_be_focused()
    expect(page.locator(".palette-item").first).to_be_visible()
    page.get_by_role("tab", name="Outline").click()
    page.get_by_role("tabpanel").get_by_role("button", name="Add an agent").click()
    choose(page, "Assistant", by_pointer=False)
    expect(page.locator("[data-outline-empty]")).to_be_hidden()
