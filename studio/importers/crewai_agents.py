"""Agents of CrewAI as assistants, with their models, tools and knowledge."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.bundle import Bundle
from studio.importers.components import ASSISTANT, agent_tool, component, config_of, labelled, structured
from studio.importers.crewai_crews import LOST_CONFIG, CrewAgent, CrewTask
from studio.importers.crewai_texts import COWORKER_OUTPUT, instructions, prompt, template, variables_in
from studio.importers.crewai_tools import ToolMaker, Toolset
from studio.importers.findings import NO_SETTING, SEE_PARTS, Location, Report
from studio.importers.models import OPENAI, SETTINGS, client, served
from studio.importers.names import Names, word
from studio.importers.parts import Part
from studio.importers.python_script import PythonScript, called, keywords, short
from studio.importers.workflow import MAX_NODES

NESTED = "studio.teams.NestedChatAgent"
MEMORY = "autogen_core.memory.ListMemory"
MAX_ROUNDS = 25
"""Rounds of an agent that names no number."""
_READ = ("role", "goal", "backstory", "llm", "tools", "mcps", "allow_delegation", "max_iter", "knowledge_sources")
_WITHOUT_EFFECT = ("verbose", "name", "type", "use_system_prompt", "id")
"""Settings that change what is shown of a run, and nothing that is said."""
_IGNORED: Mapping[str, str] = {
    "function_calling_llm": "The agent's own model calls its tools.",
    "memory": "Agents remember nothing across runs here, unless they have a memory.",
    "cache": "There is no cache of tool results.",
    "max_rpm": "There is no such limit for one agent.",
    "max_execution_time": "There is no such limit for one agent. The team has a timeout as a stop condition.",
    "step_callback": "Code that is called in a run is not imported.",
    "callbacks": "Code that is called in a run is not imported.",
    "reasoning": "No plan is made before the answer.",
    "planning": "No plan is made before the answer.",
    "planning_config": "No plan is made before the answer.",
    "allow_code_execution": "Add a tool that executes code.",
    "inject_date": "The current date is not in the instructions.",
    "system_template": "The instructions have the usual form.",
    "prompt_template": "The instructions have the usual form.",
    "response_template": "The instructions have the usual form.",
}
_SERVICES: Mapping[str, str] = {
    "Ollama": "ollama",
    "ChatOllama": "ollama",
    "ChatAnthropic": "anthropic",
    "ChatGroq": "groq",
    "ChatMistralAI": "mistral",
    "ChatGoogleGenerativeAI": "gemini",
}
"""Classes of models by the service that they name."""


class AgentMaker:
    """Makes the agents of crews."""

    def __init__(self, script: PythonScript | None, bundle: Bundle, report: Report) -> None:
        self._script = script
        self._bundle = bundle
        self.report = report
        self.tools = ToolMaker(script, report)
        self.variables: dict[str, Location] = {}
        """Where each variable is first named."""
        self.used: set[CrewAgent] = set()
        self._made = 0

    def text(self, part: Part | None, what: str, owner: str) -> str:
        """A text with its variables noted; what only a run would tell is reported."""
        if part is None or part.value is None:
            if part is not None and part.node is not None:
                why = f"`{short(part.node)}` is only known in a run."
                self.report.add("asked", part.place, f"{what} of {owner}", why, fix="Write the text.", became=owner)
            return ""
        text = str(part.value)
        for name in variables_in(text):
            self.variables.setdefault(name, part.place)
        return text

    def assistant(
        self,
        agent: CrewAgent,
        name: str,
        task: CrewTask | None = None,
        coworkers: Mapping[str, CrewAgent] | None = None,
    ) -> JsonObject:
        """The agent without its name, as it does one task; the report tells what became of each part.

        Args:
            name: Its name in the team.
            coworkers: Those that it can delegate to, by their names as tools.

        Raises:
            TooLarge: The team would have more than `MAX_NODES` agents.
        """
        self._made += 1
        if self._made > MAX_NODES:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import a part of the files.")
        self.used.add(agent)
        before = len(self.report.findings)
        given = agent.given
        role = self.text(given.get("role"), "Role", name) or agent.name
        goal, backstory = (self.text(given.get(each), each.capitalize(), name) for each in ("goal", "backstory"))
        text = instructions(role, backstory, goal)
        config: JsonObject = {"description": " ".join(goal.split()) or f"The agent {agent.role}."}
        config["system_message"] = text
        if variables_in(text):
            config |= {"system_message": template(text), "system_message_holds_variables": True}
        found = self._tools(agent, task, name, coworkers or {})
        config["model_client"] = self.client(given.get("llm"), agent.place, name, given)
        if found.tools:
            config["tools"] = cast("list[JsonValue]", found.tools)
        if found.workbenches:
            config["workbench"] = cast("list[JsonValue]", found.workbenches)
        if found.tools or found.workbenches:
            rounds = given["max_iter"].number(1, 10_000) if "max_iter" in given else None
            config |= {"max_tool_iterations": rounds or MAX_ROUNDS, "reflect_on_tool_use": False}
        memory = list(self.knowledge(given.get("knowledge_sources"), name))
        if memory:
            config["memory"] = [component(MEMORY, memory_contents=cast("list[JsonValue]", memory))]
        self._ignored(agent, name)
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        self.report.add(verdict, agent.place, f"Agent “{agent.role}”", why, became=name)
        return component(ASSISTANT, **config)

    def _tools(
        self, agent: CrewAgent, task: CrewTask | None, owner: str, coworkers: Mapping[str, CrewAgent]
    ) -> Toolset:
        found = Toolset()
        own = task.given.get("tools") if task is not None else None
        self.tools.add(own if own is not None and not own.is_off else agent.given.get("tools"), found, owner)
        self.tools.add_servers(agent.given.get("mcps"), found, owner)
        for name, coworker in coworkers.items():
            found.add(self._coworker(coworker, name, owner))
        return found

    def _coworker(self, agent: CrewAgent, name: str, owner: str) -> JsonObject:
        """An agent as a tool of another one: each call is a task of its own, of which it remembers nothing later."""
        own = Names(name).free(name)
        inner = self.assistant(agent, own)
        config = config_of(inner)
        config["name"] = own
        has_tools = bool(config.get("tools") or config.get("workbench"))
        chat: JsonObject = {
            "participant": own,
            "message": prompt("{message}", COWORKER_OUTPUT, has_tools=has_tools),
            "takes_carryover": False,
        }
        nested = component(NESTED, name=name, description=config["description"], participants=[inner], chats=[chat])
        why = (
            f"{owner} calls it by a tool of its own, with the task and its context in one text. There, one tool "
            "delegates work to all coworkers and one asks them questions."
        )
        self.report.add("approximated", agent.place, f"Delegation to “{agent.role}”", why, became=owner)
        return agent_tool(labelled(nested, agent.role))

    # --- models ---

    def client(
        self, part: Part | None, place: Location, owner: str, given: Mapping[str, Part] | None = None
    ) -> JsonObject:
        """The client of a model."""
        settings: dict[str, JsonValue] = {
            name: each.plain() for name, each in (given or {}).items() if name in SETTINGS
        }
        if part is None or part.is_off:
            return client(None, settings, self.report, place, owner)
        if part.text:
            model = None if part.text.startswith("env:") else part.text
            return client(model, settings, self.report, part.place, owner)
        values, service = self._settings(part)
        model = values.get("model") or values.get("model_name") or values.get("azure_deployment")
        name = model if isinstance(model, str) and not model.startswith("env:") else None
        if name and service and "/" not in name:
            name = f"{service}/{name}"
        settings |= {each: values[each] for each in SETTINGS if each in values}
        made = client(name, settings, self.report, part.place, owner)
        address = values.get("base_url") or values.get("api_base") or values.get("openai_api_base")
        served(made, {"base_url": address}, self.report, part.place, owner)
        self._key(made, values, part.place, owner)
        known = ("model", "model_name", "base_url", "api_base", "openai_api_base", "api_key", "openai_api_key")
        others = [each for each in values if each not in (*known, *SETTINGS, *_WITHOUT_EFFECT)]
        if others:
            listed = ", ".join(f"`{each}`" for each in others)
            why = NO_SETTING
            self.report.add("dropped", part.place, f"Model settings {listed} of {owner}", why, became=owner)
        return made

    def _settings(self, part: Part) -> tuple[dict[str, JsonValue], str]:
        """The settings of a model, and its service where its class says it."""
        if part.entries is not None:
            return {name: each.plain() for name, each in part.entries.items()}, ""
        call = part.node
        if not isinstance(call, ast.Call) or self._script is None:
            return {}, ""
        given = dict(keywords(call))
        if call.args:
            given.setdefault("model", call.args[0])
        return {name: self._script.value_or_none(node) for name, node in given.items()}, _SERVICES.get(called(call), "")

    def _key(self, made: JsonObject, values: Mapping[str, JsonValue], place: Location, owner: str) -> None:
        key = values.get("api_key") or values.get("openai_api_key")
        if isinstance(key, str) and key.startswith("env:"):
            if made["provider"] == OPENAI and key != "env:OPENAI_API_KEY":
                config_of(made).setdefault("api_key", key)
        elif isinstance(key, str) and key:
            why = "The file contains a key in plain text, or a placeholder for one. It is not imported."
            fix = "Set the environment variable of the service."
            self.report.add("approximated", place, f"Key of {owner}", why, fix=fix, became=owner)

    # --- formats, knowledge and what is not imported ---

    def answer_format(self, part: Part | None, owner: str) -> JsonObject | None:
        """The schema of a task's answers."""
        if part is None or part.is_off:
            return None
        node = part.node
        name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else part.text
        schema = self._script.schema(name) if self._script is not None and name else None
        if schema is None:
            shown = name or (short(node) if node is not None else "it")
            why = f"The schema of `{shown}` cannot be read, so the answer is text."
            what = f"Format of the answers of {owner}"
            self.report.add("approximated", part.place, what, why, fix="Describe the fields.", became=owner)
            return None
        why = "The same JSON, with spaces between its parts where a later task reads it."
        self.report.add("approximated", part.place, f"Format of the answers of {owner}", why, became=owner)
        return structured(schema, word(name))

    def knowledge(self, part: Part | None, owner: str) -> Iterator[JsonObject]:
        """Texts that an agent reads before each answer."""
        for each in part.all_of() if part is not None else ():
            texts = list(self._texts(each))
            shown = called(each.node) if each.node is not None else each.text or "Knowledge"
            what = f"Knowledge `{shown or 'source'}` of {owner}"
            if texts:
                why = "The agent reads all of it before each answer. There, the parts nearest to its task are found."
                self.report.add("approximated", each.place, what, why, became=owner)
            else:
                why = "Its text is not in the files."
                self.report.add("dropped", each.place, what, why, fix="Add a memory with this text.", became=owner)
            for text in texts:
                yield {"content": text, "mime_type": "text/plain"}

    def _texts(self, part: Part) -> Iterator[str]:
        node = part.node
        if not isinstance(node, ast.Call) or self._script is None:
            return
        given = keywords(node)
        content = self._script.value_or_none(given.get("content"))
        if isinstance(content, str) and content.strip():
            yield content
        paths = self._script.value_or_none(given.get("file_paths") or given.get("file_path"))
        for path in paths if isinstance(paths, list) else [paths]:
            if isinstance(path, str) and path.endswith((".txt", ".md")):
                found = (text for name, text in self._bundle.files.items() if f"/{name}".endswith(f"/{path}"))
                yield from list(found)[:1]

    def lost(self, given: Mapping[str, Part], place: Location, what: str, needed: str) -> None:
        """Ask for the texts of an agent or a task that the files do not hold."""
        if LOST_CONFIG in given:
            node = given[LOST_CONFIG].node
            why = f"Its configuration {f'`{short(node)}` ' if node is not None else ''}is not in the files."
            fix = "Choose the whole folder, with agents.yaml and tasks.yaml."
            self.report.add("asked", given[LOST_CONFIG].place, f"Configuration of {what}", why, fix=fix)
        elif needed not in given:
            why = f"The files do not say its {needed.replace('_', ' ')}."
            self.report.add("asked", place, what, why, fix="Write its instructions.")

    def _ignored(self, agent: CrewAgent, owner: str) -> None:
        self.lost(agent.given, agent.place, owner, "role")
        for name, part in agent.given.items():
            if (
                name == LOST_CONFIG
                or name in _READ
                or name in _WITHOUT_EFFECT
                or name in SETTINGS
                or (part.is_off and name in _IGNORED)
            ):
                continue
            why = _IGNORED.get(name, NO_SETTING)
            self.report.add("dropped", part.place, f"`{name}` of {owner}", why, became=owner)
