"""Saying something to a team at work, from the box below the conversation."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.playing import MESSAGES, STATE, expect_end, expect_pausing, give_task
from tests.fakes.openai_server import HEADERS, OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

SOON = "The team receives this before the next turn."
TOO_LATE = "Not delivered: the run ended first."


def begin(page: Page, address: str, openai_server: OpenAIServer) -> None:
    """A run whose first model has been asked and thinks."""
    give_task(page, address)
    openai_server.wait_until_held()
    expect(page.locator("[data-command=pause]")).to_be_focused()


def test_a_message_reaches_the_team_before_its_next_turn(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    openai_server.say(Reply("A long poem.", hold=HEADERS), "Too long.", "Short.")
    page = open_page()
    begin(page, pair(5), openai_server)
    page.keyboard.press("r")
    box = page.get_by_role("textbox", name="Message to the team")
    expect(box).to_be_focused()
    page.get_by_label("Attach files").set_input_files(
        {"name": "rules.md", "mimeType": "text/markdown", "buffer": b"Two lines."}
    )
    expect(page.get_by_label("How agents get rules.md")).to_have_value("text")
    box.press_sequentially("Be brief.")
    page.keyboard.press("Enter")
    expect(page.locator(".chat > .turn", has_text="Be brief.")).to_contain_text(SOON)
    expect(box).to_have_value("")
    openai_server.release()
    expect_end(page)
    said = ["Write two lines.", "A long poem.", "Be brief.", "Too long.", "Short."]
    expect(page.locator(MESSAGES)).to_contain_text(said)
    expect(page.get_by_text(SOON)).to_have_count(0)
    told = [str(message["content"]) for message in openai_server.requests[1].body["messages"]]
    assert told[-1].startswith("Be brief.\n\nrules.md:\n```md\nTwo lines.\n```")
    expect(page.locator(MESSAGES).nth(2)).not_to_contain_text("Two lines.")
    expect(page.locator(MESSAGES).nth(2).get_by_role("link", name="rules.md")).to_be_visible()
    page.reload(wait_until="domcontentloaded")
    expect(page.locator(MESSAGES)).to_have_count(5)


def test_what_the_team_did_not_hear_any_more_is_marked(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    openai_server.say(Reply("A poem.", hold=HEADERS), "Brief.")
    page = open_page()
    begin(page, pair(2), openai_server)
    page.get_by_role("textbox", name="Message to the team").fill("Be brief.")
    page.keyboard.press("Enter")
    expect(page.get_by_text(SOON)).to_be_visible()
    openai_server.release()
    expect_end(page)
    expect(page.locator(".chat > .turn", has_text="Be brief.")).to_contain_text(TOO_LATE)
    page.reload(wait_until="domcontentloaded")
    expect(page.get_by_text(TOO_LATE)).to_be_visible()
    page.get_by_role("textbox", name="Task for the team").fill("Be brief.")
    page.keyboard.press("Enter")
    expect(page.locator(MESSAGES)).to_contain_text(["Be brief.", "Brief."])


def test_a_paused_team_hears_it_when_it_goes_on(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    openai_server.say(Reply("A poem.", hold=HEADERS), "Fine.")
    page = open_page()
    begin(page, pair(4), openai_server)
    page.keyboard.press("Space")
    expect_pausing(page)
    openai_server.release()
    expect(page.locator(STATE)).to_have_text("Paused by you")
    page.get_by_role("textbox", name="Message to the team").fill("Rhyme, please.")
    page.keyboard.press("Enter")
    expect(page.get_by_text(SOON)).to_be_visible()
    page.get_by_role("button", name="Resume").click()
    expect_end(page)
    expect(page.locator(MESSAGES)).to_contain_text(["A poem.", "Rhyme, please.", "Fine."])
