"""More windows with live runs than a browser opens connections to a server."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.debugging import scripted
from tests.browser.playing import agent, give_task, round_robin

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(150)]
WINDOW_COUNT = 8


def asking() -> JsonObject:
    person: JsonObject = {
        "provider": "autogen_agentchat.agents.UserProxyAgent",
        "component_type": "agent",
        "config": {"name": "guest"},
    }
    return round_robin(agent("writer", scripted("One.", "Two.")), person, message_count=4)


@pytest.mark.extended
def test_eight_windows_follow_their_runs_at_once(open_page: OpenPage, make_team: MakeTeam) -> None:
    first = open_page()
    address = make_team(asking())
    windows = [first, *(first.context.new_page() for _ in range(WINDOW_COUNT - 1))]
    for window in windows:
        give_task(window, address)
        expect(window.locator(".question[data-answer=open]")).to_be_visible()
    for window in reversed(windows):  # those that came last have no stream
        window.locator(".question textarea").fill("Go on.")
        window.keyboard.press("Enter")
        expect(window.locator(".run-end")).to_be_visible()
        expect(window.locator(".chat")).to_contain_text("Two.")


def test_a_window_gets_the_stream_that_another_one_has_left(open_page: OpenPage, make_team: MakeTeam) -> None:
    first = open_page()
    address = make_team(asking())
    windows = [first, *(first.context.new_page() for _ in range(4))]
    for window in windows:
        give_task(window, address)
        expect(window.locator(".question[data-answer=open]")).to_be_visible()
    *others, last = windows
    with last.expect_request(lambda request: "/stream?" in request.url):
        others[0].close()
