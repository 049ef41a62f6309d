"""Group chats of AG2 by a pattern, and its swarms: handoffs, context variables, and who speaks after the work."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.classic_agents import AgentMaker
from studio.importers.classic_script import MAX_HOPS, ClassicAgent, ClassicScript, receiver
from studio.importers.classic_selection import Selection
from studio.importers.classic_teams import ROUND_ROBIN, SELECTOR, TeamMaker, any_of
from studio.importers.classic_tools import targets_of
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, component, config_of
from studio.importers.expressions import Unsupported, ag2_condition
from studio.importers.findings import NO_SETTING, Location, Report
from studio.importers.python_script import called, keywords, short
from studio.importers.workflow import LOOP_TURNS, START, Edge, Node, TeamBuilder, Workflow, alternatives

SWARM = "autogen_agentchat.teams.Swarm"
PATTERNS = ("DefaultPattern", "AutoPattern", "RoundRobinPattern", "RandomPattern", "ManualPattern")
MAX_ROUNDS = 20
"""Messages of a group chat where a script names no number, its opening among them."""
_ADDING = (
    "add",
    "add_many",
    "add_llm_condition",
    "add_llm_conditions",
    "add_context_condition",
    "add_context_conditions",
    "set_after_work",
    "add_after_work",
    "add_after_works",
    "set_llm_conditions",
    "set_context_conditions",
)
_AFTER_WORK = ("AfterWork", "AFTER_WORK", "AfterWorkOption")
_ON_MODEL, _ON_CONTEXT = ("OnCondition", "ON_CONDITION"), ("OnContextCondition", "ON_CONTEXT_CONDITION")
_PATTERN_READ = (
    "initial_agent",
    "agents",
    "user_agent",
    "context_variables",
    "group_manager_args",
    "group_after_work",
    "after_work",
)


@dataclass(frozen=True)
class _Way:
    """From one agent to another.

    Args:
        when: What the agent's model reads about it.
        is_choice: Whether a model decided there, too.
        condition: On context variables; empty where it is none, or cannot be read.
    """

    target: ClassicAgent
    when: str
    is_choice: bool
    place: Location
    condition: str = ""


@dataclass
class _Ways:
    """Where an agent hands off, and what happens when it has done its work."""

    ways: list[_Way] = field(default_factory=list[_Way])
    after: ClassicAgent | None = None
    after_place: Location | None = None
    stays: bool = False


class PatternMaker:
    """Makes the team of a pattern."""

    def __init__(
        self, classic: ClassicScript, teams: TeamMaker, report: Report, results: Mapping[str, Sequence[ast.expr]]
    ) -> None:
        """Read a pattern.

        Args:
            results: Targets that the results of functions name.
        """
        self.classic = classic
        self.agents: AgentMaker = teams.agents
        self.teams = teams
        self.report = report
        self.results = results
        self._added = self._additions()

    def team(self, call: ast.Call) -> JsonObject:
        """The team of `initiate_group_chat(...)` or `initiate_swarm_chat(...)`."""
        given = self.classic.arguments(call)
        pattern = self.classic.call_of(given.get("pattern") or next(iter(call.args), None), *PATTERNS)
        settings = self.classic.arguments(pattern) if pattern is not None else given
        kind = called(pattern) if pattern is not None else "DefaultPattern"
        at = pattern if pattern is not None else call
        members = self.teams.members(settings.get("agents"), at)
        first = self.classic.agent_of(settings.get("initial_agent"))
        if first is not None and first in members:
            members = [first, *(each for each in members if each is not first)]
        person = self.classic.agent_of(settings.get("user_agent"))
        rounds = self.classic.number_or_none(given.get("max_rounds"))
        turns = max(1, (MAX_ROUNDS if rounds is None else rounds) - 1)
        variables = self._variables(settings.get("context_variables"))
        shared: JsonObject = {"context_variables": variables} if variables else {}
        self._left_out(settings if pattern is not None else {}, kind)
        if kind == "DefaultPattern":
            after = settings.get("group_after_work") or settings.get("after_work")
            return self._handing_over(members, person, at, self._target(after), {"max_turns": turns, **shared})
        return self._grouped(kind, members, person, settings, at, {"max_turns": turns, **shared})

    # --- patterns ---

    def _grouped(
        self,
        kind: str,
        members: Sequence[ClassicAgent],
        person: ClassicAgent | None,
        settings: Mapping[str, ast.expr],
        call: ast.Call,
        common: JsonObject,
    ) -> JsonObject:
        """A pattern without handoffs: in the order of the list, or selected by a model."""
        everybody = [*members, *([person] if person is not None and person not in members else [])]
        participants = [part for agent in everybody for part in self.teams.participants(agent, person)]
        arguments = self.classic.entries(settings.get("group_manager_args"))
        stop = self.teams.ends_by_stop(participants)
        ends = self.teams.group_endings(arguments.get("is_termination_msg"), members, call)
        common = {
            "participants": cast("list[JsonValue]", participants),
            "termination_condition": any_of([*ends, *([stop] if stop is not None else [])]),
            **common,
        }
        for agent in members:
            for way in self._ways(agent).ways:
                why = "Handoffs have no effect in a team that selects the next speaker."
                self.report.add("dropped", way.place, f"Handoff of {self.agents.name(agent)}", why)
        place = self.classic.script.place(call)
        if kind in ("RoundRobinPattern", "RandomPattern") or len(participants) < 2:
            why = "The order is that of the list, and not random." if kind == "RandomPattern" else ""
            self.report.add("approximated" if why else "exact", place, f"`{kind}`", why)
            return component(ROUND_ROBIN, **common)
        why = "A model selects also the first speaker. Its prompt is worded differently."
        if kind == "ManualPattern":
            why = "A model selects the speaker. In the source, a person does."
        self.report.add("approximated", place, f"`{kind}`", why)
        selection = Selection(self.classic, self.agents, self.report)
        return component(SELECTOR, **common, **selection.settings({}, members, arguments.get("llm_config"), call))

    def _handing_over(
        self,
        members: Sequence[ClassicAgent],
        person: ClassicAgent | None,
        call: ast.Call,
        after: ClassicAgent | None,
        common: JsonObject,
    ) -> JsonObject:
        """Agents that say themselves who is next, by handoffs or because their work is done.

        Args:
            after: Who follows an agent that does not say it.
        """
        members = [each for each in members if each is not person] or members
        ways = {agent: self._ways(agent) for agent in members}
        for agent, each in ways.items():
            if after not in (None, agent) and each.after_place is None:
                each.after, each.after_place = after, self.classic.script.place(call)
        place = self.classic.script.place(call)
        if person is not None:
            self.agents.used.add(person)
            what = f"Agent “{self.classic.label(person)}”"
            why = "A run ends when an agent has answered. The user answers with the next message."
            self.report.add("approximated", self.classic.place(person), what, why)
        order = _in_turn(members, ways)
        if order is not None:
            participants = [part for agent in order for part in self.teams.participants(agent)]
            self.report.add("exact", place, "Order after the work")
            is_round = ways[order[-1]].after is order[0] and len(order) > 1
            turns = cast("int", common["max_turns"])
            bound: JsonObject = {"max_turns": turns if is_round else min(turns, len(participants))}
            listed = cast("list[JsonValue]", participants)
            return component(ROUND_ROBIN, participants=listed, **{**common, **bound})
        all_ways = [way for each in ways.values() for way in each.ways]
        if all(way.condition and way.target in members for way in all_ways) and not any(
            each.stays for each in ways.values()
        ):
            return self._graph(members, ways, common)
        participants = self._swarm_participants(members, ways)
        ends: list[JsonObject] = [
            component("autogen_agentchat.conditions.TextMessageTermination", source=self.agents.name(agent))
            for agent in members
            if ways[agent].after is None and not ways[agent].stays
        ]
        why = (
            "An agent hands off with a tool that its model calls. A run ends with the first plain answer of an agent "
            "that no other agent follows. The agent that takes over reads a sentence about it."
        )
        self.report.add("approximated", place, "Handoffs", why, fix="Try each way once.")
        limit = min(cast("int", common["max_turns"]), LOOP_TURNS)
        listed = cast("list[JsonValue]", participants)
        settings: JsonObject = {**common, "max_turns": limit, "termination_condition": any_of(ends)}
        return component(SWARM, participants=listed, **settings)

    def _graph(
        self, members: Sequence[ClassicAgent], ways: Mapping[ClassicAgent, _Ways], common: JsonObject
    ) -> JsonObject:
        """Agents that only context variables lead to each other."""
        flow = Workflow(self.report, state=cast("dict[str, JsonValue]", common.get("context_variables") or {}))
        for agent in members:
            name, part = self.agents.name(agent), self._one(agent)
            config = {key: value for key, value in config_of(part).items() if key != "name"}
            inner = component(str(part["provider"]), **config)
            flow.nodes[name] = Node(self.classic.label(agent), self.classic.place(agent), inner, name=name)
        flow.connect([Edge(START)], self.agents.name(members[0]))
        for agent in members:
            name, own = self.agents.name(agent), ways[agent]
            after = self.agents.name(own.after) if own.after in members and own.after is not None else None
            edges = alternatives(name, [way.condition for way in own.ways]) if own.ways else [Edge(name)]
            for edge, way in zip(edges, own.ways, strict=False):
                flow.connect([edge], self.agents.name(way.target))
                why = "It is checked after the agent has answered. In the source, it is checked before."
                what = f"Way from {name} to {self.agents.name(way.target)}"
                self.report.add("approximated", way.place, what, why, became=name)
            flow.connect(edges[-1:], after)
        team = TeamBuilder(flow, "").team()
        config = config_of(team)
        config["max_turns"] = min(cast("int", common["max_turns"]), cast("int", config.get("max_turns", LOOP_TURNS)))
        return team

    def _one(self, agent: ClassicAgent) -> JsonObject:
        """The participant that an agent becomes; one that only runs code beside it has no place here."""
        parts = self.teams.participants(agent)
        if len(parts) > 1:
            name = self.agents.name(agent)
            why = "An executor of its own has no turn in such a team, so it runs no code."
            fix = "Give the agent a tool that runs code."
            self.report.add("dropped", self.classic.place(agent), f"Code of {name}", why, fix=fix, became=name)
        return parts[-1]

    def _swarm_participants(
        self, members: Sequence[ClassicAgent], ways: Mapping[ClassicAgent, _Ways]
    ) -> list[JsonObject]:
        """The members with their handoffs."""
        found: list[JsonObject] = []
        for agent in members:
            name, part = self.agents.name(agent), self._one(agent)
            handoffs = self._handoffs(name, ways[agent], members)
            if handoffs and part["provider"] == ASSISTANT:
                config = config_of(part)
                config["handoffs"] = cast("list[JsonValue]", handoffs)
                config.setdefault("max_tool_iterations", MAX_TOOL_ROUNDS)
                config.setdefault("reflect_on_tool_use", False)
            elif handoffs:
                why = "Only an assistant can hand off."
                self.report.add("dropped", self.classic.place(agent), f"Handoffs of {name}", why, became=name)
            found.append(part)
        able = next((at for at, part in enumerate(found) if config_of(part).get("handoffs")), 0)
        if able and not config_of(found[0]).get("handoffs"):
            why = "The first participant must be able to hand off, so another one begins."
            self.report.add("approximated", self.classic.place(members[0]), "First agent", why)
            found.insert(0, found.pop(able))
        return found

    def _handoffs(self, owner: str, ways: _Ways, members: Sequence[ClassicAgent]) -> list[JsonObject]:
        found: dict[str, JsonObject] = {}
        choices = [way for way in ways.ways if way.is_choice]
        for way in ways.ways:
            target, what = self.agents.name(way.target), f"Handoff from {owner} to {self.agents.name(way.target)}"
            if way.target not in members:
                why = "The target takes no part in the team."
                self.report.add("dropped", way.place, what, why, became=owner)
                continue
            if target in found:
                earlier = str(found[target]["description"])
                found[target]["description"] = f"{earlier} Or: {way.when}"
            else:
                found[target] = {"target": target, "description": way.when}
                if way.is_choice:  # AG2 counts the conditions of an agent
                    found[target]["name"] = f"transfer_to_{target}_{choices.index(way) + 1}"
            why = "" if way.is_choice else "In the source, no model decides it. Here, the agent's model has to do it."
            self.report.add("exact" if way.is_choice else "approximated", way.place, what, why, became=owner)
        if ways.after is not None and ways.after in members and ways.after_place is not None:
            target = self.agents.name(ways.after)
            found.setdefault(target, {"target": target, "description": "Hand off when your work is done."})
            why = "In the source, no model decides it. Here, the agent's model has to hand off."
            self.report.add("approximated", ways.after_place, f"What follows {owner}", why, became=owner)
        return list(found.values())

    # --- handoffs ---

    def _ways(self, agent: ClassicAgent) -> _Ways:
        """Where an agent hands off, by its handoffs and by the results of its functions."""
        found = _Ways()
        given = agent.given.get("handoffs")
        resolved = self.classic.resolved(given) if given is not None else None
        for name, node in keywords(resolved).items() if isinstance(resolved, ast.Call) else ():
            self._add_handoffs(found, node, is_after="after" in name)
        for node, is_after in self._added.get(agent, ()):
            self._add_handoffs(found, node, is_after=is_after)
        self._add_results(found, agent)
        return found

    def _additions(self) -> dict[ClassicAgent, list[tuple[ast.expr, bool]]]:
        """What is added to the handoffs of agents, and whether it is what follows their work."""
        found: dict[ClassicAgent, list[tuple[ast.expr, bool]]] = {}
        for call in self.classic.calls(*_ADDING, "register_hand_off"):
            owner = receiver(call)
            if called(call) == "register_hand_off":
                arguments = self.classic.arguments(call)
                named = arguments.get("agent", owner)
                items = [arguments["hand_to"]] if "hand_to" in arguments else call.args
            elif isinstance(owner, ast.Attribute) and owner.attr == "handoffs":
                named, items = owner.value, [*call.args, *keywords(call).values()]
            else:
                continue
            for agent in self.classic.agents_of(named):
                found.setdefault(agent, []).extend((node, "after_work" in called(call)) for node in items)
        return found

    def _add_results(self, found: _Ways, agent: ClassicAgent) -> None:
        """Add the targets of results: the model of the agent hands off once it has called the tool."""
        place = self.classic.place(agent)
        for node in targets_of(self.agents.registrations.by_agent.get(agent, ()), self.results):
            target = self._target(node)
            when = "Hand off when the result of a tool calls for this agent."
            if target is None and not _is_end(ast.unparse(node)):
                why = "To whom the result of a tool hands off cannot be read."
                what = f"Target `{short(node)}` of {self.agents.name(agent)}"
                self.report.add("dropped", place, what, why, fix="Add the handoffs that are missing.")
            elif target not in (None, agent) and all(way.target is not target for way in found.ways):
                found.ways.append(_Way(target, when, is_choice=False, place=place))

    def _add_handoffs(self, found: _Ways, node: ast.expr, *, is_after: bool) -> None:
        """Add the conditions of a list, or a single one, or what follows the work."""
        for item in self.classic.items(node) or [node]:
            call = self.classic.resolved(item)
            place = self.classic.script.place(item)
            given = _arguments(call)
            if is_after or called(call) in _AFTER_WORK:
                target = given.get("target") or given.get("agent") or next(iter(_positional(call)), None)
                is_wrapped = called(call) in _AFTER_WORK and target is not None
                self._after(found, target if is_wrapped and target is not None else item, place)
            elif called(call) in (*_ON_MODEL, *_ON_CONTEXT):
                first = next(iter(_positional(call)), None)
                target = self._target(given.get("target") or first)
                said = given.get("condition") or next(iter(_positional(call)[1:]), None)
                is_choice = called(call) in _ON_MODEL
                condition, when = ("", self._when(said)) if is_choice else self._condition(said)
                if target is not None:
                    found.ways.append(_Way(target, when, is_choice, place, condition))
                    self._other_settings(given, place)
                else:
                    why = "It leads to no agent of the files, or to chats within an agent."
                    self.report.add("dropped", place, f"Handoff `{short(call)}`", why)
            elif (target := self._target(item)) is not None:
                found.ways.append(_Way(target, "", is_choice=True, place=place))

    def _other_settings(self, given: Mapping[str, ast.expr], place: Location) -> None:
        for name in given:
            if name not in ("target", "condition"):
                self.report.add("dropped", place, f"`{name}` of a handoff", NO_SETTING)

    def _after(self, found: _Ways, node: ast.expr, place: Location) -> None:
        target = self._target(node)
        text = short(self.classic.resolved(node))
        found.after_place = place
        if target is not None:
            found.after = target
        elif "Stay" in text or "STAY" in text:
            found.stays = True
        elif not _is_end(text):
            why = "What follows the agent's work cannot be read. The run ends with its answer."
            self.report.add("dropped", place, f"`{short(node)}`", why)

    def _target(self, node: ast.expr | None) -> ClassicAgent | None:
        """The agent that a target names."""
        resolved = self.classic.resolved(node) if node is not None else None
        if isinstance(resolved, ast.Call) and called(resolved) in ("AgentTarget", "AgentNameTarget"):
            given = _arguments(resolved)
            node = given.get("agent") or given.get("agent_name") or next(iter(resolved.args), None)
        found = self.classic.agent_of(node)
        label = self.classic.text_or_none(node)
        return found or (self.classic.agent_named(label) if label else None)

    def _when(self, node: ast.expr | None) -> str:
        """When a model hands off, as it reads it."""
        inner = self.classic.resolved(node) if node is not None else None
        for _ in range(MAX_HOPS):  # ContextStrLLMCondition(ContextStr(template=text))
            if not isinstance(inner, ast.Call):
                break
            given = keywords(inner)
            names = [given[name] for name in ("prompt", "context_str", "template") if name in given]
            node = next(iter([*names, *inner.args]), None)
            inner = self.classic.resolved(node) if node is not None else None
        return self.classic.script.text(node).value if node is not None else ""

    def _condition(self, node: ast.expr | None) -> tuple[str, str]:
        """A condition on context variables, and as a sentence; the first is empty where it cannot be read."""
        inner = self.classic.resolved(node) if node is not None else ast.Constant("")
        texts = [
            each.value for each in ast.walk(inner) if isinstance(each, ast.Constant) and isinstance(each.value, str)
        ]
        written = " and ".join(texts)
        try:
            condition = ag2_condition(written)
        except Unsupported:
            return "", f"Hand off when this holds: {written}"
        return condition, f"Hand off when {condition}."

    # --- the rest ---

    def _variables(self, node: ast.expr | None) -> JsonObject:
        """Initial context variables; those that only a run knows are empty."""
        resolved = self.classic.resolved(node) if node is not None else None
        for _ in range(3):  # ContextVariables(data=dict)
            if not isinstance(resolved, ast.Call):
                break
            inner = keywords(resolved).get("data") or next(iter(resolved.args), None)
            resolved = self.classic.resolved(inner) if inner is not None else None
        found: JsonObject = {}
        for name, value in self.classic.entries(resolved).items():
            known = self.classic.script.value_or_none(value)
            is_known = known is not None or (isinstance(value, ast.Constant) and value.value is None)
            place = self.classic.script.place(value)
            if not name.isidentifier():
                why = "A name of a variable is a word here."
                self.report.add("dropped", place, f"Context variable `{name}`", why)
                continue
            found[name] = known
            if not is_known:
                why = "Its value is only known in a run of the source, so it is empty."
                self.report.add("asked", place, f"Context variable `{name}`", why, fix="Set its initial value.")
        return found

    def _left_out(self, settings: Mapping[str, ast.expr], kind: str) -> None:
        read = ("llm_config",) if kind == "DefaultPattern" else ("llm_config", "is_termination_msg")
        for name, node in settings.items():
            arguments = self.classic.entries(node) if name == "group_manager_args" else {}
            for inner, value in arguments.items():
                if inner not in read:
                    why = NO_SETTING
                    self.report.add("dropped", self.classic.script.place(value), f"`{inner}` of the group manager", why)
            if name not in _PATTERN_READ:
                why = NO_SETTING
                self.report.add("dropped", self.classic.script.place(node), f"`{name}` of the pattern", why)


def _in_turn(members: Sequence[ClassicAgent], ways: Mapping[ClassicAgent, _Ways]) -> list[ClassicAgent] | None:
    """The members in the order in which one follows the other's work, where nothing else leads anywhere."""
    others = [way for agent in members for way in ways[agent].ways if way.target is not ways[agent].after]
    if others or any(ways[agent].stays for agent in members):
        return None
    found: list[ClassicAgent] = []
    agent: ClassicAgent | None = members[0] if members else None
    while agent is not None and agent in ways and agent not in found:
        found.append(agent)
        agent = ways[agent].after
    is_whole = len(found) == len(members) and (agent is None or agent is found[0])
    return found if is_whole else None


def _is_end(target: str) -> bool:
    """Whether a target ends a run: the user answers with the next message."""
    return any(word in target for word in ("RevertToUser", "REVERT_TO_USER", "Terminate", "TERMINATE"))


def _arguments(node: ast.expr) -> Mapping[str, ast.expr]:
    return keywords(node) if isinstance(node, ast.Call) else {}


def _positional(node: ast.expr) -> Sequence[ast.expr]:
    return node.args if isinstance(node, ast.Call) else []
