"""What runs of a team may spend, set where the team is built."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.building import OpenPage, agent, limit, open_team, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_limits_are_set_by_keyboard_and_kept_beside_the_team(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic"), termination_condition=limit(4)))
    page.keyboard.press("Control+k")
    page.keyboard.type("spending")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Limits")
    dialog.get_by_label("Each run, us dollars").fill("-1")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("takes a number of 0 or more")
    dialog.get_by_label("Each run, us dollars").fill("0.5")
    dialog.get_by_label("critic, turns").fill("3")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Limits of the team saved.")).to_be_visible()
    expect(dialog).to_be_hidden()
    own = api.get(f"/api/teams/{team_id}/budget").json()["own"]
    assert (own["run"]["micro_usd"], own["agents"]["critic"]["turns"]) == (500_000, 3)

    page.get_by_role("button", name="Limits").click()
    expect(dialog.get_by_label("Each run, us dollars")).to_have_value("0.5")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Limits")).to_be_focused()


def test_on_a_phone_limits_versions_and_downloads_are_in_a_menu(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    open_team(page, team(agent("writer"), termination_condition=limit(4)))
    more = page.get_by_role("button", name="More", exact=True)
    for words, title in (("Limits…", "Limits"), ("Versions…", "Versions")):
        more.focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name=words).press("Enter")
        dialog = page.get_by_role("dialog", name=title)
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(page.locator("#more")).to_be_hidden()
        expect(more).to_be_focused()
    more.click()
    with page.expect_download() as download:
        page.locator("#more").get_by_text("Download JSON").click()
    assert download.value.suggested_filename.endswith(".json")
