"""Two runs on one page, each as it happens."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.browser.playing import expect_end, give_task
from tests.fakes.openai_server import OpenAIServer, Reply


@also_narrow
def test_a_run_under_way_is_watched_beside_one_that_has_ended(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str], width_px: int
):
    openai_server.say("The first run says this.")
    page = open_page(width_px)
    address = pair(2)
    give_task(page, address, "Once.")
    expect_end(page, "Finished")
    ended = page.url.rsplit("/", 1)[1]
    openai_server.say(Reply("And the second one says that.", hold=0))
    give_task(page, address, "Twice.")
    openai_server.wait_until_held()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Commands").fill("side by side")
    expect(page.get_by_role("option", name="Open side by side…")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Open side by side with…").fill("Once")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/beside/{ended}")
    first, second = page.locator(".split-view-run").all()
    expect(second).to_contain_text("The first run says this.")
    expect(first.locator("[data-part=state]")).to_have_text("Running")
    openai_server.release()
    expect(first).to_contain_text("And the second one says that.")
    expect(first.locator("[data-part=state]")).to_have_text("Finished")
    inspection = Inspection(page)
    inspection.look("runs side by side")
    assert inspection.faults == []
    page.get_by_text("+ raw").click()
    expect(page.locator(".split-view-run:has(.raw-entry)")).to_have_count(2)
