"""Somebody else changes the team while one types or drags: what was begun goes to its own part, or ends."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, agent, names, open_team, origin, saved, team, wait_for_builder


def card(page: Page, name: str) -> Locator:
    return page.locator(".node[data-card]").filter(has=page.get_by_text(name, exact=True))


def open_two(open_page: OpenPage) -> tuple[Page, Page, str]:
    one, other = open_page(), open_page()
    team_id = open_team(one, team(agent("writer"), agent("critic"), agent("editor")))
    other.goto(f"{origin(other)}/teams/{team_id}", wait_until="domcontentloaded")
    wait_for_builder(other)
    return one, other, team_id


def remove_writer(page: Page) -> None:
    card(page, "writer").locator(".node-name").click()
    page.keyboard.press("Delete")
    page.keyboard.press("Control+s")
    expect(page.locator("[data-save-state]")).to_have_attribute("data-state", "saved")


def look_for_changes(page: Page) -> None:
    page.evaluate("dispatchEvent(new Event('focus'))")
    expect(page.locator(".node[data-card]")).to_have_count(2)


def test_typing_goes_on_in_the_same_agent_when_one_before_it_is_removed(open_page: OpenPage) -> None:
    one, other, team_id = open_two(open_page)
    card(one, "critic").locator(".node-name").click()
    expect(one.get_by_label("Name", exact=True)).to_have_value("critic")
    remove_writer(other)
    one.get_by_label("Description", exact=True).focus()
    one.keyboard.press("End")
    one.evaluate("addEventListener('form:shown', () => document.documentElement.setAttribute('data-drawn', ''))")
    look_for_changes(one)
    one.keyboard.type(" Mo")
    expect(one.locator("html[data-drawn]")).to_be_attached()
    one.keyboard.type("re.")
    expect(one.get_by_label("Name", exact=True)).to_have_value("critic")
    expect(one.get_by_label("Description", exact=True)).to_have_value("The critic. More.")
    one.keyboard.press("Control+s")
    expect(one.locator("[data-save-state]")).to_have_attribute("data-state", "saved")
    members = saved(one, team_id)["config"]["participants"]
    assert [each["config"]["description"] for each in members] == ["The critic. More.", "The editor."]


def test_a_drag_ends_when_the_team_changes_under_it(open_page: OpenPage) -> None:
    one, other, _team_id = open_two(open_page)
    remove_writer(other)
    box = card(one, "editor").locator(".node-name").bounding_box()
    assert box is not None
    one.mouse.move(box["x"] + 10, box["y"] + 5)
    one.mouse.down()
    one.mouse.move(box["x"] - 900, box["y"] + 5, steps=6)
    expect(one.locator(".ghost")).to_be_visible()
    look_for_changes(one)
    expect(one.locator(".ghost")).to_have_count(0)
    one.mouse.up()
    expect(names(one)).to_have_text(["critic", "editor"])
