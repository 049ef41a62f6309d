"""Tools of an agent file of Letta: Python with its schema, tools of Letta, and those of MCP servers."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Mapping

from pydantic import JsonValue

from studio.code.findings import InvalidPython
from studio.components import JsonObject
from studio.importers.bundle import Bundle
from studio.importers.components import mcp_workbench
from studio.importers.findings import Report
from studio.importers.letta_document import AgentFile, text_of
from studio.importers.parts import Part
from studio.importers.python_script import PythonScript
from studio.importers.tools import Toolset, function_tool, mcp_params, report_stand_in, stand_in

_TYPING = ("Annotated", "Any", "Callable", "Dict", "List", "Literal", "Optional", "Set", "Tuple", "Union")
"""Names that each tool of Letta can use without an import."""
_MEMORY = ("letta_core", "letta_memory_core", "letta_sleeptime_core")
_SAID = ("send_message",)
"""Tools with which older agents answer."""
_WHY: Mapping[str, str] = {
    "letta_builtin": "It is a part of Letta, which executes it.",
    "letta_files_core": "It reads files that are kept by Letta.",
    "letta_multi_agent_core": "It reaches other agents of the same server of Letta.",
    "external_mcp": "It is of an MCP server, whose address is not in the file.",
    "external_composio": "It is of Composio, which executes it.",
    "external_langchain": "It is of LangChain, and its code is not in the file.",
}


class LettaTools:
    """Makes the tools of agents."""

    def __init__(self, file: AgentFile, report: Report) -> None:
        self._file = file
        self._report = report

    def toolset(self, agent: Part, owner: str) -> Toolset:
        """The tools of an agent; its code is read, and never executed."""
        found = Toolset()
        for part in self._file.with_ids("tools", agent, "tool_ids"):
            self._add(part, found, owner)
        self._servers(found, owner)
        return found

    def _add(self, part: Part, found: Toolset, owner: str) -> None:
        name, kind = text_of(part, "name") or "tool", text_of(part, "tool_type") or "custom"
        what = f"Tool `{name}` of {owner}"
        if name in _SAID:
            self._report.add("exact", part.place, what, "An agent answers without a tool here.", became=owner)
        elif kind in _MEMORY:
            why = "It searches or changes the memory that Letta keeps. Nothing here does the same."
            self._report.add("dropped", part.place, what, why, became=owner)
        elif kind == "custom" and text_of(part, "source_type") != "typescript":
            found.add(self._function(part, name, owner))
        else:
            why = _WHY.get(kind, "Its code is not Python.")
            report_stand_in(self._report, part.place, what, why, owner)
            found.add(self._stand_in(part, name, why))
        requires = part.get("default_requires_approval")
        if requires is not None and requires.value is True:
            why = "The studio always asks before a call that can change something."
            self._report.add("dropped", requires.place, f"`default_requires_approval` of {what}", why, became=owner)

    def _function(self, part: Part, name: str, owner: str) -> JsonObject:
        """The tool that the code is; a stand-in where the code cannot be read or needs Letta."""
        what, source = f"Tool `{name}` of {owner}", text_of(part, "source_code")
        used = [each for each in _TYPING if re.search(rf"\b{each}\b", source)]
        head = f"from typing import {', '.join(used)}\n" if used else ""
        try:
            script = PythonScript(Bundle({"tool.py": head + source}))
        except (InvalidPython, RecursionError, MemoryError):
            why = "Its code cannot be read."
        else:
            function = script.functions.get(name)
            why = self._why_not(function, source)
            if function is not None and not why:
                described, own = text_of(part, "description"), Report()
                made = function_tool(script, function, own, owner, called=name, described=described)
                for each in own.findings:
                    self._report.add(each.verdict, part.place, each.what, each.why, fix=each.fix, became=owner)
                self._packages(part, owner, what)
                return made
        report_stand_in(self._report, part.place, what, why, owner)
        return self._stand_in(part, name, why)

    def _why_not(self, function: ast.FunctionDef | ast.AsyncFunctionDef | None, source: str) -> str:
        if function is None:
            return "Its code has no function of its name." if source.strip() else "The file has no code for it."
        needs = next((each.arg for each in function.args.args if each.arg in ("agent_state", "self")), "")
        return f"It works with `{needs}`, which is only there in Letta." if needs else ""

    def _packages(self, part: Part, owner: str, what: str) -> None:
        needed = part.get("pip_requirements")
        names = [text_of(each, "name") for each in (needed.all_of() if needed is not None else ())]
        if needed is not None and any(names):
            why = f"It needs {', '.join(f'`{each[:80]}`' for each in names if each)}, which must be installed here."
            self._report.add("asked", needed.place, f"Packages of {what}", why, fix="Install them.", became=owner)

    def _stand_in(self, part: Part, name: str, why: str) -> JsonObject:
        schema = part.get("json_schema", "parameters") or part.get("args_json_schema")
        plain = schema.plain() if schema is not None else None
        return stand_in(name, text_of(part, "description") or f"The tool {name}.", _without_hidden(plain), why)

    def _servers(self, found: Toolset, owner: str) -> None:
        """MCP servers of the file. Which agent uses one is not in it, so all of them do."""
        for part in (self._file.root.get("mcp_servers") or Part(self._file.root.place)).all_of():
            name = text_of(part, "server_name") or text_of(part, "name") or "server"
            what = f"MCP server `{name}` of {owner}"
            stdio = part.get("stdio_config") or part
            values = {key: text_of(part, "server_url") for key in ("url",) if text_of(part, "server_url")}
            given = stdio.plain()
            kind = {"transport": "sse" if text_of(part, "server_type") == "sse" else ""}
            params = mcp_params("", {**(given if isinstance(given, dict) else {}), **values, **kind, "headers": None})
            if params is None:
                why = "Neither its address nor its command can be read."
                self._report.add("asked", part.place, what, why, fix="Add the MCP server.", became=owner)
                continue
            params.pop("env", None)
            why = "Its token and its environment are not imported."
            self._report.add("approximated", part.place, what, why, fix="Enter them, if it needs any.", became=owner)
            found.workbenches.append(mcp_workbench(params))


def _without_hidden(schema: JsonValue) -> JsonValue:
    """The parameters that a model fills in; older files list one that only Letta reads."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(properties, dict):
        return schema
    hidden = ("request_heartbeat", "self", "agent_state")
    kept = {name: each for name, each in properties.items() if name not in hidden and not keyword.iskeyword(name)}
    return {**schema, "properties": kept}
