"""The run panel beside the canvas, as a test drives it."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.building import JsonObject, agent, limit, replay, team

TURNS = "[data-run-panel] .chat > .turn[data-kind=message]"


def pair(writer: str = "A line about rain.", critic: str = "Too wet.") -> JsonObject:
    members = agent("writer", model_client=replay(writer)), agent("critic", model_client=replay(critic))
    return team(*members, termination_condition=limit(3))


def open_panel(page: Page) -> Locator:
    page.get_by_role("button", name="Run", exact=True).first.click()
    box = page.get_by_role("textbox", name="Task for the team")
    expect(box).to_be_focused()
    return box


def card(page: Page, name: str) -> Locator:
    return page.locator(".node[data-card]").filter(has=page.locator(".node-name", has_text=name))


def run(page: Page, task: str) -> None:
    open_panel(page).fill(task)
    page.keyboard.press("Enter")
