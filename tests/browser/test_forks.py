"""Runs that go on from others, from the menus of messages and of the run, by pointer and by keyboard."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.browser.playing import expect_end
from tests.browser.poets import open_run, poets, ran
from tests.web.documents import assistant, function_tool, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]


def parent_of(api: httpx.Client, page: Page) -> tuple[str, str]:
    run = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}").json()
    return run["parent_id"], run["origin"]


def test_a_message_is_changed_and_the_run_goes_on_from_it(open_page: OpenPage, api: httpx.Client) -> None:
    _, run_id = ran(api, poets())
    page = open_page()
    open_run(page, api, run_id)
    page.get_by_text("Line 2 of the poem.").click(button="right")
    page.get_by_role("menuitem", name="Fork from here…").click()
    dialog = page.get_by_role("dialog", name="Fork from writer’s message")
    expect(dialog.get_by_role("textbox", name="Message text")).to_have_value("Line 2 of the poem.")
    dialog.get_by_role("textbox").fill("A line about a fox.")
    dialog.get_by_role("button", name="Fork", exact=True).click()
    expect(page.locator(".run-origin")).to_contain_text("Fork of another run")
    expect(page.get_by_text("A line about a fox.")).to_be_visible()
    assert parent_of(api, page) == (run_id, "fork")
    expect(page.locator(".run-list [data-depth] .run-task")).to_contain_text(["Fork: Write a poem."])
    page.get_by_role("link", name="Compare both").click()
    expect(page.locator(".compare-divergence")).to_contain_text("writer has a different message.")


def test_what_the_team_remembered_at_a_message_is_shown_by_keyboard(open_page: OpenPage, api: httpx.Client) -> None:
    _, run_id = ran(api, poets())
    page = open_page()
    open_run(page, api, run_id)
    page.get_by_text("Line 2 of the poem.").click()
    page.keyboard.press("m")
    dialog = page.get_by_role("dialog", name="Memory at entry")
    expect(dialog).to_contain_text("Exact")
    state = dialog.locator("details", has=page.locator("summary", has_text="writer"))
    state.locator("summary").focus()
    page.keyboard.press("Enter")
    expect(state.locator("pre")).to_contain_text("Line 2 of the poem.")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_a_model_is_asked_again_with_other_instructions_by_keyboard(open_page: OpenPage, api: httpx.Client) -> None:
    _, run_id = ran(api, poets())
    page = open_page()
    open_run(page, api, run_id)
    page.get_by_text("Line 2 of the poem.").click()
    page.keyboard.press("f")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("textbox")).to_be_focused()
    dialog.get_by_role("radio", name="System message of writer").focus()
    page.keyboard.press("Space")
    box = dialog.get_by_role("textbox", name="System message of writer")
    expect(box).to_have_value("Write poems.")
    box.fill("Write songs.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".run-origin")).to_be_visible()
    expect_end(page)
    child: dict[str, Any] = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}").json()
    assert child["component"]["config"]["participants"][0]["config"]["system_message"] == "Write songs."
    assert api.get(f"/api/runs/{run_id}").json()["state"] == "finished"


def shouted(api: httpx.Client, *texts: str) -> str:
    """A run of a team whose only agent calls a tool, once for each text."""
    calls = [
        {"id": f"call-{number}", "name": "shout", "arguments": json.dumps({"text": text})}
        for number, text in enumerate(texts or ("hello",), 1)
    ]
    agent = assistant("writer")
    config: Any = agent["config"]
    config["tools"] = [function_tool("def shout(text: str) -> str:\n    return text.upper()\n")]
    config["model_client"]["config"]["chat_completions"] = [
        {
            "content": calls,
            "finish_reason": "function_calls",
            "usage": {"prompt_tokens": 0, "completion_tokens": 0},
            "cached": False,
        }
    ]
    team_id = api.post("/api/teams", json={"component": team(agent, max_messages=2)}).json()["id"]
    body = {"team_id": team_id, "task": "Shout."}
    started = api.post("/api/runs", json=body)
    if started.status_code == 403:  # the first time
        api.post("/api/approvals", json={"hashes": [one["hash"] for one in started.json()["missing"]]})
        started = api.post("/api/runs", json=body)
    run_id: str = started.json()["id"]
    api.get(f"/api/runs/{run_id}/stream", timeout=30)
    return run_id


def test_the_result_of_a_tool_is_changed(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    open_run(page, api, shouted(api))
    turn = page.locator(".turn[data-kind=tools]")
    turn.hover()
    turn.get_by_role("button", name="More for writer’s message").click()
    page.get_by_role("menuitem", name="Fork from here…").click()
    page.get_by_role("radio", name="Tool result").check()
    box = page.get_by_role("textbox", name="Tool result")
    expect(box).to_have_value("HELLO")
    box.fill("whisper")
    page.get_by_role("dialog").get_by_role("button", name="Fork", exact=True).click()
    expect(page.locator(".run-origin")).to_be_visible()
    expect(page.locator(".turn[data-kind=message]").filter(has_text="whisper")).to_be_visible()


def test_a_run_is_run_again_and_replayed_from_its_menu(open_page: OpenPage, api: httpx.Client) -> None:
    _, run_id = ran(api, poets())
    page = open_page()
    for item, origin, words in [
        ("Run again as it ran", "rerun", "Run again from"),
        ("Replay for free", "replay", "Replay of"),
    ]:
        open_run(page, api, run_id)
        page.get_by_role("button", name="More for this run").focus()
        page.keyboard.press("Enter")
        page.get_by_role("menuitem", name=item).press("Enter")
        expect(page.locator(".run-origin")).to_contain_text(words)
        expect_end(page, "Finished")
        assert parent_of(api, page) == (run_id, origin)
    usage = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}").json()["usage"]
    assert usage["prompt_tokens"] == 0


def test_a_replay_asks_what_tools_do_and_shows_where_it_parts(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    open_run(page, api, shouted(api))
    page.get_by_role("button", name="More for this run").click()
    page.get_by_role("menuitem", name="Replay for free").click()
    page.get_by_role("combobox", name="Behavior of shout").select_option("always gives")
    page.keyboard.type("whisper")
    page.keyboard.press("Enter")
    expect(page.locator(".run-origin")).to_contain_text("Replay of")
    expect_end(page, "the recording has ToolCallExecutionEvent from writer")
    page.get_by_role("link", name="Compare both").click()
    expect(page.locator(".compare-divergence")).to_be_visible()


def test_each_of_several_results_of_tools_is_changed(open_page: OpenPage, api: httpx.Client) -> None:
    page = open_page()
    open_run(page, api, shouted(api, "hello", "bye"))
    turn = page.locator(".turn[data-kind=tools]")
    turn.hover()
    turn.get_by_role("button", name="More for writer’s message").click()
    page.get_by_role("menuitem", name="Fork from here…").click()
    page.get_by_role("radio", name="Tool results").check()
    expect(page.get_by_role("textbox", name="1. shout")).to_have_value("HELLO")
    second = page.get_by_role("textbox", name="2. shout")
    expect(second).to_have_value("BYE")
    second.fill("whisper")
    page.get_by_role("dialog").get_by_role("button", name="Fork", exact=True).click()
    expect(page.locator(".run-origin")).to_be_visible()
    answer = page.locator(".turn[data-kind=message]").filter(has_text="whisper")
    expect(answer).to_contain_text("HELLO")


@pytest.mark.parametrize("mode", ["is called", "asks me"])
def test_a_replay_calls_a_tool_or_asks_a_person(open_page: OpenPage, api: httpx.Client, mode: str) -> None:
    page = open_page()
    open_run(page, api, shouted(api))
    page.get_by_role("button", name="More for this run").click()
    page.get_by_role("menuitem", name="Replay for free").click()
    page.get_by_role("combobox", name="Behavior of shout").select_option(mode)
    page.get_by_role("button", name="Replay", exact=True).press("Enter")
    expect(page.locator(".run-origin")).to_contain_text("Replay of")
    if mode == "asks me":
        question = page.locator(".turn[data-kind=input]")
        expect(question).to_contain_text("What does shout give?")
        question.get_by_role("textbox").fill("HELLO")
        page.keyboard.press("Enter")
    expect_end(page, "Finished")
    expect(page.locator(".turn[data-kind=message]").last).to_contain_text("HELLO")
