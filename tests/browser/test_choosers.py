"""What the builder offers to put into a place: one entry for each thing, found by the words that people use."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import OpenPage, agent, open_team, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


def open_chooser(page: Page, slot: str) -> None:
    page.locator(f'#panel-form .form-slot-add[data-pointer="{slot}"]').click()
    expect(page.locator(".chooser-input")).to_be_focused()


def search(page: Page, words: str) -> None:
    page.locator(".chooser-input").fill(words)


def test_each_condition_is_offered_once_and_said_in_a_sentence(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("writer"), termination_condition=None))
    open_chooser(page, "/config/termination_condition")
    expect(page.locator(".chooser-group")).to_have_text(["Termination conditions", "Advanced"])
    plain = page.locator(".chooser-group", has_text="Advanced").locator("xpath=preceding-sibling::*[@role='option']")
    expect(plain.filter(has_text="Text mention")).to_have_count(1)
    expect(plain.filter(has_text="Text mention")).to_contain_text(
        "Stop when a message contains a word, such as TERMINATE."
    )
    for words in ("text", "keyword"):
        search(page, words)
        expect(page.locator(".chooser-option .chooser-label").first).to_have_text("Text mention")
    search(page, "TextMentionTermination")
    expect(page.locator(".chooser-option")).to_have_count(2)


def test_python_finds_the_python_function_first(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, agent("writer"))
    open_chooser(page, "/config/tools")
    expect(page.get_by_role("combobox", name="Add a tool")).to_be_focused()
    search(page, "python")
    expect(page.locator(".chooser-option .chooser-label").first).to_have_text("Python function")
