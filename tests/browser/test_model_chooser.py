"""Choosing models in the builder."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, call, open_team, palette, replay, saved, team
from tests.browser.conftest import StudioServer
from tests.fakes.ollama_server import OllamaServer
from tests.fakes.openai_server import OpenAIServer


def open_chooser(page: Page, name: str) -> None:
    """Press the empty place for a model on an agent's card."""
    card = page.locator(".node[data-card]").filter(has=page.get_by_text(name, exact=True))
    card.locator("[data-fill$='/model_client']").click()
    expect(page.get_by_role("combobox", name="Choose a model")).to_be_focused()


def blank(name: str) -> dict[str, object]:
    made = agent(name)
    made["config"].pop("model_client")
    return made


def test_the_chooser_has_one_entry_per_service_and_says_what_it_needs(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(blank("writer")))
    open_chooser(page, "writer")
    services = page.locator(".chooser-option")
    expect(services.filter(has=page.get_by_text("OpenAI", exact=True))).to_have_count(1)
    groups = page.locator(".chooser-group")
    expect(groups).to_have_text(["Services", "From galleries", "Advanced"])
    router = page.get_by_role("option").filter(has=page.get_by_text("OpenRouter", exact=True))
    expect(router).to_contain_text("Needs: API key.")
    router.click()
    config = saved(page, team_id)["config"]["participants"][0]["config"]["model_client"]["config"]
    assert config["base_url"] == "https://openrouter.ai/api/v1"
    assert config["api_key"] == "env:OPENROUTER_API_KEY"


def test_models_of_this_team_come_first_and_say_who_uses_them(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), agent("critic"), blank("editor")))
    open_chooser(page, "editor")
    first = page.locator(".chooser-option").first
    expect(page.locator(".chooser-group").first).to_have_text("In this team")
    expect(first).to_contain_text("Used by writer, critic")
    first.click()
    members = saved(page, team_id)["config"]["participants"]
    assert members[2]["config"]["model_client"] == members[0]["config"]["model_client"]


def test_a_connection_is_added_tested_and_given_to_new_agents(
    open_page: OpenPage, studio_server: StudioServer, openai_server: OpenAIServer
) -> None:
    openai_server.key = "sk-canary-browser-0123456789"
    openai_server.say("ready")
    page = open_page()
    page.goto(f"{studio_server.url}/settings/models")
    page.locator("header").get_by_role("button", name="Add connection").click()
    dialog = page.get_by_role("dialog", name="Add connection")
    dialog.get_by_label("Service").select_option(label="OpenAI-compatible server")
    dialog.get_by_label("Name").fill("Team server")
    dialog.get_by_label("Address").fill(openai_server.url)
    dialog.get_by_label("API key").fill(openai_server.key)
    dialog.get_by_label("Default model").fill("fake")
    dialog.get_by_role("button", name="Save").click()

    row = page.locator("[data-connection]")
    expect(row).to_contain_text("secret:team-server")
    expect(row).to_contain_text("Default")
    row.get_by_role("button", name="Test").click()
    page.get_by_role("button", name="Approve and test").click()
    expect(row.get_by_role("status")).to_contain_text("“ready”")
    assert openai_server.request_count == 1

    team_id = open_team(page, team(blank("writer")))
    open_chooser(page, "writer")
    expect(page.locator(".chooser-group").first).to_have_text("Connections")
    page.locator(".chooser-option").first.click()
    palette(page, "Assistant", "agent").click()
    first, second = (each["config"]["model_client"] for each in saved(page, team_id)["config"]["participants"])
    assert first["config"]["api_key"] == "secret:team-server"
    assert second == first


