"""Tools of Flowise: small ones of our own, MCP servers, HTTP requests, and stand-ins. JavaScript is never run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import json_within
from studio.importers.components import mcp_workbench
from studio.importers.findings import Location, Report
from studio.importers.names import word
from studio.importers.ready_tools import calculator, current_date_time, request
from studio.importers.tools import Toolset, mcp_params, report_stand_in, stand_in

_OWN: Mapping[str, Callable[[], JsonObject]] = {"calculator": calculator, "currentDateTime": current_date_time}
_HTTP: Mapping[str, str] = {
    "requestsGet": "GET",
    "requestsPost": "POST",
    "requestsPut": "PUT",
    "requestsDelete": "DELETE",
}
_FLOWS = ("chatflowTool", "agentAsTool", "ChatflowTool")
_TYPES = {"string": "string", "number": "number", "boolean": "boolean", "date": "string"}
_PARAMETERS: JsonObject = {"properties": {"input": {"type": "string"}}, "required": ["input"]}


def add_tool(
    kind: str, label: str, config: Mapping[str, JsonValue], found: Toolset, report: Report, place: Location, owner: str
) -> None:
    """Add a tool to those of an agent.

    Args:
        kind: The node's name, such as `calculator`.
        config: Its settings.
    """
    what = f"Tool `{label}` of {owner}"
    if kind in _OWN:
        found.add(_OWN[kind]())
        report.add("approximated", place, what, "It is a tool of our own that does the same.", became=owner)
    elif kind == "customMCP":
        _add_server(config, found, report, place, owner)
    elif kind in _HTTP and (made := _http(kind, config)) is not None:
        found.add(made)
        why = "The request is the same. The answer is not cut to a length."
        report.add("approximated", place, what, why, fix="Check its address and headers.", became=owner)
    else:
        _add_stand_in(kind, label, config, found, report, place, owner)


def _add_stand_in(
    kind: str, label: str, config: Mapping[str, JsonValue], found: Toolset, report: Report, place: Location, owner: str
) -> None:
    """A tool that only has a name, with what to do about it."""
    given = next(
        (config[each] for each in ("name", f"{kind}Name", "toolName", "customToolName") if config.get(each)), label
    )
    name = word(str(given)) or word(kind) or "tool"
    said = next((value for key, value in config.items() if key.lower().endswith("description") and value), "")
    described = said if isinstance(said, str) and said else f"The tool {label}."
    if kind == "customTool" or config.get("customToolFunc") or config.get("func"):
        why = "It is JavaScript, which is not imported."
    elif kind == "retrieverTool":
        why = "It searches a vector store, whose contents stay behind."
    elif kind in _FLOWS:
        why = "It runs another flow, which is a team of its own."
    elif kind.endswith("MCP"):
        why = "It is an MCP server that Flowise starts."
    else:
        why = f"`{kind[:80]}` is code of Flowise."
    report_stand_in(report, place, f"Tool `{name}` of {owner}", why, owner)
    found.add(
        stand_in(name, described, schema_of(config.get("schema") or config.get("customToolSchema")) or _PARAMETERS, why)
    )


def schema_of(given: JsonValue) -> JsonObject | None:
    """The JSON schema for the parameters of a custom tool, which are a list in a text."""
    listed = json_within(given) if isinstance(given, str) else given
    if not isinstance(listed, list):
        return None
    properties: JsonObject = {}
    required: list[JsonValue] = []
    for each in listed:
        if isinstance(each, dict) and isinstance(each.get("property"), str):
            name = str(each["property"])
            properties[name] = {
                "type": _TYPES.get(str(each.get("type")), "string"),
                "description": str(each.get("description") or ""),
            }
            required += [name] if each.get("required") is True else []
    return {"type": "object", "properties": properties, "required": required}


def _add_server(config: Mapping[str, JsonValue], found: Toolset, report: Report, place: Location, owner: str) -> None:
    """The MCP server of a JSON text. Nothing of it is started."""
    given = config.get("mcpServerConfig")
    server = json_within(given) if isinstance(given, str) else given
    kind = "MCPServerSSE" if isinstance(server, dict) and server.get("type") == "sse" else ""
    params = mcp_params(kind, server) if isinstance(server, dict) else None
    what = f"MCP server of {owner}"
    if params is None:
        why = "Neither its address nor its command can be read."
        report.add("asked", place, what, why, fix="Add the MCP server.", became=owner)
        return
    found.workbenches.append(mcp_workbench(params))
    if config.get("mcpActions"):
        why = "The agent gets all tools of the server, not the selected ones alone."
        report.add("approximated", place, what, why, became=owner)
    else:
        report.add("exact", place, what, became=owner)


def _http(kind: str, config: Mapping[str, JsonValue]) -> JsonObject | None:
    """The request to a fixed address; None where it is another."""
    prefix = kind if any(each.startswith(kind) for each in config) else ""
    name = word(str(config.get(f"{prefix}Name" if prefix else "name") or kind)) or kind
    described = config.get(f"{prefix}Description" if prefix else "description")
    given = config.get(f"{prefix}Headers" if prefix else "headers")
    headers = json_within(given) if isinstance(given, str) else given
    return request(
        name,
        described if isinstance(described, str) and described else f"Sends a {_HTTP[kind]} request.",
        _HTTP[kind],
        config.get(f"{prefix}Url" if prefix else "url"),
        {key: str(value) for key, value in headers.items()} if isinstance(headers, dict) else {},
    )
