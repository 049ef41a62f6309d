"""What hangs on an agent of n8n: its model, the form of its answers, and its tools."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.canvas import CanvasNode, is_unset, json_within
from studio.importers.components import mcp_workbench
from studio.importers.findings import Report
from studio.importers.models import LANGCHAIN_SETTINGS, SETTINGS, client, served
from studio.importers.names import word
from studio.importers.ready_tools import calculator, request
from studio.importers.tools import Toolset, mcp_params, report_stand_in, stand_in

_SERVICES: Mapping[str, str] = {
    "lmChatOpenAi": "openai",
    "lmOpenAi": "openai",
    "lmChatAzureOpenAi": "openai",
    "lmChatAnthropic": "anthropic",
    "lmChatGoogleGemini": "gemini",
    "lmChatOllama": "ollama",
    "lmOllama": "ollama",
    "lmChatGroq": "groq",
    "lmChatMistralCloud": "mistral",
    "lmChatDeepSeek": "deepseek",
    "lmChatOpenRouter": "openrouter",
    "lmChatXAiGrok": "xai",
}
_WITHOUT_EFFECT = ("timeout", "maxRetries", "baseURL")
_ASKED = re.compile(
    r"""\$fromAI\(\s*(?:'([^']{1,80})'|"([^"]{1,80})"|`([^`]{1,80})`)"""
    r"""(?:\s*,\s*(?:'([^']{0,500})'|"([^"]{0,500})"|`([^`]{0,500})`))?(?:\s*,\s*['"`](\w{1,20})['"`])?""",
    re.IGNORECASE,
)
_KINDS: Mapping[str, str] = {"string": "string", "number": "number", "boolean": "boolean", "json": "object"}
_CODE = "It is JavaScript, which is not imported."
_SEARCH = "It searches a vector store, whose contents stay behind."
_FLOW = "It runs another workflow, which is a team of its own."
MAX_FIELDS = 300


def text_in(value: JsonValue) -> str:
    """A text, or the value of n8n's object for something that was chosen from a list."""
    inner = value.get("value") if isinstance(value, dict) else value
    return inner if isinstance(inner, str) else ""


def model_of(node: CanvasNode | None, report: Report, owner: CanvasNode, name: str) -> JsonObject:
    """The client of a chat model. Credentials are no part of an export."""
    if node is None:
        return client(None, {}, report, owner.place, name)
    called = text_in(node.inputs.get("model")) or text_in(node.inputs.get("modelName"))
    options = node.inputs.get("options")
    given: JsonObject = options if isinstance(options, dict) else {}
    settings = {LANGCHAIN_SETTINGS.get(key, key): value for key, value in given.items() if not is_unset(value)}
    address = settings.pop("baseURL", None)
    settings = {key: value for key, value in settings.items() if key not in _WITHOUT_EFFECT}
    service = _SERVICES.get(node.kind, node.kind)
    plain = called.removeprefix("models/")
    if plain.startswith("="):
        why = f"It is named by the expression `{plain[:80]}`, whose value is not known."
        report.add("asked", node.place, f"Model of {name}", why, fix="Choose the model.", became=name)
        return client(
            None, {key: value for key, value in settings.items() if key in SETTINGS}, Report(), node.place, name
        )
    made = client(f"{service}/{plain}" if plain else None, settings, report, node.place, name)
    azure = "azure" if node.kind == "lmChatAzureOpenAi" else ""
    served(made, {"base_url": address, "api_type": azure}, report, node.place, name)
    return made


# --- the form of an answer ---


def schema_of(node: CanvasNode) -> JsonObject | None:
    """The schema of a parser, in the form of any version; None where it has none that can be read."""
    written = json_within(text_in(node.inputs.get("inputSchema")) or text_in(node.inputs.get("jsonSchema")))
    example = node.inputs.get("jsonSchemaExample")
    shown = json_within(example) if isinstance(example, str) and not isinstance(written, dict) else None
    found = written if isinstance(written, dict) else _like(shown, 0) if shown is not None else None
    if found is None:
        return None
    is_object = found.get("type") == "object" and isinstance(found.get("properties"), dict)
    return found if is_object else {"type": "object", "properties": {"output": found}, "required": ["output"]}


def _like(example: JsonValue, depth: int) -> JsonObject:
    """A schema for values like this one."""
    if isinstance(example, dict) and depth < 20:
        names = list(example)[:MAX_FIELDS]
        inner: JsonObject = {name: _like(example[name], depth + 1) for name in names}
        return {"type": "object", "properties": inner, "required": list[JsonValue](names)}
    if isinstance(example, list) and depth < 20:
        return {"type": "array", "items": _like(example[0], depth + 1) if example else {"type": "string"}}
    if isinstance(example, bool):
        return {"type": "boolean"}
    return {"type": "number" if isinstance(example, int | float) else "string"}


