"""Workflows of AutoGen Studio before 0.4, as JSON: a sender and a receiver, or a sequence."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from studio.code.findings import InvalidPython
from studio.components import JsonObject
from studio.components.pointers import escape
from studio.errors import InvalidDocument, TooLarge
from studio.importers.bundle import Bundle
from studio.importers.components import ASSISTANT, MAX_TOOL_ROUNDS, USER_PROXY, component, config_of, labelled
from studio.importers.expressions import escaped
from studio.importers.findings import SEE_PARTS, Imported, Location, Report
from studio.importers.finishing import finished
from studio.importers.models import client, served
from studio.importers.names import Names, word
from studio.importers.python_script import PythonScript
from studio.importers.tools import function_tool

SOURCE = "autogen-studio"
TERMINATE = "TERMINATE"
MAX_AGENTS = 100
DEFAULT_REPLIES = 10
_TYPES = ("assistant", "userproxy", "groupchat")


def workflow_in(value: JsonValue, where: str = "") -> tuple[JsonObject, str] | None:
    """The first workflow of a document and its JSON pointer; a lone agent is one too."""
    if isinstance(value, list):
        found = (workflow_in(item, f"{where}/{at}") for at, item in enumerate(value))
        return next((each for each in found if each is not None), None)
    if not isinstance(value, dict):
        return None
    if value.get("type") in ("autonomous", "sequential") and _members(value):
        return value, where
    if _is_agent(value.get("sender")) and _is_agent(value.get("receiver")):
        return value, where
    if isinstance(value.get("workflows"), list):
        return workflow_in(value["workflows"], f"{where}/workflows")
    return (value, where) if _is_agent(value) else None


def import_workflow(document: JsonValue, file: str) -> Imported:
    """The team of a document.

    Raises:
        InvalidDocument: It holds no workflow.
        TooLarge: It has too many agents.
    """
    found = workflow_in(document)
    if found is None:
        raise InvalidDocument("The file holds no workflow.", fix="Export it again from AutoGen Studio.")
    report = Report()
    others = document.get("workflows") if isinstance(document, dict) else None
    for at, other in enumerate(others[1:] if isinstance(others, list) else [], 1):
        name = str(other.get("name") or at + 1) if isinstance(other, dict) else str(at + 1)
        place = Location(file, pointer=f"/workflows/{at}")
        report.add("asked", place, f"Workflow “{name}”", "Only the first one is imported.", fix="Import it on its own.")
    reader = _Reader(file, report)
    return finished(SOURCE, reader.team(*found), report)


class _Reader:
    def __init__(self, file: str, report: Report) -> None:
        self.file = file
        self.report = report
        self.names = Names()
        self._count = 0

    def team(self, workflow: JsonObject, where: str) -> JsonObject:
        members = _members(workflow)
        label = str(workflow.get("name") or "")
        if workflow.get("type") == "sequential" and members:
            return labelled(self._sequence(members, where), label)
        if members:
            by_role = {role: (agent, place) for role, agent, place, _ in members}
            if "sender" not in by_role or "receiver" not in by_role:
                raise InvalidDocument("The workflow has no sender or no receiver.", fix="Export it again.")
            sender, receiver = by_role["sender"], by_role["receiver"]
        elif _is_agent(workflow.get("sender")):
            sender = cast("JsonObject", workflow["sender"]), "/sender"
            receiver = cast("JsonObject", workflow["receiver"]), "/receiver"
        else:
            team = self._group([(workflow, "")], where, turns=1)
            return team
        pair = (sender[0], where + sender[1]), (receiver[0], where + receiver[1])
        inner = _inner_agents(receiver[0])
        return labelled(self._group_chat(receiver[0], inner, pair[1][1]) if inner else self._pair(*pair), label)

    # --- teams ---

    def _pair(self, sender: tuple[JsonObject, str], receiver: tuple[JsonObject, str]) -> JsonObject:
        """The receiver answers the task, the sender replies, until the receiver says that it is done."""
        limit = _object(sender[0].get("config")).get("max_consecutive_auto_reply")
        replies = (
            limit if isinstance(limit, int) and not isinstance(limit, bool) and 0 < limit < 1000 else DEFAULT_REPLIES
        )
        return self._group([(receiver[0], receiver[1]), sender], "", turns=2 * replies + 1)

    def _group(self, agents: Sequence[tuple[JsonObject, str]], where: str, turns: int) -> JsonObject:
        participants = [self._agent(agent, where + place) for agent, place in agents]
        ends: JsonObject = {"termination_condition": _done(participants[:1])} if len(participants) > 1 else {}
        return component(
            "autogen_agentchat.teams.RoundRobinGroupChat",
            participants=cast("list[JsonValue]", participants),
            max_turns=turns,
            **ends,
        )

    def _group_chat(self, manager: JsonObject, inner: Sequence[JsonObject], where: str) -> JsonObject:
        config = {**_object(manager.get("config")), **_object(manager.get("groupchat_config"))}
        participants = [self._agent(each, f"{where}/agents/{at}") for at, each in enumerate(inner)]
        rounds = config.get("max_round")
        turns = rounds - 1 if isinstance(rounds, int) and 1 < rounds < 10_000 else DEFAULT_REPLIES
        method = str(config.get("speaker_selection_method") or "auto")
        place = Location(self.file, pointer=where)
        common: JsonObject = {
            "participants": cast("list[JsonValue]", participants),
            "max_turns": turns,
            "termination_condition": _done(participants),
        }
        if method in ("round_robin", "random"):
            verdict = "exact" if method == "round_robin" else "approximated"
            why = "" if method == "round_robin" else "The order is that of the list, not random."
            self.report.add(verdict, place, "Group chat", why)
            return component("autogen_agentchat.teams.RoundRobinGroupChat", **common)
        why = "" if method == "auto" else f"A model selects the speaker here, in place of {method!r}."
        self.report.add("approximated" if why else "exact", place, "Group chat", why)
        common["model_client"] = self._client(manager, place, "")
        common["allow_repeated_speaker"] = config.get("allow_repeat_speaker") is not False
        return component("autogen_agentchat.teams.SelectorGroupChat", **common)

    def _sequence(self, members: Sequence[tuple[str, JsonObject, str, int]], where: str) -> JsonObject:
        """Agents that are asked one after the other, each with the results before it."""
        participants: list[JsonObject] = []
        chats: list[JsonValue] = []
        for role, agent, place, _ in sorted(members, key=lambda each: each[3]):
            if role == "sender":
                continue
            part = self._agent(agent, where + place)
            participants.append(part)
            task = agent.get("task_instruction")
            message = f"{{message}}\n\nYour task: {escaped(task)}" if isinstance(task, str) and task else None
            chats.append({"participant": config_of(part)["name"], "message": message})
        if not participants:
            raise InvalidDocument("The sequence has no agent.", fix="Export it again from AutoGen Studio.")
        name = self.names.free("sequence")
        parts = cast("list[JsonValue]", participants)
        agent = component("studio.teams.NestedChatAgent", name=name, participants=parts, chats=chats)
        why = "The prompt around earlier results is worded differently."
        self.report.add("approximated", Location(self.file, pointer=where), "Sequence", why, became=name)
        return component("autogen_agentchat.teams.RoundRobinGroupChat", participants=[agent], max_turns=1)

    # --- agents ---

    def _agent(self, agent: JsonObject, where: str) -> JsonObject:
        self._count += 1
        if self._count > MAX_AGENTS:
            raise TooLarge(f"The workflow has more than {MAX_AGENTS} agents.", fix="Import a part of it.")
        config, place = _object(agent.get("config")), Location(self.file, pointer=where)
        label = str(config.get("name") or agent.get("type") or "agent")
        name = self.names.free(label)
        description = str(config.get("description") or agent.get("description") or f"The agent {label}.")
        if _inner_agents(agent):
            why = "A group chat inside another one is not read; its manager answers alone."
            self.report.add("dropped", place, f"Group chat “{label}”", why, became=name)
        if agent.get("type") == "userproxy":
            return labelled(self._user_proxy(config, place, label, name, description), label)
        before = len(self.report.findings)
        tools = self._skills(agent, name)
        message = config.get("system_message")
        given: JsonObject = {
            "name": name,
            "description": description,
            "system_message": message if isinstance(message, str) and message else None,
            "model_client": self._client(agent, place, name),
        }
        if tools:
            limits: JsonObject = {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
            given |= {"tools": cast("list[JsonValue]", tools), **limits}
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        why = "" if is_same else SEE_PARTS
        self.report.add("exact" if is_same else "approximated", place, f"Agent “{label}”", why, became=name)
        return labelled(component(ASSISTANT, **given), label)

    def _user_proxy(self, config: JsonObject, place: Location, label: str, name: str, description: str) -> JsonObject:
        """Somebody who runs the code in a message, or replies with a fixed text, or asks a person."""
        mode = str(config.get("human_input_mode") or "NEVER")
        execution = config.get("code_execution_config")
        if mode == "NEVER" and execution not in (None, False, "none"):
            why = "It runs the code of a message in the studio's sandbox, and says so where there is none."
            self.report.add("approximated", place, f"Agent “{label}”", why, became=name)
            executor = component("autogen_ext.code_executors.local.LocalCommandLineCodeExecutor")
            return component(
                "autogen_agentchat.agents.CodeExecutorAgent", name=name, description=description, code_executor=executor
            )
        if execution not in (None, False, "none"):
            why = "It asks a person here, and does not run code."
            self.report.add("approximated", place, f"Agent “{label}”", why, fix="Add a code executor.", became=name)
        else:
            self.report.add("exact", place, f"Agent “{label}”", became=name)
        reply, limit = config.get("default_auto_reply"), config.get("max_consecutive_auto_reply")
        given: JsonObject = {"human_input_mode": mode if mode in ("ALWAYS", "NEVER", "TERMINATE") else "ALWAYS"}
        if isinstance(reply, str) and reply:
            given["default_auto_reply"] = reply
        if isinstance(limit, int) and not isinstance(limit, bool) and limit >= 0:
            given["max_consecutive_auto_reply"] = limit
        return component(USER_PROXY, name=name, description=description, **given)

    def _client(self, agent: JsonObject, place: Location, owner: str) -> JsonObject:
        settings = _object(_object(agent.get("config")).get("llm_config"))
        listed = [*_objects(settings.get("config_list")), *_objects(agent.get("models"))]
        first = listed[0] if listed else {}
        model = first.get("model")
        kept: dict[str, JsonValue] = {
            name: settings[name] for name in ("temperature", "max_tokens") if settings.get(name) is not None
        }
        made = client(model if isinstance(model, str) else None, kept, self.report, place, owner)
        served(made, first, self.report, place, owner)
        return made

    def _skills(self, agent: JsonObject, owner: str) -> list[JsonObject]:
        """A tool for each function of a skill that no other function of it calls."""
        tools: list[JsonObject] = []
        for at, skill in enumerate(_objects(agent.get("skills"))):
            title = word(str(skill.get("title") or skill.get("name") or "skill")) or "skill"
            place = Location(self.file, pointer=f"/skills/{escape(str(at))}")
            try:
                script = PythonScript(Bundle({f"{title}.py": str(skill.get("content") or "")}))
            except (InvalidPython, TooLarge):
                self.report.add("dropped", place, f"Skill “{title}”", "Its code cannot be read.", became=owner)
                continue
            names = {each.name for tree in script.trees for each in tree.body if isinstance(each, ast.FunctionDef)}
            used = {
                node.id
                for name in names
                for node in ast.walk(script.functions[name])
                if isinstance(node, ast.Name) and node.id in names
            }
            known = {str(config_of(tool)["name"]) for tool in tools}
            for name in sorted(names - used - known):
                tools.append(function_tool(script, script.functions[name], self.report, owner))
            why = "Its functions are tools here; there they stood in the instructions, for code that calls them."
            self.report.add("approximated", place, f"Skill “{title}”", why, became=owner)
        return tools


def _done(participants: Sequence[JsonObject]) -> JsonObject:
    """Met when one of these says that it is done."""
    names = [config_of(each)["name"] for each in participants]
    return component("autogen_agentchat.conditions.TextMentionTermination", text=TERMINATE, sources=names)


def _members(workflow: JsonObject) -> list[tuple[str, JsonObject, str, int]]:
    """Role, agent, JSON pointer and number in the sequence of each member."""
    found: list[tuple[str, JsonObject, str, int]] = []
    for at, member in enumerate(_objects(workflow.get("agents"))):
        link, agent = _object(member.get("link")), member.get("agent")
        number = link.get("sequence_id")
        if _is_agent(agent):
            order = number if isinstance(number, int) else at
            found.append((str(link.get("agent_type")), cast("JsonObject", agent), f"/agents/{at}/agent", order))
    return found


def _inner_agents(agent: JsonObject) -> list[JsonObject]:
    inner = agent.get("agents") or _object(agent.get("groupchat_config")).get("agents")
    return [each for each in _objects(inner) if _is_agent(each)]


def _is_agent(value: JsonValue) -> bool:
    return isinstance(value, dict) and value.get("type") in _TYPES and isinstance(value.get("config"), dict)


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _objects(value: JsonValue) -> list[JsonObject]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
