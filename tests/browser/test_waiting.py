"""While a model thinks: who works, on which model, for how long and at which attempt."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from studio.components import JsonObject
from tests.browser.conftest import MakeTeam, OpenPage
from tests.browser.playing import MESSAGES, agent, expect_end, give_task, round_robin
from tests.fakes.model_server import HEADERS
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(90)]

WAITING = ".turn-activity"


def test_who_works_is_shown_before_the_first_word(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say(Reply("Old leaves fall.", hold=HEADERS))
    page = open_page()
    give_task(page, pair(2))
    openai_server.wait_until_held()
    row = page.locator(WAITING)
    expect(row).to_contain_text("writer")
    expect(row).to_contain_text("Waiting for gpt-4o")
    expect(row.locator("[data-age]")).to_have_text(re.compile(r"^[1-9]\d* s$"))
    expect(page.locator(".flow-node[data-state=speaking]")).to_have_attribute("data-name", "writer")
    expect(page.locator("[data-part=state-more]")).to_have_text("writer")
    expect(page).to_have_title(re.compile("^Running · "))
    page.reload(wait_until="domcontentloaded")
    expect(row).to_contain_text("Waiting for gpt-4o")
    openai_server.release()
    expect_end(page)
    expect(row).to_have_count(0)
    expect(page).to_have_title(re.compile("^Finished · "))
    expect(page.locator(MESSAGES).nth(1)).to_contain_text("Old leaves fall.")


def test_a_refused_attempt_is_told_where_it_happens_and_stays_told(
    open_page: OpenPage, openai_server: OpenAIServer, make_team: MakeTeam
) -> None:
    openai_server.say(Reply(status=429, retry_after="0.1"), Reply("Here it is.", hold=HEADERS))
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 2},
    }
    page = open_page()
    give_task(page, make_team(round_robin(agent("writer", model), message_count=2)))
    openai_server.wait_until_held()
    expect(page.locator(WAITING)).to_contain_text("Waiting for gpt-4o, attempt 2 after status 429 (rate limit)")
    openai_server.release()
    expect_end(page)
    page.reload(wait_until="domcontentloaded")
    expect(page.locator(".marker")).to_have_text(["writer, gpt-4o: status 429 (rate limit) at attempt 1"])


def test_a_failed_run_names_agent_and_model_and_leads_to_what_mends_it(
    open_page: OpenPage, openai_server: OpenAIServer, pair: Callable[[int], str]
) -> None:
    openai_server.say("One.", Reply(status=401), "Two.")
    page = open_page()
    give_task(page, pair(3))
    end = page.locator(".run-end[data-state=failed]")
    expect(end.locator("strong")).to_have_text("critic, gpt-4o: ")
    expect(end).to_contain_text("Check the API key.")
    end.get_by_role("button", name="Try again from here").click()
    expect_end(page, "Finished")
    expect(page.locator(MESSAGES)).to_contain_text(["Write two lines.", "One.", "Two."])
    page.go_back()
    end.get_by_role("button", name="Open the model").click()
    expect(page.get_by_label("Model", exact=True)).to_have_value("gpt-4o")
