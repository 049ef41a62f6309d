"""One part of a team is tried alone, from the inspector: by pointer and by keyboard."""

from __future__ import annotations

import base64

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, call, limit, open_team, team
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.slow, pytest.mark.timeout(90)]

WRITER = "/config/participants/0"
SHOUT = "def shout(text: str, times: int = 1) -> str:\n    return text.upper() * times\n"


@pytest.fixture(autouse=True)
def nothing_is_approved(api: httpx.Client) -> None:
    for approval in api.get("/api/approvals").json():
        api.delete(f"/api/approvals/{approval['hash']}")


def model(server: OpenAIServer) -> JsonObject:
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    config = {"model": "gpt-4o", "base_url": server.url, "api_key": "env:HOME", "max_retries": 0}
    return {"provider": provider, "component_type": "model", "config": config}


def tool() -> JsonObject:
    config: JsonObject = {"name": "shout", "description": "Says it loudly.", "source_code": SHOUT, "global_imports": []}
    return {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}


def newsroom(server: OpenAIServer) -> JsonObject:
    mention = {"provider": "autogen_agentchat.conditions.TextMentionTermination", "component_type": "termination"}
    either = {"provider": "autogen_agentchat.base.OrTerminationCondition", "component_type": "termination"}
    done = {**mention, "config": {"text": "DONE"}}
    stop = {**either, "config": {"conditions": [done, limit(9)]}}
    writer = agent("writer", model_client=model(server), tools=[tool()], system_message="Be kind.")
    return team(writer, termination_condition=stop)


def select(page: Page, pointer: str) -> None:
    page.locator(f'[data-canvas] [data-component="{pointer}"]').first.click()


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Message to this component")


def approve(page: Page) -> None:
    """The same review as before a run, then on with it."""
    expect(page.locator(".capability summary").first).to_be_focused()
    page.get_by_role("button", name="Approve and try").click()


def state(page: Page, word: str) -> None:
    expect(page.locator("[data-try-state]")).to_have_text(word)


def test_an_agent_is_talked_to_as_it_is_edited_until_it_is_reset(open_page: OpenPage, openai_server: OpenAIServer):
    openai_server.say("Noted.", "Ann.", "Who?")
    page = open_page()
    open_team(page, newsroom(openai_server))
    select(page, WRITER)
    page.get_by_role("button", name="Try this part").click()
    expect(box(page)).to_be_focused()
    page.keyboard.type("I am Ann.")
    page.keyboard.press("Enter")
    approve(page)
    state(page, "Answered")
    box(page).fill("Who am I?")
    page.keyboard.press("Enter")
    expect(page.locator(".try .turn[data-source=writer] .turn-body")).to_have_text(["Noted.", "Ann."])
    expect(page.locator("[data-try-outcome]")).to_contain_text("36 tokens")

    page.get_by_role("tab", name="Form").click()
    page.get_by_role("textbox", name="System message").fill("Be brief.")
    page.get_by_role("tab", name="Try").click()
    page.get_by_role("button", name="Start over").click()
    box(page).fill("Who am I?")
    page.get_by_role("button", name="Send").click()
    openai_server.wait_for_requests(3)
    said = [[message["content"] for message in request.body["messages"]] for request in openai_server.requests]
    assert said[1][1:] == ["I am Ann.", "Noted.", "Who am I?"]
    assert said[2] == ["Be brief.", "Who am I?"]
    assert call(page, "GET", "/api/runs") == []


def test_a_model_that_fails_says_why_and_keeps_what_was_asked(open_page: OpenPage, openai_server: OpenAIServer):
    openai_server.say(Reply(status=401), Reply("Paris.", finish_reason="length"))
    page = open_page()
    open_team(page, newsroom(openai_server))
    select(page, f"{WRITER}/config/model_client")
    page.locator("[data-canvas]").press("t")
    page.get_by_text("System message", exact=True).click()
    page.get_by_role("textbox", name="System message").fill("Be brief.")
    box(page).fill("Capital?")
    box(page).press("Enter")
    approve(page)
    expect(page.locator(".try .run-end")).to_contain_text("Check the API key")
    expect(box(page)).to_have_value("Capital?")
    box(page).press("Enter")
    state(page, "Answered")
    expect(page.locator("[data-try-outcome]")).to_contain_text("cut off at the token limit")
    expect(page.locator(".try .run-end")).to_have_count(0)
    assert [message["role"] for message in openai_server.requests[1].body["messages"]] == ["system", "user"]


