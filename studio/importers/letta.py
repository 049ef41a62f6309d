"""Agent files of Letta as teams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.bundle import Bundle
from studio.importers.components import (
    ASSISTANT,
    MAX_TOOL_ROUNDS,
    agent_tool,
    component,
    config_of,
    labelled,
    round_robin,
)
from studio.importers.findings import NO_SETTING, SEE_PARTS, Imported, Report
from studio.importers.finishing import finished
from studio.importers.letta_document import AgentFile, read_file, text_of
from studio.importers.letta_tools import LettaTools
from studio.importers.models import SETTINGS, client, served
from studio.importers.names import Names
from studio.importers.parts import Part
from studio.importers.workflow import MAX_NODES

SOURCE = "letta"
MEMORY = "autogen_core.memory.ListMemory"
_SERVICES: Mapping[str, str] = {"google_ai": "gemini", "google_vertex": "gemini", "together": "together_ai"}
"""Letta's names of services that have another one here."""
_DROPPED: Mapping[str, str] = {
    "tool_rules": "The order of tools is for the model to choose here. Write it into the system message.",
    "response_format": "The form of its answers is not imported.",
    "tool_exec_environment_variables": "Values for tools are not imported, since they can be keys.",
    "secrets": "Values for tools are not imported, since they can be keys.",
    "message_buffer_autoclear": "It forgets the conversation after each message there. A run here begins without one.",
    "enable_sleeptime": "No second agent keeps its memory in order here.",
    "source_ids": "Files and their search are not imported.",
    "files_agents": "Files and their search are not imported.",
    "identity_ids": NO_SETTING,
}


def import_letta(bundle: Bundle) -> Imported:
    """The team of an agent file.

    Raises:
        InvalidDocument: There is none among the files.
    """
    report = Report()
    file = read_file(bundle)
    return finished(SOURCE, TeamMaker(file, report).team(), report)


