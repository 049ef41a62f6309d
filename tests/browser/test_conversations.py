"""A conversation that goes on, and the same task once more."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from playwright.sync_api import expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import MESSAGES, TASK, agent, expect_end, give_task, reply, round_robin
from tests.fakes.openai_server import OpenAIServer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


@pytest.fixture
def solo(openai_server: OpenAIServer, make_team: MakeTeam) -> Callable[[], str]:
    """One agent that answers once per task."""
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0},
    }
    return lambda: make_team(round_robin(agent("writer", model), message_count=2))


def told(openai_server: OpenAIServer, number: int) -> list[str]:
    return [str(message["content"]) for message in openai_server.requests[number].body["messages"]]


def test_the_next_message_continues_and_what_was_said_stays_in_view(
    open_page: OpenPage, solo: Callable[[], str], openai_server: OpenAIServer
) -> None:
    openai_server.say("Hello Ann.", "You are Ann.", "Still Ann.")
    page = open_page()
    give_task(page, solo(), "I am Ann.")
    expect_end(page)
    first = page.url
    reply(page, "Who am I?")
    expect(page.locator(MESSAGES)).to_contain_text(["Who am I?", "You are Ann."])
    expect(page.locator(".earlier .turn")).to_contain_text(["I am Ann.", "Hello Ann."])
    assert told(openai_server, 1) == ["I am Ann.", "Hello Ann.", "Who am I?"]
    reply(page, "Sure?")
    expect(page.locator(MESSAGES)).to_contain_text(["Sure?", "Still Ann."])
    expect(page.locator(".earlier .turn")).to_contain_text(["I am Ann.", "Hello Ann.", "Who am I?", "You are Ann."])
    expect(page.locator(MESSAGES).last).to_be_in_viewport()
    expect(page.locator("[id^=seq-]", has_text="I am Ann.")).to_have_count(0)  # of another run's numbers
    page.locator(".earlier").first.get_by_role("link", name="Earlier run").click()
    expect(page).to_have_url(first)
    expect(page.locator(".earlier")).to_have_count(0)


def test_a_new_run_is_begun_on_purpose_and_knows_nothing(
    open_page: OpenPage, solo: Callable[[], str], openai_server: OpenAIServer
) -> None:
    page = open_page()
    give_task(page, solo(), "I am Ann.")
    expect_end(page)
    page.locator(".composer").get_by_role("button", name="Start over").click()
    reply(page, "Who am I?")
    expect(page.locator(MESSAGES)).to_contain_text(["Who am I?", "OK."])
    assert told(openai_server, 1) == ["Who am I?"]


def test_the_same_task_runs_again_in_one_press_with_the_team_as_it_is_now(
    open_page: OpenPage, solo: Callable[[], str], openai_server: OpenAIServer, api: httpx.Client
) -> None:
    page = open_page()
    address = solo()
    give_task(page, address, "Write a line.")
    expect_end(page)
    team_id = address.split("/teams/")[1].split("/")[0]
    team = api.get(f"/api/teams/{team_id}").json()
    team["component"]["config"]["participants"][0]["config"]["system_message"] = "Rhyme."
    changed = {"component": team["component"], "revision": team["revision"]}
    api.put(f"/api/teams/{team_id}", json=changed).raise_for_status()
    page.get_by_role("button", name="Run again", exact=True).click()
    expect(page.locator(".run-row")).to_have_count(2)
    expect_end(page)
    assert told(openai_server, 1) == ["Rhyme.", "Write a line."]
    page.get_by_role("button", name="Other ways to run again").click()
    page.get_by_role("menuitem", name="Edit task first").click()
    expect(page.get_by_role("textbox", name=TASK)).to_have_value("Write a line.")


def test_the_run_of_a_deleted_team_is_run_again_as_it_ran(
    open_page: OpenPage, solo: Callable[[], str], openai_server: OpenAIServer, api: httpx.Client
) -> None:
    page = open_page()
    address = solo()
    give_task(page, address, "Write a line.")
    expect_end(page)
    api.delete(f"/api/teams/{address.split('/teams/')[1].split('/')[0]}").raise_for_status()
    page.goto(page.url, wait_until="domcontentloaded")
    expect_end(page)
    expect(page.get_by_role("link", name="Edit team")).to_have_count(0)
    expect(page.get_by_role("button", name="Other ways to run again")).to_have_count(0)
    first = page.url
    page.get_by_role("button", name="Run again", exact=True).click()
    page.get_by_role("button", name="Approve and run").click()  # what was approved went with the team
    expect(page).not_to_have_url(first)
    expect_end(page)
    assert told(openai_server, 1) == told(openai_server, 0)


def test_the_last_tasks_come_back_by_the_arrow_and_from_the_builder(
    open_page: OpenPage, solo: Callable[[], str]
) -> None:
    page = open_page()
    address = solo()
    for task in ("First.", "Second."):
        give_task(page, address, task)
        expect_end(page)
    box = page.get_by_role("textbox", name=TASK)
    box.focus()
    for key, task in (("ArrowUp", "Second."), ("ArrowUp", "First."), ("ArrowDown", "Second.")):
        page.keyboard.press(key)
        expect(box).to_have_value(task)
    page.goto(address, wait_until="domcontentloaded")
    expect(box).to_have_value("Second.")
    expect(box).to_be_focused()
    page.keyboard.type("Third.")
    expect(box).to_have_value("Third.")


@pytest.mark.parametrize(("width_px", "height_px"), [(390, 844), (1440, 900)])
def test_the_box_for_a_reply_fits_its_page(
    open_page: OpenPage, solo: Callable[[], str], width_px: int, height_px: int
) -> None:
    page = open_page(width_px, height_px)
    give_task(page, solo(), "I am Ann.")
    expect_end(page)
    expect(page.get_by_role("button", name="Start over")).to_be_visible()
    box = page.locator(".composer-box").bounding_box()
    send = page.locator(".composer").get_by_role("button", name="Send").bounding_box()
    assert box
    assert send
    assert send["x"] + send["width"] <= box["x"] + box["width"] <= width_px
