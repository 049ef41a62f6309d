"""Agents as the OpenAI Agents SDK has them in Python, each as a component."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.components import (
    ASSISTANT,
    MAX_TOOL_ROUNDS,
    OPENAI_AGENT,
    agent_tool,
    component,
    config_of,
    mcp_workbench,
    structured,
)
from studio.importers.findings import NO_SETTING, SEE_PARTS, Location, Report
from studio.importers.models import DEFAULT_MODEL, SETTINGS, asked_for_model, client, is_openai
from studio.importers.names import Names, word
from studio.importers.python_script import PythonScript, called, keywords, short
from studio.importers.tools import function_tool, report_stand_in, stand_in
from studio.importers.workflow import MAX_NODES

PREFIX = "RECOMMENDED_PROMPT_PREFIX"
OUR_PREFIX = (
    "You are one of several agents. Tools named transfer_to_… hand the conversation over to another one; use them "
    "without telling the user about it."
)
"""In place of the text of that name in the SDK, which is not in the files."""
HOSTED: Mapping[str, str] = {
    "WebSearchTool": "web_search_preview",
    "FileSearchTool": "file_search",
    "CodeInterpreterTool": "code_interpreter",
    "ImageGenerationTool": "image_generation",
    "ComputerTool": "computer_use_preview",
    "LocalShellTool": "local_shell",
}
"""Tools that OpenAI runs, and their types in its API."""
_OWN_OF_OPENAI = ("web_search_preview", "file_search", "code_interpreter", "image_generation")
_WITHOUT_EFFECT = ("store", "summary", "generate_summary", "metadata", "include_usage")
"""Settings of models that change what the service keeps and shows, and no answer."""
_IGNORED: Mapping[str, str] = {
    "hooks": "The studio shows what happens in a run; there are no hooks.",
    "tool_use_behavior": "The model is asked again after each call, up to the limit of tool rounds.",
    "reset_tool_choice": NO_SETTING,
    "output_guardrails": "Code of a guardrail is not imported.",
    "mcp_config": NO_SETTING,
}
SETTINGS_LEFT = "What OpenAI stores and shows of its answers is not set here."
MAX_NESTED = 10
"""Agents as tools of agents as tools."""


@dataclass(frozen=True)
class AgentDefinition:
    """An `Agent(...)` of a script.

    Args:
        variable: Its name in the script.
        later: Handoffs that are added after it was made.
    """

    variable: str
    call: ast.Call
    given: Mapping[str, ast.expr]
    later: list[ast.expr] = field(default_factory=list[ast.expr])


@dataclass(frozen=True)
class Instructions:
    """The instructions of an agent.

    Args:
        fields: Where they are a function: places in `text`, and the fields of the context that they stand for.
    """

    text: str | None
    fields: Mapping[str, str] = field(default_factory=dict[str, str])


class AgentReader:
    """Makes components of the agents of a script."""

    def __init__(self, script: PythonScript, report: Report) -> None:
        self.script = script
        self.report = report
        self.agents: dict[str, AgentDefinition] = {}
        self._made = 0
        for tree in script.trees:
            for node in ast.walk(tree):
                self._note(node)
        if len(self.agents) > MAX_NODES:
            raise TooLarge(f"The files define more than {MAX_NODES} agents.", fix="Import a part of them.")

    def _note(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if called(call) == "Agent":
                self.agents.setdefault(name, AgentDefinition(name, call, keywords(call)))
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call) if called(call) == "Agent":
                self.agents.setdefault(name, AgentDefinition(name, call, keywords(call)))
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="handoffs"), attr="append"),
                args=[item],
            ) if name in self.agents:
                self.agents[name].later.append(item)
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr="handoffs"), attr="extend"),
                args=[ast.List(elts=items)],
            ) if name in self.agents:
                self.agents[name].later.extend(items)
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id=name), attr="handoffs")], value=ast.List(elts=items)
            ) if name in self.agents:
                self.agents[name].later.extend(items)
            case _:
                pass

    def agent_of(self, node: ast.expr | None) -> AgentDefinition | None:
        """The agent that an expression names, if it does."""
        for _ in range(MAX_NESTED):
            if isinstance(node, ast.Name):
                if node.id in self.agents:
                    return self.agents[node.id]
                node = self.script.values.get(node.id)
            elif called(node) == "Agent" if node is not None else False:
                return next((each for each in self.agents.values() if each.call is node), None)
            else:
                return None
        return None

    def label(self, agent: AgentDefinition) -> str:
        """The agent's name as people read it."""
        name = self.script.value_or_none(agent.given.get("name") or next(iter(agent.call.args), None))
        return name if isinstance(name, str) and name.strip() else agent.variable

    def place(self, agent: AgentDefinition) -> Location:
        return self.script.place(agent.call)

    def instructions(self, agent: AgentDefinition) -> Instructions:
        """What its model is told first. Those of a function are its f-string, where it is no more than that."""
        node = agent.given.get("instructions")
        if node is None:
            return Instructions(None)
        if isinstance(node, ast.Name) and node.id in self.script.functions:
            return self._of_function(self.script.functions[node.id])
        text = self.script.text(node)
        if not text.unknown:
            return Instructions(text.value or None)
        value = text.value.replace(f"{{{PREFIX}}}", OUR_PREFIX)
        if set(text.unknown) == {PREFIX}:
            return Instructions(value.replace("{{", "{").replace("}}", "}"))
        return Instructions(value, {name: name for name in _placed(text.unknown)})

    def _of_function(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Instructions:
        fields: dict[str, str] = {}
        for node in ast.walk(function):
            match node:
                case ast.Assign(
                    targets=[ast.Name(id=name)], value=ast.Attribute(value=ast.Attribute(attr="context"), attr=source)
                ):
                    fields[name] = source
                case _:
                    pass
        returned = [
            node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None
        ]
        if len(returned) != 1:
            return Instructions(ast.get_docstring(function), {"": ""})
        pieces: list[str] = []
        unknown = False
        for part in returned[0].values if isinstance(returned[0], ast.JoinedStr) else [returned[0]]:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            if isinstance(inner, ast.Name) and inner.id in fields:
                pieces.append(f"{{{inner.id}}}")
            elif isinstance(inner, ast.Name) and inner.id == PREFIX:
                pieces.append(OUR_PREFIX)
            else:
                text = self.script.text(inner)
                unknown |= bool(text.unknown)
                pieces.append(text.value if text.unknown else text.value.replace("{", "{{").replace("}", "}}"))
        return Instructions("".join(pieces), {**fields, **({"": ""} if unknown else {})})

    def component(
        self,
        agent: AgentDefinition,
        owner: str,
        *,
        in_swarm: bool = False,
        known: Mapping[str, str] | None = None,
        depth: int = 0,
    ) -> JsonObject:
        """The agent without its name and handoffs; the report is told what became of each part.

        Args:
            owner: Its name in the team.
            in_swarm: Whether it takes part in handoffs.
            known: What fields of the context stand for, as `{places}` of a template.

        Raises:
            TooLarge: Agents are tools of one another so often that there would be too many.
        """
        self._made += 1
        if self._made > MAX_NODES:
            raise TooLarge(f"The team would have more than {MAX_NODES} agents.", fix="Import a part of the files.")
        before = len(self.report.findings)
        config: JsonObject = {"system_message": None}
        config |= self._described(agent, owner, known or {})
        tools, workbenches, hosted = self._tools(agent, owner, depth)
        workbenches += self._servers(agent, owner)
        model, settings = self._model(agent, owner)
        answers = self._answer_format(agent, owner)
        self._ignored(agent, owner)
        is_plain = not (tools or workbenches or answers or in_swarm) and is_openai(model or DEFAULT_MODEL)
        if hosted and is_plain and all(each.get("type") in _OWN_OF_OPENAI for each in hosted):
            if not model:
                asked_for_model(self.report, self.place(agent), owner)
            part = self._openai_agent(agent, owner, config, model or DEFAULT_MODEL, settings, hosted)
        else:
            tools += self._stand_ins(agent, owner, hosted)
            config["model_client"] = client(model, settings, self.report, self.place(agent), owner)
            if tools:
                config["tools"] = cast("JsonValue", tools)
            if workbenches:
                config["workbench"] = cast("JsonValue", workbenches)
            if tools or workbenches:
                config |= {"max_tool_iterations": MAX_TOOL_ROUNDS, "reflect_on_tool_use": False}
            if answers is not None:
                config |= {"structured_message_factory": answers, "reflect_on_tool_use": False}
            rails = self._guardrails(agent, owner)
            if rails:
                config["input_guardrails"] = cast("JsonValue", rails)
            part = component(ASSISTANT, **config)
        is_same = all(each.verdict in ("exact", "asked") for each in self.report.findings[before:])
        why = SETTINGS_LEFT if is_same and self._has_settings_left(agent) else "" if is_same else SEE_PARTS
        what = f"Agent “{self.label(agent)}”"
        self.report.add("exact" if is_same else "approximated", self.place(agent), what, why, became=owner)
        return part

    def _has_settings_left(self, agent: AgentDefinition) -> bool:
        node = agent.given.get("model_settings")
        named = (
            {each.arg for each in ast.walk(node) if isinstance(each, ast.keyword)} if node is not None else set[str]()
        )
        return bool(named & set(_WITHOUT_EFFECT))

    # --- parts of an agent ---

    def _described(self, agent: AgentDefinition, owner: str, known: Mapping[str, str]) -> JsonObject:
        """Instructions and description."""
        place = self.place(agent)
        found = self.instructions(agent)
        text = found.text
        config: JsonObject = {"system_message": text}
        if "prompt" in agent.given:
            why = "They are a stored prompt of OpenAI, not in the files; such prompts end on 30 November 2026."
            self.report.add(
                "asked", place, f"Prompt of {owner}", why, fix="Copy its text into the instructions.", became=owner
            )
        if text is not None and found.fields:
            placed: dict[str, str] = {name: known[source] for name, source in found.fields.items() if source in known}
            for name, value in placed.items():
                text = text.replace(f"{{{name}}}", value)
            config = {"system_message": text, "system_message_holds_variables": True}
            unknown = [name or "some of it" for name in found.fields if name not in placed]
            if unknown:
                why = f"Only a run there knows {', '.join(unknown)}. The instructions have a placeholder for it."
                self.report.add(
                    "asked", place, f"Instructions of {owner}", why, fix="Write what belongs there.", became=owner
                )
                config = {"system_message": (text or "").replace("{{", "{").replace("}}", "}")}
        if OUR_PREFIX in (text or ""):
            why = "The recommended prefix of the SDK is not in the files. A sentence with the same meaning replaces it."
            self.report.add("approximated", place, f"Instructions of {owner}", why, became=owner)
        described = self.script.value_or_none(agent.given.get("handoff_description"))
        first = next((line.strip() for line in (text or "").splitlines() if line.strip()), "")
        description = described if isinstance(described, str) and described else first[:200]
        return {**config, "description": description or f"The agent {self.label(agent)}."}

    def _model(self, agent: AgentDefinition, owner: str) -> tuple[str | None, dict[str, JsonValue]]:
        node = agent.given.get("model")
        resolved = self.script.resolved(node) if node is not None else None
        if called(resolved) if resolved is not None else "":
            call = cast("ast.Call", resolved)
            node = keywords(call).get("model") or next(iter(call.args), None)
            if called(call) != "LitellmModel":
                why = "Its own client is not read: key and address are those of the model's usual service."
                self.report.add("approximated", self.script.place(call), f"Model of {owner}", why, became=owner)
        value = self.script.value_or_none(node)
        model = value if isinstance(value, str) and value and not value.startswith("env:") else None
        return model, self._settings(agent, owner)

    def _settings(self, agent: AgentDefinition, owner: str) -> dict[str, JsonValue]:
        node = agent.given.get("model_settings")
        resolved = self.script.resolved(node) if node is not None else None
        if not isinstance(resolved, ast.Call):
            return {}
        found: dict[str, JsonValue] = {}
        dropped: list[str] = []
        for name, value in keywords(resolved).items():
            if name == "reasoning" and isinstance(value, ast.Call):
                parts = keywords(value)
                found["reasoning_effort"] = self.script.value_or_none(parts.get("effort"))
                dropped += [f"reasoning.{each}" for each in parts if each not in ("effort", *_WITHOUT_EFFECT)]
            elif name in SETTINGS:
                found[name] = self.script.value_or_none(value)
            elif name not in _WITHOUT_EFFECT:
                dropped.append(name)
        if dropped:
            why = NO_SETTING
            names = ", ".join(f"`{name}`" for name in dropped)
            self.report.add(
                "dropped", self.script.place(resolved), f"Model settings {names} of {owner}", why, became=owner
            )
        return found

    def _answer_format(self, agent: AgentDefinition, owner: str) -> JsonObject | None:
        node = agent.given.get("output_type")
        if called(node) == "AgentOutputSchema" if node is not None else False:
            call = cast("ast.Call", node)
            node = next(iter(call.args), None) or keywords(call).get("output_type")
        if node is None or (isinstance(node, ast.Name) and node.id == "str"):
            return None
        schema = self.script.schema(node.id) if isinstance(node, ast.Name) else None
        if schema is None:
            why = f"The schema of `{short(node)}` cannot be read, so the answer is text."
            self.report.add(
                "approximated",
                self.script.place(node),
                f"Format of the answers of {owner}",
                why,
                fix="Describe the fields.",
                became=owner,
            )
            return None
        return structured(schema, word(node.id) if isinstance(node, ast.Name) else "")

    def _tools(
        self, agent: AgentDefinition, owner: str, depth: int
    ) -> tuple[list[JsonObject], list[JsonObject], list[JsonObject]]:
        """Function and agent tools, workbenches of hosted servers, and tools that OpenAI runs."""
        tools: list[JsonObject] = []
        workbenches: list[JsonObject] = []
        hosted: list[JsonObject] = []
        taken = Names()
        for node in _items(self.script, agent.given.get("tools")):
            resolved = self.script.resolved(node)
            kind = called(resolved)
            if isinstance(resolved, ast.Name) and resolved.id in self.script.functions:
                tools.append(function_tool(self.script, self.script.functions[resolved.id], self.report, owner))
            elif (
                kind == "function_tool"
                and isinstance(resolved, ast.Call)
                and isinstance(next(iter(resolved.args), None), ast.Name)
            ):
                name = cast("ast.Name", resolved.args[0]).id
                if name in self.script.functions:
                    tools.append(function_tool(self.script, self.script.functions[name], self.report, owner))
            elif kind == "as_tool":
                tools += self._agent_tool(cast("ast.Call", resolved), owner, taken, depth)
            elif kind == "HostedMCPTool":
                workbenches += self._hosted_server(cast("ast.Call", resolved), owner)
            elif kind in HOSTED:
                hosted.append(self._hosted(cast("ast.Call", resolved), kind))
            else:
                why = "What it is cannot be read."
                self.report.add(
                    "dropped",
                    self.script.place(node),
                    f"Tool `{short(node)}` of {owner}",
                    why,
                    fix="Add a tool that does the same.",
                    became=owner,
                )
        return tools, workbenches, hosted

    def _agent_tool(self, call: ast.Call, owner: str, taken: Names, depth: int) -> list[JsonObject]:
        place, given = self.script.place(call), keywords(call)
        agent = self.agent_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
        if agent is None or depth >= MAX_NESTED:
            why = "The agent behind it cannot be read."
            self.report.add("dropped", place, f"Tool `{short(call)}` of {owner}", why, became=owner)
            return []
        given_text = self.script.value_or_none(given.get("tool_name"))
        name = taken.free(given_text if isinstance(given_text, str) and given_text else self.label(agent).lower())
        described = self.script.value_or_none(given.get("tool_description"))
        part = self.component(agent, owner, depth=depth + 1)
        config = config_of(part)
        config["name"] = name
        if isinstance(described, str) and described:
            config["description"] = described
        others = [each for each in given if each not in ("tool_name", "tool_description")]
        why = "It remembers earlier calls of the same run here, and takes one text as its task."
        if others:
            why += f" There is nothing for {', '.join(f'`{each}`' for each in others)}."
        self.report.add(
            "approximated", place, f"Agent “{self.label(agent)}” as tool `{name}` of {owner}", why, became=owner
        )
        return [agent_tool(part)]

    def _hosted(self, call: ast.Call, kind: str) -> JsonObject:
        given = keywords(call)
        inner = self.script.value_or_none(given.get("tool_config"))
        if isinstance(inner, dict):
            return {**inner, "type": HOSTED[kind]}
        names = ("vector_store_ids", "max_num_results", "user_location", "search_context_size")
        values = {name: self.script.value_or_none(given[name]) for name in names if name in given}
        return {"type": HOSTED[kind], **{name: value for name, value in values.items() if value is not None}}

    def _stand_ins(self, agent: AgentDefinition, owner: str, hosted: list[JsonObject]) -> list[JsonObject]:
        found: list[JsonObject] = []
        for each in hosted:
            name = str(each.get("type")).removesuffix("_preview")
            why = "OpenAI runs this tool; an agent with other tools, handoffs or a schema cannot use it here."
            report_stand_in(self.report, self.place(agent), f"Tool `{name}` of {owner}", why, owner)
            schema: JsonObject = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
            found.append(stand_in(name, f"The {name.replace('_', ' ')} of OpenAI.", schema, why))
        return found

    def _hosted_server(self, call: ast.Call, owner: str) -> list[JsonObject]:
        given = self.script.resolved(keywords(call).get("tool_config") or ast.Constant(None))
        parts = _dictionary(given)
        address = self.script.value_or_none(parts.get("server_url"))
        place, what = self.script.place(call), f"MCP server of {owner}"
        if not isinstance(address, str) or not address.startswith(("http://", "https://")):
            why = (
                "It is a connector of OpenAI, which needs an account there."
                if "connector_id" in parts
                else "It names no address."
            )
            self.report.add("dropped", place, what, why, fix="Add an MCP server that does the same.", became=owner)
            return []
        headers = self.script.value_or_none(parts.get("headers"))
        return [self._workbench("StreamableHttpServerParams", address, headers, parts, place, what, owner)]

    def _workbench(
        self,
        kind: str,
        address: str,
        headers: JsonValue,
        given: Mapping[str, ast.expr],
        place: Location,
        what: str,
        owner: str,
    ) -> JsonObject:
        params: JsonObject = {"type": kind, "url": address}
        if isinstance(headers, dict):
            params["headers"] = {name: str(value) for name, value in headers.items()}
        if "allowed_tools" in given or "tool_filter" in given:
            allowed = self.script.value_or_none(given.get("allowed_tools"))
            names = ", ".join(str(each) for each in allowed) if isinstance(allowed, list) else "a part of them"
            why = f"The agent gets all tools of the server. The source allows {names}."
            self.report.add("approximated", place, what, why, became=owner)
        else:
            self.report.add("exact", place, what, became=owner)
        return mcp_workbench(params)

    def _servers(self, agent: AgentDefinition, owner: str) -> list[JsonObject]:
        found: list[JsonObject] = []
        for node in _items(self.script, agent.given.get("mcp_servers")):
            call = self._server_behind(node)
            if call is None:
                why = "Which server it is cannot be read."
                self.report.add(
                    "asked",
                    self.script.place(node),
                    f"MCP server of {owner}",
                    why,
                    fix="Add the MCP server.",
                    became=owner,
                )
                continue
            place, what, given = self.script.place(call), f"MCP server of {owner}", keywords(call)
            params = _dictionary(self.script.resolved(given.get("params") or ast.Constant(None)))
            if called(call) == "MCPServerStdio":
                found += self._program(params, place, what, owner)
                continue
            kind = "SseServerParams" if called(call) == "MCPServerSse" else "StreamableHttpServerParams"
            address = self.script.value_or_none(params.get("url"))
            if not isinstance(address, str) or not address.startswith(("http://", "https://")):
                why = "Its address cannot be read."
                self.report.add("asked", place, what, why, fix="Set the address of the server.", became=owner)
                address = "http://localhost:8000/mcp"
            headers = self.script.value_or_none(params.get("headers"))
            found.append(self._workbench(kind, address, headers, given, place, what, owner))
        return found

    def _server_behind(self, node: ast.expr) -> ast.Call | None:
        """The constructor of a server; that of a parameter is the one that there is, if there is one."""
        resolved = self.script.resolved(node)
        if called(resolved).startswith("MCPServer"):
            return cast("ast.Call", resolved)
        all_of = [each for tree in self.script.trees for each in ast.walk(tree) if called(each).startswith("MCPServer")]
        servers = [each for each in all_of if isinstance(each, ast.Call) and "params" in keywords(each)]
        return servers[0] if len(servers) == 1 else None

    def _program(self, params: Mapping[str, ast.expr], place: Location, what: str, owner: str) -> list[JsonObject]:
        command = self.script.value_or_none(params.get("command"))
        if not isinstance(command, str) or not command:
            self.report.add(
                "asked", place, what, "Its command cannot be read.", fix="Add the MCP server.", became=owner
            )
            return []
        given: JsonObject = {"type": "StdioServerParams", "command": command}
        arguments = params.get("args")
        texts = [self.script.value_or_none(each) for each in arguments.elts] if isinstance(arguments, ast.List) else []
        given["args"] = [each for each in texts if isinstance(each, str)]
        if len(cast("list[JsonValue]", given["args"])) < len(texts):
            why = "Some of its arguments are only known in a run there."
            self.report.add("asked", place, what, why, fix="Add the missing arguments.", became=owner)
        else:
            self.report.add("exact", place, what, became=owner)
        environment = self.script.value_or_none(params.get("env"))
        if isinstance(environment, dict):
            given["env"] = {name: str(value) for name, value in environment.items()}
        return [mcp_workbench(given)]

    def _guardrails(self, agent: AgentDefinition, owner: str) -> list[JsonObject]:
        found: list[JsonObject] = []
        for node in _items(self.script, agent.given.get("input_guardrails")):
            checker = self._checker(node)
            place, what = self.script.place(node), f"Guardrail `{short(node)}` of {owner}"
            rule = self.instructions(checker).text if checker is not None else None
            if checker is None or not rule:
                why = "What it checks is code, which is not imported."
                self.report.add("dropped", place, what, why, fix="Add a guardrail with a rule.", became=owner)
                continue
            model, settings = self._model(checker, owner)
            asks = client(model, settings, self.report, self.place(checker), owner)
            found.append(
                component(
                    "studio.agents.ModelGuardrail",
                    name=self.label(checker),
                    model_client=asks,
                    rule=rule,
                    action="stop",
                )
            )
            why = "A model decides by its instructions whether the rule applies; the code around it is not imported."
            self.report.add(
                "approximated", place, what, why, fix="Read the rule as a sentence that must not be true.", became=owner
            )
        return found

    def _checker(self, node: ast.expr) -> AgentDefinition | None:
        """The agent that the function of a guardrail asks."""
        resolved = self.script.resolved(node)
        if isinstance(resolved, ast.Call):
            resolved = keywords(resolved).get("guardrail_function") or resolved
        function = self.script.functions.get(resolved.id) if isinstance(resolved, ast.Name) else None
        for each in ast.walk(function) if function is not None else ():
            if isinstance(each, ast.Call) and each.args and called(each).startswith("run"):
                return self.agent_of(each.args[0])
        return None

    def _openai_agent(
        self,
        agent: AgentDefinition,
        owner: str,
        config: JsonObject,
        model: str,
        settings: Mapping[str, JsonValue],
        hosted: list[JsonObject],
    ) -> JsonObject:
        """An agent whose tools OpenAI runs."""
        given: JsonObject = {"temperature": settings.get("temperature"), "model": model}
        if isinstance(settings.get("max_tokens"), int):
            given["max_output_tokens"] = settings["max_tokens"]
        usable = [each for each in hosted if each["type"] != "file_search" or each.get("vector_store_ids")]
        for each in hosted:
            if each["type"] == "file_search":
                why = "The files of its vector store stay at OpenAI; the store must belong to your key."
                self.report.add(
                    "asked",
                    self.place(agent),
                    f"File search of {owner}",
                    why,
                    fix="Check the ID of the vector store.",
                    became=owner,
                )
        dropped = [name for name in settings if name not in ("temperature", "max_tokens")]
        if dropped:
            why = "An agent over OpenAI's Responses API has no such settings here."
            self.report.add(
                "dropped", self.place(agent), f"Model settings {', '.join(dropped)} of {owner}", why, became=owner
            )
        if "keep_as" in config or config.get("system_message_holds_variables"):
            why = "Variables stand in its instructions as they are written."
            self.report.add("approximated", self.place(agent), f"Instructions of {owner}", why, became=owner)
        instructions = config.get("system_message") or ""
        return component(
            OPENAI_AGENT,
            description=config["description"],
            instructions=instructions,
            tools=cast("JsonValue", usable),
            **given,
        )

    def _ignored(self, agent: AgentDefinition, owner: str) -> None:
        for name, why in _IGNORED.items():
            if name in agent.given:
                self.report.add(
                    "dropped", self.script.place(agent.given[name]), f"`{name}` of {owner}", why, became=owner
                )


def _items(script: PythonScript, node: ast.expr | None) -> list[ast.expr]:
    """The items of a list, also of one that others are added to."""
    match script.resolved(node) if node is not None else None:
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [
                inner
                for each in items
                for inner in (_items(script, each.value) if isinstance(each, ast.Starred) else [each])
            ]
        case _:
            return []


def _dictionary(node: ast.expr) -> dict[str, ast.expr]:
    """The entries of a dictionary or of a call with named arguments."""
    match node:
        case ast.Dict(keys=keys, values=values):
            return {
                key.value: value
                for key, value in zip(keys, values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            }
        case ast.Call():
            return keywords(node)
        case _:
            return {}


def _placed(unknown: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(unknown))
