"""What is said within a participant stands apart from what its team hears, in each view of a run."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect
from pydantic import JsonValue

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import agent, expect_end, give_task, round_robin


def replay(*says: str, **more: JsonValue) -> JsonObject:
    return {
        "provider": "autogen_ext.models.replay.ReplayChatCompletionClient",
        "component_type": "model",
        "config": {"chat_completions": list(says), **more},
    }


def scripted(name: str, *says: str) -> JsonObject:
    return agent(name, replay(*says))


def holder(provider: str, config: JsonObject) -> JsonObject:
    return {"provider": provider, "component_type": "agent", "config": config}


def team(name: str, *participants: JsonObject) -> JsonObject:
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {"name": name, "participants": list(participants), "max_turns": len(participants)},
    }


def nested() -> JsonObject:
    """A nested chat with an agent and a team, a society of mind, and a team as a participant."""
    office = team("office", scripted("drafter", "A first draft."), scripted("checker", "It needs a year."))
    thinker = holder(
        "studio.teams.NestedChatAgent",
        {
            "name": "thinker",
            "participants": [scripted("researcher", "It opened in 1890.", "It was paved in 1954."), office],
            "agent": agent("voice", replay("And then?", delay_s=0.2)),  # slow enough for its words to be shown
            "chats": [{"participant": "researcher", "max_turns": 2}, {"participant": "office"}],
        },
    )
    council = holder(
        "autogen_agentchat.agents.SocietyOfMindAgent",
        {
            "name": "council",
            "team": team("parliament", scripted("elder", "Name the trees.")),
            "model_client": replay("The trees are named."),
        },
    )
    bureau = team("bureau", scripted("printer", "Printed."))
    return team("all", scripted("writer", "A square with trees."), thinker, council, bureau)


HEARD = [
    ("user", ""),
    ("writer", ""),
    ("thinker", "Inside thinker"),
    ("researcher", "Inside thinker"),
    ("thinker", "Inside thinker"),
    ("researcher", "Inside thinker"),
    ("thinker", "Inside thinker"),
    ("drafter", "Inside thinker › office"),
    ("checker", "Inside thinker › office"),
    ("thinker", ""),
    ("elder", "Inside council"),
    ("council", ""),
    ("printer", "Inside bureau"),
]


def heard(page: Page) -> list[tuple[str, str]]:
    turns = page.locator(".chat > .turn[data-kind=message]").evaluate_all(
        "turns => turns.map(turn => [turn.dataset.source, turn.querySelector('.turn-nesting')?.textContent ?? ''])"
    )
    return [(source, label) for source, label in turns]


def test_each_view_shows_what_was_said_within_a_participant_as_belonging_there(
    open_page: OpenPage, make_team: MakeTeam
) -> None:
    page = open_page(height_px=2400)
    give_task(page, make_team(nested()))
    expect_end(page, "Finished because")
    for _ in range(2):  # as it happened, and again from the log
        expect(page.locator(".chat > .turn[data-kind=message]")).to_have_count(len(HEARD))
        assert heard(page) == HEARD
        page.reload(wait_until="domcontentloaded")
    groups = page.locator(".turn-nesting:not(.visually-hidden)")
    expect(groups).to_have_text(["Inside thinker", "Inside thinker › office", "Inside council", "Inside bureau"])
    expect(page.locator(".flow-frame text")).to_have_text(["bureau", "thinker", "council", "office"])
    drafter = page.locator(".flow-node[data-name=drafter]")
    expect(drafter).to_have_attribute("aria-description", re.compile("inside thinker › office, 1 message"))
    page.get_by_role("tab", name="Timeline").click()
    lanes = ["writer", "thinker", "researcher", "office", "drafter", "checker", "council", "elder", "bureau", "printer"]
    expect(page.locator(".timeline-name")).to_have_text(lanes)
    expect(page.get_by_title("drafter, inside thinker › office")).to_be_visible()


def test_the_end_of_a_run_says_once_why_it_ended(open_page: OpenPage, make_team: MakeTeam) -> None:
    page = open_page()
    address = make_team(round_robin(scripted("writer", "One.", "Two."), message_count=2))
    give_task(page, address)
    expect_end(page)
    expect(page.locator(".run-end p")).to_have_text(["Finished because 2 messages are reached"])
