"""Agent specs of Pydantic AI, in YAML or JSON: each is one agent."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.components import (
    ASSISTANT,
    MAX_TOOL_ROUNDS,
    component,
    labelled,
    mcp_workbench,
    round_robin,
    structured,
)
from studio.importers.expressions import escaped
from studio.importers.findings import NO_SETTING, SEE_PARTS, Imported, Report
from studio.importers.finishing import finished
from studio.importers.models import client
from studio.importers.names import Names
from studio.importers.parts import MAX_LENGTH, Budget, Part, json_part, yaml_part
from studio.importers.tools import mcp_params, report_stand_in, stand_in

SOURCE = "pydantic-ai"
_MODEL = re.compile(r"""(?:^|[{,])[ \t]*["']?model["']?[ \t]*:[ \t]*["']?[a-z][\w./-]{0,60}:[^\s/]""", re.MULTILINE)
_KEYS = re.compile(r"""(?:^|[{,])[ \t]*["']?(?:instructions|capabilities)["']?[ \t]*:""", re.MULTILINE)
_PLACE = re.compile(r"{{\s*([A-Za-z_]\w{0,59})\s*}}")
_SERVICES: Mapping[str, str] = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "google": "gemini",
    "google-gla": "gemini",
    "google-vertex": "gemini",
    "together": "together_ai",
    "grok": "xai",
}
"""Prefixes of services that have another one here."""
_READ = ("$schema", "model", "name", "description", "instructions", "deps_schema", "output_schema", "model_settings")


def is_pydantic_ai_text(text: str) -> bool:
    """Whether a text looks like a spec: a model with its service, and instructions or capabilities."""
    return _MODEL.search(text) is not None and _KEYS.search(text) is not None


def is_pydantic_ai(bundle: Bundle) -> bool:
    """Whether the files hold such a spec."""
    return any(is_pydantic_ai_text(text) for _, text in _texts(bundle))


def _texts(bundle: Bundle) -> list[tuple[str, str]]:
    named = bundle.named(".yaml", ".yml", ".json")
    return [(name, text) for name, text in named if len(text) <= MAX_LENGTH and is_pydantic_ai_text(text)]


def import_pydantic_ai(bundle: Bundle) -> Imported:
    """A team of the agent of the first spec.

    Raises:
        InvalidDocument: The files hold none.
    """
    budget, report = Budget(), Report()
    read = [(json_part if name.endswith(".json") else yaml_part)(name, text, budget) for name, text in _texts(bundle)]
    specs = [each for each in read if each.get("model") is not None]
    if not specs:
        raise InvalidDocument("The files hold no agent spec of Pydantic AI.", fix="Choose its YAML or JSON file.")
    for each in specs[1:]:
        what = f"Agent of {each.place.file}"
        report.add("asked", each.place, what, "One import gives one team.", fix="Import its file alone.")
    return finished(SOURCE, AgentMaker(specs[0], report).team(), report)


class AgentMaker:
    """Makes the agent of a spec."""

    def __init__(self, spec: Part, report: Report) -> None:
        self._spec = spec
        self._report = report
        self._label = self._text("name") or "agent"
        self._name = Names().free(self._label)
        self._variables: dict[str, JsonValue] = {}

    def team(self) -> JsonObject:
        """A team of the agent alone, which answers once."""
        before = len(self._report.findings)
        config: JsonObject = {"name": self._name, "description": self._text("description") or f"Agent {self._label}."}
        config |= self._instructions()
        config["model_client"] = self._client()
        config |= self._answers()
        config |= self._capabilities()
        for name, part in self._spec.entries_or_none():
            if name not in (*_READ, "capabilities") and not part.is_off:
                self._report.add("dropped", part.place, f"`{name[:80]}` of {self._name}", NO_SETTING, became=self._name)
        is_same = all(each.verdict in ("exact", "asked") for each in self._report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        self._report.add(verdict, self._spec.place, f"Agent “{self._label}”", why, became=self._name)
        agent = labelled(component(ASSISTANT, **config), self._label)
        return labelled(round_robin([agent], 1, self._variables), self._label)

    def _text(self, name: str) -> str:
        return self._spec.nearest(name).text if self._spec.get(name) is not None else ""

    def _instructions(self) -> JsonObject:
        """The system message; its places are context variables."""
        given = self._spec.get("instructions") or Part(self._spec.place)
        text = "\n\n".join(each.text for each in given.all_of() if each.text)
        if "{{" not in text:
            return {"system_message": text}
        pieces: list[str] = []
        end = 0
        for place in _PLACE.finditer(text):
            self._variables[place[1]] = ""
            pieces += [escaped(text[end : place.start()]), f"{{{place[1]}}}"]
            end = place.end()
        rest = "".join([*pieces, escaped(text[end:])])
        if "{{" in _PLACE.sub("", text):
            why = "Blocks and paths of the template stay as text."
            self._report.add("dropped", given.place, f"Template of {self._name}", why, fix="Write it as plain text.")
        if self._variables:
            names = ", ".join(self._variables)
            why = f"They are context variables of the team, empty at first: {names}."
            self._report.add("asked", given.place, f"Values of {self._name}", why, fix="Set them.", became=self._name)
        return {"system_message": rest, "system_message_holds_variables": True}

    def _client(self) -> JsonObject:
        service, _, model = self._text("model").removeprefix("gateway/").partition(":")
        named = f"{_SERVICES.get(service, service)}/{model}" if model else service
        settings = (self._spec.get("model_settings") or Part(self._spec.place)).plain()
        return client(
            named or None,
            settings if isinstance(settings, dict) else {},
            self._report,
            self._spec.nearest("model").place,
            self._name,
        )

    def _answers(self) -> JsonObject:
        part = self._spec.get("output_schema")
        schema = part.plain() if part is not None else None
        if part is None or not isinstance(schema, dict) or not schema:
            return {}
        self._report.add("exact", part.place, f"Form of the answers of {self._name}", became=self._name)
        return {"structured_message_factory": structured(schema), "reflect_on_tool_use": False}

    def _capabilities(self) -> JsonObject:
        """MCP servers as workbenches, tools of services as stand-ins."""
        tools: list[JsonValue] = []
        workbenches: list[JsonValue] = []
        listed = self._spec.get("capabilities")
        for each in listed.all_of() if listed is not None else ():
            kind, given = next(each.entries_or_none(), (each.text, Part(each.place)))
            what = f"Capability `{kind[:80]}` of {self._name}"
            server = given.plain() if given.entries is not None else {"url": given.text}
            params = mcp_params("", server) if kind == "MCP" and isinstance(server, dict) else None
            if params is not None:
                is_part = given.get("allowed_tools") is not None
                why = "All tools of the server are offered here. There, it is a part of them." if is_part else ""
                verdict = "approximated" if is_part else "exact"
                self._report.add(verdict, each.place, what, why, became=self._name)
                workbenches.append(mcp_workbench(params))
            elif kind in ("WebSearch", "WebFetch", "ImageGeneration", "XSearch"):
                why = "It is a tool of the model's service."
                report_stand_in(self._report, each.place, what, why, self._name)
                name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()
                text: JsonObject = {"type": "string", "description": "What is wanted."}
                schema: JsonObject = {"type": "object", "properties": {"query": text}, "required": ["query"]}
                tools.append(stand_in(name, f"{kind} of the model's service.", schema, why))
            else:
                self._report.add("dropped", each.place, what, NO_SETTING, became=self._name)
        config: JsonObject = {"tools": tools} if tools else {}
        config |= {"workbench": workbenches} if workbenches else {}
        if config:
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        return config
