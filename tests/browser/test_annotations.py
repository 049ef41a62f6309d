"""Notes on the canvas and named groups of cards: by pointer, by key, undone, and kept beside the team."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, call, names, open_team, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def notes(page: Page) -> Locator:
    return page.locator("[data-canvas] .note")


def groups(page: Page) -> Locator:
    return page.locator("[data-canvas] .group-name")


def layout_of(page: Page, team_id: str) -> JsonObject:
    expect(page.locator("[data-save-state]")).to_have_text("Saved", timeout=15_000)
    return call(page, "GET", f"/api/teams/{team_id}")["layout"]


def card(page: Page, name: str) -> Locator:
    return page.locator(".node-head", has_text=name)


def test_a_note_is_written_moved_and_removed_by_keys_and_each_is_undone(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic")))
    card(page, "writer").click()
    page.keyboard.press("n")
    expect(notes(page).locator("textarea")).to_be_focused()
    page.keyboard.type("Ask legal first. d")
    page.keyboard.press("Escape")
    expect(notes(page)).to_be_focused()
    expect(notes(page)).to_have_attribute("aria-label", "Note: Ask legal first. d")
    [before] = layout_of(page, team_id)["notes"].values()
    page.keyboard.press("Control+Alt+ArrowRight")
    page.keyboard.press("Control+Alt+ArrowDown")
    [after] = layout_of(page, team_id)["notes"].values()
    assert (after["x"] - before["x"], after["y"] - before["y"]) == (20, 20)
    page.keyboard.press("Delete")
    expect(notes(page)).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(notes(page).locator("textarea")).to_have_value("Ask legal first. d")
    page.reload(wait_until="domcontentloaded")
    expect(notes(page).locator("textarea")).to_have_value("Ask legal first. d")
    assert "notes" not in str(call(page, "GET", f"/api/teams/{team_id}")["component"])


def test_a_note_is_dragged_by_its_bar_and_written_by_a_click(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic")))
    card(page, "writer").click()
    page.keyboard.press("n")
    page.keyboard.type("Here")
    bar = notes(page).locator(".note-bar").bounding_box()
    assert bar is not None
    page.mouse.move(bar["x"] + 30, bar["y"] + 8)
    page.mouse.down()
    page.mouse.move(bar["x"] + 30, bar["y"] + 108, steps=4)
    page.mouse.up()
    [note] = layout_of(page, team_id)["notes"].values()
    assert note["y"] > 50
    notes(page).locator("textarea").click()
    page.keyboard.type(" and there")
    [note] = layout_of(page, team_id)["notes"].values()
    assert note["text"] == "Here and there"
    notes(page).hover()
    page.get_by_role("button", name="Remove note").click()
    expect(notes(page)).to_have_count(0)


def test_cards_are_grouped_under_a_name_that_follows_them(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic"), agent("editor")))
    card(page, "writer").click()
    card(page, "critic").click(modifiers=["Shift"])
    page.keyboard.press("ControlOrMeta+g")
    page.get_by_role("dialog", name="Group 2 cards").get_by_label("Name").fill("Drafting")
    page.keyboard.press("Enter")
    expect(groups(page)).to_have_text(["Drafting"])
    card(page, "editor").click()
    groups(page).click()
    expect(page.locator(".selection-count")).to_have_text("2 selected")
    card(page, "writer").click()
    page.locator("#panel-form").get_by_role("textbox", name="Name", exact=True).fill("poet")
    expect(names(page).first).to_have_text("poet")
    [group] = layout_of(page, team_id)["groups"].values()
    assert group == {"name": "Drafting", "members": ["/participants/poet", "/participants/critic"]}

    card(page, "poet").click()
    page.keyboard.press("ControlOrMeta+g")
    page.get_by_role("dialog", name="Rename group").get_by_label("Name").fill("Writing")
    page.keyboard.press("Enter")
    expect(groups(page)).to_have_text(["Writing"])
    page.keyboard.press("ControlOrMeta+Shift+g")
    expect(groups(page)).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(groups(page)).to_have_text(["Writing"])
    page.keyboard.press("Delete")
    [group] = layout_of(page, team_id)["groups"].values()
    assert group["members"] == ["/participants/critic"]
