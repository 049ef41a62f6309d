"""Agents in the YAML of Agent Framework: model, tools and the form of their answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.agent_framework_document import FrameworkFiles, items_of, text_of
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, component, mcp_workbench, structured
from studio.importers.findings import NO_SETTING, SEE_PARTS, Location, Report
from studio.importers.models import client
from studio.importers.names import word
from studio.importers.parts import Part
from studio.importers.tools import Toolset, mcp_params, report_stand_in, stand_in

_PROVIDERS: Mapping[str, str] = {"openai": "openai", "anthropic": "anthropic", "ollama": "ollama"}
_SETTINGS: Mapping[str, str] = {
    "temperature": "temperature",
    "topP": "top_p",
    "maxOutputTokens": "max_tokens",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
    "allowMultipleToolCalls": "parallel_tool_calls",
}
_TYPES = ("string", "integer", "number", "boolean", "array", "object")
_READ = ("kind", "name", "displayName", "description", "instructions", "model", "tools", "outputSchema", "metadata")


class FrameworkAgents:
    """Makes agents of the files, and of names that no file explains."""

    def __init__(self, files: FrameworkFiles, report: Report) -> None:
        self._files = files
        self._report = report

    def assistant(self, label: str, name: str, place: Location) -> JsonObject:
        """The agent that a workflow names, without its place in a team."""
        part = self._files.agents.get(label)
        if part is not None:
            return self.made(part, name)
        why = "It is defined elsewhere. The files hold only its name."
        fix = "Import its file together with the workflow, or write its system message."
        self._report.add("asked", place, f"Agent “{label}”", why, fix=fix, became=name)
        made = client(None, {}, Report(), place, name)
        return component(ASSISTANT, description=f"The agent {label}.", system_message="", model_client=made)

    def made(self, part: Part, name: str) -> JsonObject:
        """An agent of the kind `Prompt`."""
        report = self._report
        before = len(report.findings)
        label = text_of(part, "name") or name
        config: JsonObject = {"description": text_of(part, "description") or f"The agent {label}."}
        more = text_of(part, "additionalInstructions")
        config["system_message"] = "\n\n".join(each for each in (text_of(part, "instructions"), more) if each)
        config["model_client"] = self._client(part, name)
        found = self._toolset(part, name)
        if found.tools:
            config["tools"] = list[JsonValue](found.tools)
        if found.workbenches:
            config["workbench"] = list[JsonValue](found.workbenches)
        if found.tools or found.workbenches:
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        schema = _schema_of(part.get("outputSchema"))
        if schema is not None:
            config |= {"structured_message_factory": structured(schema), "reflect_on_tool_use": False}
        for setting, each in part.entries_or_none():
            if setting not in (*_READ, "additionalInstructions") and not each.is_off:
                why = NO_SETTING
                report.add("dropped", each.place, f"`{setting}` of {name}", why, became=name)
        is_same = all(each.verdict in ("exact", "asked") for each in report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        report.add(verdict, part.place, f"Agent “{label}”", why, became=name)
        return component(ASSISTANT, **config)

    def _client(self, part: Part, owner: str) -> JsonObject:
        given = part.get("model") or Part(part.place)
        model, provider = text_of(given, "id"), text_of(given, "provider")
        options = given.get("options") or Part(given.place)
        settings = {_SETTINGS.get(name, name): each.plain() for name, each in options.entries_or_none()}
        what = f"Model of {owner}"
        if not given.is_off and (given.get("connection", "endpoint") or provider == "AzureOpenAI"):
            why = "It is served at an address of its own, such as Azure's, which is not imported."
            self._report.add("asked", given.place, what, why, fix="Choose the model again.", became=owner)
        elif model.startswith("="):
            why = f"The file names it by `{model[:80]}`, whose value is not in it."
            self._report.add("asked", given.place, what, why, fix="Choose the model.", became=owner)
        key = text_of(given, "connection", "key") or text_of(given, "connection", "apiKey")
        if key and not re.fullmatch(r"=\s*Env\.OPENAI_API_KEY", key):
            why = "Keys are not imported."
            fix = "Set the environment variable of the service."
            self._report.add("approximated", given.place, f"Key of {owner}", why, fix=fix, became=owner)
        if not model or model.startswith("="):
            quiet = Report() if model else self._report
            return client(None, settings, quiet, given.place, owner)
        service = _PROVIDERS.get(provider.lower())
        return client(f"{service}/{model}" if service else model, settings, self._report, given.place, owner)

    def _toolset(self, part: Part, owner: str) -> Toolset:
        found = Toolset()
        for each in items_of(part, "tools"):
            kind, name = text_of(each, "kind"), text_of(each, "name") or text_of(each, "kind") or "tool"
            what = f"Tool `{name}` of {owner}"
            address = text_of(each, "url") or text_of(each, "serverUrl")
            params = mcp_params("", {"url": address}) if kind.lower() == "mcp" else None
            if params is not None:
                is_part = not (each.get("allowedTools") or Part(each.place)).is_off
                why = "The agent gets all tools of the server, not the selected ones alone." if is_part else ""
                self._report.add("approximated" if is_part else "exact", each.place, what, why, became=owner)
                found.workbenches.append(mcp_workbench(params))
            elif kind.lower() == "mcp":
                why = "The address of its server cannot be read."
                self._report.add("asked", each.place, what, why, fix="Add the MCP server.", became=owner)
            else:
                is_code = kind.lower() == "function"
                why = "Its code is not in the file." if is_code else "It is a part of the service of the model."
                report_stand_in(self._report, each.place, what, why, owner)
                described = text_of(each, "description") or f"The tool {name}."
                found.add(stand_in(word(name) or "tool", described, _schema_of(each.get("parameters")) or {}, why))
        return found


def schema_of_fields(fields: Iterable[str]) -> JsonObject:
    """A schema with the fields that a workflow reads of an answer; what begins like a question is true or false."""
    properties: JsonObject = {
        name: {"type": "boolean" if re.match(r"(?:[Ii]s|[Nn]eeds|[Hh]as)(?:[A-Z_]|\Z)", name) else "string"}
        for name in sorted(fields)
    }
    return {"type": "object", "properties": properties, "required": list[JsonValue](properties)}


def _schema_of(part: Part | None) -> JsonObject | None:
    """The JSON schema of an object whose properties say themselves whether they are required; None for none."""
    given = part.get("properties") if part is not None else None
    if given is None or given.entries is None:
        return None
    properties: JsonObject = {}
    required: list[JsonValue] = []
    for name, each in given.entries_or_none():
        kind = text_of(each, "type") or text_of(each, "kind")
        described = text_of(each, "description")
        shown: JsonObject = {"description": described} if described else {}
        inner = _schema_of(each) if kind == "object" else None
        properties[name] = {"type": kind if kind in _TYPES else "string", **(inner or {}), **shown}
        must = each.get("required")
        if must is not None and must.value is True:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required}
