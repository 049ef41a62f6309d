"""Why somebody spoke, and how far the termination conditions are, as the playground shows it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from pydantic import JsonValue

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import STATE, agent, expect_end, expect_pausing, give_task
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]


def replay(*replies: str) -> JsonObject:
    return {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "model",
        "config": {"chat_completions": list(replies)},
    }


def condition(provider: str, **config: JsonValue) -> JsonObject:
    return {"provider": f"autogen_agentchat.{provider}", "component_type": "termination", "config": config}


@pytest.fixture
def choosing(make_team: MakeTeam) -> str:
    """A team whose model first names one who may not speak."""
    stops = condition(
        "base.OrTerminationCondition",
        conditions=[
            condition("conditions.TextMentionTermination", text="DONE"),
            condition("conditions.MaxMessageTermination", max_messages=5),
            condition("conditions.TokenUsageTermination", max_total_token=8000),
        ],
    )
    participants: list[JsonValue] = [
        agent("writer", replay("A line.", "Better. DONE")),
        agent("critic", replay("Too long.")),
        agent("clerk", replay("Filed.")),
    ]
    team: JsonObject = {
        "participants": participants,
        "model_client": replay("writer", "writer, again", "critic", "writer"),
        "termination_condition": stops,
    }
    return make_team(
        {"provider": "autogen_agentchat.teams.SelectorGroupChat", "component_type": "team", "config": team}
    )


def gauges(page: Page) -> Locator:
    return page.locator('[data-part="gauges"] .gauge')


def test_a_turn_tells_why_its_speaker_was_chosen(open_page: OpenPage, choosing: str) -> None:
    page = open_page()
    give_task(page, choosing)
    expect_end(page, "Finished")
    page.get_by_role("button", name="Why critic spoke").focus()
    page.keyboard.press("Enter")
    why = page.locator(".turn[data-source=critic] .why")
    expect(why).to_contain_text("The model selected critic at attempt 2. writer spoke last")
    expect(why.locator("[data-chosen]")).to_contain_text("critic")
    expect(why.locator(".why-names li")).to_have_count(2)
    expect(why.locator(".why-list li")).to_contain_text(["writer, again", "critic"])
    expect(why).to_contain_text("Names the last speaker, who cannot repeat.")
    why.get_by_text("What the model was asked").click()
    expect(why.locator("pre")).to_contain_text("[the conversation, 2 messages]")
    page.get_by_role("button", name="Why critic spoke").click()
    expect(why).to_be_hidden()


def test_gauges_tell_how_far_each_condition_is_and_the_end_names_the_one_that_fired(
    open_page: OpenPage, choosing: str
) -> None:
    page = open_page()
    give_task(page, choosing)
    expect_end(page, 'Finished because "DONE" is mentioned')
    for _ in range(2):  # as it happened, and again from the log
        expect(gauges(page)).to_contain_text(['"DONE" seen', "4 of 5 messages", "of 8,000 tokens"])
        expect(gauges(page).nth(0)).to_have_attribute("data-look", "fired")
        expect(gauges(page).nth(1)).to_have_attribute("data-look", "near")
        expect(gauges(page).nth(2)).to_have_attribute("data-look", "")
        page.reload(wait_until="domcontentloaded")


def test_while_a_run_is_held_the_gauges_count_what_the_team_has_taken_up(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("one", hold=0))
    page = open_page()
    give_task(page, pair(50))
    openai_server.wait_until_held()
    expect(gauges(page)).to_contain_text(["1 of 50 messages"])
    expect(page.get_by_role("button", name="Why writer spoke")).to_have_count(0)  # nothing of it was heard
    page.keyboard.press("Space")
    expect_pausing(page)
    openai_server.release()
    expect(page.locator(STATE)).to_have_text("Paused by you")
    expect(gauges(page)).to_contain_text(["1 of 50 messages"])  # its last message can still be changed
    behind = page.get_by_text("before the last message")
    expect(behind).to_be_visible()
    page.keyboard.press("s")
    expect(gauges(page)).to_contain_text(["2 of 50 messages"])
    expect(page.get_by_role("button", name="Why critic spoke")).to_be_visible()
