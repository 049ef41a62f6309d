"""What got worse is confirmed by fresh runs, by pointer and by keyboard."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.evaluating import added_suite, added_team, over, started

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
CONFIRM = "Confirm what got worse"


def worse(api: httpx.Client) -> str:
    """An evaluation whose second version always loses one of two cases."""
    suite_id = added_suite(api, added_team(api, "Good morning and good evening.", "Good morning."))
    first = started(api, suite_id, version=2, against=1, repeats=1)
    over(api, first)
    return first


@also_narrow
def test_what_got_worse_is_confirmed_by_pointer(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    first = worse(api)
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/evaluations/{first}")
    inspection.look("the evaluation")
    page.get_by_role("button", name=CONFIRM).click()
    dialog = page.get_by_role("dialog", name=CONFIRM)
    expect(dialog).to_contain_text("10 fresh runs: 5 of each version for 1 case.")
    inspection.look("the dialog", "dialog[open]")
    dialog.get_by_role("button", name="Start runs").click()
    page.wait_for_url(lambda url: "/evaluations/" in url and first not in url)
    expect(page.locator("[data-sentence]")).to_have_text(
        "Fresh runs confirm 1 of 1 case that got worse.", timeout=30_000
    )
    expect(page.get_by_role("button", name=CONFIRM)).to_have_count(0)
    expect(page.locator("[data-case]")).to_have_count(1)
    inspection.look("the fresh runs")
    page.get_by_role("link", name="another evaluation").click()
    page.wait_for_url(f"**/evaluations/{first}")
    expect(page.locator("[data-sentence]")).to_contain_text("Fresh runs confirm 1 of 1 case that got worse.")
    expect(page.get_by_role("button", name=CONFIRM)).to_have_count(0)
    inspection.look("what was confirmed")
    assert inspection.faults == []


@pytest.mark.extended
def test_what_got_worse_is_confirmed_by_keyboard(open_page: OpenPage, api: httpx.Client) -> None:
    first = worse(api)
    page = open_page()
    page.goto(f"{str(api.base_url).rstrip('/')}/evaluations/{first}")
    button = page.get_by_role("button", name=CONFIRM)
    dialog = page.get_by_role("dialog", name=CONFIRM)
    button.press("Enter")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(button).to_be_focused()
    button.press("Space")
    limit = dialog.get_by_label("Cost limit ($)")
    limit.fill("-1")
    limit.press("Enter")
    expect(dialog).to_be_visible()
    limit.fill("0.5")
    limit.press("Enter")
    page.wait_for_url(lambda url: "/evaluations/" in url and first not in url)
    fresh = page.url.rpartition("/")[2]
    assert over(api, fresh)["usd_limit"] == 0.5
    page.get_by_role("link", name="another evaluation").press("Enter")
    page.wait_for_url(f"**/evaluations/{first}")
    page.get_by_role("link", name="fresh runs").press("Enter")
    page.wait_for_url(f"**/evaluations/{fresh}")
