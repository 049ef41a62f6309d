"""Editing one's own message and running from there, and asking an agent for another answer."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import Page, expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import MESSAGES, agent, expect_end, give_task, reply, round_robin
from tests.fakes.openai_server import HEADERS, OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


@pytest.fixture
def model(openai_server: OpenAIServer) -> JsonObject:
    config: JsonObject = {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0}
    return {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": config,
    }


def choose(page: Page, text: str, item: str) -> None:
    """From the menu of a message."""
    turn = page.locator(".chat > .turn", has_text=text)
    turn.hover()
    turn.locator("[data-turn-menu]").click()
    page.get_by_role("menuitem", name=item).click()


def edit(page: Page, text: str, other: str) -> None:
    before = page.url
    choose(page, text, "Edit and run again")
    box = page.get_by_role("dialog", name="Edit and run again").get_by_role("textbox", name="Your message")
    expect(box).to_have_value(text)
    expect(box).to_be_focused()
    box.fill(other)
    page.keyboard.press("Enter")
    expect(page).not_to_have_url(before)


def told(openai_server: OpenAIServer) -> list[str]:
    return [str(message["content"]) for message in openai_server.requests[-1].body["messages"]]


def test_the_task_is_edited_and_the_earlier_run_stays_within_reach(
    open_page: OpenPage, make_team: MakeTeam, model: JsonObject, openai_server: OpenAIServer
) -> None:
    openai_server.say("Hello Ann.", "You are Ann.", "You live in Rome.", "Goodbye Ann.")
    page = open_page()
    give_task(page, make_team(round_robin(agent("writer", model), message_count=2)), "I am Ann.")
    expect_end(page)
    reply(page, "Who am I?")
    expect(page.locator(MESSAGES)).to_contain_text(["Who am I?", "You are Ann."])
    expect_end(page)
    first = page.url
    edit(page, "Who am I?", "Where do I live?")
    expect(page.locator(MESSAGES)).to_contain_text(["Where do I live?", "You live in Rome."])
    expect(page.locator(".earlier .turn")).to_contain_text(["I am Ann.", "Hello Ann."])
    assert told(openai_server) == ["I am Ann.", "Hello Ann.", "Where do I live?"]
    expect_end(page)
    reply(page, "Bye.")
    expect(page.locator(MESSAGES)).to_contain_text(["Bye.", "Goodbye Ann."])
    expect(page.locator(".earlier .turn")).to_contain_text(
        ["I am Ann.", "Hello Ann.", "Where do I live?", "You live in Rome."]
    )
    page.go_back()
    page.locator(".run-origin").get_by_role("link", name="another run").click()
    expect(page).to_have_url(re.compile(re.escape(first)))
    expect(page.locator(MESSAGES)).to_contain_text(["Who am I?", "You are Ann."])


def test_an_answer_to_the_team_is_edited(
    open_page: OpenPage, make_team: MakeTeam, model: JsonObject, openai_server: OpenAIServer
) -> None:
    openai_server.say("Who are you?", "Hello Ann.", "Hello Bob.")
    person: JsonObject = {
        "provider": "autogen_agentchat.agents.UserProxyAgent",
        "component_type": "agent",
        "config": {"name": "visitor"},
    }
    page = open_page()
    give_task(page, make_team(round_robin(agent("writer", model), person, message_count=4)), "Greet me.")
    expect(page.get_by_role("textbox", name="Message to the team")).to_be_hidden()
    page.locator(".question textarea").fill("It is me, Ann.")
    page.keyboard.press("Enter")
    expect_end(page)
    edit(page, "It is me, Ann.", "Bob")
    expect(page.locator(MESSAGES)).to_contain_text(["Greet me.", "Who are you?", "Bob", "Hello Bob."])
    assert told(openai_server)[-1] == "Bob"
    assert openai_server.request_count == 3  # the first question was not put to the model again


def test_what_was_said_to_a_team_at_work_is_edited(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer
) -> None:
    openai_server.say(Reply("A poem.", hold=HEADERS), "Short.", "Longer.")
    page = open_page()
    give_task(page, pair(4))
    openai_server.wait_until_held()
    page.get_by_role("textbox", name="Message to the team").fill("Be brief.")
    page.keyboard.press("Enter")
    expect(page.locator(".turn-delivery")).to_be_visible()
    openai_server.release()
    expect_end(page)
    edit(page, "Be brief.", "Take your time.")
    expect(page.locator(MESSAGES)).to_contain_text(["Write two lines.", "A poem.", "Take your time.", "Longer."])
    expect(page.get_by_text("Be brief.")).to_have_count(0)
    assert openai_server.request_count == 3


def test_an_agent_is_asked_for_another_answer(
    open_page: OpenPage, pair: Callable[[int], str], openai_server: OpenAIServer, api: httpx.Client
) -> None:
    openai_server.say("A poem.", "Bad.", "Good.")
    page = open_page()
    give_task(page, pair(3))
    expect_end(page)
    before = page.url
    choose(page, "Bad.", "Regenerate")
    expect(page).not_to_have_url(before)
    expect(page.locator(MESSAGES)).to_contain_text(["Write two lines.", "A poem.", "Good."])
    assert openai_server.request_count == 3
    run = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}").json()
    assert (run["parent_id"], run["origin"]) == (before.rsplit("/", 1)[1], "fork")
    turn = page.locator(".chat > .turn", has_text="Write two lines.")
    turn.hover()
    turn.locator("[data-turn-menu]").click()
    expect(page.get_by_role("menuitem", name="Edit and run again")).to_be_visible()
    expect(page.get_by_role("menuitem", name="Regenerate")).to_have_count(0)