def test_a_tool_is_called_from_the_keyboard_with_a_form_of_its_arguments(
    open_page: OpenPage, openai_server: OpenAIServer
):
    page = open_page()
    open_team(page, newsroom(openai_server))
    select(page, f"{WRITER}/config/tools/0")
    page.locator("[data-canvas]").press("t")
    text = page.get_by_role("textbox", name="Text")
    expect(text).to_be_focused()
    page.keyboard.type("hey")
    page.keyboard.press("Enter")
    approve(page)
    result = page.locator(".try .tool-call[open]").last
    expect(result).to_contain_text("HEY")
    page.get_by_role("spinbutton", name="Times").fill("2")
    page.get_by_role("button", name="Call", exact=True).click()
    expect(page.locator(".try .tool-call[open]").last).to_contain_text("HEYHEY")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_a_condition_shows_where_a_conversation_stops(open_page: OpenPage, openai_server: OpenAIServer):
    page = open_page()
    open_team(page, newsroom(openai_server))
    select(page, "/config/termination_condition/config/conditions/0")
    page.locator("[data-canvas]").press("t")
    pasted = page.get_by_role("textbox", name="Conversation to check")
    expect(pasted).to_be_focused()
    pasted.fill("user: Write.\nwriter: A poem.\ncritic: DONE\nwriter: Thanks.")
    pasted.press("Control+Enter")
    expect(page.locator(".try .notice")).to_contain_text('Stops at message 3: "DONE" is mentioned')
    rows = page.locator(".try-turns tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.last.locator("[data-fired=true]")).to_have_text('"DONE" seen, met')
    pasted.fill("nobody says this")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="Line 1 has no speaker")).to_be_visible()
    expect(rows).to_have_count(0)


def test_leaving_the_page_hangs_up_on_the_model(open_page: OpenPage, openai_server: OpenAIServer):
    openai_server.say(Reply("one two three", hold=1))
    page = open_page()
    open_team(page, newsroom(openai_server))
    select(page, f"{WRITER}/config/model_client")
    page.locator("[data-canvas]").press("t")
    page.keyboard.type("Count.")
    page.keyboard.press("Enter")
    approve(page)
    openai_server.wait_until_held()
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    page.goto("about:blank")
    openai_server.wait_until_idle()


def test_what_does_nothing_by_itself_cannot_be_tried(open_page: OpenPage):
    store = "autogen_ext.cache_store.diskcache.DiskCacheStore"
    page = open_page()
    open_team(page, {"provider": store, "component_type": "cache_store", "config": {"directory": "kept"}})
    expect(page.get_by_role("button", name="Try this part")).to_be_hidden()
    page.get_by_role("tab", name="Try").click()
    expect(page.get_by_role("tabpanel", name="Try")).to_contain_text("cannot run on its own")


PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def test_a_picture_goes_with_the_first_message_to_a_model(open_page: OpenPage, openai_server: OpenAIServer):
    openai_server.say("A dot.")
    page = open_page()
    open_team(page, newsroom(openai_server))
    page.locator(f'[data-canvas] [data-component="{WRITER}/config/model_client"]').first.click()
    page.keyboard.press("t")
    expect(box(page)).to_be_focused()
    file = base64.b64decode(PICTURE)
    page.locator("[data-try-picture] input").set_input_files(
        {"name": "dot.png", "mimeType": "image/png", "buffer": file}
    )
    expect(page.get_by_alt_text("Image 1")).to_be_visible()
    page.keyboard.type("What is this?")
    page.keyboard.press("Enter")
    approve(page)
    state(page, "Answered")
    expect(page.get_by_alt_text("Image 1")).to_be_hidden()
    [message] = openai_server.requests[-1].body["messages"]
    assert [part["type"] for part in message["content"]] == ["text", "image_url"]


def test_a_memory_is_asked_and_told_through_forms(open_page: OpenPage):
    page = open_page()
    memory: JsonObject = {"provider": "autogen_core.memory.ListMemory", "component_type": "memory", "config": {}}
    open_team(page, team(agent("writer", memory=[memory])))
    page.locator(f'[data-canvas] [data-component="{WRITER}/config/memory/0"]').first.click()
    page.get_by_role("button", name="Try this part").click()
    page.locator("#try-tool").select_option("add")
    page.locator("[data-try-form] textarea").fill("Tea, not coffee.")
    page.get_by_role("button", name="Call", exact=True).click()
    expect(page.locator(".try .tool-call")).to_contain_text("Remembered.")
    page.locator("#try-tool").select_option("query")
    page.get_by_role("button", name="Call", exact=True).click()
    expect(page.locator(".try .tool-call").last).to_contain_text("Tea, not coffee.")
