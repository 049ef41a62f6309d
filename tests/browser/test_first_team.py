"""The way to a first team: templates to begin with, four steps that tick themselves, and words where nothing is yet."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, agent, open_team, origin, saved, team, wait_for_builder


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
    expect(step(page, "Choose when it stops")).to_have_attribute("aria-current", "step")
    go(page, step(page, "Choose when it stops"), by_pointer=by_pointer)
    choose(page, "Message limit", by_pointer=by_pointer)
    expect(ticked(page)).to_have_count(3)
    page.keyboard.press("Control+z")
    expect(ticked(page)).to_have_count(2)
    page.keyboard.press("Control+Shift+z")
    expect(ticked(page)).to_have_count(3)
    go(page, step(page, "Run it"), by_pointer=by_pointer)
    page.get_by_role("textbox", name="Task for the team").fill("Hello")
    page.keyboard.press("Enter")
    expect(ticked(page)).to_have_count(4)
    expect(page.locator("[data-first-steps-end]")).to_be_visible()


def test_the_blank_team_with_scripted_replies_finishes(open_page: OpenPage):
    page = open_page()
    page.goto(f"{origin(page)}/teams", wait_until="domcontentloaded")
    page.get_by_role("button", name="New team", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Blank team").click()
    wait_for_builder(page)
    step(page, "Choose a model").click()
    choose(page, "Scripted replies", by_pointer=True)
    expect(page.get_by_role("spinbutton", name="Delay")).to_be_visible()
    expect(page.locator("[data-form]").get_by_text("Choose a model.")).to_be_hidden()
    expect(page.get_by_role("button", name="Ready")).to_be_visible()
    step(page, "Run it").click()
    expect(page.get_by_text("These agents use scripted replies and ignore your task.")).to_be_visible()
    page.get_by_role("textbox", name="Task for the team").fill("What is 17 times 23?")
    page.keyboard.press("Enter")
    expect(page.locator(".run-end")).to_contain_text("Finished", timeout=30_000)
    expect(page.locator(".chat > .turn[data-kind=message]")).to_have_count(3)
    page.get_by_role("button", name="Use a real model").click()
    expect(page.locator("[data-inspector-head]")).to_contain_text("Scripted replies")


def test_instructions_that_nobody_waits_for_are_mended_with_one_press(open_page: OpenPage):
    page = open_page()
    told = agent("helper", system_message="Reply with TERMINATE when you are done.")
    team_id = open_team(page, team(told))
    page.get_by_role("button", name="1 warning").click()
    page.get_by_role("button", name="Stop when TERMINATE is mentioned").click()
    condition = saved(page, team_id)["config"]["termination_condition"]["config"]["conditions"]
    assert (condition[0]["config"]["max_messages"], condition[1]["config"]) == (4, {"text": "TERMINATE"})
    expect(page.get_by_role("button", name="Ready")).to_be_visible()


def test_they_go_for_good_and_come_back_as_a_command(open_page: OpenPage):
    page = open_page()
    open_team(page, team())
    hide = page.get_by_role("button", name="Hide first steps")
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
    page.get_by_role("button", name="New team", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Help desk").click()
    wait_for_builder(page)
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


def test_a_gallery_that_was_chosen_as_a_team_is_opened_as_a_gallery(open_page: OpenPage) -> None:
    page = open_page()
    page.goto(f"{origin(page)}/teams")
    page.get_by_role("button", name="Import", exact=True).click()
    dialog = page.get_by_role("dialog", name="Import a team")
    gallery = {"name": "Two teams", "components": {"teams": [team(agent("writer")), team(agent("critic"))]}}
    dialog.locator("input[type=file]").set_input_files(
        {"name": "two.json", "mimeType": "application/json", "buffer": json.dumps(gallery).encode()}
    )
    expect(dialog.get_by_role("button", name="Open as gallery")).to_be_hidden()
    dialog.get_by_role("button", name="Import team").click()
    expect(dialog.get_by_text("This file contains 2 teams.")).to_be_visible()
    dialog.get_by_role("button", name="Open as gallery").click()
    expect(page.get_by_role("heading", name="Two teams", level=1)).to_be_visible()
    page.go_back()
    page.get_by_role("button", name="New team", exact=True).click()
    expect(page.get_by_role("dialog", name="New team").get_by_role("button", name="Blank team")).to_be_focused()
