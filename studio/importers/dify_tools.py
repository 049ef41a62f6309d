"""Tools of Dify, and its nodes that compute: code and templates become functions, everything else is a stand-in.

Code and templates are texts here. They are read as syntax where that is needed, and run in the sandbox with the team.
"""

from __future__ import annotations

import ast
import keyword
import sys
from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from studio.components import JsonObject, validate_component
from studio.components.python_text import parsed
from studio.importers.canvas import json_within
from studio.importers.components import component, mcp_workbench
from studio.importers.findings import Location, Report
from studio.importers.names import word
from studio.importers.ready_tools import current_date_time
from studio.importers.tools import PROVIDER, Toolset, mcp_params, report_stand_in, stand_in

MAX_TOOLS = 100
_IMPORTS: list[JsonValue] = [
    {"module": "typing", "imports": ["Any"]},
    {"module": "studio.tools", "imports": ["ContextVariables"]},
]
_TYPES = {"string": "string", "number": "number", "boolean": "boolean", "select": "string", "text-input": "string"}
_PARAMETERS: JsonObject = {"properties": {"query": {"type": "string"}}, "required": ["query"]}


def code_tool(name: str, described: str, code: str, arguments: Sequence[str], variable: str) -> JsonObject | None:
    """The function that a code node is, which keeps its result in a variable; None where it cannot be one.

    Args:
        arguments: Names of the parameters of its `main`.
    """
    if any(not _is_parameter(each) for each in arguments) or not _defines_main(code, name):
        return None
    parameters = "".join(f"{each}: Any, " for each in arguments)
    given = ", ".join(f"{each}={each}" for each in arguments)
    head = f"def {name}({parameters}context_variables: ContextVariables) -> str:\n"
    body = f"    context_variables[{variable!r}] = main({given})\n    return str(context_variables[{variable!r}])\n"
    return _valid(name, described, f"{head}{body}\n\n{code.strip()}\n")


def template_tool(name: str, described: str, template: str) -> JsonObject | None:
    """The function that a template of Jinja is; None where it cannot be one."""
    head = f"def {name}(values: dict[str, Any]) -> str:\n    from jinja2.sandbox import SandboxedEnvironment\n\n"
    body = f"    return SandboxedEnvironment().from_string({template!r}).render(values)\n"
    return _valid(name, described, head + body)


def packages_of(code: str) -> Sequence[str]:
    """Packages that a code node imports and Python does not have."""
    found: set[str] = set()
    for node in ast.walk(parsed(code)):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return sorted(found - sys.stdlib_module_names)


def _valid(name: str, described: str, source: str) -> JsonObject | None:
    tool = component(PROVIDER, name=name, description=described, source_code=source, global_imports=_IMPORTS)
    return None if validate_component(tool).errors else tool


def _is_parameter(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_") and name not in _RESERVED


_RESERVED = ("context_variables", "cancellation_token", "main")


def _defines_main(code: str, name: str) -> bool:
    """Whether a text is Python with a function `main`, and has none with the name of ours."""
    try:
        body = parsed(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = [each.name for each in body if isinstance(each, ast.FunctionDef | ast.ClassDef)]
    has_future = any(isinstance(each, ast.ImportFrom) and each.module == "__future__" for each in body)
    return "main" in names and name not in names and not has_future


def add_tools(given: JsonValue, found: Toolset, report: Report, place: Location, owner: str) -> None:
    """Add the tools of an agent; those that are switched off do not count."""
    listed = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    on = [each for each in listed if each.get("enabled") is not False]
    for each in on[:MAX_TOOLS]:
        _add_tool(each, found, report, place, owner)
    if len(on) > MAX_TOOLS:
        report.add("dropped", place, f"Other tools of {owner}", f"An agent has up to {MAX_TOOLS} tools.", became=owner)


def _add_tool(given: Mapping[str, JsonValue], found: Toolset, report: Report, place: Location, owner: str) -> None:
    provider = str(given.get("provider_name") or given.get("provider_id") or "")
    name = str(given.get("tool_name") or given.get("tool_label") or "tool")
    label = str(given.get("tool_label") or name)
    if is_clock(provider, name):
        found.add(current_date_time())
        why = "It is a tool of our own that does the same in UTC."
        report.add("approximated", place, f"Tool `{name}` of {owner}", why, became=owner)
        return
    extra = given.get("extra")
    said = extra.get("description") if isinstance(extra, dict) else None
    described = said or given.get("tool_description") or f"The tool {label}."
    why = why_absent(provider, name, str(given.get("type") or given.get("provider_type") or ""))
    report_stand_in(report, place, f"Tool `{name[:80]}` of {owner}", why, owner)
    found.add(stand_in(word(name) or "tool", str(described), _schema(given.get("schemas")), why))


def is_clock(provider: str, name: str) -> bool:
    """Whether a tool tells the time."""
    return provider.rpartition("/")[2] == "time" and name == "current_time"


def why_absent(provider: str, name: str, kind: str) -> str:
    """Why a tool stays behind."""
    if kind == "workflow":
        return "It runs another workflow, which is a team of its own."
    if kind in ("api", "custom"):
        return "It calls an interface whose description is not in the file."
    if kind == "mcp":
        return "It is a tool of an MCP server whose address is not in the file."
    return f"`{(provider.rpartition('/')[2] or name)[:80]}` is a plugin of Dify."


def _schema(given: JsonValue) -> JsonObject:
    """The parameters that a model fills in."""
    properties: JsonObject = {}
    required: list[JsonValue] = []
    for each in given if isinstance(given, list) else ():
        if not isinstance(each, dict) or each.get("form") not in (None, "llm"):
            continue
        name, described = each.get("name"), each.get("llm_description")
        if isinstance(name, str) and name:
            properties[name] = {
                "type": _TYPES.get(str(each.get("type")), "string"),
                "description": described if isinstance(described, str) else "",
            }
            required += [name] if each.get("required") is True else []
    return {"properties": properties, "required": required} if properties else _PARAMETERS


def add_servers(given: JsonValue, found: Toolset, report: Report, place: Location, owner: str) -> None:
    """Add the MCP servers of an agent's setting: an address, or JSON with several. Nothing of them is started."""
    read = json_within(given) if isinstance(given, str) and given.lstrip().startswith("{") else given
    address: JsonObject = {"server": {"url": read, "transport": "sse"}}
    several = read.get("mcpServers", read) if isinstance(read, dict) else address
    named = several if isinstance(several, dict) else {}
    listed: JsonObject = {"server": named} if "url" in named or "command" in named else named
    for name, each in list(listed.items())[:MAX_TOOLS]:
        params = mcp_params("", each) if isinstance(each, dict) else None
        what = f"MCP server `{name[:80]}` of {owner}"
        if params is None:
            why = "Neither its address nor its command can be read."
            report.add("asked", place, what, why, fix="Add the MCP server.", became=owner)
        else:
            found.workbenches.append(mcp_workbench(params))
            report.add("exact", place, what, became=owner)
