"""A judge is added to a suite, approved and asked, by pointer and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.accessibility import Inspection, also_narrow
from tests.browser.conftest import NewStudio, OpenPage, StudioServer
from tests.fakes.openai_server import OpenAIServer
from tests.web.judging import judge_model, speak_and_judge
from tests.web.reusing import pair, saved

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


@pytest.fixture
def studio_server(tmp_path: Path, new_studio: NewStudio) -> Iterator[StudioServer]:
    with new_studio(tmp_path / "data", {"OPENAI_API_KEY": "key", "JUDGE_KEY": "key"}) as server:
        yield server


@also_narrow
def test_a_judge_is_added_approved_and_asked(
    open_page: OpenPage, api: httpx.Client, openai_server: OpenAIServer, width_px: int
) -> None:
    speak_and_judge(openai_server)
    suite_id = saved(api, pair(openai_server.url))
    connection = {"name": "Checker", "component": judge_model(openai_server.url)}
    api.post("/api/connections", json=connection).raise_for_status()
    inspection = Inspection(open_page(width_px))
    page = inspection.page
    page.goto(f"{str(api.base_url).rstrip('/')}/suites/{suite_id}")
    page.get_by_role("button", name="Add scorer").press("Enter")
    scorer = page.get_by_role("dialog", name="Scorer", exact=True)
    scorer.get_by_label("What is judged").select_option("judge")
    scorer.get_by_label("Criteria").fill("Greets.")
    scorer.get_by_label("Connection").fill("Checker")
    inspection.look("the scorer", "dialog[open]")
    scorer.get_by_role("button", name="Save scorer").press("Enter")
    expect(page.get_by_text("A judge finds: “Greets.”.")).to_be_visible()
    page.get_by_role("button", name="Evaluate", exact=True).press("Enter")
    dialog = page.get_by_role("dialog", name="Evaluate")
    expect(dialog.get_by_role("status")).to_contain_text("Judges are asked 6 times, within the cost limit.")
    expect(dialog.get_by_role("status")).to_contain_text("The judge asks gpt-4o, which the team asks, too.")
    expect(dialog.get_by_role("status")).to_contain_text("The scorers are not approved yet")
    inspection.look("the dialog", "dialog[open]")
    dialog.get_by_label("Runs of each case").fill("1")
    dialog.get_by_label("Runs of each case").press("Enter")
    approval = page.get_by_role("dialog", name="Approve this judge?")
    expect(approval).to_contain_text("env:JUDGE_KEY")
    inspection.look("the approval")
    assert openai_server.request_count == 0
    approval.get_by_role("button", name="Approve and evaluate").click()
    page.wait_for_url("**/evaluations/*")
    expect(page.locator("[data-sentence]")).to_contain_text("Version 1 passes 50 %", timeout=30_000)
    assert openai_server.request_count == 6
    page.get_by_role("link", name="Label runs").press("Enter")
    page.wait_for_url("**/labels")
    page.keyboard.press("f")
    page.get_by_role("link", name="See it or change it").press("Enter")
    page.get_by_role("link", name="Open the judge’s run").press("Enter")
    page.wait_for_url("**/runs/*")
    judged = page.get_by_text("A judge of run 1 of")
    expect(judged.get_by_role("link", name="run 1 of")).to_have_attribute("href", re.compile("^/runs/"))
    inspection.look("the run of a judge")
    judged.get_by_role("link", name="evaluation of greetings").press("Enter")
    page.wait_for_url("**/evaluations/*")
    labels = page.get_by_role("region", name="Labels")
    expect(labels).to_contain_text("1 run labeled.")
    expect(labels).to_contain_text("A judge finds: “Greets.”")
    labels.get_by_text("1 disagreement").last.press("Enter")
    inspection.look("how the judge agrees")
    labels.get_by_role("link", name=", run 1").last.click()
    page.wait_for_url("**/labels?cell=*")
    assert inspection.faults == []
