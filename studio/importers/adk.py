"""Agents of Google's Agent Development Kit in YAML: those that hand off, and those in a row, at once or in a loop."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.adk_agents import AdkAgents, sub_agents_of, text_of
from studio.importers.bundle import Bundle
from studio.importers.components import assignments, component, config_of, labelled, plain_answer, step
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished
from studio.importers.parts import MAX_LENGTH, Budget, Part, yaml_part
from studio.importers.workflow import MAX_NODES, START, Edge, Node, TeamBuilder, Workflow, alternatives

SOURCE = "adk"
MAX_TURNS = 20
"""Of a team whose agents hand off."""
MAX_DEPTH = 30
_CLASS = re.compile(
    r"""^agent_class[ \t]*:[ \t]*["']?(?:Llm|Sequential|Loop|Parallel)Agent["']?[ \t\r]*$""", re.MULTILINE
)
_SCHEMA = re.compile(r"^#[^\n]{0,200}AgentConfig\.json", re.MULTILINE)
_KEYS = tuple(re.compile(rf"^{key}[ \t]*:", re.MULTILINE) for key in ("name", "model", "instruction"))
_IN_A_ROW, _AT_ONCE, _LOOP = "SequentialAgent", "ParallelAgent", "LoopAgent"


def is_adk_text(text: str) -> bool:
    """Whether a text looks like an agent of the kit."""
    return any(mark.search(text) for mark in (_CLASS, _SCHEMA)) or all(key.search(text) for key in _KEYS)


def is_adk(bundle: Bundle) -> bool:
    """Whether the files hold an agent of the kit."""
    return any(len(text) <= MAX_LENGTH and is_adk_text(text) for _, text in bundle.named(".yaml", ".yml"))


def import_adk(bundle: Bundle) -> Imported:
    """The team of the root agent.

    Raises:
        InvalidDocument: The files hold no agent.
    """
    budget, report = Budget(), Report()
    files = {
        str(PurePosixPath(name)): yaml_part(name, text, budget)
        for name, text in bundle.named(".yaml", ".yml")
        if is_adk_text(text)
    }
    files = {name: part for name, part in files.items() if part.entries is not None}
    if not files:
        raise InvalidDocument(
            "The files hold no agent of Google's ADK.", fix="Choose the folder with `root_agent.yaml`."
        )
    root = _root(files)
    return finished(SOURCE, TeamMaker(AdkAgents(files, report), report).team(root), report)


def _root(files: dict[str, Part]) -> Part:
    """The file of that name, or the first one that no other refers to."""
    named = {each.text.rpartition("/")[2] for part in files.values() for each, _ in sub_agents_of(part)}
    by_name = [part for name, part in files.items() if PurePosixPath(name).stem == "root_agent"]
    free = [part for name, part in files.items() if PurePosixPath(name).name not in named]
    return [*by_name, *free, *files.values()][0]


