"""A release whose evaluation is missing goes live only with the reason of an admin."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.evaluating import added_suite, added_team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


@also_narrow
def test_a_gate_is_overridden_with_a_reason(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    name = f"greet-{width_px}"
    team_id = added_team(api, "Good morning.", "Good evening.")
    api.post("/api/deployments", json={"name": name, "team_id": team_id}).raise_for_status()
    api.post(f"/api/deployments/{name}/releases", json={}).raise_for_status()
    added_suite(api, team_id, gate={"releases": True, "at_least": 70})
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/deployments/{name}/releases/2")
    expect(page.get_by_role("region", name="Required evaluations")).to_contain_text("has no finished evaluation")
    inspection.look("the release")
    page.get_by_role("button", name="Make live").click()
    page.get_by_role("dialog").get_by_role("button", name="Make live").click()
    dialog = page.get_by_role("dialog", name="Override the gate?")
    expect(dialog).to_be_visible()
    inspection.look("the reason", "dialog[open]")
    dialog.get_by_label("Reason").fill("The judge is down.")
    dialog.get_by_role("button", name="Override gate").press("Enter")
    expect(page.get_by_role("row", name="Release 2 Live")).to_be_visible()
    assert api.get(f"/api/deployments/{name}").json()["live"] == 2
    assert inspection.faults == []
