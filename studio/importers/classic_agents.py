"""Agents of AutoGen 0.2 and AG2 as components: one that answers with a model, runs code, or stands for a person.

There one agent can be all three. Here each is a participant of its own.
"""

from __future__ import annotations

import ast
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.classic_models import ModelReader
from studio.importers.classic_script import ClassicAgent, ClassicScript, is_off, receiver
from studio.importers.classic_texts import (
    ASSISTANT_DESCRIPTION,
    ASSISTANT_SYSTEM_MESSAGE,
    CONVERSABLE_SYSTEM_MESSAGE,
    USER_DESCRIPTIONS,
)
from studio.importers.classic_tools import registrations_in, tools_of
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, USER_PROXY, component, labelled
from studio.importers.findings import NO_SETTING, SEE_PARTS, Report
from studio.importers.names import Names
from studio.importers.python_script import called, keywords, short
from studio.importers.workflow import MAX_NODES

EXECUTOR = "autogen_agentchat.agents.CodeExecutorAgent"
LOCAL = "autogen_ext.code_executors.local.LocalCommandLineCodeExecutor"
DOCKER = "autogen_ext.code_executors.docker.DockerCommandLineCodeExecutor"
JUPYTER = "autogen_ext.code_executors.jupyter.JupyterCodeExecutor"
MAX_REPLIES = 100
"""Replies of an agent in a row without a person, where a script names no number."""
_READ = (
    "name",
    "system_message",
    "description",
    "llm_config",
    "is_termination_msg",
    "max_consecutive_auto_reply",
    "human_input_mode",
    "code_execution_config",
    "default_auto_reply",
    "functions",
    "function_map",
    "handoffs",
    "chat_manager",
    "response_preparer",
    "update_agent_state_before_reply",
    "silent",
)
_ADDITIONS = ("register_reply", "register_hook", "add_to_agent", "register_model_client", "update_system_message")
"""Methods that change what an agent does, by code that does not come along."""


