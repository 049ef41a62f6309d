"""Notifications of the browser: asked for by a press, and told to who looks elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import cast

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import STATE, expect_end, give_task
from tests.fakes.model_server import HEADERS
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.web.documents import ASK, shouting

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

# A headless browser shows none, so they are noted instead, and the tab is in the background when the test says so.
BACKGROUND = """
window.isAway = false
Object.defineProperty(document, 'hidden', { get: () => window.isAway })
window.leave = (isAway) => { window.isAway = isAway; document.dispatchEvent(new Event('visibilitychange')) }
window.shown = []
window.first = new Promise((resolve) => { window.tell = resolve })
window.asked = 0
window.Notification = class {
  static get permission() { return sessionStorage.getItem('permission') ?? 'default' }
  static async requestPermission() {
    window.asked += 1
    sessionStorage.setItem('permission', 'granted')
    return 'granted'
  }
  constructor(title, { body }) { window.shown.push([title, body]); window.newest = this; window.tell() }
  close() {}
}
"""


# Waits until the end of a run counts as told.
TOLD = """() => new Promise((resolve) => {
  const isTold = () => (localStorage.getItem('studio-notified') ?? '').includes('end ')
  const look = () => (isTold() ? resolve() : requestAnimationFrame(look))
  look()
})"""


def noting(open_page: OpenPage) -> Page:
    page = open_page(is_new=True)
    page.context.add_init_script(BACKGROUND)
    return page


def notified(page: Page) -> list[list[str]]:
    return cast("list[list[str]]", page.evaluate("window.shown"))


def first_notified(page: Page) -> list[list[str]]:
    return cast("list[list[str]]", page.evaluate("window.first.then(() => window.shown)"))


def turn_on(page: Page) -> None:
    page.get_by_role("button", name="More for this run").click()
    page.get_by_role("menuitem", name="Turn notifications on or off").click()
    expect(page.get_by_role("status").filter(has_text="Notifications are on in this browser.")).to_be_visible()


def test_the_end_of_a_run_reaches_a_tab_in_the_background_once_it_was_asked_for(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("Old leaves fall.", hold=HEADERS))
    page = noting(open_page)
    give_task(page, pair(2), "Write of autumn.")
    openai_server.wait_until_held()
    assert page.evaluate("window.asked") == 0
    turn_on(page)
    assert page.evaluate("window.asked") == 1
    page.evaluate("leave(true)")
    openai_server.release()
    expect_end(page)
    [(title, body)] = first_notified(page)
    assert title.endswith("finished")
    assert body == "Write of autumn."


def test_who_sees_the_end_is_not_notified_of_it_and_who_did_not_ask_never(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("One.", hold=HEADERS), "Two.")
    page = noting(open_page)
    give_task(page, pair(2))
    openai_server.wait_until_held()
    turn_on(page)
    openai_server.release()
    expect_end(page)
    page.evaluate(TOLD)
    assert notified(page) == []
    with page.expect_response("**/api/inbox"):
        page.evaluate("leave(true)")
    assert notified(page) == []


def test_a_question_of_any_run_leads_to_it(open_page: OpenPage, api: httpx.Client, make_team: MakeTeam) -> None:
    page = noting(open_page)
    page.goto(f"{api.base_url}/settings")
    switch = page.get_by_role("button", name="Notify me")
    expect(switch).to_have_attribute("aria-pressed", "false")
    with page.expect_response("**/api/inbox"):
        switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    page.evaluate("leave(true)")
    team_id = make_team(shouting()).split("/")[-2]
    assert api.put(f"/api/teams/{team_id}/policy", json=ASK).status_code == 200
    start = {"team_id": team_id, "task": "Go."}
    missing = api.post("/api/runs", json=start).json()["missing"]
    api.post("/api/approvals", json={"hashes": [each["hash"] for each in missing]})
    run_id = api.post("/api/runs", json=start).json()["id"]
    other = open_page()
    other.goto(f"{api.base_url}/runs/{run_id}", wait_until="domcontentloaded")
    expect(other.locator(STATE)).to_have_text("Waiting for your approval")
    page.evaluate("document.dispatchEvent(new CustomEvent('inbox:change'))")
    [(title, _)] = first_notified(page)
    assert title.endswith("asks to call a tool")
    page.evaluate("window.newest.onclick()")
    page.wait_for_url(f"**/runs/{run_id}")
    page.goto(f"{api.base_url}/inbox")
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert json.loads(cast("str", page.evaluate("localStorage.getItem('studio-notifications')"))) == []
