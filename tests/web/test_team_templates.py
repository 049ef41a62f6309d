"""Templates for new teams: the drawing of each kind, and when to take it."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.services.builtin_galleries import builtin_galleries
from studio.services.team_templates import SHAPES, shape_of
from tests.web.documents import assistant, team

[SHIPPED] = [each.gallery for each in builtin_galleries() if each.gallery.id == "team-studio"]
DRAWN = {
    "Writer and critic": "order",
    "Stargazing night": "selector",
    "Help desk": "handoffs",
    "Incident report": "graph",
    "Open question with a plan": "orchestrator",
    "Newsroom": "nested",
    "Coordinator with experts": "tools",
    "Panel with one voice": "inner",
    "Letter with approval": "order",
}


def test_each_shipped_team_is_drawn_as_what_it_is():
    teams = [entry for entry in SHIPPED.entries if entry.group == "teams"]
    assert {entry.label: shape_of(entry.component) for entry in teams} == DRAWN
    assert set(DRAWN.values()) == set(SHAPES)


@pytest.mark.parametrize("inner", [team(label="Inner"), {"provider": "acme.Team", "component_type": "team"}])
def test_what_is_not_known_is_drawn_by_what_is(inner: JsonObject):
    document = team(inner, assistant("writer"))
    assert shape_of(document) == ("order" if inner["provider"] == "acme.Team" else "nested")
    assert shape_of({"provider": "acme.Team", "config": {}}) == ""


def test_a_template_says_when_to_take_it_and_leaves_its_task_out(client: TestClient):
    page = client.get("/teams").text
    dialog = page[page.index('id="new-team"') :]
    cards = re.findall(r"<article.*?</article>", dialog, re.DOTALL)
    assert "Blank team" in cards[0]
    [swarm] = [card for card in cards if "Help desk" in card]
    assert "agent hands the conversation off to another" in swarm
    assert "Swarm · 3 agents" in swarm
    assert "Try:" not in swarm
    assert "<path" in swarm


def test_a_team_of_an_own_gallery_says_where_it_is_from(client: TestClient):
    client.post("/api/galleries/library/components", json={"component": team(assistant("writer"), label="Ours")})
    page = client.get("/teams").text
    [card] = {card for card in re.findall(r"<article.*?</article>", page, re.DOTALL) if "Ours" in card}
    assert re.search(r"Round robin · 1 agent · \w+", card)
