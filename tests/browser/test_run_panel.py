"""The team under edit is run beside its canvas: a task, the conversation, and what each card tells of it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.building import JsonObject, OpenPage, agent, limit, open_team, replay, team
from tests.browser.panel import TURNS, card, pair, run
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_a_team_is_run_beside_its_canvas_and_run_again_after_an_edit(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, pair())
    run(page, "Write about rain.")
    expect(page.locator(TURNS)).to_have_count(3)
    expect(page).to_have_url(re.compile(f"/teams/{team_id}"))
    expect(card(page, "writer").locator(".node-run")).to_have_text("A line about rain.")
    expect(card(page, "critic").locator(".node-run")).to_have_attribute("data-state", "latest")

    page.locator(".node-name", has_text="writer").click()
    page.locator("#panel-form").get_by_role("textbox", name="Description").fill("Writes of wind.")
    expect(page.get_by_role("textbox", name="Task for the team")).to_have_value("Write about rain.")
    playground = page.get_by_role("link", name="Open in the playground")
    first = playground.get_attribute("href")
    assert first
    page.get_by_role("button", name="Run", exact=True).first.click()
    expect(playground).not_to_have_attribute("href", first)
    expect(page.locator("[data-run-panel] .run-end")).to_have_count(1)
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
    playground.click()
    expect(page.locator("[data-part=run-list] a")).to_have_count(2)


def test_a_card_shows_who_works_and_leads_to_what_was_said(open_page: OpenPage, openai_server: OpenAIServer) -> None:
    openai_server.say(Reply("Slow leaves", hold=1))
    model = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0},
    }
    page = open_page()
    writer = agent("writer", model_client=model, model_client_stream=True)
    open_team(page, team(writer, agent("critic"), termination_condition=limit(3)))
    run(page, "Write.")
    page.get_by_role("button", name="Approve and run").click()
    openai_server.wait_until_held()
    expect(card(page, "writer").locator(".node-run")).to_have_attribute("data-state", "working")
    expect(page.locator("[data-run-panel] [data-part=state]")).to_have_text("Running")
    here = page.locator("[data-run-panel] .turn-time").first
    here.focus()
    openai_server.release()
    expect(page.locator("[data-run-panel] .run-end")).to_be_visible()
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_visible()
    expect(here).to_be_focused()
    card(page, "writer").locator(".node-head").click()
    page.keyboard.press("l")
    expect(page.locator("[data-run-panel] .turn[data-source=writer][data-selected]")).to_be_visible()
    card(page, "critic").locator(".node-run").click()
    expect(page.locator("[data-run-panel] .turn[data-source=critic][data-selected]")).to_be_visible()


def test_the_team_is_told_something_while_it_runs(open_page: OpenPage, openai_server: OpenAIServer) -> None:
    openai_server.say(Reply("A poem.", hold=1), "Brief.")
    model = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0},
    }
    page = open_page()
    writers = [agent(name, model_client=model, model_client_stream=True) for name in ("writer", "critic")]
    open_team(page, team(*writers, termination_condition=limit(4)))
    run(page, "Write.")
    page.get_by_role("button", name="Approve and run").click()
    openai_server.wait_until_held()
    page.get_by_role("textbox", name="Message to the team").fill("Be brief.")
    page.keyboard.press("Enter")
    expect(page.locator("[data-run-panel] .turn-delivery")).to_be_visible()
    openai_server.release()
    expect(page.locator(TURNS)).to_contain_text(["Write.", "A poem.", "Be brief.", "Brief."])
    expect(page.get_by_role("textbox", name="Task for the team")).to_be_focused()


def test_an_agent_that_goes_on_has_the_width_of_its_first_message(open_page: OpenPage) -> None:
    page = open_page()
    writer = agent("writer", model_client=replay("One.", "Two."))
    open_team(page, team(writer, termination_condition=limit(3)))
    run(page, "Write.")
    expect(page.locator("[data-run-panel] .run-end")).to_be_visible()
    script = "nodes => nodes.map(node => node.getBoundingClientRect().width)"
    first, second = page.locator("[data-run-panel] .turn[data-source=writer] .turn-body").evaluate_all(script)
    assert first == second


def test_a_card_shows_whose_turn_failed(open_page: OpenPage) -> None:
    page = open_page()
    broken = agent("critic", model_client=replay())
    open_team(page, team(agent("writer"), broken, termination_condition=limit(3)))
    run(page, "Write.")
    expect(card(page, "critic").locator(".node-run")).to_have_attribute("data-state", "failed")
    expect(card(page, "writer").locator(".node-run")).not_to_have_attribute("data-state", "failed")


def test_the_panel_is_opened_and_closed_by_keys_and_the_cards_forget_the_run(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, pair())
    page.locator(".node-name", has_text="writer").click()
    page.keyboard.press("ControlOrMeta+Enter")
    page.keyboard.type("Write.")
    page.keyboard.press("Enter")
    expect(page.locator(".node-run")).to_have_count(2)
    page.get_by_role("button", name="Collapse run panel").press("Enter")
    expect(page.locator("[data-run-panel]")).to_be_hidden()
    expect(page.locator(".node-run")).to_have_count(0)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(TURNS)).to_have_count(3)


def test_on_a_phone_the_run_is_a_tab(open_page: OpenPage) -> None:
    page = open_page(390, 844)
    open_team(page, pair())
    page.locator("[data-builder-tabs]").get_by_role("button", name="Run").click()
    page.get_by_role("textbox", name="Task for the team").fill("Write.")
    page.get_by_role("textbox", name="Task for the team").press("Enter")
    expect(page.locator(TURNS)).to_have_count(3)
    expect(page.locator("[data-canvas]")).to_be_hidden()
    page.locator("[data-builder-tabs]").get_by_role("button", name="Canvas").click()
    expect(card(page, "critic").locator(".node-run")).to_have_text("Too wet.")


def test_on_a_phone_the_model_of_a_failed_run_is_opened(open_page: OpenPage, openai_server: OpenAIServer) -> None:
    openai_server.always(lambda _: Reply(status=404, message="No such model."))
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4oo", "base_url": openai_server.url, "api_key": "k", "max_retries": 0},
    }
    page = open_page(390, 844)
    open_team(page, team(agent("writer", model_client=model), termination_condition=limit(2)))
    page.locator("[data-builder-tabs]").get_by_role("button", name="Run").click()
    page.get_by_role("textbox", name="Task for the team").fill("Write.")
    page.get_by_role("textbox", name="Task for the team").press("Enter")
    page.get_by_role("button", name="Approve and run").click()
    page.get_by_role("button", name="Open the model").click()
    expect(page.locator("#panel-form").get_by_label("Model", exact=True)).to_have_value("gpt-4oo")
    expect(page.locator("#panel-form").get_by_label("Model", exact=True)).to_be_visible()


def test_the_panel_is_folded_from_the_first_moment_so_that_the_team_fits_the_canvas(open_page: OpenPage) -> None:
    page = open_page(1280, 800)
    open_team(page, pair())
    expect(page.locator("[data-zoom-level]")).to_have_text(re.compile(r"^(9\d|100)%$"))
