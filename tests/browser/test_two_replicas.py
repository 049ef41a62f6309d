"""Two people at two replicas debug one run, which a worker drives: each sees what the other does, done once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import cast

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from studio.components import JsonObject
from tests.browser.debugging import DECISION, shouting
from tests.browser.playing import MESSAGES, STATE, agent, expect_end, give_task, round_robin
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.fleet.processes import Fleet
from tests.web.documents import USER_PROXY

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(240)]


def team(url: str) -> JsonObject:
    """A writer, a clerk whose tool is asked about, and a person."""
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": url, "api_key": "test-key", "max_retries": 0},
    }
    config = shouting()["config"]
    assert isinstance(config, dict)
    [clerk] = cast("list[JsonObject]", config["participants"])
    return round_robin(agent("writer", model), agent("editor", model), clerk, USER_PROXY, message_count=5)


@contextmanager
def page_of(browser: Browser, replica: httpx.Client) -> Generator[Page]:
    """A page that is signed in at a replica."""
    with browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce") as context:
        context.set_default_timeout(15_000)
        page = context.new_page()
        token = replica.headers["Authorization"].removeprefix("Bearer ")
        page.goto(f"{replica.base_url}/?token={token}", wait_until="domcontentloaded")
        yield page


def commands(replica: httpx.Client, run_id: str) -> Counter[str]:
    entries = replica.get(f"/api/runs/{run_id}/events").json()["entries"]
    return Counter(str(each["body"]["command"]) for each in entries if each["kind"] == "command")


def test_two_people_at_two_replicas_debug_one_run(
    browser: Browser, processes: Fleet, openai_server: OpenAIServer
) -> None:
    first, second = processes.web(), processes.web()
    processes.worker()
    processes.worker()
    made = first.post("/api/teams", json={"component": team(openai_server.url)}).json()
    rules = {"policy": {"rules": [{"tool": "shout", "verdict": "ask"}]}}
    assert first.put(f"/api/teams/{made['id']}/policy", json=rules).status_code == 200
    openai_server.say(Reply("A first line.", hold=0), "A second line.")
    with page_of(browser, first) as ann, page_of(browser, second) as bob:
        both = (ann, bob)
        give_task(ann, f"{first.base_url}/teams/{made['id']}/play")
        openai_server.wait_until_held()
        run_id = ann.url.rsplit("/", 1)[1]
        bob.goto(f"{second.base_url}/runs/{run_id}", wait_until="domcontentloaded")
        expect(bob.locator(STATE)).to_have_text("Running")

        bob.get_by_role("button", name="Pause").click()
        for page in both:
            expect(page.locator(STATE)).to_have_text("Pausing")
        openai_server.release()
        for page in both:
            expect(page.locator(STATE)).to_contain_text("Paused by")
        ann.get_by_role("button", name="Step", exact=True).click()
        for page in both:
            expect(page.locator(STATE)).to_have_text("Paused after a step")
            expect(page.locator(MESSAGES)).to_have_count(3)

        bob.get_by_role("button", name="Resume").click()
        for page in both:
            expect(page.locator(DECISION)).to_contain_text("clerk wants to use shout")
        ann.locator(DECISION).get_by_role("button", name="Allow", exact=True).click()
        for page in both:
            expect(page.locator(MESSAGES)).to_have_count(4)

        bob.locator(".question textarea").fill("Thank you.")
        bob.keyboard.press("Enter")
        for page in both:
            expect_end(page, "Finished")
            expect(page.locator(MESSAGES).last).to_contain_text("Thank you.")
        counts = commands(second, run_id)
        assert {name: counts[name] for name in ("pause", "step", "decide", "answer")} == dict.fromkeys(
            ("pause", "step", "decide", "answer"), 1
        ), counts

        openai_server.say("Another second line.")
        ann.get_by_text("A first line.").click(button="right")
        ann.get_by_role("menuitem", name="Fork from here…").click()
        ann.get_by_role("dialog").get_by_role("button", name="Fork", exact=True).click()
        expect(ann.locator(".run-origin")).to_contain_text("Fork of another run")
        bob.goto(f"{second.base_url}/runs/{ann.url.rsplit('/', 1)[1]}", wait_until="domcontentloaded")
        expect(bob.get_by_text("Another second line.", exact=True)).to_be_visible()
    assert openai_server.request_count == 3
