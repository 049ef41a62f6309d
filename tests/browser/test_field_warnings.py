"""A warning stands where it is about: at the field, at the line of the JSON, at the line of the script."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import OpenPage, agent, open_team, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

FIELD = '[data-warnings-for="/config/termination_condition"]'


def marked_line(page: Page, panel: str) -> str:
    """The text of the one line that is marked."""
    expect(page.locator(f"{panel} .cm-lint-marker-warning")).to_have_count(1)
    underlined = page.locator(f"{panel} .cm-line:has(.cm-lintRange-warning)")
    return underlined.inner_text().strip()


def test_a_hint_stands_at_its_field_and_at_its_lines_until_it_is_mended(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer"), agent("critic"), termination_condition=None))
    warning = page.locator(FIELD)
    expect(warning).to_contain_text("may run forever")
    page.get_by_role("tab", name="JSON").click()
    assert marked_line(page, "#panel-json").startswith('"termination_condition"')
    page.get_by_role("tab", name="Python").click()
    assert "RoundRobinGroupChat(" in marked_line(page, "#panel-python")
    page.get_by_role("tab", name="Form").click()
    warning.get_by_role("button", name="Add a limit of 20 messages").press("Enter")
    expect(warning).to_be_hidden()
    for name, panel in [("JSON", "#panel-json"), ("Python", "#panel-python")]:
        page.get_by_role("tab", name=name).click()
        expect(page.locator(f"{panel} .cm-content")).to_contain_text("MaxMessageTermination")
        expect(page.locator(f"{panel} .cm-lint-marker-warning")).to_have_count(0)


def test_a_dismissed_warning_leaves_the_field_and_undo_brings_it_back(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("writer"), agent("critic"), termination_condition=None))
    page.locator(FIELD).get_by_role("button", name="Dismiss this warning").click()
    expect(page.locator(FIELD)).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(FIELD)).to_be_visible()
