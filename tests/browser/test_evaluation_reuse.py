"""Recorded answers are reused: what that saves is in view before the start, and what was reused is after it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import NewStudio, OpenPage, StudioServer
from tests.fakes.openai_server import OpenAIServer
from tests.web.evaluating import over, started
from tests.web.reusing import pair, saved, speak

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture
def studio_server(tmp_path: Path, new_studio: NewStudio) -> Iterator[StudioServer]:
    with new_studio(tmp_path / "data", {"OPENAI_API_KEY": "key"}) as server:
        yield server


@also_narrow
def test_a_version_is_evaluated_with_the_answers_of_another_one(
    open_page: OpenPage, api: httpx.Client, openai_server: OpenAIServer, width_px: int
) -> None:
    speak(openai_server)
    suite_id = saved(api, pair(openai_server.url), pair(openai_server.url, critic="Be strict."))
    first = started(api, suite_id, version=1, repeats=2)
    over(api, first)
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/evaluations/{first}")
    page.get_by_role("button", name="Evaluate again").press("Enter")
    dialog = page.get_by_role("dialog", name="Evaluate")
    status = dialog.get_by_role("status")
    dialog.get_by_label("Version").select_option("2")
    dialog.get_by_label("Compare with").select_option("1")
    expect(status).to_contain_text("8 runs of 2 cases.")
    expect(status).not_to_contain_text("reuse")
    dialog.get_by_label("Reuse recorded answers").press("Space")
    expect(status).to_contain_text(
        "8 runs reuse recorded ones: 4 ask nothing and cost nothing; "
        "4 part from them, after 50 % of their cost on average."
    )
    inspection.look("the dialog", "dialog[open]")
    dialog.get_by_role("button", name="Start evaluation").click()
    page.wait_for_url(lambda url: "/evaluations/" in url and first not in url)
    expect(page.locator("[data-sentence]")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("4 of 4 runs of version 1 reuse recorded answers throughout.")).to_be_visible()
    expect(page.get_by_role("link", name="Version 2, Run 1 passed, reused in part")).to_be_visible()
    inspection.look("the result")
    assert inspection.faults == []
    assert openai_server.request_count == 8 + 4
