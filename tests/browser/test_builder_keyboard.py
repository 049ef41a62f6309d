"""The builder without a mouse: moving on the canvas, the menu of a part, the outline, a focus that is never lost."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, agent, limit, names, open_team, team, tool

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def card(page: Page, name: str) -> Locator:
    return page.locator(".node[data-card]").filter(has=page.locator(".node-name", has_text=re.compile(f"^{name}$")))


def row(page: Page, name: str) -> Locator:
    return page.get_by_role("treeitem", name=re.compile(f"^{name},"))


def outline(page: Page) -> None:
    page.get_by_role("tab", name="Outline").click()
    expect(page.get_by_role("tree")).to_be_visible()


def test_arrow_keys_go_from_card_to_card_into_a_card_and_up_to_the_sentence(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one", tools=[tool("add"), tool("count")]), agent("two")))
    card(page, "one").focus()
    page.keyboard.press("ArrowRight")
    expect(card(page, "two")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowDown")
    expect(card(page, "one").locator(".chip[data-kind=model]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(card(page, "one").locator(".chip", has_text="count")).to_be_focused()
    expect(page.locator("[data-inspector] [data-title]")).to_have_text("count")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(card(page, "one")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".sentence .chip")).to_be_focused()


def test_the_canvas_is_one_stop_of_the_tab_key_that_stays_where_one_was(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    card(page, "one").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".frame [tabindex='0']")).to_have_count(1)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.frame')") is None
    page.keyboard.press("Shift+Tab")
    expect(card(page, "two")).to_be_focused()


def test_escape_takes_the_focus_to_what_is_around(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    card(page, "one").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    expect(card(page, "one")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".frame-name")).to_be_focused()


def test_after_a_removal_the_next_neighbour_has_the_focus_and_after_an_undo_what_came_back(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    card(page, "one").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    expect(names(page)).to_have_text(["one", "three"])
    expect(card(page, "three")).to_be_focused()
    page.keyboard.press("Delete")
    expect(card(page, "one")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(card(page, "three")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(card(page, "two")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("Undone: Remove two")


def test_a_removed_chip_and_a_removed_condition_leave_the_focus_beside_them(open_page: OpenPage) -> None:
    page = open_page()
    both = {
        "provider": "autogen_agentchat.base.OrTerminationCondition",
        "component_type": "termination",
        "config": {"conditions": [limit(4), limit(9)]},
    }
    open_team(page, team(agent("one", tools=[tool("add"), tool("count")]), termination_condition=both))
    card(page, "one").locator(".chip", has_text="add").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    expect(card(page, "one").locator(".chip", has_text="add")).to_be_focused()
    page.locator(".sentence .chip").last.click()
    page.keyboard.press("Delete")
    expect(page.locator(".sentence .chip")).to_have_count(1)
    expect(page.locator(".sentence .chip")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(page.locator(".sentence .chip")).to_have_count(2)
    assert page.evaluate("document.activeElement.closest('.sentence') !== null")


def test_no_button_that_takes_itself_away_takes_the_focus_along(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    card(page, "two").click()
    page.get_by_role("button", name="Remove", exact=True).focus()
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["one"])
    page.keyboard.press("Enter")
    expect(names(page)).to_have_count(0)
    assert page.evaluate("document.activeElement.closest('[data-inspector]') !== null")
    page.get_by_role("button", name="Undo").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["one", "two"])
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    assert page.evaluate("document.activeElement.closest('header') !== null")


def test_the_menu_of_a_card_opens_by_right_click_and_by_key_and_gives_the_focus_back(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    card(page, "one").click(button="right")
    expect(page.get_by_role("menu", name="Actions for one")).to_be_visible()
    page.get_by_role("menuitem", name="Move later").click()
    expect(names(page)).to_have_text(["two", "one"])
    card(page, "two").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("menuitem", name="Edit")).to_be_focused()
    page.keyboard.press("d")
    expect(page.get_by_role("menuitem", name="Duplicate")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card(page, "one")).to_be_focused()
    page.keyboard.press("Shift+F10")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["two"])
    expect(card(page, "two")).to_be_focused()


def test_a_part_moves_to_any_place_that_takes_it_by_name(open_page: OpenPage) -> None:
    page = open_page()
    desk = team(agent("reporter"), agent("checker"), name="desk")
    open_team(page, team(agent("one", tools=[tool("add")]), desk))
    outline(page)
    row(page, "add").hover()
    row(page, "add").get_by_role("button", name="Actions for add").click()
    page.get_by_role("menuitem", name="Move to").click()
    page.keyboard.type("check")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["reporter", "checker"])
    expect(card(page, "checker").locator(".chip", has_text="add")).to_be_visible()
    expect(row(page, "add")).to_be_focused()
    expect(page.locator("#announcer")).to_have_text("Move add")


def test_the_outline_keeps_the_focus_through_every_change(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    outline(page)
    row(page, "two").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Control+d")
    expect(row(page, "two_2")).to_be_focused()
    page.keyboard.press("Delete")
    expect(row(page, "three")).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    expect(names(page)).to_have_text(["one", "three", "two"])
    expect(row(page, "three")).to_be_focused()
    page.keyboard.press("Control+z")
    expect(row(page, "three")).to_be_focused()
    page.keyboard.press("Escape")
    expect(row(page, "Pair")).to_be_focused()


def test_rows_of_the_outline_are_selected_together_by_key_and_by_pointer(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two"), agent("three")))
    outline(page)
    selected = page.locator("[role=treeitem][aria-selected=true]")
    row(page, "one").click()
    row(page, "three").click(modifiers=["Control"])
    expect(selected).to_have_count(2)
    row(page, "one").click()
    expect(selected).to_have_count(1)
    row(page, "two").click(modifiers=["Shift"])
    expect(selected).to_have_count(2)
    page.keyboard.press("Delete")
    expect(names(page)).to_have_text(["three"])
    expect(row(page, "three")).to_be_focused()


def test_where_an_agent_leads_to_is_a_row_that_can_be_removed_and_made_again(open_page: OpenPage) -> None:
    page = open_page()
    swarm = {**team(agent("one", handoffs=["two"]), agent("two")), "provider": "autogen_agentchat.teams.Swarm"}
    open_team(page, swarm)
    outline(page)
    handoff = page.get_by_role("treeitem", name="Handoff from one to two")
    handoff.click()
    page.keyboard.press("Shift+F10")
    page.get_by_role("menuitem", name="Delete", exact=True).click()
    expect(handoff).to_have_count(0)
    expect(row(page, "one")).to_be_focused()
    page.keyboard.press("e")
    page.keyboard.type("two")
    page.keyboard.press("Enter")
    expect(handoff).to_have_attribute("aria-selected", "true")


def test_escape_leaves_a_nested_team_to_its_card(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), team(agent("inner"), name="desk")))
    card(page, "one").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["inner"])
    expect(page.locator(".frame-name")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card(page, "desk")).to_be_focused()


def test_a_key_that_can_do_nothing_says_why(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    page.locator(".frame-name").focus()
    page.keyboard.press("Delete")
    page.keyboard.press("Delete")
    expect(page.locator(".toast")).to_have_count(1)
    expect(page.locator(".toast")).to_contain_text("The team itself cannot be removed.")


def test_the_list_of_keys_shows_what_the_keys_do(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    page.keyboard.press("?")
    expect(
        page.get_by_role("dialog", name="Keyboard shortcuts").get_by_role("row", name=re.compile("^Duplicate"))
    ).to_contain_text("Ctrl+D")
    expect(
        page.get_by_role("dialog", name="Keyboard shortcuts").get_by_role("row", name=re.compile("^Find a command"))
    ).to_have_count(1)