def test_one_model_is_given_to_all_agents_and_replaced_everywhere(open_page: OpenPage) -> None:
    page = open_page()
    members = [
        agent("writer", model_client=replay("One")),
        agent("critic", model_client=replay("Two")),
        blank("editor"),
    ]
    team_id = open_team(page, team(*members))
    chips = page.locator(".node[data-card] .chip[data-kind=model]")
    chips.first.click(button="right")
    page.get_by_role("menuitem", name="Use for all agents").click()
    expect(chips).to_have_count(3)
    models = [each["config"]["model_client"] for each in saved(page, team_id)["config"]["participants"]]
    assert models == [models[0]] * 3
    assert models[0]["config"]["chat_completions"] == ["One"]

    chips.nth(1).click(button="right")
    page.get_by_role("menuitem", name="Replace everywhere").click()
    page.locator(".chooser-option").filter(has=page.get_by_text("Groq", exact=True)).click()
    expect(chips.filter(has_text="llama-3.3-70b-versatile")).to_have_count(3)

    chips.nth(0).click()
    chips.nth(2).click(modifiers=["Shift"])
    page.locator("[data-multi-edit]").get_by_role("button", name="Choose a model").click()
    page.locator(".chooser-option").filter(has=page.get_by_text("Ollama", exact=True)).click()
    expect(chips.filter(has_text="llama3.2")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(chips.filter(has_text="llama-3.3-70b-versatile")).to_have_count(3)


def test_the_form_of_a_model_suggests_what_its_service_lists(open_page: OpenPage, openai_server: OpenAIServer) -> None:
    page = open_page()
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    config = {"model": "gpt-4o", "base_url": openai_server.url, "api_key": openai_server.key}
    model: JsonObject = {"provider": provider, "component_type": "model", "config": config}
    open_team(page, team(agent("writer", model_client=model)))
    page.locator(".node[data-card] .chip[data-kind=model]").click()
    page.get_by_role("button", name="List models").click()
    page.get_by_role("button", name="Approve and list").click()
    told = page.get_by_text(re.compile("models? found. Type to choose one."))
    expect(told).to_be_visible()
    name = page.get_by_role("combobox", name="Model", exact=True)
    names = name.evaluate("input => [...input.list.options].map((each) => each.value)")
    assert "fake" in names
    name.fill("fake")
    expect(page.locator(".node[data-card] .chip[data-kind=model]")).to_contain_text("fake")
    page.locator("#panel-form input[data-pointer$='/base_url']").fill("http://127.0.0.1:9/v1")
    expect(told).to_have_count(0)


def test_a_model_of_a_team_becomes_a_connection_in_one_press(open_page: OpenPage) -> None:
    page = open_page()
    config = {"model": "grok-4", "base_url": "https://api.x.ai/v1", "api_key": "env:XAI_API_KEY"}
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    model: JsonObject = {"provider": provider, "component_type": "model", "config": config}
    open_team(page, team(agent("writer", model_client=model)))
    page.locator(".node[data-card] .chip[data-kind=model]").click(button="right")
    page.get_by_role("menuitem", name="Save as connection").click()
    expect(page.locator(".toast")).to_contain_text("grok-4 is now a connection.")
    connections = call(page, "GET", "/api/connections")["connections"]
    assert [each["key"] for each in connections if each["name"] == "grok-4"] == ["env:XAI_API_KEY"]


def test_a_first_start_offers_ollama_where_it_runs(browser: Browser, tmp_path: Path) -> None:
    with OllamaServer() as ollama:
        server = StudioServer(tmp_path / "data", {"OLLAMA_HOST": ollama.url})
        server.start()
        page = browser.new_page()
        page.goto(server.entrance)
        connect = page.get_by_role("button", name="Connect Ollama")
        expect(connect).to_be_in_viewport()
        moved = page.evaluate(
            "new Promise(done => new PerformanceObserver(list => done(list.getEntries().map(each => each.value)))"
            ".observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(done, 500, []))"
        )
        assert sum(moved) < 0.01, "what is offered comes late, and moves nothing"
        connect.click()
        expect(page.locator("[data-connection]")).to_contain_text("qwen3:8b")
        expect(page.get_by_role("button", name="Connect Ollama")).to_have_count(0)
        page.close()
        server.stop()
