"""The structure of a team on the canvas: graphs, swarms and what opens in place, by pointer and by keyboard."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.building import JsonObject, OpenPage, agent, drag, limit, names, open_team, saved, team

EDGES = ".edge[data-component]"
HOLD_FORMS = """() => {
  const asked = window.fetch
  const coming = new Promise((come) => { window.letFormsCome = come })
  window.fetch = async (...all) => {
    if (String(all[0]?.url ?? all[0]).includes('/fragments/form')) await coming
    return asked(...all)
  }
}"""


def graph_flow(ways: dict[str, list[str | JsonObject]], start: str | None = None) -> JsonObject:
    nodes = {
        name: {"name": name, "edges": [{"target": each} if isinstance(each, str) else each for each in edges]}
        for name, edges in ways.items()
    }
    flow = team(*[agent(name) for name in ways], graph={"nodes": nodes, "default_start_node": start})
    return {**flow, "provider": "autogen_agentchat.teams.GraphFlow"}


def swarm(**handoffs: list[str | JsonObject]) -> JsonObject:
    members = [agent(name, handoffs=targets) for name, targets in handoffs.items()]
    return {**team(*members), "provider": "autogen_agentchat.teams.Swarm"}


def card(page: Page, name: str) -> Locator:
    return page.locator(".node[data-card]").filter(has=page.locator(".node-name").get_by_text(name, exact=True))


def draw_edge(page: Page, source: Locator, to: Locator | tuple[float, float]) -> None:
    """Drag from the port of a card to another card, or to a place of the window."""
    source.hover()
    port = page.locator(".node-port")
    expect(port).to_be_visible()
    box = port.bounding_box()
    assert box is not None
    target = to if isinstance(to, tuple) else _middle(to)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, box["y"] + 40, steps=3)
    page.mouse.move(*target, steps=6)
    page.mouse.up()


def _middle(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def select(page: Page, name: str) -> None:
    """With the keyboard on the card of this name."""
    card(page, name).locator(".node-name").click()
    card(page, name).focus()
    expect(card(page, name)).to_have_attribute("data-selected", "")


def field(page: Page, pointer: str) -> Locator:
    """Of the form once it is that of the selection alone."""
    expect(page.locator("#panel-form:not([aria-busy]) [data-form]")).to_have_attribute(
        "data-form", re.compile(re.escape(pointer.rpartition("/")[0].removesuffix("/config")) + "$")
    )
    return page.locator(f'#panel-form :is(input, textarea, select)[data-pointer="{pointer}"]')


def choose(page: Page, text: str) -> None:
    chooser = page.locator("dialog.chooser")
    expect(chooser).to_be_visible()
    page.keyboard.type(text)
    expect(chooser.get_by_role("option").first).to_contain_text(text)
    page.keyboard.press("Enter")
    expect(chooser).to_be_hidden()


def ways(component: JsonObject) -> dict[str, list[str]]:
    nodes: dict[str, Any] = component["config"]["graph"]["nodes"]
    return {name: [edge["target"] for edge in node["edges"]] for name, node in nodes.items()}


def test_an_edge_is_drawn_selected_given_a_condition_and_deleted_by_pointer(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, graph_flow({"a": ["b"], "b": [], "c": []}, "a"))
    draw_edge(page, card(page, "b"), card(page, "c"))
    expect(page.locator(EDGES)).to_have_count(2)
    field(page, "/config/graph/nodes/b/edges/0/condition").fill("READY")
    expect(page.locator(".edge[data-selected] .edge-label")).to_contain_text("READY")
    assert saved(page, team_id)["config"]["graph"]["nodes"]["b"]["edges"][0]["condition"] == "READY"
    page.locator(".edge-label").click()
    page.keyboard.press("Delete")
    expect(page.locator(EDGES)).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(page.locator(EDGES)).to_have_count(2)


def test_an_edge_is_connected_turned_and_taken_away_by_keyboard(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, graph_flow({"a": ["b"], "b": [], "c": []}, "a"))
    select(page, "b")
    page.keyboard.press("e")
    choose(page, "c")
    expect(page.locator(EDGES)).to_have_count(2)
    expect(page.locator("#announcer")).to_contain_text("Connect b to c")
    assert ways(saved(page, team_id)) == {"a": ["b"], "b": ["c"], "c": []}
    select(page, "a")
    page.keyboard.press(".")
    expect(page.get_by_role("button", name="Edge from a to b")).to_be_focused()
    page.keyboard.press("e")
    choose(page, "c")
    expect(page.get_by_role("button", name="Edge from a to c")).to_be_focused()
    assert ways(saved(page, team_id)) == {"a": ["c"], "b": ["c"], "c": []}
    select(page, "b")
    page.keyboard.press("Shift+E")
    choose(page, "b → c")
    assert ways(saved(page, team_id)) == {"a": ["c"], "b": [], "c": []}


def test_an_edge_has_the_focus_and_is_left_edited_and_deleted_from_there(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, graph_flow({"a": ["b"], "b": ["c"], "c": []}, "a"))
    first = page.get_by_role("button", name="Edge from a to b")
    second = page.get_by_role("button", name="Edge from b to c")
    select(page, "a")
    page.keyboard.press(".")
    expect(first).to_be_focused()
    page.keyboard.press(".")
    expect(second).to_be_focused()
    page.keyboard.press("Tab")
    expect(second).not_to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(second).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(card(page, "b")).to_be_focused()
    page.keyboard.press(",")
    expect(second).to_be_focused()
    page.keyboard.press("Enter")
    condition = field(page, "/config/graph/nodes/b/edges/0/condition")
    expect(condition).to_be_focused()
    page.keyboard.type("DONE")
    named = page.get_by_role("button", name="Edge from b to c, if “DONE” is said")
    expect(named).to_be_visible()
    named.focus()
    page.keyboard.press("Delete")
    expect(page.locator(EDGES)).to_have_count(1)
    expect(page.locator(".canvas :focus, .canvas:focus")).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(page.locator(EDGES)).to_have_count(2)


def test_enter_on_an_edge_leads_to_its_condition_also_while_another_form_is_on_its_way(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, graph_flow({"a": ["b"], "b": ["c"], "c": []}, "a"))
    edge = page.get_by_role("button", name="Edge from b to c")
    select(page, "b")
    page.keyboard.press(".")
    expect(edge).to_be_focused()
    condition = field(page, "/config/graph/nodes/b/edges/0/condition")
    page.evaluate(HOLD_FORMS)
    page.keyboard.press("ArrowLeft")
    expect(card(page, "b")).to_be_focused()
    page.keyboard.press(".")
    expect(edge).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#panel-form[aria-busy]")).to_be_attached()
    page.evaluate("window.letFormsCome()")
    expect(condition).to_be_focused()


def test_the_end_of_an_edge_is_dragged_to_another_card(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, graph_flow({"a": [{"target": "b", "condition": "x"}], "b": [], "c": []}, "a"))
    page.locator(".edge-label").click()
    start = _middle(page.locator(".edge[data-selected] .edge-end[data-end=to]"))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 20, start[1] + 20, steps=3)
    page.mouse.move(*_middle(card(page, "c")), steps=6)
    page.mouse.up()
    expect(page.locator("#announcer")).to_have_text("Connect to c instead")
    edges = saved(page, team_id)["config"]["graph"]["nodes"]["a"]["edges"]
    assert [(edge["target"], edge["condition"]) for edge in edges] == [("c", "x")]


def test_an_edge_dropped_on_open_ground_asks_which_agent_is_new_there(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, graph_flow({"a": ["b"], "b": []}, "a"))
    expect(page.locator(".palette-item:not([data-new])").first).to_be_visible()
    frame = page.locator(".frame").bounding_box()
    assert frame is not None
    draw_edge(page, card(page, "b"), (frame["x"] + frame["width"] - 12, frame["y"] + frame["height"] - 12))
    picker = page.get_by_role("dialog", name="Connect b to a new agent")
    expect(picker).to_be_visible()
    expect(picker.get_by_role("option").filter(has_text="Max message")).to_have_count(0)
    picker.get_by_role("option").filter(has_text="User proxy").first.click()
    expect(names(page)).to_have_count(3)
    component = saved(page, team_id)
    new = component["config"]["participants"][2]["config"]["name"]
    assert ways(component) == {"a": ["b"], "b": [new], new: []}
    page.get_by_role("button", name="Undo").click()
    expect(names(page)).to_have_count(2)


def test_a_node_is_renamed_and_taken_out_with_its_ways_kept(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, graph_flow({"a": ["b"], "b": ["c"], "c": []}, "a"))
    select(page, "a")
    field(page, "/config/participants/0/config/name").fill("author")
    expect(card(page, "author").locator("[data-mark=start]")).to_be_visible()
    select(page, "b")
    page.keyboard.press("Shift+Delete")
    expect(names(page)).to_have_text(["author", "c"])
    component = saved(page, team_id)
    assert ways(component) == {"author": ["c"], "c": []}
    assert component["config"]["graph"]["default_start_node"] == "author"


def test_how_many_edges_a_node_waits_for_is_changed_at_its_mark_and_by_key(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, graph_flow({"a": ["b", "c"], "b": ["c"], "c": []}, "a"))
    mark = card(page, "c").locator("[data-mark=waits]")
    expect(mark).to_have_text("all of 2")
    mark.click()
    expect(mark).to_have_text("any of 2")
    nodes = saved(page, team_id)["config"]["graph"]["nodes"]
    assert [edge["activation_condition"] for edge in nodes["b"]["edges"]] == ["any"]
    select(page, "c")
    page.keyboard.press("w")
    expect(mark).to_have_text("all of 2")


def test_a_node_that_waits_for_what_comes_after_it_is_marked_on_the_edge(open_page: OpenPage) -> None:
    page = open_page()
    loop: dict[str, list[str | JsonObject]] = {
        "a": ["b"],
        "b": [{"target": "c", "condition": "x"}, {"target": "d", "condition": "y"}],
        "c": ["b"],
        "d": [],
    }
    open_team(page, graph_flow(loop, "a"))
    marked = page.locator('.edge[data-tone="warning"]')
    expect(marked).to_have_attribute("data-component", "/config/graph/nodes/c/edges/0")


def test_handoffs_are_drawn_and_taken_away_as_edges(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, swarm(a=["b", "user"], b=[{"target": "a", "message": "All yours."}], c=["a"]))
    expect(page.locator(EDGES)).to_have_count(3)
    expect(page.locator(".edge-label")).to_contain_text("All yours.")
    expect(card(page, "a").locator("[data-mark=leaves]")).to_have_text("user")
    draw_edge(page, card(page, "a"), card(page, "c"))
    expect(page.locator(EDGES)).to_have_count(4)
    assert saved(page, team_id)["config"]["participants"][0]["config"]["handoffs"] == ["b", "user", "c"]
    page.keyboard.press("Delete")
    expect(page.locator(EDGES)).to_have_count(3)
    select(page, "b")
    page.keyboard.press("e")
    choose(page, "c")
    handoffs = saved(page, team_id)["config"]["participants"][1]["config"]["handoffs"]
    assert [each["target"] for each in handoffs] == ["a", "c"]


def test_agents_used_as_tools_and_teams_inside_agents_open_in_place(open_page: OpenPage) -> None:
    page = open_page()
    helper = {
        "provider": "autogen_agentchat.tools.AgentTool",
        "component_type": "tool",
        "config": {"agent": agent("helper"), "return_value_as_last_message": False},
    }
    society = agent("society", team=team(agent("x"), agent("y")))
    society["config"].pop("model_client_stream", None)
    society = {
        **society,
        "provider": "autogen_agentchat.agents.SocietyOfMindAgent",
        "component_version": 1,
        "version": 1,
    }
    open_team(page, team(agent("lead", tools=[helper]), society, termination_condition=limit(4)))
    card(page, "lead").get_by_role("button", name="Open helper").click()
    expect(names(page)).to_have_text(["helper"])
    expect(page.locator("[data-trail] .trail-step")).to_have_count(2)
    page.locator("[data-trail] .trail-step").first.click()
    select(page, "society")
    page.keyboard.press("o")
    expect(names(page)).to_have_text(["x", "y"])
    expect(page.locator("[data-trail] .trail-step")).to_have_text(["Pair", "society", "Pair"])


def conditions(*counts: int) -> JsonObject:
    provider = "autogen_agentchat.base.OrTerminationCondition"
    return {"provider": provider, "component_type": "termination", "config": {"conditions": [limit(n) for n in counts]}}


def test_conditions_are_grouped_by_a_drop_and_rejoined_at_their_word(open_page: OpenPage) -> None:
    page = open_page()
    team_id = open_team(page, team(agent("a"), termination_condition=conditions(11, 12, 13)))
    chips = page.locator(".sentence .chip")
    drag(page, chips.nth(2), chips.nth(0))
    page.get_by_role("menuitem").filter(has_text="and this").click()
    expect(page.locator(".sentence-group:not([data-outermost])")).to_have_text(re.compile("11.*and.*13"))
    stop = saved(page, team_id)["config"]["termination_condition"]["config"]["conditions"]
    assert [each["config"].get("max_messages") for each in stop] == [None, 12]
    page.locator(".sentence-joint").filter(has_text="and").click()
    page.get_by_role("menuitem").filter(has_text="Ungroup").click()
    expect(page.locator(".sentence-group:not([data-outermost])")).to_have_count(0)


def test_conditions_are_grouped_and_rejoined_by_key(open_page: OpenPage) -> None:
    page = open_page()
    open_team(page, team(agent("a"), termination_condition=conditions(11, 12, 13)))
    page.locator(".sentence .chip").nth(1).click()
    page.keyboard.press("g")
    expect(page.locator(".sentence-group:not([data-outermost])")).to_have_text(re.compile("12.*and.*13"))
    page.keyboard.press("x")
    expect(page.locator(".sentence-joint").filter(has_text="and")).to_have_count(0)
    page.keyboard.press("Shift+G")
    expect(page.locator(".sentence-group:not([data-outermost])")).to_have_count(0)
