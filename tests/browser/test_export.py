"""The dialog that exports a team: the target, the report, the download."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.building import OpenPage, agent, open_team, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def test_a_team_is_exported_for_autogen_with_the_keyboard(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page()
    writer = agent("writer")
    writer["config"]["keep_as"] = "draft"
    open_team(page, team(writer))
    page.get_by_role("button", name="Export", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Export for a framework…").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Export for a framework")
    expect(dialog.get_by_label("Target")).to_be_focused()
    expect(dialog).not_to_contain_text("Left out")
    dialog.get_by_label("Target").select_option("AutoGen 0.7")
    expect(dialog).to_contain_text("Left out: 1")
    expect(dialog.locator(".finding[data-tone=danger]")).to_contain_text("keep_as")
    with page.expect_download() as downloading:
        dialog.get_by_role("button", name="Download").click()
    script = tmp_path / "team.py"
    downloading.value.save_as(script)
    assert "from autogen_agentchat.teams import RoundRobinGroupChat" in script.read_text("utf-8")
    expect(dialog).to_be_hidden()


def test_a_configuration_of_agent_spec_is_saved_as_json(open_page: OpenPage) -> None:
    page = open_page()
    writer = agent("writer")
    provider = "autogen_ext.models.openai.OpenAIChatCompletionClient"
    writer["config"]["model_client"] = {"provider": provider, "config": {"model": "gpt-4o-mini"}}
    open_team(page, team(writer))
    page.get_by_role("button", name="Export", exact=True).click()
    page.get_by_role("button", name="Export for a framework…").click()
    dialog = page.get_by_role("dialog", name="Export for a framework")
    dialog.get_by_label("Target").select_option("Agent Spec")
    with page.expect_download() as downloading:
        dialog.get_by_role("button", name="Download").click()
    assert downloading.value.suggested_filename.endswith(".json")


def test_a_phone_shows_why_a_team_is_refused(open_page: OpenPage) -> None:
    page = open_page()
    step = {"provider": "studio.agents.StepAgent", "config": {"name": "step", "message": "Go on"}}
    open_team(page, team(agent("writer"), step))
    page.set_viewport_size({"width": 390, "height": 760})
    page.get_by_role("button", name="More", exact=True).click()
    page.locator("#more").get_by_role("button", name="Export for a framework…").click()
    dialog = page.get_by_role("dialog", name="Export for a framework")
    expect(page.locator("#more")).to_be_hidden()
    dialog.get_by_label("Target").select_option("AutoGen 0.7")
    expect(dialog.get_by_role("alert")).to_contain_text("AutoGen 0.7 has no StepAgent")
    expect(dialog.get_by_role("button", name="Download")).to_be_disabled()
    box = dialog.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390


@pytest.mark.parametrize(
    ("words", "name"), [("Export", "Export for a framework"), ("Versions", "Versions"), ("Publish", "Publish Pair")]
)
def test_the_palette_leads_to_what_the_buttons_of_the_team_do(open_page: OpenPage, words: str, name: str) -> None:
    page = open_page()
    open_team(page, {**team(agent("writer")), "label": "Pair"})
    page.keyboard.press("Control+k")
    page.keyboard.type(words)
    expect(page.get_by_role("dialog").get_by_role("option").first).to_contain_text(words)
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name=name)).to_be_visible()
