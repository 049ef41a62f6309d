"""Agents in Markdown as a team: those of Claude Code and of GitHub Copilot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.bundle import Bundle
from studio.importers.components import (
    ASSISTANT,
    MAX_TOOL_ROUNDS,
    agent_tool,
    component,
    config_of,
    labelled,
    plain_answer,
    round_robin,
)
from studio.importers.findings import NO_SETTING, SEE_PARTS, Imported, Location, Report
from studio.importers.finishing import finished
from studio.importers.markdown_files import MarkdownAgent, MarkdownFiles
from studio.importers.markdown_tools import ToolReader, model_named, tool_parts
from studio.importers.models import client
from studio.importers.names import Names
from studio.importers.parts import Part
from studio.importers.workflow import MAX_NODES

SOURCE = "markdown"
SWARM_TURNS = 10
_READ = frozenset(
    [
        "name",
        "description",
        "model",
        "tools",
        "disallowedTools",
        "mcp-servers",
        "mcpServers",
        "agents",
        "handoffs",
        "maxTurns",
    ]
)
_SHOWN = frozenset(("color", "icon", "argument-hint", "tags", "category", "version", "author", "license", "title"))
"""Settings that change how an agent is shown or found, and nothing that is said."""
_IGNORED: Mapping[str, str] = {
    "permissionMode": "The studio asks before each call that can change something.",
    "hooks": "Commands that run around calls are not imported.",
    "skills": "The texts of skills are not in the file of the agent.",
    "memory": "Agents remember nothing across runs here, unless they have a memory.",
    "effort": "The model clients of Team Studio have no such setting.",
    "background": "All agents of a team run in the same run.",
    "isolation": "The agent has no copy of a repository to work in.",
    "user-invocable": "Each agent can be run here.",
    "disable-model-invocation": "There is no such limit here.",
    "infer": "There is no such limit here.",
    "target": NO_SETTING,
    "mode": NO_SETTING,
}


def import_markdown(bundle: Bundle) -> Imported:
    """The team of the agents in these files.

    Raises:
        InvalidDocument: There is none.
    """
    files = MarkdownFiles(bundle)
    if not files.agents:
        what = "The files hold skills and no agents." if files.skills else "The files hold no agent in Markdown."
        fix = "Choose files that begin with a front matter, with a name and a description."
        raise InvalidDocument(what, fix=fix)
    report = Report()
    files.report_others(report)
    return finished(SOURCE, TeamMaker(files, report).team(), report)


class TeamMaker:
    """Makes the team of all agents."""

    def __init__(self, files: MarkdownFiles, report: Report) -> None:
        self._files = files
        self._report = report
        self._made = 0
        self._used: set[MarkdownAgent] = set()
        names = Names()
        self._names = {agent: names.free(agent.label) for agent in files.agents}

    def team(self) -> JsonObject:
        agents = self._files.agents
        for agent in agents:
            if self._files.find(agent.label) is not agent:
                why = "Another file names an agent like this. What refers to the name means that one."
                self._report.add("approximated", agent.place, f"Name of “{agent.label}”", why)
        called = {each for agent in agents for _, each in self._subagents(agent) if each is not agent}
        handed = {each for agent in agents for _, each in self._handoffs(agent)}
        leads = [each for each in agents if each not in called or each in handed]
        leads = leads or [next(each for each in agents if any(self._subagents(each)))]
        is_swarm = any(True for each in leads for _ in self._handoffs(each))
        team = self._swarm(leads, handed) if is_swarm else self._without_handoffs(leads)
        for agent in agents:
            if agent not in self._used:
                why = "No agent that can begin leads to it."
                self._report.add("dropped", agent.place, f"Agent “{agent.label}”", why, fix="Import it alone.")
        return team

    def _without_handoffs(self, leads: Sequence[MarkdownAgent]) -> JsonObject:
        parts = [self._assistant(each) for each in leads]
        if len(parts) == 1:
            return labelled(round_robin(parts, 1, {}), leads[0].label)
        return self._selector(parts, leads)

    def _selector(self, parts: Sequence[JsonObject], leads: Sequence[MarkdownAgent]) -> JsonObject:
        why = (
            "A model chooses the agent for each message by the descriptions. There, the main conversation is an agent "
            "itself: it can ask several agents, one after the other, and answers with what they said."
        )
        fix = "Raise the turns of the team, or make one agent the lead and the others its tools."
        self._report.add("approximated", leads[0].place, "Choice of the agent", why, fix=fix)
        chooser = config_of(parts[0])["model_client"]
        return component(
            "autogen_agentchat.teams.SelectorGroupChat", participants=list(parts), model_client=chooser, max_turns=1
        )

    def _swarm(self, leads: Sequence[MarkdownAgent], handed: set[MarkdownAgent]) -> JsonObject:
        """The agents that hand over to each other, from the first one that nobody hands to."""
        entry = next((each for each in leads if each not in handed and any(self._handoffs(each))), leads[0])
        order = [entry]
        for agent in order:
            order += [each for each in dict.fromkeys(found for _, found in self._handoffs(agent)) if each not in order]
        parts = [self._assistant(agent, in_swarm=True) for agent in order]
        why = "An agent decides itself to hand off, by a tool. There, a person presses a button after its answer."
        self._report.add("approximated", entry.place, "Handoffs", why)
        return component(
            "autogen_agentchat.teams.Swarm",
            participants=list(parts),
            termination_condition=plain_answer(parts),
            max_turns=SWARM_TURNS,
        )

    # --- what leads from one agent to another ---

    def _subagents(self, agent: MarkdownAgent) -> Iterator[tuple[Part, MarkdownAgent]]:
        """The agents that it can call as tools."""
        named = list(tool_parts(agent.given.get("agents")))
        if "agents" not in agent.given:
            named = ToolReader(agent.given, Report(), agent.label).read().subagents
        for part in named:
            if part.text == "*":
                yield from ((part, each) for each in self._files.agents if each is not agent)
            elif (found := self._files.find(part.text)) is not None and part.text:
                yield part, found
            else:
                self._missing(part, part.text, agent)

    def _handoffs(self, agent: MarkdownAgent) -> Iterator[tuple[Part, MarkdownAgent]]:
        given = agent.given.get("handoffs")
        for part in given.all_of() if given is not None else ():
            named = part.get("agent") or part
            found = self._files.find(named.text) if named.text else None
            if found is not None and found is not agent:
                yield part, found
            elif found is None:
                self._missing(part, named.text, agent)

    def _missing(self, part: Part, name: str, agent: MarkdownAgent) -> None:
        why = "There is no such agent in the files."
        what = f"Agent `{name or '?'}` that {self._names[agent]} refers to"
        self._report.add("asked", part.place, what, why, fix="Import the whole folder.", became=self._names[agent])

    # --- agents ---

    def _assistant(
        self, agent: MarkdownAgent, above: Sequence[MarkdownAgent] = (), *, in_swarm: bool = False
    ) -> JsonObject:
        """An agent with the agents that it calls.

        Args:
            above: Agents that call it, against circles.

        Raises:
            TooLarge: The team would have more than `MAX_NODES` agents.
        """
        self._made += 1
        if self._made > MAX_NODES:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import fewer files.")
        self._used.add(agent)
        name, report = self._names[agent], self._report
        before = len(report.findings)
        if agent.is_loose:
            why = "It is not YAML, so each line that begins with a name was read as text."
            report.add("approximated", agent.place, f"Front matter of {name}", why, fix="Compare it.", became=name)
        if not agent.text:
            why = "There is no text below the front matter."
            report.add("asked", agent.place, f"Instructions of {name}", why, fix="Write them.", became=name)
        config: JsonObject = {"name": name, "description": agent.description, "system_message": agent.text}
        config["model_client"] = self._client(agent, name)
        found = ToolReader(agent.given, report, name).read()
        tools = [*found.tools, *self._as_tools(agent, above)]
        if tools:
            config["tools"] = list[JsonValue](tools)
        if found.workbenches:
            config["workbench"] = list[JsonValue](found.workbenches)
        handoffs = [self._handoff(part, each) for part, each in self._handoffs(agent)] if in_swarm else []
        if handoffs:
            config["handoffs"] = list[JsonValue]({str(each["target"]): each for each in handoffs}.values())
        if tools or found.workbenches or handoffs:
            limit = agent.given.get("maxTurns")
            rounds = limit.number(1, 10_000) if limit is not None else None
            config |= {"max_tool_iterations": rounds or MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        self._ignored(agent, name)
        is_same = all(each.verdict in ("exact", "asked") for each in report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        report.add(verdict, agent.place, f"Agent “{agent.label}”", why, became=name)
        return labelled(component(ASSISTANT, **config), agent.label)

    def _as_tools(self, agent: MarkdownAgent, above: Sequence[MarkdownAgent]) -> Iterator[JsonObject]:
        name = self._names[agent]
        done: set[MarkdownAgent] = set()
        for part, each in self._subagents(agent):
            if each in done:
                continue
            done.add(each)
            what = f"Agent “{each.label}” as a tool of {name}"
            if part.text == "*" and above:
                why = "It can call all agents there. Here, an agent that is a tool calls only those that it names."
                self._report.add("dropped", part.place, f"Calls of other agents by {name}", why, became=name)
            elif each is agent or each in above:
                why = "The agents call each other in a circle, which the import cuts at this place."
                self._report.add("dropped", part.place, what, why, became=name)
            else:
                why = "It remembers its earlier calls. In the source, it does not."
                self._report.add("approximated", part.place, what, why, became=name)
                yield agent_tool(self._assistant(each, [*above, agent]))

    def _handoff(self, part: Part, target: MarkdownAgent) -> JsonObject:
        label, prompt, name = part.get("label"), part.get("prompt"), self._names[target]
        shown = label.text if label is not None and label.text else f"Hand off to {target.label}."
        handoff: JsonObject = {"target": name, "description": f"{shown} {target.description}".strip()}
        if prompt is not None and prompt.text:
            handoff["message"] = prompt.text
        return handoff

    def _client(self, agent: MarkdownAgent, owner: str) -> JsonObject:
        part = agent.given.get("model")
        named = list(part.all_of()) if part is not None else []
        place = part.place if part is not None else agent.place
        model = model_named(named[0].text) if named else None
        if model is not None:
            why = f"`{named[0].text}` is {model} here, with a key of your own."
            if len(named) > 1:
                why += " There, it is the first of several that can be used."
            self._report.add("approximated", place, f"Model of {owner}", why, became=owner)
        return client(model, {}, self._report, place, owner)

    def _ignored(self, agent: MarkdownAgent, owner: str) -> None:
        for name, part in agent.given.items():
            if name in _READ:
                continue
            why = "It changes how the agent is shown." if name in _SHOWN else ""
            why = why or _IGNORED.get(name, NO_SETTING)
            self._report.add("dropped", _line(part, agent), f"`{name}` of {owner}", why, became=owner)


def _line(part: Part, agent: MarkdownAgent) -> Location:
    return part.place if part.place.line else agent.place
