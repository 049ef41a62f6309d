"""An evaluation is planned, watched and looked into, by pointer and by keyboard."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.evaluating import added_suite, added_team, over, started

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


def address(api: httpx.Client, evaluation_id: str) -> str:
    return f"{str(api.base_url).rstrip('/')}/evaluations/{evaluation_id}"


def test_an_evaluation_is_started_watched_and_looked_into(open_page: OpenPage, api: httpx.Client) -> None:
    team_id = added_team(api, "Good morning and good evening.", "Good morning.")
    first = started(api, added_suite(api, team_id), version=2, repeats=1)
    over(api, first)
    page = open_page()
    page.goto(address(api, first))
    expect(page.locator("[data-sentence]")).to_contain_text("Version 2 passes 50 %")
    page.get_by_role("button", name="Evaluate again").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Evaluate")
    expect(dialog.get_by_role("status")).to_contain_text("2 runs of 2 cases.")
    dialog.get_by_label("Compare with").select_option("2")
    expect(dialog.get_by_role("alert")).to_contain_text("Both are version 2.")
    dialog.get_by_label("Compare with").select_option("1")
    dialog.get_by_label("Runs of each case").fill("3")
    expect(dialog.get_by_role("status")).to_contain_text("12 runs of 2 cases.")
    dialog.get_by_label("Runs of each case").press("Enter")
    page.wait_for_url(lambda url: "/evaluations/" in url and first not in url)
    expect(page.locator("[data-sentence]")).to_contain_text("these cases cannot tell", timeout=30_000)
    expect(page.get_by_role("button", name="Cancel", exact=True)).to_be_hidden()
    page.get_by_role("link", name="Got worse 1").press("Enter")
    page.wait_for_url("**?group=worse")
    expect(page.locator("[data-case]")).to_have_count(1)
    page.get_by_role("link", name="Version 2, Run 1 failed").click()
    expect(page.get_by_text("Run 1 of evening in an evaluation of greetings")).to_be_visible()
    page.get_by_role("link", name="evaluation of greetings").press("Enter")
    page.wait_for_url(lambda url: "/evaluations/" in url and first not in url)
    page.get_by_role("link", name="Got worse 1").press("Enter")
    page.get_by_role("link", name="Compare runs of evening").press("Enter")
    page.wait_for_url("**/runs/*/compare/*")
    expect(page.get_by_role("heading", name="Compare runs")).to_be_visible()


def test_a_suite_is_evaluated_from_its_page(open_page: OpenPage, api: httpx.Client) -> None:
    suite_id = added_suite(api, added_team(api, "Good morning."))
    page = open_page()
    page.goto(f"{str(api.base_url).rstrip('/')}/suites/{suite_id}")
    evaluations = page.get_by_role("region", name="Evaluations")
    expect(evaluations).to_contain_text("No evaluations yet.")
    evaluations.get_by_role("button", name="Evaluate").press("Enter")
    page.get_by_role("dialog", name="Evaluate").get_by_role("button", name="Start evaluation").press("Enter")
    page.wait_for_url("**/evaluations/*")
    expect(page.locator("[data-sentence]")).to_have_text("Version 1 passes 50 % (9–91).", timeout=30_000)
    page.get_by_role("link", name="greetings").click()
    page.wait_for_url(f"**/suites/{suite_id}")
    expect(evaluations.get_by_role("row", name="Version 1")).to_contain_text("Version 1 passes 50 % (9–91).")


def test_an_evaluation_is_canceled(open_page: OpenPage, api: httpx.Client) -> None:
    evaluation_id = started(api, added_suite(api, added_team(api, "Good morning.")), repeats=100, at_once=1)
    page = open_page()
    page.goto(address(api, evaluation_id))
    expect(page.get_by_role("progressbar", name="Runs that are done")).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel evaluation").click()
    expect(page.get_by_text("there is no result")).to_be_visible(timeout=20_000)


@also_narrow
def test_the_page_is_accessible(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    team_id = added_team(api, "Good morning and good evening.", "Good morning.")
    found = over(api, started(api, added_suite(api, team_id), version=2, against=1, repeats=2))
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(address(api, found["id"]))
    inspection.look("an evaluation")
    page.get_by_role("button", name="Evaluate again").click()
    expect(page.get_by_role("dialog", name="Evaluate").get_by_role("status")).to_contain_text("runs of 2 cases.")
    inspection.look("the dialog", "dialog[open]")
    assert inspection.faults == []
