"""Teams are kept in order in their list: by pointer, by keyboard, and undone."""

from __future__ import annotations

import re

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import agent, origin, team
from tests.browser.conftest import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def make(api: httpx.Client, *names: str) -> None:
    for name in names:
        component = team(agent("one"))
        api.post("/api/teams", json={"name": name, "component": component}).raise_for_status()


def rows(page: Page, text: str) -> list[str]:
    found = page.locator("[data-list] [data-row]").filter(has_text=text)
    return [str(row.get_attribute("data-name")) for row in found.all()]


def test_teams_are_renamed_starred_and_tagged_in_the_list(open_page: OpenPage, api: httpx.Client) -> None:
    make(api, "Newt one", "Newt two", "Newt three")
    page = open_page()
    page.goto(f"{origin(page)}/teams?search=newt")
    page.get_by_role("button", name="More for Newt one").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Name", exact=True).fill("Newt prime")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Newt prime", exact=True)).to_be_focused()

    page.keyboard.press("F2")
    page.keyboard.type("Newt lost")
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Newt prime", exact=True)).to_be_focused()
    star = page.get_by_role("button", name="Star Newt two")
    star.focus()
    page.keyboard.press("Enter")
    expect(star).to_have_attribute("aria-pressed", "true")

    for name in ("Newt two", "Newt three"):
        page.get_by_label(f"Select {name}").check()
    page.get_by_role("toolbar", name="Selected teams").get_by_role("button", name="Tags…").click()
    page.get_by_role("textbox", name="Tags").fill("pond, wet")
    page.keyboard.press("Enter")
    expect(page.locator("a.tag", has_text="pond")).to_have_count(2)
    page.locator("a.tag", has_text="pond").first.click()
    expect(page.locator("[data-row]")).to_have_count(2)
    page.get_by_label("Starred").check()
    expect(page.locator("[data-row]")).to_have_count(1)
    assert rows(page, "Newt") == ["Newt two"]


def test_deleted_teams_come_back_by_undo_and_from_the_trash(open_page: OpenPage, api: httpx.Client) -> None:
    make(api, "Toad one", "Toad two")
    page = open_page()
    page.goto(f"{origin(page)}/teams?search=toad")
    page.get_by_label("Select Toad one").focus()
    page.keyboard.press("Space")
    page.get_by_label("Select Toad two").check()
    page.get_by_role("toolbar", name="Selected teams").get_by_role("button", name="Delete").click()
    expect(page.locator("[data-row]")).to_have_count(0)
    expect(page.locator(".toast")).to_contain_text("2 teams moved to the trash.")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("[data-row]")).to_have_count(2)

    page.get_by_role("button", name="More for Toad one").click()
    expect(page.locator(".menu:popover-open .menu-item").first).to_be_focused()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    page.get_by_role("link", name="Trash").click()
    page.get_by_role("button", name="Restore Toad one").click()
    expect(page.get_by_role("button", name="Restore Toad one")).to_have_count(0)
    page.goto(f"{origin(page)}/teams?search=toad")
    expect(page.locator("[data-row]")).to_have_count(2)

    page.get_by_role("button", name="More for Toad two").click()
    page.get_by_role("button", name="Archive").click()
    expect(page.locator("[data-row]")).to_have_count(1)
    page.get_by_label("Show").select_option("archived")
    expect(page).to_have_url(re.compile("listing=archived"))
    expect(page.get_by_role("link", name="Toad two", exact=True)).to_be_visible()


def test_the_trash_is_emptied_after_a_question(open_page: OpenPage, api: httpx.Client) -> None:
    make(api, "Frog")
    frog = next(each["id"] for each in api.get("/api/teams?search=frog").json())
    api.post("/api/teams/bulk", json={"ids": [frog], "listing": "trashed"}).raise_for_status()
    page = open_page(390, 844)
    page.goto(f"{origin(page)}/trash")
    page.get_by_role("button", name="Empty trash…").click()
    page.get_by_role("button", name="Empty trash", exact=True).click()
    expect(page.get_by_role("heading", name="The trash is empty")).to_be_visible()
    assert api.post("/api/teams/bulk", json={"ids": [frog], "listing": "active"}).json() == {"moved": []}
    assert page.evaluate("document.documentElement.scrollWidth") == 390
