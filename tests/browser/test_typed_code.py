"""Where the studio takes typed code as read, code of any other origin is still asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, open_team, replay, team
from tests.browser.conftest import NewStudio, StudioServer

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

SHOUT = "def shout(text: str) -> str: return text.upper()"


@pytest.fixture(scope="module")
def studio_server(tmp_path_factory: pytest.TempPathFactory, new_studio: NewStudio) -> Iterator[StudioServer]:
    with new_studio(tmp_path_factory.mktemp("typed") / "data", {"STUDIO_TRUST_TYPED_CODE": "true"}) as server:
        yield server


def writer(*tools: JsonObject) -> JsonObject:
    able = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown"}
    model = replay("Hello", "Bye", "Hello", "Bye")
    model["config"]["model_info"] = able
    return team(agent("writer", model_client=model, tools=[*tools]))


def new_tool(page: Page) -> None:
    """A Python function from the chooser, with the cursor in its selected code."""
    page.locator('[data-canvas] [data-component="/config/participants/0"]').first.click()
    page.locator('#panel-form .form-slot-add[data-pointer="/config/participants/0/config/tools"]').click()
    page.locator(".chooser-input").fill("Python function")
    page.keyboard.press("Enter")
    all_of_the_code(page)


def all_of_the_code(page: Page) -> None:
    page.locator("#panel-form json-code .cm-content").click()
    page.keyboard.press("ControlOrMeta+a")


def expect_named(page: Page, name: str) -> None:
    """The document has the code: the tool's name follows it."""
    expect(page.locator("#panel-form").get_by_role("textbox", name="Name", exact=True)).to_have_value(name)


def run(page: Page) -> None:
    expect(page.locator("[data-save-state]")).to_have_attribute("data-state", "saved")
    page.locator("[data-run]").click()
    page.get_by_role("textbox", name="Task for the team").fill("Hello")
    page.keyboard.press("Enter")


def expect_to_run(page: Page) -> None:
    expect(page.locator("[data-run-panel] .turn[data-kind=message]").first).to_contain_text("Hello")


def expect_to_be_asked(page: Page) -> None:
    expect(page.get_by_role("dialog", name="Approve this team?")).to_contain_text("run 1 piece of Python")


def test_code_typed_key_by_key_runs_without_a_question(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, writer())
    new_tool(page)
    page.keyboard.type(SHOUT)
    expect_named(page, "shout")
    run(page)
    expect_to_run(page)


def test_pasted_code_is_asked_for(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, writer())
    new_tool(page)
    page.keyboard.press("Delete")
    page.evaluate("text => navigator.clipboard.writeText(text)", SHOUT)
    page.keyboard.press("ControlOrMeta+v")
    expect_named(page, "shout")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    run(page)
    expect_to_be_asked(page)


def test_code_from_elsewhere_is_asked_for_though_a_person_typed_in_it(open_page: OpenPage) -> None:
    page = open_page()
    config: JsonObject = {"name": "shout", "description": "Shouts.", "source_code": SHOUT + "\n"}
    tool = {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}
    open_team(page, writer(tool))
    page.locator('[data-canvas] [data-component="/config/participants/0/config/tools/0"]').first.click()
    all_of_the_code(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.type("# mine")
    run(page)
    expect_to_be_asked(page)
