"""Runs of an evaluation are labeled by keyboard and by pointer."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.evaluating import added_suite, added_team, over, started

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
PROGRESS = "[data-progress]"


def labels(api: httpx.Client, evaluation_id: str) -> list[tuple[str, str]]:
    found = api.get(f"/api/evaluations/{evaluation_id}/labels").json()["labels"]
    return [(each["verdict"], each["note"]) for each in found]


def opened(page: Page, api: httpx.Client, repeats: int) -> str:
    """The ID of an evaluation whose labels the page shows."""
    evaluation_id = started(api, added_suite(api, added_team(api, "Good morning.")), repeats=repeats, at_once=16)
    over(api, evaluation_id, 60)
    page.goto(f"{str(api.base_url).rstrip('/')}/evaluations/{evaluation_id}")
    page.get_by_role("link", name="Label runs").press("Enter")
    page.wait_for_url("**/labels")
    return evaluation_id


@pytest.mark.extended
def test_twenty_runs_are_labeled_by_keyboard(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    evaluation_id = opened(page, api, 10)
    page.keyboard.press("n")
    page.keyboard.type("Too short; stops.")
    assert labels(api, evaluation_id) == [], "keys belong to the note while it is written"
    page.keyboard.press("Escape")
    for number, key in enumerate("fpsp" * 5, 1):
        page.keyboard.press(key)
        expect(page.locator(PROGRESS)).to_have_text(f"{number} labeled by you, {20 - number} to go.")
    expect(page.get_by_role("heading", name="No run waits for a label")).to_be_focused()
    given = labels(api, evaluation_id)
    assert given[0] == ("fail", "Too short; stops.")
    assert [verdict for verdict, _ in given] == ["fail", "pass", "skip", "pass"] * 5
    page.keyboard.press("b")
    expect(page.locator("[data-scores]")).to_be_visible()
    expect(page.locator("[data-given]")).to_contain_text("Pass")
    page.keyboard.press("f")
    expect(page.get_by_role("heading", name="No run waits for a label")).to_be_focused()
    assert labels(api, evaluation_id)[-1] == ("fail", "")


@also_narrow
def test_runs_are_labeled_by_pointer(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    evaluation_id = opened(page, api, 1)
    inspection.look("a run to label")
    page.get_by_label("Why").fill("Greets.")
    page.get_by_role("button", name="Pass").click()
    expect(page.locator(PROGRESS)).to_have_text("1 labeled by you, 1 to go.")
    inspection.look("the next one")
    page.get_by_role("link", name="See it or change it").click()
    expect(page.locator("[data-given]")).to_contain_text("Greets.")
    inspection.look("a labeled one")
    page.get_by_role("button", name="Skip").click()
    expect(page.locator("[data-given]")).to_have_count(0)
    page.get_by_role("button", name="Fail").click()
    expect(page.get_by_role("heading", name="No run waits for a label")).to_be_visible()
    inspection.look("all labeled")
    assert labels(api, evaluation_id) == [("pass", "Greets."), ("skip", ""), ("fail", "")]
    assert inspection.faults == []
