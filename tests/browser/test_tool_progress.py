"""Calls of tools that take long: how long, what they tell, and what a person decided about them."""

from __future__ import annotations

import json
import re

import httpx
import pytest
from playwright.sync_api import expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import STATE, expect_end, give_task
from tests.web.documents import ASK, SOURCE, shouting

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

COUNTING = """import time
def shout(text: str) -> str:
    row = 0
    while True:
        row += 1
        print("row", row)
        time.sleep(0.05)
"""


def counting() -> JsonObject:
    """The same team, with a tool that never ends."""
    return json.loads(json.dumps(shouting()).replace(json.dumps(SOURCE), json.dumps(COUNTING)))


def test_a_call_under_way_says_how_long_it_takes_and_what_it_printed_last(
    open_page: OpenPage, make_team: MakeTeam
) -> None:
    page = open_page()
    give_task(page, make_team(counting()))
    call = page.locator(".tool-call")
    expect(call).to_have_attribute("data-state", "open")
    expect(page.locator(".tool-output")).to_have_text(re.compile(r"^row \d+$"))
    expect(call.locator("[data-call-since]")).to_have_text(re.compile(r"^\d+ s$"))
    page.reload(wait_until="domcontentloaded")
    expect(page.locator(".tool-output")).to_have_text(re.compile(r"^row \d+$"))
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect_end(page, "Cancelled")
    expect(page.locator(".tool-output")).to_have_count(0)


def test_a_call_waits_for_its_decision_and_shows_what_it_was_called_with(
    open_page: OpenPage, make_team: MakeTeam, api: httpx.Client
) -> None:
    page = open_page()
    address = make_team(shouting())
    assert api.put(f"/api/teams/{address.split('/')[-2]}/policy", json=ASK).status_code == 200
    give_task(page, address)
    expect(page.locator(STATE)).to_have_text("Waiting for your approval")
    call = page.locator(".tool-call")
    expect(call).to_contain_text("waits for a decision")
    pending = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}").json()["pending"]
    data = {"hash": pending["details"]["hash"], "verdict": "allow", "arguments": {"text": "bye"}}
    body = {"command": "decide", "request_id": pending["request_id"], "data": data}
    run_id = page.url.rsplit("/", 1)[1]
    assert api.post(f"/api/runs/{run_id}/commands", json=body).status_code == 200
    expect_end(page)
    for _ in range(2):
        expect(call).to_have_attribute("data-state", "ok")
        expect(call.locator("summary")).to_contain_text('text: "bye"')
        call.locator("summary").click()
        expect(call).to_contain_text("Arguments, changed by a person")
        expect(call).to_contain_text("Arguments, as the model wrote them")
        page.reload(wait_until="domcontentloaded")
