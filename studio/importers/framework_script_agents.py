"""Agents of a script of Agent Framework, each as a component."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, component, config_of, structured
from studio.importers.findings import SEE_PARTS, Report
from studio.importers.framework_script import FrameworkScript, ScriptAgent
from studio.importers.framework_script_tools import FrameworkTools
from studio.importers.models import SETTINGS, client, served
from studio.importers.names import word
from studio.importers.python_script import called, keywords, short
from studio.importers.workflow import MAX_NODES

_SERVICES: Mapping[str, str] = {"Anthropic": "anthropic/", "Claude": "anthropic/", "Ollama": "ollama/"}
"""How classes of clients and agents begin, and the prefix of the service behind them."""
_AT_AZURE = ("Azure", "Foundry")
_MODELS = ("model", "model_id", "deployment_name", "model_deployment_name", "ai_model_id")
_OPTIONS = ("default_options", "options", "chat_options")
_WITHOUT_EFFECT = ("store", "metadata", "user", "conversation_id", "tool_choice", "allow_multiple_tool_calls")
_IGNORED: Mapping[str, str] = {
    "middleware": "Code around calls does not come along.",
    "context_providers": "Code that adds to the conversation does not come along.",
    "context_provider": "Code that adds to the conversation does not come along.",
    "compaction_strategy": "The conversation is not shortened. An agent here can have a context that is.",
}


class FrameworkAgents:
    """Makes components of the agents of a script."""

    def __init__(self, framework: FrameworkScript, report: Report) -> None:
        self.framework = framework
        self.report = report
        self._tools = FrameworkTools(framework, report, self.component)
        self._made = 0
        self.used: set[ScriptAgent] = set()
        """Agents that something of the team is made of."""

    def component(self, agent: ScriptAgent, owner: str, depth: int = 0) -> JsonObject:
        """The agent without its name; the report is told what became of each part.

        Args:
            owner: Its name in the team.
            depth: How many agents it is a tool of.

        Raises:
            TooLarge: Agents are tools of one another so often that there would be too many.
        """
        self._made += 1
        self.used.add(agent)
        if self._made > MAX_NODES:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import a part of the files.")
        before = len(self.report.findings)
        config: JsonObject = self._described(agent, owner)
        settings = self._settings(agent, owner)
        config["model_client"] = self.model(agent, owner, settings)
        found = self._tools.toolset(agent, owner, depth)
        if found.tools:
            config["tools"] = cast("JsonValue", found.tools)
        if found.workbenches:
            config["workbench"] = cast("JsonValue", found.workbenches)
        if found.tools or found.workbenches:
            config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
        answers = self._answer_format(settings.get("response_format"), owner)
        if answers is not None:
            config |= {"structured_message_factory": answers, "reflect_on_tool_use": False}
        for name, why in _IGNORED.items():
            if name in agent.given and self.framework.items(agent.given[name]):
                self._lost("dropped", agent.given[name], f"`{name}` of {owner}", why, owner)
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        place, what = self.framework.place(agent.call), f"Agent “{self.framework.label(agent)}”"
        self.report.add("exact" if is_same else "approximated", place, what, "" if is_same else SEE_PARTS, became=owner)
        return component(ASSISTANT, **config)

    def _lost(self, verdict: str, node: ast.AST, what: str, why: str, owner: str, fix: str = "") -> None:
        place = self.framework.place(node)
        if verdict == "asked":
            self.report.add("asked", place, what, why, fix=fix, became=owner)
        elif verdict == "dropped":
            self.report.add("dropped", place, what, why, fix=fix, became=owner)
        else:
            self.report.add("approximated", place, what, why, fix=fix, became=owner)

    def _described(self, agent: ScriptAgent, owner: str) -> JsonObject:
        """Instructions and description."""
        node, text, known = agent.given.get("instructions"), "", dict[str, str]()
        if node is not None:
            found = self.framework.script.text(self.framework.resolved(node))
            text = found.value
            if found.unknown:
                known = self._names_in(self.framework.resolved(node))
                for name, label in known.items():
                    text = text.replace(f"{{{name.replace('.', '_')}}}", label)
                text = text.replace("{{", "{").replace("}}", "}")
            if unknown := [each for each in dict.fromkeys(found.unknown) if each not in known]:
                names = ", ".join(f"`{each}`" for each in unknown)
                why = f"Only a run there knows {names}. The instructions have a placeholder for it."
                self._lost("asked", node, f"Instructions of {owner}", why, owner, "Write what belongs there.")
        described = self.framework.text(agent.given.get("description"))
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        shown = described or first[:200] or f"The agent {self.framework.label(agent)}."
        return {"system_message": text or None, "description": shown}

    def _names_in(self, node: ast.expr) -> dict[str, str]:
        """Names of agents that a text takes from them, such as `writer.name`."""
        taken = [each for each in ast.walk(node) if isinstance(each, ast.Attribute) and each.attr == "name"]
        agents = {ast.unparse(each): self.framework.agent_of(each.value) for each in taken}
        return {text: self.framework.label(agent) for text, agent in agents.items() if agent is not None}

    # --- models ---

    def model(self, agent: ScriptAgent, owner: str, settings: Mapping[str, ast.expr] | None = None) -> JsonObject:
        """The client of its model."""
        self.used.add(agent)
        place = self.framework.place(agent.call)
        made_by = self.framework.resolved(agent.client) if agent.client is not None else agent.call
        given = {**agent.given, **keywords(made_by)} if isinstance(made_by, ast.Call) else agent.given
        values = {name: self.framework.script.value_or_none(value) for name, value in (settings or {}).items()}
        kept = {name: values[name] for name in SETTINGS if values.get(name) is not None}
        model = next((self.framework.text(given[name]) for name in _MODELS if name in given), "")
        kind = called(made_by)
        entry: JsonObject = {"base_url": self.framework.text(given.get("base_url"))}
        if kind.startswith(_AT_AZURE) or "azure_endpoint" in given:
            entry["api_type"] = "azure"
        report = self.report
        if model.startswith("env:"):
            self._asked_for(model.removeprefix("env:"), made_by, owner)
            model, report = "", Report()  # it is asked once
        elif not model and "api_type" in entry:
            served({}, entry, self.report, place, owner)
            report = Report()
        prefix = next((text for start, text in _SERVICES.items() if kind.startswith(start)), "")
        made = client(f"{prefix}{model}" if model else None, kept, report, place, owner)
        served(made, entry, report, place, owner)
        return made

    def _asked_for(self, variable: str, node: ast.AST, owner: str) -> None:
        why = f"Its name is in the environment variable {variable} there."
        self._lost("asked", node, f"Model of {owner}", why, owner, "Choose the model.")

    def _settings(self, agent: ScriptAgent, owner: str) -> dict[str, ast.expr]:
        """Options of the model by name, wherever the script gives them."""
        found = {name: value for name, value in agent.given.items() if name in (*SETTINGS, "response_format")}
        for option in _OPTIONS:
            node = self.framework.resolved(agent.given[option]) if option in agent.given else None
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        found[key.value] = value
            elif isinstance(node, ast.Call):
                found |= keywords(node)
        for name, value in list(found.items()):
            if name not in (*SETTINGS, *_WITHOUT_EFFECT, "response_format", "reasoning"):
                why = "There is no such setting here."
                self._lost("dropped", value, f"Model setting `{name}` of {owner}", why, owner)
        reasoning = self.framework.script.value_or_none(found["reasoning"]) if "reasoning" in found else None
        if isinstance(reasoning, dict) and isinstance(reasoning.get("effort"), str):
            found["reasoning_effort"] = ast.Constant(cast("str", reasoning["effort"]))
        return found

    def _answer_format(self, node: ast.expr | None, owner: str) -> JsonObject | None:
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        schema = self.framework.script.schema(node.id) if isinstance(node, ast.Name) else None
        if schema is None or not isinstance(node, ast.Name):
            why = f"The schema of `{short(node)}` cannot be read, so the answer is text."
            what = f"Format of the answers of {owner}"
            self._lost("approximated", node, what, why, owner, "Describe the fields.")
            return None
        return structured(schema, word(node.id))

    def named(self, agent: ScriptAgent, name: str, depth: int = 0) -> JsonObject:
        """The agent with a name."""
        part = self.component(agent, name, depth)
        return component(str(part["provider"]), name=name, **config_of(part))
