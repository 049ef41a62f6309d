"""A suite has a scorer in Python; an approver reads its source before it runs."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.evaluating import added_suite, added_team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]
SOURCE = "def score(run, case):\n    return case['target'] in run['answer']"


@also_narrow
def test_a_scorer_in_python_is_read_approved_and_called(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    scorers = [{"python": {"source": SOURCE}}]
    suite_id = added_suite(api, added_team(api, "Good morning."), scorers=scorers)
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/suites/{suite_id}")
    page.get_by_role("button", name="Evaluate", exact=True).press("Enter")
    dialog = page.get_by_role("dialog", name="Evaluate")
    expect(dialog.get_by_role("status")).to_contain_text("The scorers are not approved yet: Runs a scorer of the suite")
    dialog.get_by_label("Runs of each case").fill("1")
    dialog.get_by_label("Runs of each case").press("Enter")
    approval = page.get_by_role("dialog", name="Approve this suite?")
    approval.get_by_role("group").first.locator("summary").press("Enter")
    expect(approval.locator("pre")).to_have_text(SOURCE)
    expect(approval).to_contain_text("Code approved here has no network access.Cancel")
    inspection.look("the approval", "dialog[open]")
    approval.get_by_role("button", name="Approve and evaluate").click()
    page.wait_for_url("**/evaluations/*")
    expect(page.locator("[data-sentence]")).to_contain_text("Version 1 passes 50 %", timeout=30_000)
    assert inspection.faults == []