class TeamMaker:
    """Makes the team of an agent and of all below it."""

    def __init__(self, agents: AdkAgents, report: Report) -> None:
        self._agents = agents
        self._report = report
        self._flow = Workflow(report)

    def team(self, root: Part) -> JsonObject:
        """A swarm where an agent hands off to others; a workflow otherwise."""
        kind = text_of(root, "agent_class") or "LlmAgent"
        below = self._agents.below(root)
        if kind not in (_IN_A_ROW, _AT_ONCE, _LOOP) and below:
            return self._swarm(root)
        self._flow.connect(self._put(root, [Edge(START)], 0), None)
        self._flow.state |= {
            name: "" for name in sorted(self._agents.variables) if name not in self._flow.kept.values()
        }
        return TeamBuilder(self._flow, text_of(root, "name")).team()

    # --- agents that follow one another ---

    def _put(self, agent: Part, edges: list[Edge], depth: int) -> list[Edge]:
        """An agent behind these edges; the edges that lead on."""
        if len(self._flow.nodes) > MAX_NODES or depth > MAX_DEPTH:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import a part of them.")
        kind, inner = text_of(agent, "agent_class") or "LlmAgent", self._agents.below(agent)
        what = f"{kind} “{text_of(agent, 'name')}”"
        if kind == _IN_A_ROW:
            self._report.add("exact", agent.place, what)
            return self._row(inner, edges, depth)
        if kind == _AT_ONCE:
            why = "Its agents answer at once, and hear each other only afterwards."
            self._report.add("approximated", agent.place, what, why)
            begun = self._pass(agent, edges)
            ends = [end for each in inner for end in self._put(each, begun, depth + 1)]
            joined = self._pass(agent, ends or begun, part=step())
            self._flow.nodes[joined[0].source].waits_for_all = True
            return joined
        if kind == _LOOP:
            return self._loop(agent, inner, edges, depth)
        return self._agent(agent, inner, edges)

    def _row(self, agents: Iterable[Part], edges: list[Edge], depth: int) -> list[Edge]:
        for each in agents:
            edges = self._put(each, edges, depth + 1)
        return edges

    def _pass(self, agent: Part, edges: list[Edge], part: JsonObject | None = None) -> list[Edge]:
        label = text_of(agent, "name") or "agents"
        name = self._flow.add(Node(label, agent.place, part or step()), f"{label}_end" if part else f"{label}_start")
        self._flow.connect(edges, name)
        return [Edge(name)]

    def _loop(self, agent: Part, inner: list[Part], edges: list[Edge], depth: int) -> list[Edge]:
        """The agents, a step that counts, and an edge back to the first of them."""
        label = text_of(agent, "name") or "loop"
        given = agent.get("max_iterations")
        limit = given.number(1, 1_000) if given is not None else None
        begun = self._pass(agent, edges)
        ends = self._row(inner, begun, depth)
        count = self._flow.names.free(f"{label}_rounds")
        counted = step(assignments=assignments([(count, f"{count} + 1")]))
        name = self._flow.add(Node(f"Rounds of {label}", agent.place, counted), f"{label}_count")
        self._flow.connect(ends, name)
        self._flow.state[count] = 0
        again, on = alternatives(name, [f"{count} < {limit or 10}"])
        self._flow.connect([again], begun[0].source)
        if limit is None:
            why = "The source names no limit: an agent ends it. Here it ends after 10 rounds."
            self._report.add("asked", agent.place, f"Loop “{label}”", why, fix="Write the condition of the edge.")
        else:
            self._report.add("exact", agent.place, f"Loop “{label}”")
        return [on]

    def _agent(self, agent: Part, inner: list[Part], edges: list[Edge]) -> list[Edge]:
        label = text_of(agent, "name") or "agent"
        hears = "user" if text_of(agent, "include_contents") == "none" else "all"
        name = self._flow.add(Node(label, agent.place, None, hears=hears), label)
        self._flow.nodes[name].part = made = self._agents.made(agent, name)
        for each in inner:
            why = "It is a tool of the other agent. There, the conversation is handed off to it."
            self._report.add("approximated", each.place, f"Agent “{text_of(each, 'name')}”", why, became=name)
            self._agents.add_as_tool(made, each, name)
        if kept := text_of(agent, "output_key"):
            if kept.isidentifier():
                self._flow.kept[name] = kept
                config_of(made)["keep_as"] = kept
            else:
                why = "It cannot be the name of a context variable."
                self._report.add("dropped", agent.nearest("output_key").place, f"`output_key` of {name}", why)
        self._flow.connect(edges, name)
        return [Edge(name)]

    # --- agents that hand off ---

    def _swarm(self, root: Part) -> JsonObject:
        """The root agent and all below it, each with handoffs to its parent, its children and its peers."""
        parents: dict[str, str] = {}
        names: dict[str, Part] = {}
        todo: list[tuple[Part, str]] = [(root, "")]
        while todo:
            agent, parent = todo.pop(0)
            kind = text_of(agent, "agent_class") or "LlmAgent"
            if kind in (_IN_A_ROW, _AT_ONCE, _LOOP):
                why = "Its agents are handed off to one by one. There, they follow one another by themselves."
                self._report.add("approximated", agent.place, f"{kind} “{text_of(agent, 'name')}”", why)
                todo += [(each, parent) for each in self._agents.below(agent)]
                continue
            if len(names) >= MAX_NODES:
                raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import a part of them.")
            name = self._flow.names.free(text_of(agent, "name"))
            names[name], parents[name] = agent, parent
            todo += [(each, name) for each in self._agents.below(agent)]
        made = [self._handing(name, agent, names, parents) for name, agent in names.items()]
        variables: JsonObject = {name: "" for name in sorted(self._agents.variables)}
        why = "An agent has a handoff tool for each other agent. In the source, one tool takes the name of the agent."
        self._report.add("approximated", root.place, "Transfers between agents", why)
        team = component(
            "autogen_agentchat.teams.Swarm",
            participants=list[JsonValue](made),
            termination_condition=plain_answer(made),
            max_turns=MAX_TURNS,
            **({"context_variables": variables} if variables else {}),
        )
        return labelled(team, text_of(root, "name"))

    def _handing(self, name: str, agent: Part, names: dict[str, Part], parents: dict[str, str]) -> JsonObject:
        part = self._agents.made(agent, name)
        config: JsonObject = {"name": name, **config_of(part)}
        targets = [each for each, parent in parents.items() if parent == name]
        if parents[name] and not _is_on(agent, "disallow_transfer_to_parent"):
            targets.append(parents[name])
        if parents[name] and not _is_on(agent, "disallow_transfer_to_peers"):
            targets += [each for each, parent in parents.items() if parent == parents[name] and each != name]
        if (kept := text_of(agent, "output_key")).isidentifier():
            config["keep_as"] = kept
            self._agents.variables.add(kept)
        config["handoffs"] = [
            {"target": each, "description": text_of(names[each], "description") or f"Hand off to {each}."}
            for each in targets
        ]
        return labelled(component(str(part["provider"]), **config), text_of(agent, "name"))


def _is_on(agent: Part, name: str) -> bool:
    found = agent.get(name)
    return found is not None and found.value is True
