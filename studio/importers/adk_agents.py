"""Agents of Google's Agent Development Kit: model, instruction and tools. Code that a file names is never imported."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, agent_tool, component, config_of, mcp_workbench
from studio.importers.expressions import escaped
from studio.importers.findings import NO_SETTING, SEE_PARTS, Report
from studio.importers.models import client
from studio.importers.names import word
from studio.importers.parts import Part
from studio.importers.tools import Toolset, mcp_params, report_stand_in, stand_in

_PLACE = re.compile(r"\{(?:app:|user:|temp:)?([A-Za-z_]\w{0,59})\??\}")
_SETTINGS: Mapping[str, str] = {
    "temperature": "temperature",
    "top_p": "top_p",
    "topP": "top_p",
    "max_output_tokens": "max_tokens",
    "maxOutputTokens": "max_tokens",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
_READ = (
    *("agent_class", "name", "description", "model", "instruction", "static_instruction", "sub_agents", "tools"),
    *("output_key", "include_contents", "disallow_transfer_to_parent", "disallow_transfer_to_peers"),
    *("generate_content_config", "max_iterations"),
)
_CODE = "The file names code of the project and does not contain it."
MAX_DEPTH = 20


def text_of(part: Part, *names: str) -> str:
    found = part.get(*names)
    return found.text if found is not None else ""


def sub_agents_of(agent: Part) -> Iterator[tuple[Part, Part]]:
    """The paths of an agent's sub-agents, each with the part that names it; an empty text for code."""
    listed = agent.get("sub_agents")
    for each in listed.all_of() if listed is not None else ():
        yield each.get("config_path") or Part(each.place, ""), each


