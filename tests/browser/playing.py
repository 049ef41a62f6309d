"""The playground as a test drives it: teams to play with, a task given, what a run shows and what its log holds."""

from __future__ import annotations

import base64
from typing import cast

import httpx
from playwright.sync_api import Page, expect
from pydantic import JsonValue

from studio.components import JsonObject

STATE = "[data-part=state]"
MESSAGES = ".chat > .turn[data-kind=message]"


def agent(name: str, model: JsonObject) -> JsonObject:
    return {
        "provider": "autogen_agentchat.agents.AssistantAgent",
        "component_type": "agent",
        "config": {"name": name, "model_client": model, "model_client_stream": True},
    }


def round_robin(*participants: JsonObject, message_count: int) -> JsonObject:
    return {
        "provider": "autogen_agentchat.teams.RoundRobinGroupChat",
        "component_type": "team",
        "config": {
            "participants": list(participants),
            "termination_condition": {
                "provider": "autogen_agentchat.conditions.MaxMessageTermination",
                "component_type": "termination",
                "config": {"max_messages": message_count},
            },
        },
    }


def hurry(part: JsonValue) -> JsonValue:
    """The same component, whose scripted replies come without waits."""
    if isinstance(part, dict):
        return {name: 0 if name == "delay_s" else hurry(value) for name, value in part.items()}
    return [hurry(each) for each in part] if isinstance(part, list) else part


def give_task(page: Page, address: str, task: str = "Write two lines.") -> None:
    """Start a run, with all approvals that the team asks for."""
    page.goto(address, wait_until="domcontentloaded")
    page.get_by_role("textbox", name="Task for the team").fill(task)
    page.keyboard.press("Enter")
    started = page.locator("[data-view=run]")
    approve = page.get_by_role("button", name="Approve and run")
    started.or_(approve).wait_for()
    if approve.is_visible():
        approve.click()
    started.wait_for()


def expect_end(page: Page, words: str = "") -> None:
    """Scripted teams take their time between words."""
    end = page.locator(".run-end")
    end.wait_for(timeout=30_000)  # cheaper than to expect it: see `wait_for_builder`
    expect(end).to_contain_text(words)


def expect_pausing(page: Page) -> None:
    """The page says so at once, the server a moment later."""
    expect(page.locator(STATE)).to_have_text("Pausing")
    expect(page.locator("[data-command][aria-busy]")).to_have_count(0)


def logged_messages(api: httpx.Client, page: Page) -> list[int]:
    entries = api.get(f"/api/runs/{page.url.rsplit('/', 1)[1]}/events").json()["entries"]
    return [entry["seq"] for entry in entries if entry["kind"] == "message"]


def shown_messages(page: Page) -> list[int]:
    return cast(
        "list[int]", page.locator(MESSAGES).evaluate_all("nodes => nodes.map(node => Number(node.dataset.seq))")
    )


TASK = "Task for the team"


def reply(page: Page, text: str) -> None:
    page.get_by_role("textbox", name=TASK).fill(text)
    page.keyboard.press("Enter")


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC"
)
