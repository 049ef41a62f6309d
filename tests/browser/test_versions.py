"""Versions in the builder: named, compared, brought back as a step that can be undone."""

from __future__ import annotations

import httpx
from playwright.sync_api import Page, Route, expect

from tests.browser.building import OpenPage, agent, names, open_team, saved, team


def remove(page: Page, index: int) -> None:
    page.locator(".node[data-card] .node-name").nth(index).click()
    page.locator(".node[data-card]").nth(index).focus()
    page.keyboard.press("Delete")


def test_a_version_is_named_compared_and_comes_back_as_a_step(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one"), agent("two")))
    page.get_by_role("button", name="Versions").click()
    dialog = page.get_by_role("dialog", name="Versions")
    dialog.get_by_role("button", name="Name…").click()
    page.get_by_label("Name", exact=True).last.fill("Both of them")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("button", name="Both of them")).to_contain_text("first version")
    page.keyboard.press("Escape")
    remove(page, 1)
    saved(page, team_id)
    page.get_by_role("button", name="Versions").click()
    dialog.get_by_role("button", name="Both of them").click()
    expect(dialog.locator(".diff-row")).to_have_text(["agent two removed"])
    expect(dialog.get_by_role("button", name="agent two removed")).to_contain_text("You")
    dialog.get_by_role("button", name="Restore").click()
    expect(names(page)).to_have_text(["one", "two"])
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(names(page)).to_have_text(["one"])
    page.get_by_role("button", name="Redo", exact=True).click()
    assert len(saved(page, team_id)["config"]["participants"]) == 2


def test_any_two_versions_are_compared_from_the_keyboard(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one"), agent("two"), agent("three")))
    for _ in range(2):
        remove(page, 1)
        page.keyboard.press("Control+s")
        saved(page, team_id)
    page.keyboard.press("Control+Shift+h")
    dialog = page.get_by_role("dialog", name="Versions")
    expect(dialog.locator("[aria-pressed=true]")).to_be_focused()
    expect(dialog.locator(".diff-row")).to_have_text(["agent three removed"])
    dialog.get_by_label("Compare", exact=True).select_option("1")
    dialog.get_by_label("with", exact=True).select_option("2")
    expect(dialog.locator(".diff-row")).to_have_text(["agent two removed"])
    dialog.get_by_label("with", exact=True).select_option("1")
    expect(dialog.locator("[data-diff]")).to_contain_text("No changes.")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_older_versions_are_shown_by_a_button_and_named_ones_at_once(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one")))
    url = f"/api/teams/{team_id}"
    for number in range(1, 105):
        body = {"component": team(agent(f"a{number}")), "revision": number, "note": f"Change {number}"}
        assert api.put(url, json=body).is_success
    assert api.put(f"{url}/versions/2/title", json={"title": "The second"}).is_success
    page.reload()
    page.get_by_role("button", name="Versions").click()
    dialog = page.get_by_role("dialog", name="Versions")
    expect(dialog.locator(".version")).to_have_count(100)
    dialog.get_by_label("Named only").check()
    expect(dialog.locator(".version-title")).to_have_text(["The second"])
    dialog.get_by_label("Named only").uncheck()
    dialog.get_by_role("button", name="Show older versions").click()
    expect(dialog.locator(".version")).to_have_count(105)
    expect(dialog.locator('[data-number="5"]')).to_be_focused()


def test_a_button_that_is_pressed_before_the_builder_is_ready_is_answered_then(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("one")))
    held: list[Route] = []
    page.route(f"**/api/teams/{team_id}", lambda route: held.append(route))
    with page.expect_request(f"**/api/teams/{team_id}"):
        page.reload()
    page.get_by_role("button", name="Versions").click()
    page.unroute(f"**/api/teams/{team_id}")
    expect(page.get_by_role("dialog", name="Versions").locator(".version")).to_have_count(1)
