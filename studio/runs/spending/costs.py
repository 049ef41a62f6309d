"""Whose calls are put down, and by which names."""

from __future__ import annotations

from collections.abc import Mapping

from studio.agents import Participant
from studio.components import Component, walk
from studio.effects import EffectRequest
from studio.models.spending import Spending

UNMEASURED = frozenset({"clock", "input"})
"""Reading the clock costs nothing, and the time that a person takes is not the team's."""


def names_of(player: object) -> Mapping[int, str]:
    """The agent or team that each component of a team works for, by the component's identity."""
    if not isinstance(player, Component):
        return {}
    names: dict[int, str] = {}
    named: list[tuple[str, str]] = []
    for where, component in walk(player):
        while named and not where.startswith(named[-1][0]):
            named.pop()
        if isinstance(component, Participant) and not component.is_opaque:
            named.append((where + "/", component.name))
        names[id(component)] = named[-1][1] if named else ""
    return names


def agent_of(request: EffectRequest, names: Mapping[int, str]) -> str:
    """For whom a call is made; empty where nobody knows."""
    if request.tool is not None and request.tool.agent:
        return request.tool.agent
    about = request.about
    return names.get(id(about.owner if isinstance(about, Spending) else about), "")


def name_of(request: EffectRequest) -> str:
    """The model or tool that is asked."""
    if isinstance(request.about, Spending):
        return request.about.owner.source
    return request.tool.name if request.tool is not None else request.source
