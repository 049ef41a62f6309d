"""What the builder says: kinds by their names, refusals that are seen, failures that are told."""

from __future__ import annotations

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.building import OpenPage, agent, call, limit, open_team, replay, saved, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_kinds_are_called_as_people_call_them(open_page: OpenPage):
    page = open_page()
    magentic = "autogen_agentchat.teams.MagenticOneGroupChat"
    tool = {
        "provider": "autogen_agentchat.tools.AgentTool",
        "component_type": "tool",
        "config": {"agent": agent("helper")},
    }
    document = {**team(agent("writer", tools=[tool]), model_client=replay("x")), "provider": magentic}
    open_team(page, document)
    expect(page.locator("[data-inspector-head] [data-type]")).to_have_text("Magentic-One · team")
    expect(page.locator("[data-canvas]")).to_contain_text("plans and assigns the work")
    page.get_by_role("tab", name="Outline").click()
    page.locator('[data-outline] [data-component$="/tools/0"]').first.click()
    expect(page.locator("[data-inspector-head] [data-type]")).to_have_text("Agent as a tool")


def test_why_something_cannot_be_done_is_seen(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("one"), agent("two")))
    page.locator('.node[data-component="/config/participants/0"]').focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator(".toast")).to_contain_text("Already first.")


def test_what_fails_and_is_caught_nowhere_is_told(open_page: OpenPage):
    page = open_page()
    open_team(page, team(agent("one")))
    page.evaluate(
        "dispatchEvent(new PromiseRejectionEvent('unhandledrejection', "
        "{promise: Promise.resolve(), reason: new Error('The disk is full.')}))"
    )
    expect(page.locator(".toast")).to_contain_text("The disk is full.")


def test_what_is_kept_under_a_name_of_its_own_is_offered_beside_what_is_new(open_page: OpenPage, api: httpx.Client):
    entries = api.get("/api/components").json()
    [fresh] = [each["template"] for each in entries if each["label"] == "MaxMessageTermination"]
    kept = {**fresh, "label": "Message limit of ours"}
    assert api.post("/api/galleries/library/components", json={"component": kept}).status_code < 300
    page = open_page()
    open_team(page, team(agent("one"), termination_condition=limit(3)))
    expect(page.locator(".palette-item", has_text="Message limit of ours")).to_be_visible()
    expect(page.locator(".palette-item[data-new]", has_text="Max message")).to_be_visible()


def test_versions_may_be_left_to_those_with_a_name(open_page: OpenPage, api: httpx.Client):
    page = open_page()
    team_id = open_team(page, team(agent("one")))
    page.locator("[data-team-name]").fill("Other")
    saved(page, team_id)
    newest = call(page, "GET", f"/api/teams/{team_id}/versions")[0]["number"]
    named = api.put(f"/api/teams/{team_id}/versions/{newest}/title", json={"title": "Before the change"})
    assert named.status_code == 204
    page.get_by_role("button", name="Versions").click()
    expect(page.locator(".version")).to_have_count(2)
    page.get_by_label("Named only").check()
    expect(page.locator(".version")).to_have_count(1)
    expect(page.locator(".version")).to_contain_text("Before the change")
