"""The team as Python: the same document as form and JSON, edited as a script that is never executed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import OpenPage, agent, open_team, saved, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def python(page: Page) -> Locator:
    """The editor of the script, once it shows the team."""
    page.get_by_role("tab", name="Python").click()
    content = page.locator("#panel-python .cm-content")
    expect(content).to_contain_text("def build_team")
    expect(page.locator("#panel-python:not([aria-busy])")).to_be_visible()
    return content


def script(content: Locator) -> str:
    return str(content.evaluate("node => node.getRootNode().host.text"))


def write(page: Page, content: Locator, old: str, new: str) -> None:
    """Replace a passage as a person would who pastes the whole script."""
    text = script(content)
    assert old in text
    content.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text.replace(old, new))


def test_an_edit_of_the_script_is_an_edit_of_the_team(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic")))
    content = python(page)
    write(page, content, 'name="critic"', 'name="editor"')
    expect(page.locator(".node[data-card] .node-name")).to_have_text(["writer", "editor"])
    assert [each["config"]["name"] for each in saved(page, team_id)["config"]["participants"]] == ["writer", "editor"]
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".node[data-card] .node-name")).to_have_text(["writer", "critic"])
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    expect(content).to_contain_text("critic")
    page.get_by_role("button", name="Redo").click()
    expect(content).to_contain_text("editor")


def test_what_an_edit_does_not_touch_stays_as_it_was(open_page: OpenPage) -> None:
    page = open_page()
    written = team(agent("writer"), agent("critic"), max_turns=5)
    team_id = open_team(page, written)
    write(page, python(page), "max_turns=5", "max_turns=6")
    assert saved(page, team_id) == {**written, "config": {**written["config"], "max_turns": 6}}


def test_a_line_that_is_not_read_is_marked_and_changes_nothing(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    content = python(page)
    write(page, content, "def build_team", "open('/etc/passwd')\n\n\ndef build_team")
    panel = page.locator("#panel-python")
    expect(panel.get_by_role("status")).to_contain_text("Not applied, so the team is unchanged. Line")
    expect(panel.locator(".cm-lint-marker-error")).to_have_count(1)
    expect(page.get_by_role("tab", name="Python")).to_contain_text("not applied")
    panel.get_by_role("button", name="Go to error").click()
    expect(panel.locator(".cm-activeLine")).to_contain_text("open('/etc/passwd')")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    panel.get_by_role("button", name="Discard").click()
    expect(content).not_to_contain_text("passwd")
    expect(panel.locator(".cm-lint-marker-error")).to_have_count(0)


def test_a_wrong_value_is_marked_at_its_line_and_at_its_field(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), max_turns=5))
    write(page, python(page), "max_turns=5", 'max_turns="many"')
    panel = page.locator("#panel-python")
    marker = panel.locator(".cm-lint-marker-error")
    expect(marker).to_have_count(1)
    page.get_by_role("tab", name="Form").click()
    expect(page.locator('[data-error-for="/config/max_turns"]')).to_contain_text("must be a whole number")
    page.get_by_role("tab", name="JSON").click()
    expect(page.locator("#panel-json .cm-lint-marker-error")).to_have_count(1)
    page.get_by_role("tab", name="Python").click()
    expect(marker).to_have_count(1)
    write(page, panel.locator(".cm-content"), 'max_turns="many"', "max_turns=7")
    expect(marker).to_have_count(0)


def test_a_form_edit_is_shown_in_the_script(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    content = python(page)
    page.get_by_role("tab", name="Form").click()
    page.get_by_text("More options").click()
    page.get_by_label("Max turns").fill("9")
    page.get_by_role("tab", name="Python").click()
    expect(content).to_contain_text("max_turns=9")


def test_a_comment_that_will_be_lost_is_told(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer")))
    write(page, python(page), "def build_team", "# Mine.\ndef build_team")
    marker = page.locator("#panel-python .cm-lint-marker-warning")
    expect(marker).to_have_count(1)
    marker.hover()
    expect(page.locator("#panel-python .cm-tooltip")).to_contain_text("Comments are not part of a team")


def test_the_words_of_the_author_come_back_with_redo(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), max_turns=5))
    content = python(page)
    write(page, content, "max_turns=5", "max_turns=(  # Mine.\n            6)")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    page.get_by_role("button", name="Undo").click()
    expect(content).not_to_contain_text("# Mine.")
    page.get_by_role("button", name="Redo").click()
    expect(content).to_contain_text("# Mine.")
