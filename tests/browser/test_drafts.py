"""Text that cannot be applied yet outlives a reload, and says what it is until it is mended or discarded."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import OpenPage, agent, open_team, team, wait_for_builder

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def reload(page: Page) -> None:
    page.reload(wait_until="domcontentloaded")
    wait_for_builder(page)


def replace_all(page: Page, panel: str, text: str) -> None:
    page.locator(f"{panel} .cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def test_json_that_is_not_valid_yet_is_there_after_a_reload(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer")))
    tab, panel = page.get_by_role("tab", name="JSON"), page.locator("#panel-json")
    tab.click()
    replace_all(page, "#panel-json", '{"provider": "half')
    expect(tab.get_by_text("not applied yet")).to_be_visible()
    reload(page)
    expect(tab.get_by_text("not applied yet")).to_be_visible()
    tab.click()
    expect(panel.locator(".cm-content")).to_contain_text('"half')
    expect(panel.get_by_role("status")).to_contain_text("Not valid JSON")
    panel.get_by_role("button", name="Discard").click()
    expect(panel.locator(".cm-content")).to_contain_text("RoundRobinGroupChat")
    reload(page)
    expect(tab.locator(".badge")).to_be_hidden()


def test_a_script_that_is_refused_is_there_after_a_reload_and_is_applied_once_it_is_mended(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer"), max_turns=5))
    tab, panel = page.get_by_role("tab", name="Python"), page.locator("#panel-python")
    tab.click()
    content = panel.locator(".cm-content")
    expect(content).to_contain_text("def build_team")
    expect(page.locator("#panel-python:not([aria-busy])")).to_be_visible()
    script = str(content.evaluate("node => node.getRootNode().host.text"))
    replace_all(page, "#panel-python", script.replace("max_turns=5", "max_turns=open('x')"))
    expect(tab.get_by_text("not applied yet")).to_be_visible()
    reload(page)
    expect(tab.get_by_text("not applied yet")).to_be_visible()
    tab.click()
    expect(panel.locator(".cm-lint-marker-error")).to_have_count(1)
    replace_all(page, "#panel-python", script.replace("max_turns=5", "max_turns=6"))
    expect(tab.locator(".badge")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(content).to_contain_text("max_turns=5")
