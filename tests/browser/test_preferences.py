"""The page of an evaluation tells which answers a judge prefers."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import OpenPage
from tests.web.documents import replay_model
from tests.web.evaluating import added_suite, added_team, over, started

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


@also_narrow
def test_the_page_tells_what_a_judge_prefers(open_page: OpenPage, api: httpx.Client, width_px: int) -> None:
    prefer = [{"question": "Which answer is kinder?", "model": replay_model('{"reason": "x", "preferred": "first"}')}]
    suite_id = added_suite(api, added_team(api, "Good morning.", "Good morning, dear."), prefer=prefer)
    evaluation_id = started(api, suite_id, version=2, against=1, repeats=2)
    over(api, evaluation_id, 60)
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/evaluations/{evaluation_id}")
    preferences = page.get_by_role("region", name="Preferences")
    expect(preferences).to_contain_text("“Which answer is kinder?” Of 4 pairs of answers")
    expect(preferences).to_contain_text("4 are ties, 4 of them by their order alone.")
    expect(preferences.get_by_role("row", name="Which answer is kinder?")).to_contain_text("8 of 8")
    inspection.look("the preferences")
    assert inspection.faults == []