class AgentMaker:
    """Makes the participants that the agents of a script become."""

    def __init__(self, classic: ClassicScript, report: Report) -> None:
        self.classic = classic
        self.script = classic.script
        self.report = report
        self.models = ModelReader(classic, report)
        self.registrations = registrations_in(classic)
        self.names = Names()
        self._named: dict[ClassicAgent, str] = {}
        self._additions = self._added()
        self._made = 0
        self.used: set[ClassicAgent] = set()

    def name(self, agent: ClassicAgent) -> str:
        """The agent's name in the team."""
        if agent not in self._named:
            self._named[agent] = self.names.free(self.classic.label(agent))
        return self._named[agent]

    def mode(self, agent: ClassicAgent) -> str:
        """When a person is asked in the agent's place."""
        given = self.classic.text_or_none(agent.given.get("human_input_mode"))
        if given in ("ALWAYS", "NEVER", "TERMINATE"):
            return given
        return {"UserProxyAgent": "ALWAYS", "ConversableAgent": "TERMINATE"}.get(agent.kind, "NEVER")

    def has_model(self, agent: ClassicAgent) -> bool:
        node = agent.given.get("llm_config")
        if node is None and agent.kind == "AssistantAgent":
            return True
        if self.models.is_given(node):
            return True
        is_told = "system_message" in agent.given and agent.kind == "ConversableAgent"
        return is_told and "human_input_mode" not in agent.given and not self.runs_code(agent)

    def runs_code(self, agent: ClassicAgent) -> bool:
        """Whether it runs the code of others: a user proxy does by default, which is said where a person is asked."""
        node = agent.given.get("code_execution_config")
        if node is not None:
            return not is_off(self.classic.resolved(node))
        is_plain = self.mode(agent) == "NEVER" and agent not in self.registrations.executing
        return agent.kind == "UserProxyAgent" and is_plain and not self.models.is_given(agent.given.get("llm_config"))

    def is_only_executing(self, agent: ClassicAgent) -> bool:
        """Whether all that it does is to execute functions, which the agent that calls them does here."""
        is_idle = self.mode(agent) == "NEVER" and not self.has_model(agent) and not self.runs_code(agent)
        return is_idle and agent in self.registrations.executing

    def parts(self, agent: ClassicAgent) -> list[JsonObject]:
        """The participants that an agent becomes, in the order in which they speak; the report is told of each.

        Raises:
            TooLarge: Agents have chats with agents that have chats, and so on.
        """
        self._made += 1
        if self._made > MAX_NODES:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import a part of the files.")
        self.used.add(agent)
        name, before = self.name(agent), len(self.report.findings)
        has_model, runs_code, mode = self.has_model(agent), self.runs_code(agent), self.mode(agent)
        is_asked = mode == "ALWAYS" and not has_model
        parts: list[JsonObject] = []
        why = ""
        if runs_code:
            is_alone = not has_model and not is_asked
            parts.append(self._executor(agent, name if is_alone else self.names.free(f"{name}_code")))
            does = "answers with a model" if has_model else "asks a person"
            why = "It runs code in the studio's sandbox, in a folder of its own, and says so where there is none."
            if not is_alone:
                why = f"It runs code and {does} there. Here a participant of its own runs the code, just before it."
            elif mode == "TERMINATE":
                why += " It asks no person. Continue with a new message when the team stops."
        if has_model:
            parts.append(self._assistant(agent, name))
        elif is_asked or not runs_code:
            parts.append(self._person(agent, name, mode))
        if not any(each["provider"] == USER_PROXY for each in parts):
            self._without_reply(agent, name)
        why = why or self._other_difference(agent, has_model, mode)
        self._ignored(agent, name)
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        verdict = "exact" if is_same and not why else "approximated"
        what = f"Agent “{self.classic.label(agent)}”"
        self.report.add(verdict, self.classic.place(agent), what, why or ("" if is_same else SEE_PARTS), became=name)
        return parts

    def _without_reply(self, agent: ClassicAgent, name: str) -> None:
        reply = agent.given.get("default_auto_reply")
        if reply is not None and self.script.value_or_none(reply) not in ("", None):
            why = "Only a user proxy has a default reply here."
            self.report.add("dropped", self.script.place(reply), f"`default_auto_reply` of {name}", why, became=name)

    def _other_difference(self, agent: ClassicAgent, has_model: bool, mode: str) -> str:
        if agent.written not in ("AssistantAgent", "ConversableAgent", "UserProxyAgent", "SwarmAgent"):
            return f"`{agent.written}` does more there, by code that is not imported. This is a plain agent."
        if has_model and "human_input_mode" in agent.given and mode != "NEVER":
            return "No person is asked before it answers. Add a user proxy, or approve tool calls."
        if has_model and not self.models.is_given(agent.given.get("llm_config")) and agent.kind == "ConversableAgent":
            return "It has no model there. Code that is not imported answers for it, so it has one here."
        if agent.kind == "UserProxyAgent" and not has_model and "code_execution_config" not in agent.given:
            return "It would also run code in Docker, which is the default there. Add a code executor if it has to."
        return ""

    # --- kinds of participants ---

    def _assistant(self, agent: ClassicAgent, name: str) -> JsonObject:
        place = self.classic.place(agent)
        config: JsonObject = {"name": name, **self._described(agent, name)}
        node = agent.given.get("llm_config")
        config["model_client"] = self.models.client(node, place, name)
        tools = tools_of(self.classic, agent, self.registrations, self.report, name)
        if tools:
            limits: JsonObject = {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
            config |= {"tools": cast("list[JsonValue]", tools), **limits}
        answers = self.models.answer_format(node, name)
        if answers is not None:
            config |= {"structured_message_factory": answers, "reflect_on_tool_use": False}
        return labelled(component(ASSISTANT, **config), self.classic.label(agent))

    def _described(self, agent: ClassicAgent, name: str) -> JsonObject:
        """Instructions and description, which are the same text where a script gives no description."""
        node = agent.given.get("system_message")
        default = ASSISTANT_SYSTEM_MESSAGE if agent.kind == "AssistantAgent" else CONVERSABLE_SYSTEM_MESSAGE
        text = default
        if node is not None and not is_off(node):
            read = self.script.text(node)
            text = read.value
            if read.unknown:
                text = text.replace("{{", "{").replace("}}", "}")
                why = f"Only a run there knows {', '.join(read.unknown)}. The instructions have a placeholder for it."
                fix, place = "Write what belongs there.", self.script.place(node)
                self.report.add("asked", place, f"Instructions of {name}", why, fix=fix, became=name)
        given = self.script.text(agent.given["description"]).value if "description" in agent.given else ""
        usual = ASSISTANT_DESCRIPTION if text == ASSISTANT_SYSTEM_MESSAGE else text
        described: JsonObject = {"description": given or usual or f"The agent {name}.", "system_message": text or None}
        return described | self._updated(agent, name)

    def _updated(self, agent: ClassicAgent, name: str) -> JsonObject:
        """Instructions that are made anew before each answer: a template of variables, where they are no more."""
        node = agent.given.get("update_agent_state_before_reply")
        found: JsonObject = {}
        items = self.classic.items(node) if node is not None else []
        for item in items if items is not None else [node] if node is not None else []:
            call = self.classic.call_of(item, "UpdateSystemMessage")
            text = self.classic.text_or_none(call.args[0]) if call is not None and call.args else None
            if text is not None:
                found = {"system_message": text, "system_message_holds_variables": True}
                continue
            why = "It is made by code before each answer. The code is not imported."
            fix = "Write the instructions, with {name} for context variables."
            self.report.add(
                "dropped", self.script.place(item), f"Instructions of {name} in a run", why, fix=fix, became=name
            )
        return found

    def _person(self, agent: ClassicAgent, name: str, mode: str) -> JsonObject:
        given: JsonObject = {"human_input_mode": mode}
        reply = self.classic.text_or_none(agent.given.get("default_auto_reply"))
        if reply:
            given["default_auto_reply"] = reply
        limit = self.classic.number_or_none(agent.given.get("max_consecutive_auto_reply"))
        if limit is not None and mode != "ALWAYS":
            given["max_consecutive_auto_reply"] = limit
        part = component(USER_PROXY, name=name, description=self._user_description(agent, mode), **given)
        return labelled(part, self.classic.label(agent))

    def _user_description(self, agent: ClassicAgent, mode: str) -> str:
        if "description" in agent.given:
            return self.script.text(agent.given["description"]).value
        if agent.kind == "UserProxyAgent":
            return USER_DESCRIPTIONS[mode]
        node = agent.given.get("system_message")
        return (self.script.text(node).value if node is not None else "") or CONVERSABLE_SYSTEM_MESSAGE

    def _executor(self, agent: ClassicAgent, name: str) -> JsonObject:
        node = agent.given.get("code_execution_config")
        given = self.classic.entries(node)
        call = self.classic.resolved(given["executor"]) if "executor" in given else None
        provider, inner = DOCKER, given
        image = self.script.value_or_none(given.get("use_docker"))
        if isinstance(call, ast.Call):
            provider = DOCKER if "Docker" in called(call) else JUPYTER if "Jupyter" in called(call) else LOCAL
            inner = keywords(call)
            image = self.script.value_or_none(inner.get("image"))
        elif image is False or (isinstance(call, ast.Constant) and "local" in str(call.value)):
            provider = LOCAL
        config: JsonObject = {}
        timeout = self.classic.number_or_none(inner.get("timeout"))
        if timeout:
            config["timeout"] = timeout
        if provider == DOCKER and isinstance(image, str) and image:
            config["image"] = image
        description = self._user_description(agent, "NEVER")
        part = component(EXECUTOR, name=name, description=description, code_executor=component(provider, **config))
        return labelled(part, self.classic.label(agent))

    # --- what is not imported ---

    def _ignored(self, agent: ClassicAgent, name: str) -> None:
        for setting, node in agent.given.items():
            if setting in _READ:
                continue
            why, fix = NO_SETTING, ""
            if setting == "retrieve_config":
                why, fix = "Its documents and their index are not in the files.", "Add a vector memory to an assistant."
            verdict = "asked" if setting == "retrieve_config" else "dropped"
            place = self.script.place(node)
            self.report.add(verdict, place, f"`{setting}` of {name}", why, fix=fix, became=name)
        if agent.written in self.script.classes:
            node = self.script.classes[agent.written]
            why = "Methods of a class of the script are not imported."
            self.report.add("dropped", self.script.place(node), f"Class `{agent.written}` of {name}", why, became=name)
        for call in self._additions.get(agent, ()):
            why = "Code that changes what an agent does, or hears, is not imported."
            self.report.add("dropped", self.script.place(call), f"`{short(call)}`", why, became=name)

    def _added(self) -> dict[ClassicAgent, list[ast.Call]]:
        """Calls that change what agents do, by these."""
        found: dict[ClassicAgent, list[ast.Call]] = {}
        for call in self.classic.calls(*_ADDITIONS):
            named = (self.classic.agent_of(each) for each in (receiver(call), *call.args))
            for agent in {each for each in named if each is not None}:
                found.setdefault(agent, []).append(call)
        return found
