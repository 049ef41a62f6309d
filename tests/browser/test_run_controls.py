"""The buttons and keys that control a run, as their user sees them."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.playing import (
    MESSAGES,
    STATE,
    expect_end,
    expect_pausing,
    give_task,
    logged_messages,
    shown_messages,
)
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def paused_after_first_answer(page: Page, openai_server: OpenAIServer, address: str) -> Page:
    """A run that was paused while its first answer was on the way."""
    openai_server.say(Reply("one", hold=0))
    give_task(page, address)
    openai_server.wait_until_held()
    expect(page.locator(STATE)).to_have_text("Running")
    page.keyboard.press("Space")
    expect_pausing(page)
    openai_server.release()
    expect(page.locator(STATE)).to_have_text("Paused by you")
    return page


def test_pause_holds_step_gives_one_message_and_stop_ends_after_the_turn(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str], api: httpx.Client
) -> None:
    page = paused_after_first_answer(open_page(), openai_server, pair(50))
    expect(page.locator(MESSAGES)).to_have_count(2)
    expect(page.get_by_role("button", name="Pause")).to_be_disabled()
    assert openai_server.request_count == 1

    page.keyboard.press("s")
    expect(page.locator(STATE)).to_have_text("Paused after a step")
    expect(page.locator(MESSAGES)).to_have_count(3)
    assert openai_server.request_count == 2

    openai_server.say(Reply("three", hold=0))
    page.get_by_role("button", name="Resume").click()
    openai_server.wait_until_held()
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(STATE)).to_have_text("Stopping after this turn")
    openai_server.release()
    expect_end(page, "Stopped")
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_visible()
    assert shown_messages(page) == logged_messages(api, page)
    assert openai_server.request_count == 3


def test_an_answer_to_a_command_that_comes_late_does_not_hide_newer_news(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    page = paused_after_first_answer(open_page(), openai_server, pair(50))

    late: list[tuple[Route, APIResponse]] = []
    page.route("**/commands", lambda route: late.append((route, route.fetch())))
    page.keyboard.press("s")
    expect(page.locator(STATE)).to_have_text("Paused after a step")
    while not late:  # the news may come before the answer
        page.wait_for_timeout(10)
    [(route, response)] = late
    assert response.json()["reason"] == "step"
    with page.expect_response("**/commands"):
        route.fulfill(response=response)
    expect(page.get_by_role("button", name="Step", exact=True)).not_to_have_attribute("aria-busy", "true")
    assert page.locator(STATE).inner_text() == "Paused after a step"


def test_a_pause_shows_at_once_and_is_taken_back_where_the_server_refuses_it(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    page = open_page()
    openai_server.say(Reply("one", hold=0))
    give_task(page, pair(50))
    openai_server.wait_until_held()
    expect(page.locator(STATE)).to_have_text("Running")
    held: list[Route] = []
    page.route("**/commands", lambda route: held.append(route))
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(STATE)).to_have_text("Pausing")
    while not held:  # the page says so before it asks
        page.wait_for_timeout(10)
    error = {"error": {"code": "unavailable", "message": "The database is busy.", "fix": "Try again."}}
    held[0].fulfill(status=503, json=error)
    expect(page.locator(STATE)).to_have_text("Running")
    expect(page.locator(".toast")).to_contain_text("The database is busy.")
    page.unroute("**/commands")
    openai_server.release()


def test_the_keyboard_keeps_its_place_from_the_start_of_a_run_to_its_end(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("one", hold=0))
    page = open_page()
    give_task(page, pair(5))
    openai_server.wait_until_held()
    expect(page.locator("[data-command=pause]")).to_be_focused()
    page.keyboard.press("Space")
    expect(page.locator("[data-command=resume]")).to_be_focused()
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.locator(STATE)).to_have_text("Cancelled")
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_focused()
    expect(page.locator(".run-end")).to_contain_text("Cancelled by you")
    expect(page.locator(".chat").get_by_text("Cancelled by you")).to_have_count(1)


def test_cancel_ends_a_message_that_never_comes(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("never said", hold=1))
    page = open_page()
    give_task(page, pair(5))
    openai_server.wait_until_held()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator(STATE)).to_have_text("Cancelled")
    expect(page.locator("[data-streaming]")).to_have_count(0)
