"""Tools of agents in a script of Agent Framework."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.components import agent_tool, config_of, mcp_workbench
from studio.importers.findings import Report
from studio.importers.framework_script import FrameworkScript, ScriptAgent
from studio.importers.names import Names
from studio.importers.python_script import Function, called, keywords, short
from studio.importers.tools import Toolset, function_tool, mcp_params, report_stand_in, stand_in

_SERVERS: Mapping[str, str] = {
    "MCPStdioTool": "MCPServerStdio",
    "MCPStreamableHTTPTool": "MCPServerHTTP",
    "HostedMCPTool": "MCPServerHTTP",
    "get_mcp_tool": "MCPServerHTTP",
}
"""Classes and methods that give a server, and what it is called in `mcp_params`."""
_HOSTED: Mapping[str, str] = {
    "code_interpreter": "Runs Python and tells what it prints.",
    "web_search": "Searches the web.",
    "file_search": "Searches in files.",
    "image_generation": "Makes an image.",
}
"""Tools that a service runs, as `get_…_tool` and as `Hosted…Tool`."""
_DECORATORS = ("tool", "ai_function")
MAX_NESTED = 10
"""Agents as tools of agents as tools."""
MAX_TOOLS, MAX_SOURCE = 1_000, 2_000_000
"""Tools of all agents, and characters of their code."""


class FrameworkTools:
    """Makes tools and workbenches of what an agent is given."""

    def __init__(
        self, framework: FrameworkScript, report: Report, make: Callable[[ScriptAgent, str, int], JsonObject]
    ) -> None:
        """`make` gives the component of an agent that is a tool, with its owner and depth."""
        self._make = make
        self.framework = framework
        self.report = report
        self._made = self._length = 0

    def toolset(self, agent: ScriptAgent, owner: str, depth: int) -> Toolset:
        """What an agent can use.

        Raises:
            TooLarge: All agents together have too much of it.
        """
        found, names = Toolset(), Names()
        for node in self.framework.items(agent.given.get("tools")):
            self._made += 1
            if self._made > MAX_TOOLS or self._length > MAX_SOURCE:
                raise TooLarge("The agents have too many tools.", fix="Import a part of the files.")
            self._add(found, node, owner, names, depth)
        return found

    def _add(self, found: Toolset, node: ast.expr, owner: str, names: Names, depth: int) -> None:
        resolved = self.framework.resolved(node)
        function, given = self._function(resolved)
        kind = called(resolved)
        if function is not None:
            found.add(self._function_tool(function, given, owner))
        elif isinstance(resolved, ast.Call) and kind == "as_tool":
            self._agent_tool(found, resolved, owner, names, depth)
        elif isinstance(resolved, ast.Call) and kind in _SERVERS:
            self._server(found, resolved, owner)
        elif (name := _hosted(kind)) is not None:
            why = "The service of the model runs this tool there."
            report_stand_in(self.report, self.framework.place(node), f"Tool `{name}` of {owner}", why, owner)
            schema: JsonObject = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
            found.add(stand_in(name, _HOSTED[name], schema, why))
        else:
            place, why = self.framework.place(node), "What it is cannot be read."
            fix = "Add a tool that does the same."
            self.report.add("dropped", place, f"Tool `{short(node)}` of {owner}", why, fix=fix, became=owner)

    def _function(self, node: ast.expr) -> tuple[Function | None, Mapping[str, ast.expr]]:
        """The function behind a tool, and what the script says of the tool."""
        match node:
            case ast.Call(func=ast.Call() as maker, args=[ast.Name() as inner]) if called(maker) in _DECORATORS:
                return self.framework.function_of(inner), keywords(maker)
            case ast.Call() if called(node) in (*_DECORATORS, "FunctionTool"):
                given = keywords(node)
                inner = next(iter(node.args), None) or given.get("func")
                return self.framework.function_of(inner), given
            case _:
                function = self.framework.function_of(node)
                decorators = function.decorator_list if function is not None else []
                described = [keywords(each) for each in decorators if isinstance(each, ast.Call)]
                return function, described[0] if described else {}

    def _function_tool(self, function: Function, given: Mapping[str, ast.expr], owner: str) -> JsonObject:
        name, described = self.framework.text(given.get("name")), self.framework.text(given.get("description"))
        if self.framework.text(given.get("approval_mode")) == "always_require":
            why = "Whether a person is asked before a call is set for the studio, and not in the team."
            place, what = self.framework.place(function), f"Approval of `{name or function.name}`"
            self.report.add("approximated", place, what, why, became=owner)
        made = function_tool(self.framework.script, function, self.report, owner, called=name, described=described)
        self._length += len(str(config_of(made)["source_code"]))
        return made

    def _agent_tool(self, found: Toolset, call: ast.Call, owner: str, names: Names, depth: int) -> None:
        place, given = self.framework.place(call), keywords(call)
        agent = self.framework.agent_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if agent is None or depth >= MAX_NESTED:
            why = "The agent behind it cannot be read."
            self.report.add("dropped", place, f"Tool `{short(call)}` of {owner}", why, became=owner)
            return
        label = self.framework.label(agent)
        name = names.free(self.framework.text(given.get("name")) or label)
        part = self._make(agent, owner, depth + 1)
        described = self.framework.text(given.get("description"))
        config = {"name": name, **config_of(part), **({"description": described} if described else {})}
        why = "It takes one text, named `task`, and remembers earlier calls of the same run here."
        what = f"Agent “{label}” as tool `{name}` of {owner}"
        self.report.add("approximated", place, what, why, became=owner)
        found.add(agent_tool({**part, "config": config}))

    def _server(self, found: Toolset, call: ast.Call, owner: str) -> None:
        given, place = keywords(call), self.framework.place(call)
        headers = given.get("static_headers") or given.get("headers")
        values: dict[str, JsonValue] = {
            name: self.framework.script.value_or_none(self.framework.resolved(node))
            for name, node in {**given, "headers": headers}.items()
            if node is not None and name in ("command", "args", "env", "url", "headers")
        }
        what = f"MCP server “{self.framework.text(given.get('name')) or called(call)}” of {owner}"
        params = mcp_params(_SERVERS[called(call)], values)
        if params is None:
            fix = "Add the MCP server."
            self.report.add("asked", place, what, "Where it is cannot be read.", fix=fix, became=owner)
            return
        allowed = self.framework.script.value_or_none(given.get("allowed_tools"))
        if isinstance(allowed, list):
            names = ", ".join(str(each) for each in allowed)
            why = f"All tools of the server are offered here. Allowed there: {names}."
            self.report.add("approximated", place, what, why, became=owner)
        else:
            self.report.add("exact", place, what, became=owner)
        found.workbenches.append(mcp_workbench(params))


def _hosted(kind: str) -> str | None:
    """The tool of a service that a method or a class gives."""
    plain = kind.lower().replace("_", "").removeprefix("get").removeprefix("hosted").removesuffix("tool")
    return next((name for name in _HOSTED if kind and plain == name.replace("_", "")), None)
