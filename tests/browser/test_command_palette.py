"""The command palette: every action and every part of the team by name, from the keyboard and by pointer."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, agent, call, names, open_team, origin, team, tool, wait_for_builder

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def field(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Commands")


def options(page: Page) -> Locator:
    return page.locator(".chooser [role=option]")


def chosen(page: Page) -> Locator:
    return page.locator(".chooser [role=option][aria-selected=true]")


def test_a_command_is_found_by_name_run_and_comes_first_the_next_time(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Control+k")
    page.keyboard.type("dupl")
    expect(chosen(page)).to_contain_text("Duplicate")
    expect(chosen(page).locator("kbd")).to_have_text("Ctrl+D")
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["one", "two", "two_2"])
    expect(page.locator(".node[data-card]").nth(2)).to_be_focused()
    page.keyboard.press("Control+k")
    expect(options(page).first).to_contain_text("Duplicate")
    expect(page.locator(".chooser-group").first).to_have_text("Recent")


def test_the_header_button_opens_it_and_a_click_runs(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    page.locator(".node[data-card]").first.click()
    page.get_by_role("button", name="Commands").click()
    expect(field(page)).to_be_focused()
    options(page).filter(has_text="Move later").click()
    expect(names(page)).to_have_text(["two", "one"])
    expect(field(page)).to_have_count(0)


def test_what_cannot_be_done_is_there_and_says_why_not(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    page.keyboard.press("Control+k")
    page.keyboard.type("undo")
    expect(chosen(page)).to_have_attribute("aria-disabled", "true")
    expect(chosen(page)).to_contain_text("Nothing to undo.")
    page.keyboard.press("Enter")
    expect(page.locator(".chooser [role=status]")).to_have_text("Nothing to undo.")
    page.keyboard.press("Escape")
    expect(field(page)).to_have_count(0)


def test_an_at_sign_leads_to_an_agent_and_a_number_sign_to_a_tool_in_any_team(open_page: OpenPage) -> None:
    page = open_page()
    desk = team(agent("reporter"), agent("checker", tools=[tool("look_up")]), name="desk")
    open_team(page, team(agent("editor"), desk))
    page.keyboard.press("Control+k")
    page.keyboard.type("@rep")
    expect(options(page)).to_have_count(1)
    page.keyboard.press("Enter")
    expect(names(page)).to_have_text(["reporter", "checker"])
    expect(page.locator(".node[data-card]").first).to_be_focused()
    page.keyboard.press("#")
    expect(field(page)).to_have_value("#")
    page.keyboard.press("End")
    page.keyboard.type("look")
    page.keyboard.press("Enter")
    expect(page.locator(".node .chip[data-kind=tool]")).to_be_focused()
    expect(page.locator("[data-inspector] [data-title]")).to_have_text("look_up")


def test_arrow_keys_move_in_the_list_and_a_screen_reader_hears_which(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one")))
    page.keyboard.press("Control+k")
    first = field(page).get_attribute("aria-activedescendant")
    page.keyboard.press("ArrowDown")
    second = field(page).get_attribute("aria-activedescendant")
    assert first != second
    expect(chosen(page)).to_have_attribute("id", str(second))
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(chosen(page)).to_have_attribute("id", re.compile(r"-[1-9]\d+$"))
    page.keyboard.type("qqqq")
    expect(page.locator(".chooser [role=status]")).to_contain_text("No command, component")
    page.keyboard.press("Escape")
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    expect(page.locator(".node[data-card]").first).to_be_focused()


def test_what_is_behind_an_open_question_stays_as_it_is(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    page.locator(".node[data-card]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Delete")
    expect(names(page)).to_have_text(["one"])
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(names(page)).to_have_text(["one"])


def test_on_a_narrow_screen_it_fits(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    team_id = str(call(page, "POST", "/api/teams", {"component": team(agent("writer"))})["id"])
    page.goto(f"{origin(page)}/teams/{team_id}", wait_until="domcontentloaded")
    wait_for_builder(page)
    page.get_by_role("button", name="Commands").click()
    page.keyboard.type("writer")
    expect(chosen(page)).to_contain_text("writer")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.keyboard.press("Enter")
    expect(page.get_by_role("treeitem", name=re.compile("^writer"))).to_be_focused()


def test_it_opens_teams_and_pages_from_every_page(open_page: OpenPage) -> None:
    page = open_page()
    team_id = call(page, "POST", "/api/teams", {"name": "Quokka desk", "component": team(agent("one"))})["id"]
    page.goto(f"{origin(page)}/costs", wait_until="domcontentloaded")
    page.get_by_role("button", name="Search", exact=True).click()
    expect(field(page)).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("quokka")
    expect(options(page)).to_have_count(1)
    expect(page.locator(".chooser-group")).to_have_text(["Teams"])
    expect(field(page)).to_have_attribute("aria-activedescendant", "chooser-option-0")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/teams/{team_id}")
    wait_for_builder(page)
    page.keyboard.press("Control+k")
    page.keyboard.type("trash")
    expect(chosen(page)).to_contain_text("Trash")
    page.keyboard.press("Enter")
    page.wait_for_url("**/trash")


def test_on_a_phone_a_page_is_found_as_well(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    page.goto(f"{origin(page)}/runs", wait_until="domcontentloaded")
    page.get_by_role("button", name="Search", exact=True).click()
    page.keyboard.type("qqqq")
    expect(page.locator(".chooser [role=status]")).to_have_text("No matches.")
    field(page).fill("galler")
    expect(chosen(page)).to_contain_text("Galleries")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    chosen(page).click()
    page.wait_for_url("**/galleries")
