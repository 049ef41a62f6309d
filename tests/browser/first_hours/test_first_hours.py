"""What a person does in the first hour, from an empty data folder, by pointer and by keyboard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from studio.components import JsonObject
from tests.browser.building import wait_for_builder
from tests.browser.conftest import MakeTeam
from tests.browser.first_hours.hands import Hands
from tests.browser.playing import agent, round_robin
from tests.fakes.model_server import HEADERS
from tests.fakes.ollama_server import OllamaServer
from tests.fakes.openai_server import Call, OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

TURNS = ".chat > .turn[data-kind=message]"
FAKE = "autogen_ext.models.openai.OpenAIChatCompletionClient"


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name, exact=True).first


def step(page: Page, name: str) -> Locator:
    return page.get_by_role("region", name="First steps").get_by_role("button", name=name)


def form(page: Page) -> Locator:
    return page.get_by_role("tabpanel", name="Form")


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name)


def open_builder(page: Page, address: str) -> None:
    page.goto(address.removesuffix("/play"), wait_until="domcontentloaded")
    wait_for_builder(page)


def expect_finished(page: Page, *said: str) -> None:
    expect(page.locator(".run-end")).to_contain_text("Finished", timeout=30_000)
    expect(page.locator(TURNS)).to_contain_text(list(said))


def model_at(server: OpenAIServer, name: str = "gpt-4o", **more: object) -> JsonObject:
    config: dict[str, Any] = {"model": name, "base_url": server.url, "api_key": "env:OPENAI_API_KEY", **more}
    return {"provider": FAKE, "component_type": "model", "config": config}


# ---- 1: a guided team


@pytest.mark.extended
def test_a_guided_team_speaks_from_a_script(hands: Hands) -> None:
    page = hands.page
    with hands.at_most(6):
        hands.press(button(page, "Start from scratch"))
        hands.press(step(page, "Choose a model"))
        hands.choose("Scripted replies")
        hands.press(step(page, "Run it"))
        hands.send("What is 17 times 23?")
    expect_finished(page, "What is 17 times 23?")


def test_a_guided_team_asks_ollama_where_that_runs(hands: Hands, ollama: OllamaServer) -> None:
    ollama.say(Reply("17 times 23 is 391. TERMINATE", thought="Seventeen times twenty is 340."))
    page = hands.page
    with hands.at_most(7):
        hands.press(button(page, "Connect Ollama"))
        page.wait_for_url("**/settings/models*")
        hands.press(page.get_by_role("link", name="Teams", exact=True))
        hands.press(button(page, "Start from scratch"))
        hands.press(step(page, "Run it"))
        hands.send("What is 17 times 23?")
        hands.press(button(page, "Approve and run"))
    expect_finished(page, "What is 17 times 23?", "17 times 23 is 391.")
    assert [request.path for request in ollama.requests] == ["/v1/chat/completions"]


# ---- 2: a team of one's own


def test_an_own_team_of_three_with_a_tool_and_a_condition(hands: Hands, openai_server: OpenAIServer) -> None:
    openai_server.say(
        Reply(thought="Whoever calculates is right.", calls=[Call("calculator", {"expression": "17 * 23"})]),
        Reply("It is 391.", thought="The tool said so."),
        "APPROVED",
    )
    page = hands.page
    with hands.at_most(20):
        hands.press(button(page, "Start from scratch"))
        hands.press(step(page, "Choose a model"))
        hands.choose("OpenAI-compatible server")
        hands.fill(form(page).get_by_label("Base URL", exact=True), openai_server.url)
        hands.fill(form(page).get_by_label("Model", exact=True), "gpt-4o")
        for name in ("writer", "critic"):
            hands.press(
                page.get_by_role("complementary", name="Components").get_by_role("button", name="Assistant", exact=True)
            )
            expect(form(page).get_by_label("Name", exact=True)).to_have_value("assistant_2")
            hands.fill(form(page).get_by_label("Name", exact=True), name)
        hands.press(card(page, "assistant, Assistant").get_by_role("button", name="Add tool"))
        hands.choose("calculator")
        hands.press(button(page, "Add a condition"))
        hands.choose("Text mention")
        hands.press(page.get_by_role("menuitem", name="or this"))
        hands.fill(form(page).get_by_label("Text", exact=True), "APPROVED")
        hands.press(button(page, "Run"))
        hands.send("What is 17 times 23?")
        hands.press(button(page, "Approve and run"))
    expect_finished(page, "What is 17 times 23?", "391", "It is 391.", "APPROVED")
    assert openai_server.request_count == 3


# ---- 3: a gallery of AutoGen's


def gallery() -> JsonObject:
    """As AutoGen Studio exports one: a selector of two, and three times the model without an address."""
    model: JsonObject = {"provider": FAKE, "component_type": "model", "version": 1, "component_version": 1}
    model |= {"label": "OpenAI GPT-4o Mini", "config": {"model": "gpt-4o-mini"}}
    team = round_robin(agent("researcher", model), agent("writer", model), message_count=3)
    config: Any = team["config"]
    config |= {
        "model_client": model,
        "selector_prompt": "Select one of {participants} for the next turn. {roles} {history}",
    }
    team |= {"provider": "autogen_agentchat.teams.SelectorGroupChat", "label": "Research Team", "version": 1}
    parts: JsonObject = {"agents": [], "models": [model], "tools": [], "terminations": [], "teams": [team]}
    metadata: JsonObject = {"author": "AutoGen Team", "version": "1.0.0", "description": "Some of ours.", "tags": []}
    return {
        "id": "gallery_research",
        "name": "Research Gallery",
        "url": None,
        "metadata": metadata,
        "components": parts,
    }


def test_a_gallery_of_autogen_is_pointed_at_another_server(
    hands: Hands, openai_server: OpenAIServer, tmp_path: Path
) -> None:
    openai_server.say("researcher", "Kettles whistle.", "A label.")
    file = tmp_path / "gallery.json"
    file.write_text(json.dumps(gallery()))
    page = hands.page
    page.goto(page.url.replace("/teams", "/galleries"), wait_until="domcontentloaded")
    hands.press(button(page, "Import"))
    page.get_by_role("region", name="Import a gallery or team").locator("input[type=file]").set_input_files(file)
    hands.press(button(page, "Preview"))
    hands.press(button(page, "Add gallery"))
    hands.press(button(page, "Use as team"))
    chip = card(page, "writer, Assistant").get_by_role("button", name="OpenAI GPT-4o Mini")
    with hands.at_most(4):
        hands.press(chip)
        hands.fill(form(page).get_by_label("Base URL", exact=True), openai_server.url)
        hands.open_menu(chip)
        hands.press(page.get_by_role("menuitem", name="Use for all agents"))
    hands.press(button(page, "Run"))
    hands.send("Write a label for a kettle.")
    hands.press(button(page, "Approve and run"))
    expect_finished(page, "Write a label", "Kettles whistle.", "A label.")
    assert openai_server.request_count == 3


# ---- 4: a changed prompt


@pytest.mark.extended
def test_a_prompt_is_changed_and_the_task_run_again_at_once(
    hands: Hands, openai_server: OpenAIServer, make_team: MakeTeam
) -> None:
    openai_server.say(Reply(status=429, retry_after="0.1"), "Long.", "Short.")
    page = hands.page
    address = make_team(round_robin(agent("writer", model_at(openai_server)), message_count=2))
    open_builder(page, address)
    hands.press(button(page, "Run"))
    hands.send("Write a label for a kettle.")
    hands.press(button(page, "Approve and run"))
    expect_finished(page, "Write a label for a kettle.", "Long.")
    hands.press(card(page, "writer, Assistant"))
    expect(form(page).get_by_label("Name", exact=True)).to_have_value("writer")
    hands.fill(form(page).get_by_label("System message", exact=True), "Be short.")
    with hands.at_most(1):
        hands.press_or(button(page, "Run"), "ControlOrMeta+Enter")
    expect(page.locator(TURNS)).to_contain_text(["Write a label for a kettle.", "Short."])
    expect_finished(page, "Write a label for a kettle.", "Short.")
    assert openai_server.request_count == 3
    assert openai_server.requests[-1].body["messages"][0]["content"] == "Be short."


# ---- 5: a follow-up


@pytest.mark.extended
def test_a_conversation_goes_on(hands: Hands, openai_server: OpenAIServer, make_team: MakeTeam) -> None:
    openai_server.say(Reply("Hello Ann.", hold=HEADERS), Reply("You are Ann.", hold=1))
    page = hands.page
    page.goto(make_team(round_robin(agent("writer", model_at(openai_server)), message_count=2)))
    hands.send("I am Ann.")
    hands.press(button(page, "Approve and run"))
    openai_server.wait_until_held()
    expect(page.get_by_role("region", name="Messages")).to_contain_text("Waiting for gpt-4o")
    openai_server.release()
    expect_finished(page, "I am Ann.", "Hello Ann.")
    with hands.at_most(2):
        hands.send("Who am I?")
    openai_server.wait_until_held()
    expect(page.locator(".chat .turn").last).to_contain_text("You")
    openai_server.release()
    expect_finished(page, "Who am I?", "You are Ann.")
    said = [message["content"] for message in openai_server.requests[-1].body["messages"]]
    assert said[-3:] == ["I am Ann.", "Hello Ann.", "Who am I?"]
    assert openai_server.request_count == 2


# ---- 6: approval of a call


@pytest.mark.extended
def test_a_call_is_approved_before_it_is_made(hands: Hands, openai_server: OpenAIServer, make_team: MakeTeam) -> None:
    openai_server.say(Reply(calls=[Call("shout", {"text": "hello"})]))
    clerk = agent("clerk", model_at(openai_server))
    tool: JsonObject = {
        "provider": "autogen_core.tools.FunctionTool",
        "component_type": "tool",
        "config": {
            "source_code": "def shout(text: str) -> str:\n    return text.upper()\n",
            "name": "shout",
            "description": "Says it loudly.",
            "global_imports": [],
        },
    }
    config: Any = clerk["config"]
    config["tools"] = [tool]
    page = hands.page
    page.goto(make_team(round_robin(clerk, message_count=2)))
    with hands.at_most(6):
        hands.press(page.get_by_role("tab", name="Debug"))
        hands.option(page.get_by_label("Rule for shout"), "Ask me")
        hands.send("Shout hello.")
        hands.press(button(page, "Approve and run"))
        expect(page.get_by_role("heading", name="clerk wants to use shout")).to_be_visible()
        assert openai_server.request_count == 1
        hands.press(button(page, "Allow"))
    expect_finished(page, "Shout hello.", "HELLO")
    assert openai_server.request_count == 1


# ---- 7: an error mended from its button


def test_an_error_of_the_service_is_tried_again(
    hands: Hands, openai_server: OpenAIServer, make_team: MakeTeam, red_ends: list[str]
) -> None:
    red_ends.append("Write.")
    openai_server.say("One.", Reply(status=500), "Two.")
    model = model_at(openai_server, max_retries=0)
    page = hands.page
    open_builder(page, make_team(round_robin(agent("writer", model), agent("critic", model), message_count=3)))
    hands.press(button(page, "Run"))
    hands.send("Write.")
    hands.press(button(page, "Approve and run"))
    expect(page.locator(".run-end")).to_contain_text("critic, gpt-4o", timeout=30_000)
    with hands.at_most(1):
        hands.press(button(page, "Try again from here"))
    expect_finished(page, "Write.", "One.", "Two.")
    assert openai_server.request_count == 3


@pytest.mark.extended
def test_a_wrong_model_is_mended_beside_the_canvas(
    hands: Hands, openai_server: OpenAIServer, make_team: MakeTeam, red_ends: list[str]
) -> None:
    red_ends.append("Write.")
    openai_server.always(
        lambda body: "One." if body["model"] == "gpt-4o" else Reply(status=404, message="No such model.")
    )
    page = hands.page
    model = model_at(openai_server, "gpt-4oo", model_info=None, max_retries=0)
    address = make_team(round_robin(agent("writer", model), message_count=2))
    open_builder(page, address)
    hands.press(button(page, "Run"))
    hands.send("Write.")
    hands.press(button(page, "Approve and run"))
    expect(page.locator(".run-end")).to_contain_text("writer, gpt-4oo", timeout=30_000)
    with hands.at_most(3):
        hands.press(button(page, "Open the model"))
        hands.fill(form(page).get_by_label("Model", exact=True), "gpt-4o")
        hands.press(button(page, "Run"))
    expect_finished(page, "Write.", "One.")
    assert openai_server.request_count == 2
