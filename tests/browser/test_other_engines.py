"""The main job in Firefox and WebKit: build by pointer and key, watch a run, reload it, step through it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from studio.components import JsonObject
from tests.browser import building
from tests.browser.conftest import MakeTeam, StudioServer
from tests.browser.debugging import pair
from tests.browser.engines import (
    Engine,
    click,
    drag,
    expect_texts,
    firefox,
    press,
    see,
    until,
    webkit,
)
from tests.browser.playing import agent, round_robin
from tests.fakes.openai_server import OpenAIServer, Reply

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

NAMES = ".node[data-card] .node-name"
MESSAGES = ".chat > .turn[data-kind=message]"


@pytest.fixture(scope="module", params=[firefox, webkit], ids=["firefox", "webkit"])
def started(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with request.param(1440, 1000) as engine:
        yield engine


@pytest.fixture
def engine(started: Engine, studio_server: StudioServer) -> Iterator[Engine]:
    """A browser that is signed in; a script error fails the test."""
    started.goto(studio_server.entrance)
    yield started
    assert started.problems() == []


def build(engine: Engine, api: httpx.Client, component: JsonObject) -> str:
    team_id = str(api.post("/api/teams", json={"component": component, "name": "Pair"}).json()["id"])
    engine.goto(f"{api.base_url}".rstrip("/") + f"/teams/{team_id}")
    see(engine, "[data-builder]:not([aria-busy]) .node[data-card]")
    see(engine, "[data-palette-list]:not([aria-busy]) .palette-item:not([data-new])")
    return team_id


def saved(engine: Engine, api: httpx.Client, team_id: str) -> Any:
    see(engine, "[data-save-state][data-state=saved]")
    return api.get(f"/api/teams/{team_id}").json()["component"]


def give_task(engine: Engine, address: str) -> None:
    engine.goto(address)
    click(engine, "textarea[name=task], [aria-label='Task for the team']")
    engine.type("Write two lines.")
    press(engine, "Enter")


def test_cards_are_added_moved_and_undone_by_pointer_and_by_key(engine: Engine, api: httpx.Client) -> None:
    team_id = build(engine, api, building.team(building.agent("one"), building.agent("two")))
    drag(engine, ".palette-item[data-new]", "Assistant", ".frame", (0.95, 0.5))
    expect_texts(engine, NAMES, ["one", "two", "assistant"])
    until(engine, "() => document.querySelector('.insertion-marker') === null")  # also when it ends within a frame
    drag(engine, ".node[data-card]", "two", ".node[data-card]", (0.1, 0.2))
    expect_texts(engine, NAMES, ["two", "one", "assistant"])
    engine.evaluate("() => document.querySelector('.node[data-card]').focus()")
    press(engine, "Alt+ArrowRight")
    expect_texts(engine, NAMES, ["one", "two", "assistant"])
    press(engine, "Delete")
    expect_texts(engine, NAMES, ["one", "assistant"])
    press(engine, "Control+z")
    expect_texts(engine, NAMES, ["one", "two", "assistant"])
    see(engine, "[data-save-state][data-state=saved]")
    names = [each["config"]["name"] for each in saved(engine, api, team_id)["config"]["participants"]]
    assert names == ["one", "two", "assistant"]


def test_a_field_of_the_form_changes_the_card(engine: Engine, api: httpx.Client) -> None:
    build(engine, api, building.team(building.agent("writer")))
    click(engine, ".node-name", "writer")
    click(engine, "input[data-pointer='/config/participants/0/config/name']")
    press(engine, "Control+a")
    engine.type("author")
    expect_texts(engine, NAMES, ["author"])


def test_a_run_streams_is_reloaded_and_ends(engine: Engine, make_team: MakeTeam, openai_server: OpenAIServer) -> None:
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0},
    }
    openai_server.say(Reply("The first answer is on its way.", hold=3), "The second.")
    team = round_robin(agent("writer", model), agent("critic", model), message_count=3)
    give_task(engine, make_team(team))
    click(engine, "dialog button", "Approve and run")
    openai_server.wait_until_held()
    see(engine, ".chat", "The first answer")
    engine.evaluate("() => location.reload()")
    see(engine, ".chat", "The first answer")
    openai_server.release()
    see(engine, ".run-end")
    see(engine, MESSAGES, "The first answer is on its way.")
    assert engine.evaluate("(selector) => document.querySelectorAll(selector).length", MESSAGES) == 3
    arrow_heads_have_the_color_of_their_line(engine)


def arrow_heads_have_the_color_of_their_line(engine: Engine) -> None:
    click(engine, "[role=tab]", "Flow")
    script = """() => {
      const lines = [...document.querySelectorAll('.flow-line')]
      return lines.length > 0 && lines.every((line) => {
        const head = document.querySelector(`${getComputedStyle(line).markerEnd.match(/#[a-z-]+/)[0]} path`)
        return getComputedStyle(head).fill === getComputedStyle(line).stroke
      })
    }"""
    until(engine, script)  # a line on which a message travels is lit for a moment


def test_a_run_waits_at_a_breakpoint_and_goes_on_in_steps(engine: Engine, make_team: MakeTeam) -> None:
    address = make_team(pair())
    engine.goto(address)
    click(engine, "[role=tab]", "Debug")
    click(engine, "form[aria-label='New breakpoint'] input")
    engine.type("critic")
    click(engine, "form[aria-label='New breakpoint'] button", "Add")  # in WebKit Enter takes a suggestion
    until(engine, "() => document.querySelector('#announcer').textContent.includes('Breakpoint added')")
    give_task(engine, address)
    see(engine, "[data-part=state]", "Paused at a breakpoint")
    until(engine, "(selector) => document.querySelectorAll(selector).length === 2", MESSAGES)
    click(engine, "[data-command=step]")
    until(engine, "(selector) => document.querySelectorAll(selector).length === 3", MESSAGES)
    see(engine, "[data-part=state]", "Paused after a step")
    click(engine, "[data-command=resume]")
    see(engine, ".run-end")
