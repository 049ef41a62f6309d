"""Who speaks next in a group chat of AutoGen 0.2: in a fixed order, or selected by a model."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.components import JsonObject
from studio.importers.classic_agents import AgentMaker
from studio.importers.classic_script import ClassicAgent, ClassicScript
from studio.importers.classic_texts import SELECTION_QUESTION
from studio.importers.findings import NO_SETTING, Report
from studio.teams.selector import SELECTOR_PROMPT

RETRIES = 2
"""Further questions for a name that can be used, where a script names no number."""
_TRANSITIONS = "allowed_or_disallowed_speaker_transitions"
_READ = (
    "agents",
    "messages",
    "max_round",
    "speaker_selection_method",
    "allow_repeat_speaker",
    _TRANSITIONS,
    "speaker_transitions_type",
    "select_speaker_message_template",
    "select_speaker_prompt_template",
    "max_retries_for_selecting_speaker",
)
Transitions = Mapping[ClassicAgent, Sequence[ClassicAgent]]


@dataclass(frozen=True)
class Order:
    """The members of a group chat.

    Args:
        is_fixed: Whether they speak in this order.
        limit: Turns after which no member may follow.
    """

    members: Sequence[ClassicAgent]
    is_fixed: bool
    limit: int | None = None


class Selection:
    """Reads how a group chat selects its speakers."""

    def __init__(self, classic: ClassicScript, agents: AgentMaker, report: Report) -> None:
        self.classic = classic
        self.agents = agents
        self.report = report

    def order(
        self,
        members: Sequence[ClassicAgent],
        sender: ClassicAgent | None,
        settings: Mapping[str, ast.expr],
        call: ast.Call,
    ) -> Order:
        """The members in the order in which they speak after the sender; the report is told what differs."""
        self._left_out(settings)
        place, what = self.classic.script.place(call), "Group chat"
        transitions = self._transitions(members, settings)
        path = _only_way(members, sender, transitions) if transitions is not None else None
        if path is not None:
            self.report.add("exact", place, what)
            return path
        node = settings.get("speaker_selection_method")
        method = "auto" if node is None else self.classic.text_or_none(node)
        if method in ("round_robin", "random"):
            why = "" if method == "round_robin" else "The order is that of the list, and not random."
            self.report.add("approximated" if why else "exact", place, what, why)
            at = members.index(sender) + 1 if sender in members else 0
            return Order([*members[at:], *members[:at]], is_fixed=True)
        if method in ("auto", "manual"):
            why = "A model selects the speaker. Its prompt is worded differently."
            if method == "manual":
                why = "A model selects the speaker. In the source, a person does."
            self.report.add("approximated", place, what, why)
        else:
            why = "A model selects the speaker. In the source, a function does, and code is not imported."
            fix = "Describe in the selector prompt who follows whom."
            self.report.add("asked", self.classic.script.place(node or call), what, why, fix=fix)
        return Order(members, is_fixed=False)

    def settings(
        self,
        settings: Mapping[str, ast.expr],
        members: Sequence[ClassicAgent],
        model: ast.expr | None,
        call: ast.Call,
    ) -> JsonObject:
        """Fields of a team that has a model select the speakers.

        Args:
            model: The `llm_config` of who selects; that of a member where it has none.
        """
        place = self.classic.script.place(call)
        if not self.agents.models.is_given(model):
            given = (agent.given.get("llm_config") for agent in members)
            model = next((each for each in given if self.agents.models.is_given(each)), None)
        found: JsonObject = {"model_client": self.agents.models.client(model, place, "the group chat")}
        repeats = settings.get("allow_repeat_speaker")
        found["allow_repeated_speaker"] = not (isinstance(repeats, ast.Constant) and repeats.value is False)
        if repeats is not None and not isinstance(repeats, ast.Constant):
            why = "Every agent may be selected again here."
            self.report.add("approximated", self.classic.script.place(repeats), "`allow_repeat_speaker`", why)
        retries = self.classic.number_or_none(settings.get("max_retries_for_selecting_speaker"))
        found["max_selector_attempts"] = 1 + (RETRIES if retries is None else retries)
        prompt = self._prompt(settings)
        transitions = self._transitions(members, settings)
        if transitions:
            node = settings[_TRANSITIONS]
            prompt = f"{prompt or SELECTOR_PROMPT}\n{self._rules(members, transitions)}\n"
            why = "The selector prompt lists the agents that may follow. The model can ignore it."
            self.report.add("approximated", self.classic.script.place(node), f"`{_TRANSITIONS}`", why)
        return found | ({"selector_prompt": prompt} if prompt else {})

    def _prompt(self, settings: Mapping[str, ast.expr]) -> str:
        """The script's own question, around the conversation."""
        first = self.classic.text_or_none(settings.get("select_speaker_message_template"))
        last = self.classic.text_or_none(settings.get("select_speaker_prompt_template"))
        if not first and not last:
            return ""
        start = (first or SELECTOR_PROMPT.partition("\n\n{history}")[0]).replace("{agentlist}", "{participants}")
        end = (last or SELECTION_QUESTION).replace("{agentlist}", "{participants}")
        return f"{start}\n\n{{history}}\n\n{end}\n"

    def _rules(self, members: Sequence[ClassicAgent], transitions: Transitions) -> str:
        lines = ["Only these may follow:"]
        for agent in members:
            names = ", ".join(self.agents.name(each) for each in transitions.get(agent, ()))
            lines.append(f"After {self.agents.name(agent)}: {names or 'none'}.")
        return "\n".join(lines)

    def _transitions(self, members: Sequence[ClassicAgent], settings: Mapping[str, ast.expr]) -> Transitions | None:
        """Who may follow whom; None where everybody may, or it cannot be read."""
        node = settings.get(_TRANSITIONS)
        resolved = self.classic.resolved(node) if node is not None else None
        if not isinstance(resolved, ast.Dict) or not resolved.keys:
            return None
        listed: dict[ClassicAgent, list[ClassicAgent]] = {}
        for key, value in zip(resolved.keys, resolved.values, strict=True):
            agent = self.classic.agent_of(key)
            if agent is not None:
                listed[agent] = self.classic.agents_of(value)
        if self.classic.text_or_none(settings.get("speaker_transitions_type")) == "disallowed":
            return {agent: [each for each in members if each not in listed.get(agent, ())] for agent in members}
        return listed

    def _left_out(self, settings: Mapping[str, ast.expr]) -> None:
        for name, node in settings.items():
            if name == "messages" and self.classic.items(node):
                why = "A team begins with an empty conversation."
                self.report.add("dropped", self.classic.script.place(node), "Earlier messages of the group chat", why)
            elif name == _TRANSITIONS and not isinstance(self.classic.resolved(node), ast.Dict):
                why, fix = "The list of agents that may follow cannot be read.", "Describe it in the selector prompt."
                self.report.add("asked", self.classic.script.place(node), f"`{name}`", why, fix=fix)
            elif name not in _READ:
                why = NO_SETTING
                self.report.add("dropped", self.classic.script.place(node), f"`{name}` of the group chat", why)


def _only_way(members: Sequence[ClassicAgent], sender: ClassicAgent | None, transitions: Transitions) -> Order | None:
    """The order of members of whom each can be followed by one other at most; None where there is a choice."""
    if any(len(transitions.get(agent, ())) > 1 for agent in members):
        return None
    start = next(iter(transitions.get(sender, ())), None) if sender in members and sender is not None else members[0]
    found: list[ClassicAgent] = []
    agent = start
    while agent is not None and agent not in found:
        found.append(agent)
        agent = next(iter(transitions.get(agent, ())), None)
    if not found or (agent is not None and agent is not start):
        return None
    return Order(found, is_fixed=True, limit=None if agent is start else len(found))