class AdkAgents:
    """Makes agents of the files.

    Args:
        files: By their paths in the bundle.
    """

    def __init__(self, files: Mapping[str, Part], report: Report) -> None:
        self._files = files
        self._report = report
        self._used: dict[int, list[Part]] = {}
        self._placed: set[str] = set()
        self.variables: set[str] = set()
        """Keys of the state that instructions name."""

    def below(self, agent: Part) -> list[Part]:
        """The sub-agents whose files are there. Each agent has one parent, as in the kit; others are told."""
        if id(agent) in self._used:
            return self._used[id(agent)]
        self._placed.add(agent.place.file)
        found = self._used[id(agent)] = []
        for path, given in sub_agents_of(agent):
            part = self._file(agent, path.text)
            shown = (path.text or text_of(given, "code"))[:80]
            if part is None:
                why = "Its file is not among these." if path.text else _CODE
                self._report.add("asked", given.place, f"Sub-agent `{shown}`", why, fix="Add the agent.")
            elif part.place.file in self._placed:
                why = "It is a sub-agent of another agent already, or of itself."
                self._report.add("dropped", given.place, f"Sub-agent `{shown}`", why)
            else:
                self._placed.add(part.place.file)
                found.append(part)
        return found

    def _file(self, agent: Part, path: str) -> Part | None:
        """The file at a path from an agent's folder."""
        steps: list[str] = []
        for each in (PurePosixPath(agent.place.file).parent / path).parts if path else ():
            if each == ".." and steps:
                steps.pop()
            elif each not in ("..", "."):
                steps.append(each)
        return self._files.get("/".join(steps)) if steps else None

    def made(self, agent: Part, name: str, depth: int = 0) -> JsonObject:
        """The agent of a file, without its place in a team."""
        report, before = self._report, len(self._report.findings)
        label = text_of(agent, "name") or name
        parts = [text_of(agent, "static_instruction"), text_of(agent, "instruction")]
        written = "\n\n".join(each for each in parts if each)
        has_places = _PLACE.search(written) is not None
        config: JsonObject = {"description": text_of(agent, "description") or f"The agent {label}."}
        config["system_message"] = self._template(written) if has_places else written
        config |= {"system_message_holds_variables": True} if has_places else {}
        config["model_client"] = self._client(agent, name)
        tools = self._toolset(agent, name, depth)
        if tools.tools:
            config["tools"] = list[JsonValue](tools.tools)
        if tools.workbenches:
            config["workbench"] = list[JsonValue](tools.workbenches)
        if tools.tools or tools.workbenches:
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        for setting, each in agent.entries_or_none():
            if setting in ("output_schema", "input_schema", "model_code") and not each.is_off:
                report.add("asked", each.place, f"`{setting[:80]}` of {name}", _CODE, fix="Write it.", became=name)
            elif setting not in _READ and not each.is_off:
                why = _CODE if "callback" in setting else NO_SETTING
                report.add("dropped", each.place, f"`{setting[:80]}` of {name}", why, became=name)
        is_same = all(each.verdict in ("exact", "asked") for each in report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        report.add(verdict, agent.place, f"Agent “{label}”", why, became=name)
        return component(ASSISTANT, **config)

    def add_as_tool(self, made: JsonObject, agent: Part, owner: str, depth: int = 0) -> None:
        """Let an agent call another one."""
        config = config_of(made)
        had = cast("list[JsonValue]", config.get("tools") or [])
        names = [config_of(cast("JsonObject", each)).get("name") for each in had]
        name = word(text_of(agent, "name")) or "agent"
        if name not in names:
            part = self.made(agent, owner, depth + 1)
            config["tools"] = [*had, agent_tool(component(ASSISTANT, name=name, **config_of(part)))]
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}

    def _template(self, text: str) -> str:
        """An instruction with places for context variables."""
        pieces: list[str] = []
        end = 0
        for place in _PLACE.finditer(text):
            self.variables.add(place[1])
            pieces += [escaped(text[end : place.start()]), f"{{{place[1]}}}"]
            end = place.end()
        return "".join([*pieces, escaped(text[end:])])

    def _client(self, agent: Part, owner: str) -> JsonObject:
        given = agent.get("generate_content_config") or Part(agent.place)
        settings = {_SETTINGS.get(name, name): each.plain() for name, each in given.entries_or_none()}
        model = text_of(agent, "model")
        named = f"gemini/{model}" if model.startswith("gemini") else model
        return client(named or None, settings, self._report, agent.nearest("model").place, owner)

    def _toolset(self, agent: Part, owner: str, depth: int) -> Toolset:
        found = Toolset()
        listed = agent.get("tools")
        for each in listed.all_of() if listed is not None else ():
            path = text_of(each, "name") or each.text or "tool"
            name = word(path.rpartition(".")[2]) or "tool"
            what = f"Tool `{path[:80]}` of {owner}"
            arguments = each.get("args") or Part(each.place)
            inner = self._file(agent, text_of(arguments, "agent", "config_path"))
            params = _server(arguments) if name.lower().endswith("toolset") else None
            if inner is not None and name == "AgentTool" and depth < MAX_DEPTH:
                holder = component(ASSISTANT)
                self.add_as_tool(holder, inner, owner, depth)
                for tool in cast("list[JsonObject]", config_of(holder)["tools"]):
                    found.add(tool)
                self._report.add("exact", each.place, what, became=owner)
            elif params is not None:
                found.workbenches.append(mcp_workbench(params))
                is_part = not (arguments.get("tool_filter") or Part(each.place)).is_off
                why = "The agent gets all tools of the server, not the selected ones alone." if is_part else ""
                self._report.add("approximated" if is_part else "exact", each.place, what, why, became=owner)
            else:
                why = _CODE if "." in path else "It is a part of the kit, or of the service of the model."
                report_stand_in(self._report, each.place, what, why, owner)
                schema: JsonObject = {"type": "object", "properties": {}}
                found.add(stand_in(name, f"The tool {name}.", schema, why))
        return found


def _server(arguments: Part) -> JsonObject | None:
    """The settings of an MCP server, which is never started here."""
    for key in ("stdio_server_params", "stdio_connection_params", "sse_connection_params"):
        part = arguments.get(key)
        given = (part.get("server_params") or part).plain() if part is not None else None
        if isinstance(given, dict):
            return mcp_params("", {**given, "headers": None, "transport": "sse" if key.startswith("sse") else ""})
    part = arguments.get("streamable_http_connection_params")
    given = part.plain() if part is not None else None
    return mcp_params("", {"url": given.get("url")}) if isinstance(given, dict) else None
