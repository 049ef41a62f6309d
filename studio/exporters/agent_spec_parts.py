"""Agents, tools and models as components of Agent Spec, with a word on all that has no place there."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from string import Formatter
from typing import cast

from pydantic import BaseModel, JsonValue

from studio.agents import AgentTool, AssistantAgent, MessageFilterAgent
from studio.code.conversion import Report
from studio.code.defaults import is_default
from studio.components import Component, JsonObject, is_reference
from studio.components.pointers import escape
from studio.components.secrets import placeholders_in
from studio.components.templates import unreadable
from studio.exporters.parts import name_of_part, place
from studio.exporters.refusals import CannotExport
from studio.models import (
    AnthropicChatCompletionClient,
    AzureOpenAIChatCompletionClient,
    ChatCompletionClient,
    OllamaChatCompletionClient,
    OpenAIChatCompletionClient,
)
from studio.models.openai_services import OPENAI, service_of
from studio.tools import BaseTool, FunctionTool, HttpTool, StaticStreamWorkbench, StaticWorkbench
from studio.tools.mcp import McpWorkbench, SseServerParams, StdioServerParams

VERSION, GENERIC_MODELS = "25.4.2", "26.1.2"
"""The version that is written, and the one that has models of any service."""
_GENERATION = (
    "temperature",
    "top_p",
    "max_tokens",
    "frequency_penalty",
    "presence_penalty",
    "parallel_tool_calls",
    "reasoning_effort",
    "seed",
    "stop",
)
_UNHEARD = (
    "model_info",
    "metadata",
    "model_client_stream",
    "stream_options",
    "emit_team_events",
    "timeout",
    "max_retries",
)
"""What only tells a person more while a team runs, or the studio about a model: nothing is lost without it."""
_PLACE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
_WHY: Mapping[str, str] = {
    "context_variables": "Agent Spec has no variables that a team shares; those that instructions name are inputs.",
    "filter": "Each agent hears the whole conversation there.",
    "handoffs": "Only agents of a swarm hand off there.",
    "input_guardrails": "Agent Spec has no guardrails.",
    "keep_as": "Agent Spec has no variables that a team shares, so the answer is only a message.",
    "max_turns": "Agent Spec has no limit of turns.",
    "memory": "Agent Spec has no memory that is asked before an answer.",
    "model_context": "Agent Spec leaves it to the framework what a model is given of a long conversation.",
    "output_guardrails": "Agent Spec has no guardrails.",
    "termination_condition": "A configuration ends when its agents have answered; there is no such condition.",
}


class SpecParts:
    """Makes components of Agent Spec.

    Args:
        variables: Context variables of the team, with their first values.
    """

    def __init__(self, report: Report, variables: Mapping[str, JsonValue]) -> None:
        self.report = report
        self.version = VERSION
        self._variables = variables

    # --- what is left out ---

    def drop_fields(self, part: BaseModel, where: str, known: Sequence[str]) -> None:
        """Note each field that is set and has no place there."""
        values = {each: getattr(part, each) for each in type(part).model_fields}
        for name, value in values.items():
            if name in known or name in _UNHEARD or is_default(type(part).model_fields[name], value, values):
                continue
            self.drop(part, name, where)

    def drop(self, part: BaseModel, name: str, where: str, why: str = "") -> None:
        reason = why or _WHY.get(name, f"Agent Spec has no such setting of {type(part).__name__}.")
        self.report.add("dropped", place(f"{where}/config/{name}"), f"{name_of_part(part)}: {name}", reason)

    def cannot(self, part: Component, where: str) -> CannotExport:
        return CannotExport(
            f"Agent Spec has no {type(part).__name__}, so it cannot have {name_of_part(part)}.",
            fix="Replace it, or export for another target.",
            where=where,
        )

    # --- agents ---

    def agent(
        self, part: Component, where: str, outputs: Sequence[JsonObject] = (), *, in_swarm: bool = False
    ) -> JsonObject:
        """An agent, or a manager with workers where other agents are its tools.

        Args:
            outputs: What it must answer with, where it has no format of its own.
            in_swarm: Whether its handoffs are told by the swarm.

        Raises:
            CannotExport: Agent Spec has nothing that it could be.
        """
        if isinstance(part, MessageFilterAgent):
            self.drop(part, "filter", where)
            return self.agent(part.wrapped_agent, f"{where}/config/wrapped_agent", outputs, in_swarm=in_swarm)
        if not isinstance(part, AssistantAgent):
            raise self.cannot(part, where)
        at = f"{where}/config"
        prompt, inputs = self._prompt(part, where)
        tools = [(each, f"{at}/tools/{index}") for index, each in enumerate(part.tools or ())]
        found: JsonObject = {
            "component_type": "Agent",
            "id": part.name,
            "name": part.name,
            "description": part.description,
            "metadata": {},
            "inputs": list[JsonValue](inputs),
            "outputs": list[JsonValue](self._outputs(part) or outputs),
            "llm_config": self.model(part.model_client, f"{at}/model_client"),
            "system_prompt": prompt,
            "human_in_the_loop": False,
        }
        plain, boxes = self._toolset(part, where)
        found |= {"tools": plain, "toolboxes": boxes}
        self._tell_rounds(part, where)
        known = ["name", "description", "model_client", "system_message", "system_message_holds_variables", "tools"]
        known += ["workbench", "structured_message_factory", "reflect_on_tool_use", "max_tool_iterations"]
        known += ["tool_call_summary_format", *(["handoffs"] if in_swarm else [])]
        self.drop_fields(part, where, known)
        workers = [(each, spot) for each, spot in tools if isinstance(each, AgentTool)]
        return self._manager(found, workers) if workers else found

    def _manager(self, manager: JsonObject, workers: Sequence[tuple[AgentTool, str]]) -> JsonObject:
        """A manager with the agents that are its tools."""
        listed: list[JsonValue] = []
        for tool, where in workers:
            listed.append(self.agent(tool.agent, f"{where}/config/agent"))
            why = "It is a worker, to whom the manager gives a task in its own words."
            self.report.add("approximated", place(where), name_of_part(tool), why)
        name = str(manager["name"])
        return {
            "component_type": "ManagerWorkers",
            "id": f"{name} and workers",
            "name": f"{name} and workers",
            "description": manager["description"],
            "metadata": {},
            "inputs": manager["inputs"],
            "outputs": manager["outputs"],
            "group_manager": manager,
            "workers": listed,
        }

    def _tell_rounds(self, part: AssistantAgent, where: str) -> None:
        if part.tools or part.workbench:
            why = "It calls tools until its model stops, and says the answer of its model. There is no limit of rounds."
            self.report.add("approximated", place(where), name_of_part(part), why)

    def _prompt(self, part: AssistantAgent, where: str) -> tuple[str, list[JsonObject]]:
        """The instructions and what they name; braces that would name something give themselves."""
        text = part.system_message or ""
        names: dict[str, JsonValue] = {}
        if part.system_message_holds_variables and not unreadable(text):
            pieces: list[str] = []
            for literal, field, _, _ in Formatter().parse(text):
                pieces.append(literal)
                if field is None:
                    continue
                name = field.partition("[")[0]
                if name != field:
                    why = f"Agent Spec names no parts of a value, so `{field[:80]}` is the whole of it."
                    pointer = place(f"{where}/config/system_message")
                    self.report.add("approximated", pointer, f"{name_of_part(part)}: system_message", why)
                names[name] = self._variables.get(name)
                pieces.append(f"{{{{{name}}}}}")
            text = "".join(pieces)
        for found in _PLACE.finditer(text):
            names.setdefault(found[1], found[0])
        return text, [_property(name, value) for name, value in names.items()]

    def _outputs(self, part: AssistantAgent) -> list[JsonObject]:
        """The fields of a structured answer."""
        factory = part.structured_message_factory
        properties = factory.json_schema.get("properties") if factory is not None else None
        listed = properties.items() if isinstance(properties, dict) else ()
        return [{**each, "title": name} for name, each in listed if isinstance(each, dict)]

    # --- tools ---

    def _toolset(self, part: AssistantAgent, where: str) -> tuple[list[JsonValue], list[JsonValue]]:
        """The tools and the servers of tools of an agent; agents are workers, and not among them."""
        at = f"{where}/config"
        found = [(each, f"{at}/tools/{index}") for index, each in enumerate(part.tools or ())]
        boxes: list[JsonValue] = []
        given = part.workbench
        for index, bench in enumerate(given or ()):
            spot = f"{at}/workbench/{index}"
            if isinstance(bench, McpWorkbench):
                boxes.append(self._server(bench, spot, f"{part.name}_server_{index + 1}"))
            elif isinstance(bench, StaticWorkbench | StaticStreamWorkbench):
                found += [(each, f"{spot}/config/tools/{number}") for number, each in enumerate(bench.tools)]
            else:
                self._drop_part(bench, spot)
        made = [self._tool(tool, spot) for tool, spot in found if not isinstance(tool, AgentTool)]
        return [each for each in made if each is not None], boxes

    def _drop_part(self, part: Component, where: str) -> None:
        why = f"Agent Spec has no {type(part).__name__}; the agent goes without it."
        self.report.add("dropped", place(where), name_of_part(part), why)

    def _tool(self, tool: BaseTool, where: str) -> JsonObject | None:
        if isinstance(tool, HttpTool):
            return self._request(tool, where)
        if not isinstance(tool, FunctionTool):
            self._drop_part(tool, where)
            return None
        why = "A configuration has no code. The program that loads it gives the function."
        fix = f"Register a function named {tool.name} with the loader."
        self.report.add("asked", place(where), name_of_part(tool), why, fix=fix)
        self.drop_fields(
            tool, where, ("name", "description", "source_code", "global_imports", "has_cancellation_support")
        )
        parameters = cast("JsonObject", tool.schema.get("parameters") or {})
        return {**self._named("ServerTool", tool.name, tool.description), **_signature(parameters)}

    def _request(self, tool: HttpTool, where: str) -> JsonObject:
        """A tool that sends a request; what is not in the path goes where the studio sends it."""
        usual = {"http": 80, "https": 443}[tool.scheme]
        port = "" if tool.port == usual else f":{tool.port}"
        path = re.sub(r"\{([^{}]+)\}", r"{{\1}}", tool.path)
        placed = set(re.findall(r"\{([^{}]+)\}", tool.path))
        signature = _signature(tool.json_schema)
        inputs = cast("list[JsonObject]", signature["inputs"])
        sent: JsonObject = {
            str(each["title"]): f"{{{{{each['title']}}}}}" for each in inputs if each["title"] not in placed
        }
        method = tool.method or "POST"
        self.drop_fields(tool, where, tuple(set(HttpTool.model_fields) - {"return_type", "timeout"}))
        return {
            **self._named("RemoteTool", tool.name, tool.description or ""),
            **signature,
            "url": f"{tool.scheme}://{tool.host}{port}{path if path.startswith('/') else f'/{path}'}",
            "http_method": method,
            "query_params": sent if method == "GET" else {},
            "data": {} if method == "GET" else sent,
            "headers": self._open(tool.headers, f"{where}/config/headers"),
        }

    def _server(self, bench: McpWorkbench, where: str, name: str) -> JsonObject:
        """A server of tools, with how it is reached."""
        server, at = bench.server_params, f"{where}/config/server_params"
        known = ("command", "args", "env", "cwd", "url", "headers", "type")
        for field in set(type(server).model_fields) - set(known):
            if not is_default(type(server).model_fields[field], getattr(server, field), {}):
                what = f"{name_of_part(bench)}: {field}"
                self.report.add("dropped", place(f"{at}/{field}"), what, "Agent Spec has no such setting.")
        self.drop_fields(bench, where, ("server_params",))
        if isinstance(server, StdioServerParams):
            transport = self._named("StdioTransport", f"{name}_transport", "")
            transport |= {"command": server.command, "cwd": server.cwd}
            transport["env"] = self._open(server.env, f"{at}/env")
            arguments = {str(index): each for index, each in enumerate(server.args)}
            transport["args"] = list(self._open(arguments, f"{at}/args").values())
        else:
            kind = "SSETransport" if isinstance(server, SseServerParams) else "StreamableHTTPTransport"
            transport = {**self._named(kind, f"{name}_transport", ""), "url": server.url}
            transport["headers"] = self._open(server.headers, f"{at}/headers")
        return {**self._named("MCPToolBox", name, ""), "client_transport": transport, "tool_filter": None}

    def _open(self, texts: Mapping[str, str] | None, where: str) -> JsonObject:
        """The texts without those that are secrets, which are asked for."""
        found: JsonObject = {}
        for name, text in (texts or {}).items():
            if is_reference(text) or next(placeholders_in(text), None) is not None:
                why = "It is a secret, and no configuration has secrets."
                fix = "Give it where the configuration is loaded."
                what = f"{where.rpartition('/')[2]}: {name}"
                self.report.add("asked", place(f"{where}/{escape(name)}"), what, why, fix=fix)
            else:
                found[name] = text
        return found

    def _named(self, kind: str, name: str, description: str) -> JsonObject:
        return {"component_type": kind, "id": name, "name": name, "description": description, "metadata": {}}

    # --- models ---

    def model(self, client: ChatCompletionClient, where: str) -> JsonObject:
        """The model of an agent.

        Raises:
            CannotExport: It is none of a service.
        """
        name = str(getattr(client, "model", ""))
        made: JsonObject = {**self._named("OpenAiConfig", f"model_{name}", ""), "model_id": name}
        known = ["model", "api_key", "base_url", *_GENERATION]
        if isinstance(client, AzureOpenAIChatCompletionClient):
            made |= self._of_service("openai", "azure")
            made["model_id"] = client.azure_deployment or name
            known += ["azure_deployment"]
            why = "Agent Spec has no class for Azure; which frameworks read this differs. Its address is left out."
            self.report.add(
                "asked", place(where), name_of_part(client), why, fix="Give address and key when it is loaded."
            )
        elif isinstance(client, OpenAIChatCompletionClient):
            service = service_of(name)
            address = client.base_url or (service.base_url if service is not OPENAI else "")
            if address:
                made |= {"component_type": "OpenAiCompatibleConfig", "url": address}
        elif isinstance(client, AnthropicChatCompletionClient):
            made |= self._of_service("anthropic", "anthropic")
            why = "It is a model of any service, which Agent Spec has since 26.1.2. Older frameworks do not read it."
            self.report.add("approximated", place(where), name_of_part(client), why)
        elif isinstance(client, OllamaChatCompletionClient):
            made |= {"component_type": "OllamaConfig", "url": client.host or "http://localhost:11434"}
            known += ["host", "options"]
        else:
            raise self.cannot(client, where)
        settings = {each: getattr(client, each, None) for each in _GENERATION} | dict(
            getattr(client, "options", None) or {}
        )
        made["default_generation_parameters"] = {
            each: value for each, value in settings.items() if value is not None
        } or None
        self.drop_fields(client, where, known)
        if getattr(client, "api_key", None) is not None:
            why = "A configuration has no keys; frameworks read the usual environment variable."
            fix = "Set it where the configuration is loaded."
            self.report.add("asked", place(f"{where}/config/api_key"), f"{name_of_part(client)}: api_key", why, fix=fix)
        return made

    def _of_service(self, provider: str, service: str) -> JsonObject:
        self.version = GENERIC_MODELS
        return {"component_type": "LlmConfig", "provider": provider, "api_provider": service}


def _property(name: str, value: JsonValue) -> JsonObject:
    """An input with its first value."""
    if isinstance(value, bool):
        return {"title": name, "type": "boolean", "default": value}
    if isinstance(value, int | float):
        return {"title": name, "type": "integer" if isinstance(value, int) else "number", "default": value}
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return {"title": name, "type": "string", "default": text}


def _signature(parameters: JsonObject) -> JsonObject:
    """Inputs and outputs of a tool by the schema of its parameters."""
    properties = parameters.get("properties")
    listed = properties.items() if isinstance(properties, dict) else ()
    inputs: list[JsonValue] = [{**each, "title": name} for name, each in listed if isinstance(each, dict)]
    return {"inputs": inputs, "outputs": [{"title": "result", "type": "string"}]}
