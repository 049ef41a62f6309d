"""Agents of Agent Spec, alone, as a swarm, or as a manager with workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument, TooLarge
from studio.importers.agent_spec_document import AgentSpec, kind_of, name_of, object_schema, properties_of, text_of
from studio.importers.agent_spec_tools import PLACEHOLDER, ToolMaker
from studio.importers.components import (
    ASSISTANT,
    MAX_TOOL_ROUNDS,
    agent_tool,
    component,
    config_of,
    labelled,
    plain_answer,
    round_robin,
    structured,
)
from studio.importers.expressions import escaped
from studio.importers.findings import SEE_PARTS, Report
from studio.importers.names import Names, word
from studio.importers.parts import Part
from studio.importers.workflow import MAX_NODES

SWARM_TURNS = 30
_READ = ("llm_config", "system_prompt", "tools", "toolboxes", "human_in_the_loop")
_REMOTE = ("A2AAgent", "OciAgent", "OpenAiAgent")
Variable = Callable[[str, Part], str]
"""Gives the placeholder for an input that a text names."""


def template(text: str, part: Part, variable: Variable) -> tuple[str, bool]:
    """A text with our placeholders, and whether it has any."""
    pieces: list[str] = []
    end = 0
    for found in PLACEHOLDER.finditer(text):
        pieces += [escaped(text[end : found.start()]), variable(found[1], part)]
        end = found.end()
    return ("".join([*pieces, escaped(text[end:])]), True) if end else (text, False)


class SpecAgents:
    """Makes agents, and the teams that are made of agents."""

    def __init__(self, spec: AgentSpec) -> None:
        self.spec = spec
        self.report: Report = spec.report
        self.tools = ToolMaker(spec)
        self.variables: dict[str, JsonValue] = {}
        self._made = 0

    # --- one agent ---

    def assistant(self, part: Part, name: str, variable: Variable | None = None) -> JsonObject:
        """An agent, without its place in a team.

        Args:
            variable: What stands for its inputs; context variables of the team otherwise.

        Raises:
            TooLarge: The team would have more than `MAX_NODES` agents.
        """
        self._made += 1
        if self._made > MAX_NODES:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import a part of the files.")
        before = len(self.report.findings)
        agent, more_text, more_tools = self._base(part, name)
        prompt = "\n\n".join(each for each in (text_of(agent, "system_prompt"), more_text) if each)
        text, has_variables = template(prompt, agent, variable or self._input)
        described = text_of(part, "description") or text_of(agent, "description")
        config: JsonObject = {"name": name, "description": described or f"The agent {name_of(part)}."}
        config["system_message"] = text
        if has_variables:
            config["system_message_holds_variables"] = True
        found = self.tools.toolset(agent, name, more_tools)
        config["model_client"] = self.tools.client(agent.get("llm_config"), agent.place, name)
        if found.tools:
            config["tools"] = list[JsonValue](found.tools)
        if found.workbenches:
            config["workbench"] = list[JsonValue](found.workbenches)
        outputs = properties_of(agent, "outputs")
        if outputs:
            self.answers(config, outputs)
        if found.tools or found.workbenches:
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        self._report_rest(agent, name)
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        self.report.add(verdict, part.place, f"Agent “{name_of(part)}”", why, became=name)
        return labelled(component(ASSISTANT, **config), name_of(part))

    def answers(self, config: JsonObject, outputs: Mapping[str, JsonObject]) -> None:
        """Let an agent answer with the fields of its outputs."""
        fields = {word(title) or "value": schema for title, schema in outputs.items()}
        config["structured_message_factory"] = structured(object_schema(fields))
        config["reflect_on_tool_use"] = False

    def _base(self, part: Part, owner: str) -> tuple[Part, str, Part | None]:
        """The agent that a specialization changes, with the text and the tools that it adds."""
        if kind_of(part) != "SpecializedAgent":
            return part, "", None
        agent = self.spec.resolved(part.get("agent"))
        if agent is None or kind_of(agent) != "Agent":
            why = "The agent that it specializes is not in the files."
            self.report.add("asked", part.place, f"Agent of {owner}", why, fix="Import all files.", became=owner)
            agent = Part(part.place, entries={})
        added = self.spec.resolved(part.get("agent_specialization_parameters")) or Part(part.place)
        return agent, text_of(added, "additional_instructions"), added.get("additional_tools")

    def _report_rest(self, agent: Part, owner: str) -> None:
        asks = agent.get("human_in_the_loop")
        if asks is not None and asks.value is True:
            why = "In the source, it asks during a run. Here, it asks in its answer, and your next message replies."
            self.report.add("approximated", asks.place, f"`human_in_the_loop` of {owner}", why, became=owner)
        self.spec.report_unread(agent, _READ, owner)

    def _input(self, title: str, agent: Part) -> str:
        """The place of a context variable for an input of an agent that no flow gives."""
        name = word(title) or "value"
        if name in ("message", "result"):
            name = f"{name}_"
        if name not in self.variables:
            default = properties_of(agent, "inputs").get(title, {}).get("default")
            self.variables[name] = "" if default is None else default
            if default is None:
                why = "Its value is not in the files. It is empty in the context variables of the team."
                self.report.add("asked", agent.place, f"Input `{title}`", why, fix="Set its value there.")
            else:
                self.report.add("exact", agent.place, f"Input `{title}`")
        return f"{{{name}}}"

    # --- teams of agents ---

    def team(self, root: Part) -> JsonObject:
        """The team of a component that is not a flow."""
        kind, names = kind_of(root), Names()
        if kind == "Swarm":
            return labelled(self._swarm(root, names), name_of(root))
        agent = self._manager(root, names, ()) if kind == "ManagerWorkers" else self._named(root, names)
        return labelled(round_robin([agent], 1, self.variables), name_of(root))

    def _named(self, part: Part, names: Names) -> JsonObject:
        return self.assistant(part, names.free(name_of(part)))

    def _manager(self, part: Part, names: Names, above: Sequence[Part]) -> JsonObject:
        """A manager that has its workers as tools."""
        manager = self.spec.resolved(part.get("group_manager"))
        if manager is None or kind_of(manager) not in ("Agent", "SpecializedAgent"):
            place = f"{kind_of(part)} “{name_of(part)}”"
            raise InvalidDocument(f"The manager of {place} is not an agent.", fix="Choose an Agent as group_manager.")
        agent = self._named(manager, names)
        name = str(config_of(agent)["name"])
        workers = [
            made
            for each in self.spec.all_of(part.get("workers"), f"Worker of {name}")
            for made in self._worker(each, names, [*above, part], name)
        ]
        self._add_agents(agent, workers)
        self.spec.report_unread(part, ("group_manager", "workers"), name)
        return agent

    def _worker(self, part: Part, names: Names, above: Sequence[Part], owner: str) -> Iterator[JsonObject]:
        kind, what = kind_of(part), f"{kind_of(part) or 'Worker'} “{name_of(part)}” of {owner}"
        if any(each is part for each in above) or len(above) > 20:
            why = "The agents call each other in a circle, which the import cuts at this place."
            self.report.add("dropped", part.place, what, why, became=owner)
        elif kind in ("Agent", "SpecializedAgent"):
            why = "It is a tool that takes one text, and remembers its earlier calls."
            self.report.add("approximated", part.place, what, why, became=owner)
            yield self._named(part, names)
        elif kind == "ManagerWorkers":
            yield self._manager(part, names, above)
        else:
            why = "It runs elsewhere." if kind in _REMOTE else "Only agents are workers here."
            self.report.add("dropped", part.place, what, why, became=owner)

    def _add_agents(self, agent: JsonObject, others: Sequence[JsonObject]) -> None:
        config = config_of(agent)
        if others:
            tools = config.get("tools")
            had: list[JsonValue] = tools if isinstance(tools, list) else []
            config["tools"] = [*had, *(agent_tool(each) for each in others)]
            config.update(max_tool_iterations=MAX_TOOL_ROUNDS, reflect_on_tool_use=False)

    # --- swarms ---

    def _swarm(self, root: Part, names: Names) -> JsonObject:
        first = self.spec.resolved(root.get("first_agent"))
        pairs = list(self._pairs(root))
        order = [each for each in [first, *(agent for pair in pairs for agent in pair)] if each is not None]
        agents = list(dict.fromkeys(each for each in order if kind_of(each) in ("Agent", "SpecializedAgent")))
        for each in dict.fromkeys(order):
            if each not in agents:
                why = "Only agents take part in a swarm here."
                self.report.add("dropped", each.place, f"{kind_of(each) or 'Component'} “{name_of(each)}”", why)
        if not agents:
            raise InvalidDocument(f"The swarm “{name_of(root)}” has no agent.", fix="Choose its first_agent.")
        pairs = [pair for pair in pairs if pair[0] in agents and pair[1] in agents and pair[0] is not pair[1]]
        handoff = root.get("handoff")
        mode = str(handoff.value).lower() if handoff is not None else "optional"
        self.spec.report_unread(root, ("first_agent", "relationships", "handoff"), "")
        if mode in ("never", "false"):
            made = self._calling(agents[0], pairs, names, ())
            for each in agents:
                if not any(each is pair[1] for pair in pairs) and each is not agents[0]:
                    why = "No agent that can begin leads to it."
                    self.report.add("dropped", each.place, f"Agent “{name_of(each)}”", why)
            return round_robin([made], 1, self.variables)
        return self._handing_over(root, agents, pairs, mode, names)

    def _handing_over(
        self, root: Part, agents: Sequence[Part], pairs: Sequence[tuple[Part, Part]], mode: str, names: Names
    ) -> JsonObject:
        named = {each: names.free(name_of(each)) for each in agents}
        parts = [self.assistant(each, named[each]) for each in agents]
        for part, agent in zip(parts, agents, strict=True):
            targets = list(dict.fromkeys(named[to] for source, to in pairs if source is agent))
            if targets:
                config_of(part)["handoffs"] = list[JsonValue](targets)
                config_of(part).update(max_tool_iterations=MAX_TOOL_ROUNDS, reflect_on_tool_use=False)
        why = "The agents share one conversation, and the one that takes over reads all of it."
        if mode not in ("always", "true"):
            why += " They hand off, and send no messages that they wait for an answer to."
        self.report.add("approximated", root.place, f"Swarm “{name_of(root)}”", why)
        shared: JsonObject = {"context_variables": dict(self.variables)} if self.variables else {}
        return component(
            "autogen_agentchat.teams.Swarm",
            participants=list(parts),
            termination_condition=plain_answer(parts),
            max_turns=SWARM_TURNS,
            **shared,
        )

    def _calling(
        self, agent: Part, pairs: Sequence[tuple[Part, Part]], names: Names, above: Sequence[Part]
    ) -> JsonObject:
        """An agent with those that it sends messages to as tools."""
        made = self._named(agent, names)
        owner = str(config_of(made)["name"])
        others: list[JsonObject] = []
        for source, to in pairs:
            what = f"Messages from “{name_of(agent)}” to “{name_of(to)}”"
            if source is not agent:
                continue
            if to in above:
                why = "The agents call each other in a circle, which the import cuts at this place."
                self.report.add("dropped", to.place, what, why, became=owner)
                continue
            why = "It is a tool that takes one text, and remembers its earlier calls."
            self.report.add("approximated", to.place, what, why, became=owner)
            others.append(self._calling(to, pairs, names, [*above, agent]))
        self._add_agents(made, others)
        return made

    def _pairs(self, root: Part) -> Iterator[tuple[Part, Part]]:
        given = root.get("relationships")
        for each in given.all_of() if given is not None else ():
            pair = [self.spec.resolved(item) for item in each.items or ()]
            if len(pair) == 2 and pair[0] is not None and pair[1] is not None:
                yield pair[0], pair[1]
            else:
                why = "It does not name two agents that are in the files."
                self.report.add("asked", each.place, "Relationship of the swarm", why, fix="Name two agents.")
