"""Orchestrations of a script of Agent Framework as teams: group chats, handoffs and Magentic."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.components import component, labelled, plain_answer, round_robin
from studio.importers.findings import Report
from studio.importers.framework_script import FrameworkScript, Orchestration, ScriptAgent
from studio.importers.framework_script_agents import FrameworkAgents
from studio.importers.framework_script_endings import either, ending_of
from studio.importers.models import DEFAULT_MODEL
from studio.importers.models import client as default_client
from studio.importers.names import Names
from studio.importers.python_script import Function, called, keywords, short
from studio.teams.selector import SELECTOR_PROMPT

GROUP_TURNS = 20
"""Turns of a chat that its orchestrator ends there."""
AUTONOMOUS_TURNS = 50
"""Turns of agents that no person answers, where a script names no number."""
MAX_HANDOFFS = 2_500
"""Handoffs of a team: each of 50 agents to all others has fewer."""
_LEFT: dict[str, str] = {
    "checkpoint_storage": "The studio keeps each run by itself.",
    "with_checkpointing": "The studio keeps each run by itself.",
    "with_request_info": "No person is asked between the agents. Add a participant that stands for a person.",
    "enable_plan_review": "No person is asked about the plan.",
    "with_plan_review": "No person is asked about the plan.",
    "max_reset_count": "A new plan is made as often as it stalls.",
    "enable_return_to_previous": "The agent that spoke last continues with the next message.",
    "orchestrator": "Code of an orchestrator does not come along.",
}
"""Settings without a counterpart, and what happens here."""
_PROMPTS = ("task_ledger", "progress_ledger")
"""How settings begin that are prompts of the manager."""


class OrchestrationReader:
    """Makes the team of a builder."""

    def __init__(self, framework: FrameworkScript, agents: FrameworkAgents, report: Report) -> None:
        self.framework = framework
        self.agents = agents
        self.report = report

    def participants(self, builder: Orchestration) -> list[ScriptAgent]:
        """The agents of a builder, each once.

        Raises:
            InvalidDocument: It has none that can be read.
        """
        node = builder.setting("participants", "participants") or builder.setting("participant_factories")
        pairs = [pair for call in builder.said("participants") for pair in keywords(call).items()]
        named = [value for name, value in pairs if name != "participants"]
        found: dict[ScriptAgent, None] = {}
        for item in [*self.framework.items(node), *named]:
            agent = self.agent_or_none(item)
            if agent is not None:
                found[agent] = None
                continue
            why = "Which agent it is cannot be read, or it is code or a workflow of its own."
            place, what = self.framework.place(item), f"Participant `{short(item)}`"
            self.report.add("asked", place, what, why, fix="Add a participant that does the same.")
        if not found:
            raise InvalidDocument(
                f"`{builder.kind}` has no participant that can be read.", fix="Choose the files with its agents."
            )
        return list(found)

    def agent_or_none(self, node: ast.expr) -> ScriptAgent | None:
        """The agent that an expression stands for, also where it is a function that makes it."""
        found = self.framework.agent_of(node)
        if found is not None:
            return found
        made = self.framework.resolved(node)
        if isinstance(made, ast.Lambda):
            return self.framework.agent_of(made.body)
        return self.framework.agent_of(self.framework.returned(self.framework.function_of(made)))

    def leave_out(self, builder: Orchestration) -> None:
        """Say which settings of a builder have no counterpart."""
        for name, node in [*builder.given.items(), *((called(call), call) for call in builder.steps)]:
            is_off = isinstance(node, ast.Constant) and node.value in (None, False)
            if (name in _LEFT or name.startswith(_PROMPTS)) and not is_off:
                why = _LEFT.get(name, "The words of the manager are those of the studio.")
                self.report.add("dropped", self.framework.place(node), f"`{name}` of `{builder.kind}`", why)

    def team(self, builder: Orchestration) -> JsonObject:
        """The team of a group chat, of handoffs or of Magentic."""
        self.leave_out(builder)
        members = self.participants(builder)
        if builder.kind == "HandoffBuilder":
            return self._handoffs(builder, members)
        names = Names()
        parts = [self._part(member, names.free(self.framework.label(member))) for member in members]
        return self._magentic(builder, parts) if builder.kind == "MagenticBuilder" else self._group(builder, parts)

    def _part(self, agent: ScriptAgent, name: str) -> JsonObject:
        return labelled(self.agents.named(agent, name), self.framework.label(agent))

    def _ending(self, builder: Orchestration) -> list[JsonObject]:
        """The condition of a builder, as a list of one or none."""
        node = builder.setting("termination_condition")
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return []
        found, place, what = ending_of(self.framework, node), self.framework.place(node), "Termination condition"
        if found.condition is None:
            why, fix = "It is code, which does not come along.", "Add a termination condition."
            self.report.add("asked", place, what, why, fix=fix)
            return []
        self.report.add("approximated" if found.why else "exact", place, what, found.why)
        return [found.condition]

    # --- group chats ---

    def _group(self, builder: Orchestration, parts: Sequence[JsonObject]) -> JsonObject:
        place, ending = self.framework.place(builder.call), self._ending(builder)
        turns = self.framework.number(builder.setting("max_rounds"))
        ends: JsonObject = {"termination_condition": ending[0]} if ending else {}
        if turns is not None:
            ends["max_turns"] = turns
        elif not ending:
            ends["max_turns"] = GROUP_TURNS
            self.report.add(
                "approximated",
                place,
                "End of the group chat",
                f"It ends here after {GROUP_TURNS} turns.",
                fix="Set it.",
            )
        chosen = builder.setting("selection_func", "with_selection_func") or builder.setting("select_speakers_func")
        is_in_turn = chosen is not None and self._is_in_turn(chosen)
        if is_in_turn or len(parts) == 1:
            why = "" if is_in_turn else "There is one participant, which speaks each time."
            at = self.framework.place(chosen) if chosen is not None else place
            self.report.add("approximated" if why else "exact", at, "Selection of the speakers", why)
            team = round_robin(parts, 1, {})
            config = cast("JsonObject", team["config"])
            del config["max_turns"]
            return {**team, "config": {**config, **ends}}
        return component(
            "autogen_agentchat.teams.SelectorGroupChat",
            participants=list(parts),
            **self._selector(builder, chosen),
            **ends,
        )

    def _is_in_turn(self, node: ast.expr) -> bool:
        """Whether a function names one participant after the other: an index that is a round modulo their number."""
        resolved = self.framework.resolved(node)
        function = resolved if isinstance(resolved, ast.Lambda) else self.framework.function_of(resolved)
        if function is None:
            return False
        inner = list(ast.walk(function))
        if any(isinstance(each, ast.If | ast.IfExp | ast.For | ast.While) for each in inner):
            return False
        turns = (each for each in inner if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mod))
        return any(_is_round(each.left, function) for each in turns)

    def _selector(self, builder: Orchestration, chosen: ast.expr | None) -> JsonObject:
        """Fields of a team whose model selects the speakers."""
        place, what = self.framework.place(builder.call), "Selection of the speakers"
        node = builder.setting("orchestrator_agent") or builder.setting("manager", "set_manager")
        leader = self.framework.agent_of(node)
        settings: JsonObject = {"allow_repeated_speaker": True}
        if leader is None:
            why = "A function selects the speaker there, and code does not come along. Here a model does."
            fix = "Describe in the selector prompt who follows whom, and choose a model."
            self.report.add("asked", self.framework.place(chosen) if chosen else place, what, why, fix=fix)
            settings["model_client"] = default_client(DEFAULT_MODEL, {}, self.report, place, "the group chat")
            return settings
        label = self.framework.label(leader)
        settings["model_client"] = self.agents.model(leader, "the group chat")
        text = (
            self.framework.script.text(self.framework.resolved(leader.given["instructions"]))
            if ("instructions" in leader.given)
            else None
        )
        if text is not None and not text.unknown and text.value:
            settings["selector_prompt"] = f"{_plain(text.value)}\n\n{SELECTOR_PROMPT}"
        why = "It selects the speaker with another question, and cannot end the chat or give its last answer."
        self.report.add("approximated", self.framework.place(leader.call), f"Orchestrator “{label}”", why)
        return settings

    # --- handoffs ---

    def _handoffs(self, builder: Orchestration, members: Sequence[ScriptAgent]) -> JsonObject:
        by_label = {self.framework.label(each): each for each in members}
        ways = self._ways(builder, members, by_label)
        start = self._start(builder, members, by_label)
        names = Names()
        order = [start, *(each for each in members if each is not start)]
        named = {agent: names.free(self.framework.label(agent)) for agent in order}
        parts: list[JsonObject] = []
        for agent in order:
            part = self._part(agent, named[agent])
            config = {"max_tool_iterations": 10, "reflect_on_tool_use": False, **cast("JsonObject", part["config"])}
            config["handoffs"] = [
                self._handoff(other, named[other], text) for other, text in ways.get(agent, {}).items()
            ]
            parts.append({**part, "config": config})
        ends = self._ending(builder)
        is_autonomous = bool(builder.said("with_autonomous_mode"))
        if not is_autonomous:
            ends.append(plain_answer(parts))
        why = "The agent that takes over hears a sentence about it, which there is not said."
        if is_autonomous:
            why += " An agent that answers speaks again, without being told that there was no reply."
        else:
            why += " The team waits for the next message after an answer, and the agent that gave it continues."
        self.report.add("approximated", self.framework.place(builder.call), "Handoffs", why)
        turns: JsonObject = {"max_turns": AUTONOMOUS_TURNS} if is_autonomous else {}
        return component(
            "autogen_agentchat.teams.Swarm",
            participants=cast("list[JsonValue]", parts),
            **({"termination_condition": either(ends)} if ends else {}),
            **turns,
        )

    def _handoff(self, agent: ScriptAgent, target: str, described: str) -> JsonObject:
        label = self.framework.label(agent)
        name = f"handoff_to_{re.sub(r'[^a-zA-Z0-9_-]', '_', label)}"[:64]
        about = described or self.framework.text(agent.given.get("description"))
        shown = about or f"Handoff to the {label} agent."
        return {"target": target, "name": name if name.isidentifier() else f"handoff_to_{target}", "description": shown}

    def _named(self, node: ast.expr, by_label: dict[str, ScriptAgent]) -> ScriptAgent | None:
        return self.framework.agent_of(node) or by_label.get(self.framework.text(node))

    def _start(
        self, builder: Orchestration, members: Sequence[ScriptAgent], by_label: dict[str, ScriptAgent]
    ) -> ScriptAgent:
        node = builder.setting("start_agent") or builder.setting("coordinator", "set_coordinator")
        found = self._named(node, by_label) if node is not None else None
        return found if found in members and found is not None else members[0]

    def _ways(
        self, builder: Orchestration, members: Sequence[ScriptAgent], by_label: dict[str, ScriptAgent]
    ) -> dict[ScriptAgent, dict[ScriptAgent, str]]:
        """Who hands over to whom, and with which words; without a word of it each to all others."""
        ways: dict[ScriptAgent, dict[ScriptAgent, str]] = {}
        known, count = set(members), 0
        for call in builder.said("add_handoff"):
            given = keywords(call)
            source = call.args[0] if call.args else given.get("source")
            targets = call.args[1] if len(call.args) > 1 else given.get("targets")
            agent = self._named(source, by_label) if source is not None else None
            for item in self.framework.items(targets):
                target = self._named(item, by_label)
                if agent in known and target in known:
                    count += 1
                    self._bound(count)
                    ways.setdefault(agent, {})[target] = self.framework.text(given.get("description"))
                    continue
                why, fix = "Between which agents it is cannot be read.", "Add the handoff."
                self.report.add("asked", self.framework.place(call), "Handoff", why, fix=fix)
        if ways:
            return ways
        self._bound(len(members) * (len(members) - 1))
        return {agent: {other: "" for other in members if other is not agent} for agent in members}

    @staticmethod
    def _bound(count: int) -> None:
        if count > MAX_HANDOFFS:
            raise TooLarge(f"The script has more than {MAX_HANDOFFS} handoffs.", fix="Import a part of it.")

    # --- Magentic ---

    def _magentic(self, builder: Orchestration, parts: Sequence[JsonObject]) -> JsonObject:
        manager = builder.setting("manager_agent") or builder.setting("manager")
        resolved = self.framework.resolved(manager) if manager is not None else None
        standard = next(iter(builder.said("with_standard_manager")), None)
        inner = resolved if called(resolved or ast.Constant(None)) == "StandardMagenticManager" else standard
        given = {**builder.given, **(keywords(inner) if isinstance(inner, ast.Call) else {})}
        node = given.get("manager_agent") or given.get("agent") or manager
        if isinstance(inner, ast.Call) and inner.args:
            node = inner.args[0]
        leader = self.framework.agent_of(node)
        place = self.framework.place(builder.call)
        config: JsonObject = {"participants": list(parts)}
        if leader is not None:
            config["model_client"] = self.agents.model(leader, "the orchestrator")
            why = "Its prompts are those of the studio, which have the same origin; its instructions are left out."
            what = f"Manager “{self.framework.label(leader)}”"
            self.report.add("approximated", self.framework.place(leader.call), what, why)
        else:
            config["model_client"] = default_client(None, {}, self.report, place, "the orchestrator")
        rounds, stalls = (self.framework.number(given.get(each)) for each in ("max_round_count", "max_stall_count"))
        config |= {"max_turns": rounds, "max_stalls": 3 if stalls is None else stalls}
        answer = self.framework.text(given.get("final_answer_prompt"))
        if answer:
            config["final_answer_prompt"] = answer
        self.report.add("approximated", place, "Magentic", "The prompts are those of the studio.")
        return component("autogen_agentchat.teams.MagenticOneGroupChat", **config)


def _is_round(node: ast.expr, function: Function | ast.Lambda) -> bool:
    """Whether an expression is the number of the round, also by a name of the function."""
    if isinstance(node, ast.Name):
        for each in ast.walk(function):
            match each:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                    return (
                        _is_round(value, ast.Lambda(function.args, value)) if not isinstance(value, ast.Name) else False
                    )
                case _:
                    pass
    return isinstance(node, ast.Attribute) and node.attr in ("current_round", "round_index")


def _plain(text: str) -> str:
    """A text without the places of a selector prompt."""
    return text.replace("{roles}", "roles").replace("{participants}", "participants").replace("{history}", "history")
