"""Tools of Langflow: small ones of our own, MCP servers, HTTP requests, and stand-ins. Their code is never run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import CanvasNode, json_within
from studio.importers.components import config_of, mcp_workbench
from studio.importers.findings import Report
from studio.importers.langflow_documents import rows
from studio.importers.names import word
from studio.importers.ready_tools import calculator, current_date_time, request
from studio.importers.tools import Toolset, mcp_params, report_stand_in, stand_in

CALCULATORS = ("CalculatorComponent", "CalculatorTool", "Calculator")
CLOCKS = ("CurrentDate", "CurrentDateComponent")
SERVERS = ("MCPTools", "MCPToolsComponent", "MCPStdio", "MCPSse")
_REQUESTS = ("APIRequest", "APIRequestComponent")
_FLOWS = ("RunFlow", "FlowTool", "SubFlow")
_DOCUMENTS = ("Knowledge", "KnowledgeRetrieval", "File", "Directory", "MemoryBase", "SQLComponent", "SQLDatabase")
_GROUP = "GroupNode"
MAX_TOOLS = 100
"""Tools of one agent; each is told to its model in each call."""
_PARAMETERS: JsonObject = {"properties": {"input": {"type": "string"}}, "required": ["input"]}


def is_store(node: CanvasNode) -> bool:
    """Whether a component reads documents or data that stay at Langflow."""
    return node.kind in _DOCUMENTS or "embedding" in node.inputs or "embedding_model" in node.inputs


def why_not(node: CanvasNode) -> str:
    """Why a component does not come along, as a sentence."""
    if is_store(node):
        return f"The contents of {node.label} stay at Langflow."
    if node.kind in _FLOWS:
        return "It runs another flow, which is a team of its own."
    if node.kind == _GROUP:
        return "It is a group of components. Ungroup it there, and export the flow again."
    return f"`{node.kind[:80]}` is Python code of Langflow, which is never run."


def add_tool(node: CanvasNode, found: Toolset, report: Report, owner: str) -> None:
    """Add what a component offers to the tools of an agent."""
    what = f"Tool `{node.label}` of {owner}"
    if node.kind in CALCULATORS or node.kind in CLOCKS:
        found.add(calculator() if node.kind in CALCULATORS else current_date_time())
        report.add("approximated", node.place, what, "It is a tool of our own that does the same.", became=owner)
    elif node.kind in SERVERS:
        _add_server(node, found, report, owner)
    elif node.kind in _REQUESTS and (made := _request(node)) is not None:
        found.add(made)
        why = "The request is the same. The model cannot choose the address."
        report.add("approximated", node.place, what, why, fix="Check its address and headers.", became=owner)
    else:
        _add_stand_ins(node, found, report, owner)


def _add_stand_ins(node: CanvasNode, found: Toolset, report: Report, owner: str) -> None:
    """A stand-in for each tool that the component offers."""
    why = why_not(node)
    taken = {str(config_of(each).get("name")) for each in found.tools}
    offered = [(place, each) for place, each in rows(node, "tools_metadata") if each.get("status") is not False]
    for place, each in offered or [(node.place, {"name": node.label, "description": f"The tool {node.label}."})]:
        if len(found.tools) >= MAX_TOOLS:
            why_less = f"An agent has {MAX_TOOLS} tools at most."
            report.add("dropped", place, f"Other tools of {owner}", why_less, became=owner)
            return
        own = word(str(each.get("name") or "")) or word(node.label) or "tool"
        name = own if own not in taken else f"{word(node.label) or 'tool'}_{own}"[:60]
        described = each.get("description")
        text = described if isinstance(described, str) and described else f"The tool {node.label}."
        found.add(stand_in(name, text, parameters(each.get("args")), why))
        taken.add(name)
        what = f"Tool `{name}` of {owner}"
        if is_store(node):
            fix = "Replace the stand-in by a memory or a tool that reads them."
            report.add("asked", place, what, f"{why} A stand-in has its name.", fix=fix, became=owner)
        else:
            report_stand_in(report, place, what, why, owner)


def parameters(given: JsonValue) -> JsonObject:
    """The JSON schema for the parameters of a tool; those with a default may be left out."""
    described = (
        {name: each for name, each in given.items() if isinstance(each, dict)} if isinstance(given, dict) else {}
    )
    if not described:
        return _PARAMETERS
    required: list[JsonValue] = [name for name, each in described.items() if "default" not in each]
    return {"type": "object", "properties": dict[str, JsonValue](described), "required": required}


def _add_server(node: CanvasNode, found: Toolset, report: Report, owner: str) -> None:
    """The MCP server that a component names. Nothing of it is started."""
    what = f"MCP server of {owner}"
    params = mcp_params(*_server(node))
    if params is None:
        given = node.inputs.get("mcp_server")
        name = given.get("name") if isinstance(given, dict) else given
        called = f" “{name[:80]}”" if isinstance(name, str) and name else ""
        why = f"Langflow keeps the address or the command of the server{called} in its settings, not in the file."
        report.add("asked", node.place, what, why, fix="Add the MCP server.", became=owner)
        return
    found.workbenches.append(mcp_workbench(params))
    off = [each for _, each in rows(node, "tools_metadata") if each.get("status") is False]
    if off:
        why = "The agent gets all tools of the server, not the selected ones alone."
        report.add("approximated", node.place, what, why, became=owner)
    else:
        report.add("exact", node.place, what, became=owner)


def _server(node: CanvasNode) -> tuple[str, Mapping[str, JsonValue]]:
    """The kind and the settings of a server, of which releases have several forms."""
    given = node.inputs.get("mcp_server")
    inner = given.get("config") if isinstance(given, dict) else None
    value = json_within(inner) if isinstance(inner, str) else inner
    if isinstance(value, dict):
        kind = str(value.get("type") or value.get("transport") or value.get("mode") or "").lower()
        return ("MCPServerSSE" if "sse" in kind else ""), value
    address = node.text("sse_url") or node.text("url")
    if address:
        return "MCPServerSSE", {"url": address}
    return "", _command(node.text("command"))


def _command(text: str) -> JsonObject:
    """A command line as a command with its arguments; nothing where it is no such line."""
    try:
        words = shlex.split(text)
    except ValueError:
        return {}
    return {"command": words[0], "args": list[JsonValue](words[1:])} if words else {}


def _request(node: CanvasNode) -> JsonObject | None:
    """The request to a fixed address."""
    address = node.inputs.get("url_input") or node.inputs.get("urls") or node.inputs.get("url")
    if isinstance(address, list) and len(address) == 1:
        address = address[0]
    method = node.text("method").upper() or "GET"
    if method not in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        return None
    headers = {
        str(each.get("key")): str(each.get("value") or "") for _, each in rows(node, "headers") if each.get("key")
    }
    return request(word(node.label) or "api_request", f"Sends a {method} request.", method, address, headers)