def attributes_of(node: CanvasNode) -> JsonObject | None:
    """The schema of the attributes that an extractor looks for."""
    group = node.inputs.get("attributes")
    listed = group.get("attributes") if isinstance(group, dict) else None
    properties: JsonObject = {}
    required: list[JsonValue] = []
    for each in (listed if isinstance(listed, list) else [])[:MAX_FIELDS]:
        if not isinstance(each, dict) or not isinstance(each.get("name"), str) or not each["name"]:
            continue
        name, kind = str(each["name"]), str(each.get("type") or "string")
        described = each.get("description")
        shown: JsonObject = {"description": described} if isinstance(described, str) and described else {}
        properties[name] = {"type": kind if kind in ("number", "boolean") else "string", **shown}
        required += [name] if each.get("required") is True else []
    return {"type": "object", "properties": properties, "required": required} if properties else schema_of(node)


# --- tools ---


def add_tool(node: CanvasNode, found: Toolset, report: Report, owner: str) -> None:
    """Add a tool to those of an agent; what only n8n can do is a stand-in."""
    given = text_in(node.inputs.get("name")) or text_in(node.inputs.get("toolName"))
    name = word(given if not given.startswith("=") else "") or word(node.label) or "tool"
    what = f"Tool `{name}` of {owner}"
    said = text_in(node.inputs.get("toolDescription")) or text_in(node.inputs.get("description"))
    described = said.removeprefix("=").strip() or f"The tool {node.label}."
    if node.kind == "toolCalculator":
        found.add(calculator())
        report.add("approximated", node.place, what, "It is a tool of our own that does the same.", became=owner)
    elif node.kind == "mcpClientTool":
        _add_server(node, found, report, owner)
    elif (made := _request(node, name, described)) is not None:
        found.add(made)
        why = "The request is the same. Headers and credentials are not imported."
        report.add("approximated", node.place, what, why, fix="Check its address and headers.", became=owner)
    else:
        why = _why(node.kind)
        report_stand_in(report, node.place, what, why, owner)
        found.add(stand_in(name, described, _parameters(node), why))


def _why(kind: str) -> str:
    if kind == "toolWorkflow":
        return _FLOW
    if kind == "toolCode":
        return _CODE
    return _SEARCH if "ector" in kind else f"`{kind[:80]}` is a node of n8n."


def _parameters(node: CanvasNode) -> JsonObject:
    """What the model fills in: what the settings ask it for, or one text."""
    properties: JsonObject = {}
    for found in _ASKED.finditer(json.dumps(node.inputs, ensure_ascii=False).replace('\\"', '"')):
        name = word(found[1] or found[2] or found[3])
        described = found[4] or found[5] or found[6]
        if name and len(properties) < MAX_FIELDS:
            shown: JsonObject = {"description": described} if described else {}
            properties.setdefault(name, {"type": _KINDS.get((found[7] or "").lower(), "string"), **shown})
    takes_text = node.kind.startswith(("tool", "vectorStore"))
    if not properties and takes_text:
        properties = {"query": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": list[JsonValue](properties)}


def _add_server(node: CanvasNode, found: Toolset, report: Report, owner: str) -> None:
    address = text_in(node.inputs.get("endpointUrl")) or text_in(node.inputs.get("sseEndpoint"))
    is_sse = node.inputs.get("serverTransport", "sse" if "sseEndpoint" in node.inputs else "") == "sse"
    params = mcp_params("", {"url": address, "transport": "sse" if is_sse else ""})
    what = f"MCP server of {owner}"
    if params is None:
        why = "Its address cannot be read."
        report.add("asked", node.place, what, why, fix="Add the MCP server.", became=owner)
        return
    found.workbenches.append(mcp_workbench(params))
    is_part = node.inputs.get("include") in ("selected", "except")
    why = "The agent gets all tools of the server, not the selected ones alone." if is_part else ""
    report.add("approximated" if is_part else "exact", node.place, what, why, became=owner)


def _request(node: CanvasNode, name: str, described: str) -> JsonObject | None:
    """A request to a fixed address in which the model fills in nothing; None for any other tool."""
    if node.kind not in ("toolHttpRequest", "httpRequestTool"):
        return None
    sends = any(node.inputs.get(each) for each in ("sendBody", "sendQuery", "sendHeaders", "placeholderDefinitions"))
    method = str(node.inputs.get("method") or "GET")
    address = node.inputs.get("url")
    is_fixed = isinstance(address, str) and not address.startswith("=")
    if sends or not is_fixed or method not in ("GET", "POST", "PUT", "DELETE", "PATCH"):
        return None
    return request(name, described, method, address, {})
