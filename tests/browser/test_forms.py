"""The forms of the builder: text that is unfinished, undo, lists, types, keys, parts, and every published component."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from studio.components import catalogue
from tests.browser.building import JsonObject, OpenPage, agent, call, limit, open_team, saved, team
from tests.extended import sample

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

OPENAI = "autogen_ext.models.openai.OpenAIChatCompletionClient"
ANTHROPIC = "autogen_ext.models.anthropic.AnthropicChatCompletionClient"


PASTE = "(code, text) => code.dispatchEvent(new CustomEvent('json-code:input', {bubbles: true, detail: {text}}))"
"""As the editor itself tells of a text; typing so many of them would take minutes."""


def model(**config: object) -> JsonObject:
    return {"provider": OPENAI, "component_type": "model", "config": {"model": "gpt-4o-mini", **config}}


def mentions(*names: str) -> JsonObject:
    provider = "autogen_agentchat.conditions.SourceMatchTermination"
    return {"provider": provider, "component_type": "termination", "config": {"sources": list(names)}}


def field(page: Page, pointer: str) -> Locator:
    return page.locator(f'#panel-form [data-field="{pointer}"]')


def control(page: Page, pointer: str) -> Locator:
    return page.locator(f'#panel-form :is(input, textarea, select)[data-kind][data-pointer="{pointer}"]')


def entries(page: Page) -> list[str]:
    controls = page.locator("#panel-form .form-entry input[data-kind]")
    return [str(each.input_value()) for each in controls.all()]


def test_text_that_is_no_value_stays_with_its_message_while_the_form_goes_on(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, model(temperature=0.5))
    temperature = control(page, "/config/temperature")
    temperature.fill("lots")
    expect(field(page, "/config/temperature").locator(".field-error")).to_have_text("Write a number.")
    control(page, "/config/model").fill("gpt-4o")
    expect(control(page, "/config/model")).to_have_value("gpt-4o")
    assert saved(page, team_id)["config"] == {"model": "gpt-4o", "temperature": 0.5}
    expect(temperature).to_have_value("lots")
    expect(field(page, "/config/temperature").locator(".field-error")).to_have_text("Write a number.")
    temperature.fill("9")
    expect(field(page, "/config/temperature").locator(".field-error")).to_contain_text("2")
    temperature.fill("0.25")
    temperature.press("ArrowUp")
    expect(temperature).to_have_value("0.26")
    expect(field(page, "/config/temperature").locator(".field-error")).to_be_hidden()
    expect(page.locator("[data-save-state]")).not_to_have_attribute("data-state", "saved")
    expect(temperature).to_be_focused()
    assert saved(page, team_id)["config"]["temperature"] == 0.26


def test_undo_and_reset_show_in_the_field_that_has_the_focus(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, model())
    name = control(page, "/config/model")
    name.fill("gpt-4o")
    page.get_by_role("button", name="Undo").click()
    expect(name).to_have_value("gpt-4o-mini")
    page.get_by_role("button", name="Redo").click()
    expect(name).to_have_value("gpt-4o")
    page.locator("#panel-form .form-more > summary").first.click()
    top = control(page, "/config/top_p")
    top.fill("0.5")
    reset = field(page, "/config/top_p").get_by_role("button", name="Reset Top p to its default")
    expect(reset).to_be_visible()
    expect(top).to_be_focused()
    reset.press("Enter")
    expect(top).to_have_value("")
    expect(page.locator("#panel-form .form-more").first).to_have_attribute("open", "")


def test_a_list_grows_moves_and_shrinks_by_keys_and_by_pointer(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, mentions("a", "b"))
    expect(page.locator(".form-entry")).to_have_count(2)
    page.locator(".form-entry input[data-kind]").nth(1).press("Enter")
    expect(page.locator(".form-entry input[data-kind]").nth(2)).to_be_focused()
    page.keyboard.type("c")
    page.get_by_role("button", name="Move entry 3", exact=True).press("ArrowUp")
    expect(page.get_by_role("button", name="Move entry 2", exact=True)).to_be_focused()
    expect(page.locator(".form-entry input[data-kind]").nth(1)).to_have_value("c")
    grip, target = (page.get_by_role("button", name=f"Move entry {n}", exact=True).bounding_box() for n in (1, 3))
    assert grip is not None
    assert target is not None
    page.mouse.move(grip["x"] + 8, grip["y"] + 8)
    page.mouse.down()
    page.mouse.move(target["x"] + 8, target["y"] + target["height"] + 4, steps=6)
    page.mouse.up()
    expect(page.locator(".form-entry input[data-kind]").nth(2)).to_have_value("a")
    assert entries(page) == ["c", "b", "a"]
    page.get_by_role("button", name="Remove entry 3").click()
    expect(page.locator(".form-entry")).to_have_count(2)
    expect(page.get_by_role("button", name="Remove entry 2")).to_be_focused()
    page.locator(".form-entry input[data-kind]").nth(1).fill("")
    page.keyboard.press("Backspace")
    expect(page.locator(".form-entry")).to_have_count(1)
    assert entries(page) == ["c"]


def test_a_type_is_switched_in_the_form_and_from_the_palette_and_keeps_what_fits(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, model(temperature=0.5, api_key="secret:mine", seed=3))
    page.get_by_label("Type", exact=True).select_option(ANTHROPIC)
    expect(control(page, "/config/temperature")).to_have_value("0.5")
    made = saved(page, team_id)
    assert made["provider"] == ANTHROPIC
    assert (made["config"]["api_key"], made["config"]["temperature"]) == ("secret:mine", 0.5)
    assert "seed" not in made["config"]
    expect(page.locator("#toasts")).to_contain_text("has no field for")
    page.keyboard.press("Control+z")
    expect(page.get_by_label("Type", exact=True)).to_have_value(OPENAI)
    page.keyboard.press("Control+k")
    page.keyboard.type("Change type")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Type", exact=True)).to_be_focused()


def test_a_key_is_stored_in_place_and_never_enters_the_document(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, model(api_key="env:NOT_SET_HERE"))
    key = field(page, "/config/api_key")
    expect(key).to_contain_text("Set the environment variable NOT_SET_HERE and restart the studio")
    expect(key.locator(".badge")).to_have_text("missing")
    control(page, "/config/api_key").fill("sk-typed-by-mistake")
    expect(key.locator(".field-error")).to_contain_text("Write a reference")
    key.locator("summary").click()
    key.get_by_label("Name of the new secret").fill("mine")
    key.get_by_label("The key").fill("sk-very-secret")
    key.get_by_role("button", name="Store", exact=True).press("Enter")
    expect(control(page, "/config/api_key")).to_have_value("secret:mine")
    expect(key.locator(".badge")).to_have_text("set")
    assert saved(page, team_id)["config"]["api_key"] == "secret:mine"
    content = page.content()
    assert "sk-typed" not in content
    assert "sk-very" not in content
    assert {"mine": True}.items() <= {each["name"]: each["set"] for each in call(page, "GET", "/api/secrets")}.items()


def test_a_small_component_is_edited_where_it_stands(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("writer"), termination_condition=limit(4)))
    stop = field(page, "/config/termination_condition")
    stop.locator("summary").press("Enter")
    control(page, "/config/termination_condition/config/max_messages").fill("7")
    assert saved(page, team_id)["config"]["termination_condition"]["config"]["max_messages"] == 7
    stop.get_by_role("button", name="Open").click()
    expect(page.locator('[data-form="/config/termination_condition"]')).to_be_visible()


def test_an_edge_has_a_form_whose_target_is_a_choice_of_the_nodes(open_page: OpenPage) -> None:
    page = open_page()
    edge = {"target": "critic"}
    nodes: JsonObject = {"writer": {"name": "writer", "edges": [edge]}, "critic": {"name": "critic", "edges": []}}
    document = team(agent("writer"), agent("critic"), graph={"nodes": nodes})
    document["provider"] = "autogen_agentchat.teams.GraphFlow"
    team_id = open_team(page, document)
    field(page, "/config/graph").locator("summary", has_text="critic").first.click()
    pointer = "/config/graph/nodes/writer/edges/0/target"
    field(page, "/config/graph").locator(".form-inline .form-inline > summary").first.click()
    expect(control(page, pointer).locator("option")).to_have_text(["writer", "critic"])
    control(page, pointer).select_option("writer")
    assert saved(page, team_id)["config"]["graph"]["nodes"]["writer"]["edges"][0]["target"] == "writer"


def test_every_kind_of_component_opens_with_its_form(open_page: OpenPage) -> None:
    page = open_page(is_new=True)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    open_team(page, model())
    editor = page.locator("#panel-json json-code")
    shown = page.locator("#panel-form")
    for entry in sample(catalogue(), 12):  # tests/web/test_forms_of_examples.py reads those that AutoGen published
        provider = str(entry["provider"])
        page.get_by_role("tab", name="JSON").click()
        editor.evaluate(PASTE, json.dumps(entry["template"]))
        page.get_by_role("tab", name="Form").click()
        expect(shown.locator(f'[data-form=""][data-provider="{provider}"]'), provider).to_be_visible()
        expect(page.locator("#toasts .toast"), provider).to_have_count(0)
    assert problems == []


def test_code_that_is_typed_while_the_form_is_drawn_anew_stays(open_page: OpenPage) -> None:
    page = open_page()
    config = {"name": "add", "description": "Add one.", "source_code": "def add(a: int) -> int:\n    return a\n"}
    provider = "autogen_core.tools.FunctionTool"
    team_id = open_team(page, {"provider": provider, "component_type": "tool", "config": config})
    code = field(page, "/config/source_code").locator(".cm-content")
    code.click()
    held: list[Route] = []
    page.route("**/fragments/form", lambda route: held.append(route))
    with page.expect_request("**/fragments/form"):
        control(page, "/config/description").fill("Add two.")
        code.click()
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.insert_text("# typed meanwhile")
    with page.expect_request(
        lambda sent: f"/teams/{team_id}" in sent.url and "# typed meanwhile" in (sent.post_data or "")
    ):
        page.unroute("**/fragments/form")
    expect(code).to_contain_text("# typed meanwhile")


def test_a_python_tool_is_called_as_its_function_is_until_it_is_named_by_hand(open_page: OpenPage) -> None:
    page = open_page()
    source = 'def add(a: int) -> int:\n    """Add one."""\n    return a + 1\n'
    config = {"name": "add", "description": "Add one.", "source_code": source}
    provider = "autogen_core.tools.FunctionTool"
    team_id = open_team(page, {"provider": provider, "component_type": "tool", "config": config})
    code = field(page, "/config/source_code").locator(".cm-content")

    def rewrite(text: str) -> None:
        code.click()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.press("Delete")
        page.keyboard.insert_text(text)

    rewrite('def flight_price(city: str) -> str:\n    """Find a flight."""\n    return city\n')
    expect(control(page, "/config/name")).to_have_value("flight_price")
    expect(control(page, "/config/description")).to_have_value("Find a flight.")
    control(page, "/config/name").fill("price")
    rewrite('def train_price(city: str) -> str:\n    """Find a train."""\n    return city\n')
    expect(control(page, "/config/description")).to_have_value("Find a train.")
    assert saved(page, team_id)["config"]["name"] == "price"
