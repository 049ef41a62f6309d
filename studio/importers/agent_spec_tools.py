"""Tools and models of Agent Spec."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.agent_spec_document import AgentSpec, kind_of, name_of, object_schema, properties_of, text_of
from studio.importers.components import component, config_of, mcp_workbench
from studio.importers.findings import Location
from studio.importers.models import DEFAULT_MODEL, client, compatible, is_local, served
from studio.importers.names import word
from studio.importers.parts import Part
from studio.importers.tools import Toolset, mcp_params, report_stand_in, stand_in

PLACEHOLDER = re.compile(r"\{\{\s*([^{}]{1,200}?)\s*\}\}")
_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")
_MODELS: Mapping[str, str] = {"OpenAiConfig": "openai", "GeminiConfig": "gemini", "OllamaConfig": "ollama"}
_COMPATIBLE = ("VllmConfig", "OpenAiCompatibleConfig")
_WHY: Mapping[str, str] = {
    "ServerTool": "Its code is in the program that loads the configuration, and not in the files.",
    "ClientTool": "The program that shows the conversation executes it there.",
    "MCPTool": "Only an agent calls tools of MCP servers here.",
    "MCPToolBox": "Only an agent calls tools of MCP servers here.",
    "BuiltinTool": "It is a part of another framework.",
}
_HTTP = ("url", "http_method", "headers", "sensitive_headers", "query_params", "data", "requires_confirmation")
_ADDRESS = re.compile(r"(https?)://([A-Za-z0-9._-]+)(?::([0-9]{1,5}))?(/[^?#]*)?\Z")


class ToolMaker:
    """Makes tools and model clients."""

    def __init__(self, spec: AgentSpec) -> None:
        self._spec = spec
        self._report = spec.report

    def toolset(self, agent: Part, owner: str, more: Part | None = None) -> Toolset:
        """The tools of an agent, with those that its specialization adds."""
        found = Toolset()
        lists = (agent.get("tools"), agent.get("toolboxes"), more)
        for part in [each for listed in lists for each in self._spec.all_of(listed, f"Tool of {owner}")]:
            kind = kind_of(part)
            if kind in ("MCPTool", "MCPToolBox"):
                self._server(part, found, owner)
                continue
            tool = self.tool(part, owner)
            if all(config_of(each)["name"] != config_of(tool)["name"] for each in found.tools):
                found.tools.append(tool)
            else:
                why = "Another tool of the agent has this name."
                self._report.add("dropped", part.place, f"Tool `{name_of(part)}` of {owner}", why, became=owner)
        return found

    def tool(self, part: Part, owner: str) -> JsonObject:
        """One tool; a stand-in where the files do not hold what it does."""
        name = word(name_of(part)) or "tool"
        what = f"Tool `{name_of(part)}` of {owner}"
        described = text_of(part, "description") or f"The tool {name}."
        schema = object_schema(properties_of(part, "inputs"))
        kind = kind_of(part)
        if kind in ("RemoteTool", "ApiNode"):
            made = self._http(part, name, described, schema, owner)
            if made is not None:
                return made
            why = "Its address is not a plain URL with a host."
            report_stand_in(self._report, part.place, what, why, owner)
            return stand_in(name, described, schema, why)
        why = _WHY.get(kind, f"Team Studio has nothing like {kind or 'a component of no type'}.")
        if kind == "ServerTool":
            said = f"{why} A stand-in has its name and fails when it is called."
            self._report.add("asked", part.place, what, said, fix="Write its code.", became=owner)
        else:
            report_stand_in(self._report, part.place, what, why, owner)
        return stand_in(name, described, schema, why)

    # --- HTTP ---

    def _http(self, part: Part, name: str, described: str, schema: JsonObject, owner: str) -> JsonObject | None:
        """The HTTP tool of an address; None where its host is not fixed."""
        found = _ADDRESS.match(text_of(part, "url").strip())
        if found is None or int(found[3] or 1) > 65_535 or "{{" in found[2]:
            return None
        port = int(found[3] or (443 if found[1] == "https" else 80))
        method = text_of(part, "http_method").upper() or "POST"
        if method not in _METHODS or port == 0:
            return None
        inputs = properties_of(part, "inputs")
        path = PLACEHOLDER.sub(lambda match: f"{{{match[1]}}}", found[4] or "/")
        placed = re.findall(r"{([^{}]*)}", path)
        if any(each not in inputs for each in placed) or path.count("{") != path.count("}"):
            return None
        where = "query_params" if method == "GET" else "data"
        sent = {key for key, each in _entries(part, where) if (at := PLACEHOLDER.fullmatch(each.text)) and at[1] == key}
        changed = [f"`{each}.{key}`" for each in ("query_params", "data") for key, _ in _entries(part, each)]
        changed = [each for each in changed if each not in {f"`{where}.{key}`" for key in sent}]
        changed += [f"`inputs.{each}`" for each in inputs if each not in sent and each not in placed]
        headers = {key: PLACEHOLDER.sub("", each.text) for key, each in _entries(part, "headers")}
        for key, _ in _entries(part, "sensitive_headers"):
            variable = f"{name}_{word(key)}".upper()
            headers[key] = f"env:{variable}"
            why = f"It is read from the environment variable {variable}."
            what = f"Header `{key}` of {name}"
            self._report.add("asked", part.place, what, why, fix=f"Set {variable}.", became=owner)
        if any("{{" in each.text for _, each in _entries(part, "headers")):
            changed.append("`headers`")
        what = f"Tool `{name_of(part)}` of {owner}"
        if changed:
            why = f"The model fills in its inputs. What {', '.join(changed)} say of them is not imported."
            self._report.add("approximated", part.place, what, why, fix="Compare the request.", became=owner)
        else:
            self._report.add("exact", part.place, what, became=owner)
        self._spec.report_unread(part, _HTTP, owner)
        return component(
            "autogen_ext.tools.http.HttpTool",
            name=name,
            description=described,
            scheme=found[1],
            host=found[2],
            port=port,
            path=path,
            method=method,
            headers=dict(headers) or None,
            json_schema=schema,
        )

    # --- MCP ---

    def _server(self, part: Part, found: Toolset, owner: str) -> None:
        transport = self._spec.resolved(part.get("client_transport"))
        kind = kind_of(transport)
        what = f"{kind_of(part)} `{name_of(part)}` of {owner}"
        given = transport.plain() if transport is not None else None
        values = given if isinstance(given, dict) else {}
        params = mcp_params("", {**values, "transport": "sse" if "SSE" in kind else ""})
        if params is None or transport is None:
            why = "Neither the address nor the command of its server can be read."
            self._report.add("asked", part.place, what, why, fix="Add the MCP server.", became=owner)
            return
        for key, _ in _entries(transport, "sensitive_headers"):
            variable = f"MCP_{word(key)}".upper()
            headers = params.get("headers")
            params["headers"] = {**(headers if isinstance(headers, dict) else {}), key: f"env:{variable}"}
            why = f"It is read from the environment variable {variable}."
            self._report.add("asked", transport.place, f"Header `{key}` of {what}", why, fix=f"Set {variable}.")
        if kind_of(part) == "MCPTool" or not (part.get("tool_filter") or Part(part.place)).is_off:
            why = "The agent gets all tools of the server, not the selected ones alone."
            self._report.add("approximated", part.place, what, why, became=owner)
        else:
            self._report.add("exact", part.place, what, became=owner)
        read = ("url", "command", "args", "env", "headers", "sensitive_headers", "session_parameters")
        self._spec.report_unread(transport, read, owner)
        workbench = mcp_workbench(params)
        if workbench not in found.workbenches:
            found.workbenches.append(workbench)

    # --- models ---

    def client(self, part: Part | None, place: Location, owner: str) -> JsonObject:
        """The client of a model."""
        config = self._spec.resolved(part)
        if config is None:
            return client(None, {}, self._report, place, owner)
        kind, model, address = kind_of(config), text_of(config, "model_id"), text_of(config, "url").strip()
        settings = self._settings(config)
        read = ("model_id", "url", "default_generation_parameters", "api_key", "api_type", "provider", "api_provider")
        self._spec.report_unread(config, read, owner)
        key = config.get("api_key")
        if key is not None and not key.is_off:
            why = "Keys are not imported."
            fix = "Set the environment variable of the service."
            self._report.add("approximated", key.place, f"Key of {owner}", why, fix=fix, became=owner)
        if kind in _MODELS and model:
            made = client(f"{_MODELS[kind]}/{model}", settings, self._report, config.place, owner)
            if kind == "OllamaConfig" and address:
                self._at(made, address, "host", config.place, owner)
            return made
        if kind in _COMPATIBLE and model:
            made = compatible(model, settings, self._report, config.place, owner)
            self._at(made, address, "base_url", config.place, owner)
            return made
        provider = text_of(config, "provider") or text_of(config, "api_provider")
        if kind == "LlmConfig" and model and provider:
            return client(f"{provider.lower()}/{model}", settings, self._report, config.place, owner)
        why = f"Team Studio has nothing like {kind or 'a component of no type'}{f', with {model}' if model else ''}."
        self._report.add("asked", config.place, f"Model of {owner}", why, fix="Choose a model.", became=owner)
        return compatible(model or DEFAULT_MODEL, settings, self._report, config.place, owner)

    def _at(self, made: JsonObject, address: str, setting: str, place: Location, owner: str) -> None:
        """Let a client ask an address, where that is on this machine."""
        full = address if "://" in address or not address else f"http://{address}"
        if setting == "host":
            if is_local(full):
                config_of(made)["host"] = full
            else:
                why = f"It is served at {address}, which is not imported."
                self._report.add("asked", place, f"Model of {owner}", why, fix="Enter the host.", became=owner)
            return
        full = full.rstrip("/")
        served(
            made, {"base_url": full if full.endswith("/v1") or not full else f"{full}/v1"}, self._report, place, owner
        )
        if not full:
            why = "Its address cannot be read."
            self._report.add("asked", place, f"Model of {owner}", why, fix="Enter the address.", became=owner)

    def _settings(self, config: Part) -> dict[str, JsonValue]:
        given = config.get("default_generation_parameters")
        plain = given.plain() if given is not None else None
        return {**plain} if isinstance(plain, dict) else {}


def _entries(part: Part, name: str) -> list[tuple[str, Part]]:
    """The entries of a setting; none where it is no object."""
    return list((part.get(name) or Part(part.place)).entries_or_none())
