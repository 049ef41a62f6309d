"""The page of a suite shows its versions side by side."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.evaluating import added_suite, added_team, over, started

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


@also_narrow
def test_versions_stand_side_by_side(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    suite_id = added_suite(api, added_team(api, "Good morning.", "Good morning and good evening."))
    for version in (1, 2):
        over(api, started(api, suite_id, version=version, repeats=3), 60)
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/suites/{suite_id}")
    matrix = page.get_by_role("group", name="Versions and their models")
    expect(matrix.get_by_role("row", name="Version 2")).to_contain_text("100 %")
    beaten = "Another version passes at least as often and costs no more"
    expect(matrix.get_by_role("row", name="Version 1")).to_contain_text(beaten)
    inspection.look("the versions")
    matrix.get_by_role("link", name="Version 2").press("Enter")
    page.wait_for_url("**/evaluations/*")
    assert inspection.faults == []
