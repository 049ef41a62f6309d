"""What the builder's browser tests share: documents, opening a team, gestures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import httpx
from playwright.sync_api import BrowserContext, Locator, Page, expect

OpenPage = Callable[..., Page]
JsonObject = dict[str, Any]  # component JSON as it travels; the tests only build it


BETWEEN_TESTS = "/static/img/favicon.svg"
"""Shown by a page that waits for its next test: a small one of the studio, so that the browser keeps its process."""
doors: WeakKeyDictionary[BrowserContext, httpx.Client] = WeakKeyDictionary()
"""The API of the studio that a new context is signed in to."""


def replay(*replies: str) -> JsonObject:
    provider = "autogen_ext.models.replay.ReplayChatCompletionClient"
    kind = "replay_chat_completion_client"
    return {
        "provider": provider,
        "component_type": kind,
        "label": "Script",
        "config": {"chat_completions": list(replies)},
    }


def agent(name: str, **config: Any) -> JsonObject:
    provider = "autogen_agentchat.agents.AssistantAgent"
    filled = {"name": name, "model_client": replay("Hello"), "description": f"The {name}.", **config}
    return {"provider": provider, "component_type": "agent", "component_version": 2, "version": 2, "config": filled}


def limit(count: int) -> JsonObject:
    provider = "autogen_agentchat.conditions.MaxMessageTermination"
    return {"provider": provider, "component_type": "termination", "config": {"max_messages": count}}


def team(*members: JsonObject, **config: Any) -> JsonObject:
    provider = "autogen_agentchat.teams.RoundRobinGroupChat"
    filled = {"participants": list(members), "termination_condition": limit(4), **config}
    return {"provider": provider, "component_type": "team", "label": "Pair", "config": filled}


def open_team(page: Page, component: JsonObject) -> str:
    """Store a team and open it in the builder."""
    team_id = str(call(page, "POST", "/api/teams", {"component": component, "name": "Pair"})["id"])
    page.goto(f"{origin(page)}/teams/{team_id}", wait_until="domcontentloaded")
    wait_for_builder(page)
    page.locator("[data-palette-list]:not([aria-busy]) .palette-item").first.wait_for(state="attached")
    return team_id


# Not by `expect`, which notes all roles and names of the page at each attempt at what is not there yet, in case that it
# is the last one: up to 0.1 s of the page's own time, and in all a third of what it takes to open the builder.
def wait_for_builder(page: Page) -> None:
    """Until a builder that was asked for can be used."""
    page.locator("[data-builder]:not([aria-busy])").wait_for(timeout=15_000)


def is_empty(page: Page) -> bool:
    return page.url == "about:blank" or page.url.endswith(BETWEEN_TESTS)


def origin(page: Page) -> str:
    if is_empty(page):
        return str(doors[page.context].base_url).rstrip("/")
    return str(page.evaluate("location.origin"))


def call(page: Page, method: str, path: str, body: JsonObject | None = None) -> Any:
    """Ask the API as the person at the page does; where the page is still empty, as its owner's program does."""
    if is_empty(page):
        return doors[page.context].request(method, path, json=body).json()
    script = """async ([method, path, body]) => {
      const token = document.querySelector('meta[name=csrf-token]').content
      const headers = {'X-Studio-CSRF': token, 'Content-Type': 'application/json'}
      const answer = await fetch(path, {method, headers, body: body === null ? null : JSON.stringify(body)})
      return await answer.json()
    }"""
    return page.evaluate(script, [method, path, body])


def saved(page: Page, team_id: str) -> JsonObject:
    """What the server has, once the page has a change and says that it was saved."""
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_enabled()
    expect(page.locator("[data-save-state]")).to_have_attribute("data-state", "saved", timeout=15_000)
    return call(page, "GET", f"/api/teams/{team_id}")["component"]


def names(page: Page) -> Locator:
    return page.locator(".node[data-card] .node-name")


def palette(page: Page, text: str, kind: str = "") -> Locator:
    """The palette's new component of this name, once the galleries have come and nothing moves any more."""
    page.locator(".palette-item:not([data-new])").first.wait_for()
    items = page.locator(f".palette-item[data-new][data-kind={kind}]" if kind else ".palette-item[data-new]")
    return items.filter(has=page.get_by_text(text, exact=True)).first


def drag(page: Page, source: Locator, target: Locator, at: tuple[float, float] = (0.5, 0.5)) -> None:
    source.hover(trial=True)  # scrolls there, and waits while the canvas is drawn again
    start, end = source.bounding_box(), target.bounding_box()
    assert start is not None
    assert end is not None
    page.mouse.move(start["x"] + min(60, start["width"] / 2), start["y"] + min(14, start["height"] / 2))
    page.mouse.down()
    page.mouse.move(start["x"] + 80, start["y"] + 24, steps=3)
    page.mouse.move(end["x"] + end["width"] * at[0], end["y"] + end["height"] * at[1], steps=8)
    page.mouse.up()


def tool(name: str) -> JsonObject:
    source = f"def {name}(a: int) -> int:\n    return a\n"
    config = {"name": name, "description": "Adds.", "source_code": source}
    return {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}