class TeamMaker:
    """Makes the team of all agents of a file."""

    def __init__(self, file: AgentFile, report: Report) -> None:
        self._file = file
        self._report = report
        self._tools = LettaTools(file, report)
        self._names = Names()

    def team(self) -> JsonObject:
        """The team of the file's group; of its first agent where it has none.

        Raises:
            TooLarge: It would have more than `MAX_NODES` agents.
        """
        if len(self._file.agents) > MAX_NODES:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Export fewer agents.")
        if self._file.spoken:
            what = f"Messages of the conversation: {self._file.spoken}"
            why = "A team begins each run without a conversation."
            self._report.add("dropped", self._file.root.place, what, why)
        groups = [each for each in (self._file.root.get("groups") or Part(self._file.root.place)).all_of()]
        group = next((each for each in groups if len(self._members(each)) > 0), None)
        if group is None:
            first, *others = self._file.agents
            self._left_out(others)
            return labelled(round_robin([self._assistant(first)], 1, {}), text_of(first, "name"))
        return self._group(group)

    # --- groups ---

    def _members(self, group: Part) -> list[Part]:
        known = {text_of(each, "id"): each for each in self._file.agents}
        listed = group.get("agent_ids")
        ids = dict.fromkeys(each.text for each in (listed.all_of() if listed is not None else ()))
        return [known[each] for each in ids if each in known]

    def _group(self, group: Part) -> JsonObject:
        members = self._members(group)
        kind = text_of(group, "manager_config", "manager_type")
        manager = text_of(group, "manager_config", "manager_agent_id")
        lead = next((each for each in self._file.agents if manager and text_of(each, "id") == manager), None)
        self._left_out([each for each in self._file.agents if each not in members and each is not lead])
        what = f"Group of the kind `{kind or '?'}`"
        if lead is not None and lead not in members and kind == "supervisor":
            why = "The supervisor calls the others one by one, as tools. There, it sends one message to all of them."
            self._report.add("approximated", group.place, what, why)
            agent = self._assistant(lead)
            config = config_of(agent)
            had = config.get("tools")
            own: list[JsonValue] = had if isinstance(had, list) else []
            config["tools"] = [*own, *(agent_tool(self._assistant(each)) for each in members)]
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
            return round_robin([agent], 1, {})
        speakers = members if lead is None or lead in members else [lead, *members]
        parts = [self._assistant(each) for each in speakers]
        if kind == "dynamic" and len(parts) > 1:
            why = "A model chooses who speaks next by the descriptions. There, the manager chooses and ends the round."
            self._report.add("approximated", group.place, what, why, fix="Set the limit of turns.")
            chooser = config_of(parts[0])["model_client"]
            return component(
                "autogen_agentchat.teams.SelectorGroupChat",
                participants=list[JsonValue](parts),
                model_client=chooser,
                max_turns=len(parts),
            )
        why = "" if kind == "round_robin" else "Its agents speak one after the other here."
        self._report.add("exact" if not why else "approximated", group.place, what, why)
        return round_robin(parts, len(parts), {})

    def _left_out(self, agents: Sequence[Part]) -> None:
        for each in agents:
            what = f"Agent “{text_of(each, 'name')}”"
            self._report.add("asked", each.place, what, "One import gives one team.", fix="Export the agent alone.")

    # --- agents ---

    def _assistant(self, agent: Part) -> JsonObject:
        label = text_of(agent, "name") or "agent"
        name, report = self._names.free(label), self._report
        before = len(report.findings)
        config: JsonObject = {"name": name, "description": text_of(agent, "description") or f"The agent {label}."}
        config["system_message"] = text_of(agent, "system")
        config["model_client"] = self._client(agent, name)
        memory = self._memory(agent, name)
        if memory is not None:
            config["memory"] = [memory]
        found = self._tools.toolset(agent, name)
        if found.tools:
            config["tools"] = list[JsonValue](found.tools)
        if found.workbenches:
            config["workbench"] = list[JsonValue](found.workbenches)
        if found.tools or found.workbenches:
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        for setting, why in _DROPPED.items():
            part = agent.get(setting)
            if part is not None and not part.is_off:
                report.add("dropped", part.place, f"`{setting}` of {name}", why, became=name)
        is_same = all(each.verdict in ("exact", "asked") for each in report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        report.add(verdict, agent.place, f"Agent “{label}”", why, became=name)
        return labelled(component(ASSISTANT, **config), label)

    def _memory(self, agent: Part, owner: str) -> JsonObject | None:
        """The memory blocks, which the agent reads before each answer; None where they are empty."""
        contents: list[JsonValue] = []
        for block in self._file.with_ids("blocks", agent, "block_ids"):
            label, value = text_of(block, "label") or "block", text_of(block, "value").strip()
            what = f"Memory block `{label}` of {owner}"
            read_only = block.get("read_only")
            if read_only is not None and read_only.value is True:
                self._report.add("exact", block.place, what, became=owner)
            else:
                why = "The agent reads it before each answer and cannot change it. There, it writes what it learns."
                self._report.add("approximated", block.place, what, why, fix="Edit it in its memory.", became=owner)
            if value:
                contents.append({"content": f"{label}:\n{value}", "mime_type": "text/plain"})
        return component(MEMORY, memory_contents=contents) if contents else None

    def _client(self, agent: Part, owner: str) -> JsonObject:
        given = agent.get("llm_config") or Part(agent.place)
        handle = text_of(given, "handle") or text_of(agent, "model")
        service, _, model = handle.partition("/") if "/" in handle else (text_of(given, "model_endpoint_type"), "", "")
        model = model or text_of(given, "model")
        settings = {
            name: part.value for name in SETTINGS if (part := given.get(name)) is not None and part.value is not None
        }
        if not settings.get("parallel_tool_calls"):  # off where nobody chose it
            settings.pop("parallel_tool_calls", None)
        named = f"{_SERVICES.get(service, service)}/{model}" if service and model else model
        made = client(named or None, settings, self._report, given.place, owner)
        if service == "openai":
            served(made, {"base_url": text_of(given, "model_endpoint")}, self._report, given.place, owner)
        return made
