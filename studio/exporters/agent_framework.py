"""A team as a script for Microsoft Agent Framework: agents in a group chat, with functions for all that decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from pydantic import BaseModel

from studio.agents import AgentTool, AssistantAgent, MessageFilterAgent
from studio.code.conversion import Report
from studio.code.dialect import Writer
from studio.code.export import script_of
from studio.code.functions import FunctionSource
from studio.code.layout import Call, Expression, Items, Name, Pairs, Text
from studio.code.names import Imports
from studio.components import Component, JsonObject
from studio.components.pointers import escape
from studio.conditions import TerminationCondition
from studio.contexts import BufferedChatCompletionContext, UnboundedChatCompletionContext
from studio.exporters.agent_framework_conditions import condition_call
from studio.exporters.agent_framework_differences import reason_for
from studio.exporters.agent_framework_fields import CLASSES, PYTHON, fields_of
from studio.exporters.agent_framework_helpers import CORE, HELPERS, with_needed
from studio.exporters.agent_framework_models import client_call, options_of
from studio.exporters.agent_framework_tools import (
    SERVER_FIELDS,
    function_name,
    is_callable_there,
    mcp_call,
    source_of_tool,
)
from studio.exporters.framework_dialect import FrameworkDialect
from studio.exporters.parts import name_of_part, place
from studio.exporters.refusals import CannotExport
from studio.memory import ListMemory
from studio.models import ChatCompletionClient, ModelFamily, ReplayChatCompletionClient
from studio.teams import GraphFlow, MagenticOneGroupChat, SelectorGroupChat, Swarm, Team
from studio.teams.team_tool import TeamTool
from studio.tools import FunctionTool, StaticWorkbench
from studio.tools.mcp import McpWorkbench

RUN_TEAM = """async def main() -> None:
    task = " ".join(sys.argv[1:]) or input("Task: ")
    async for event in {builder}().run(task, stream=True):
        for answer in (event.data or ()) if event.type == "executor_completed" else ():
            if isinstance(answer, AgentExecutorResponse):
                print(f"--- {{answer.executor_id}} ---\\n{{answer.agent_response.text}}\\n")


if __name__ == "__main__":
    asyncio.run(main())"""
RUN_AGENT = """async def main() -> None:
    task = " ".join(sys.argv[1:]) or input("Task: ")
    print(await {builder}().run(task))


if __name__ == "__main__":
    asyncio.run(main())"""
PRINT = """if __name__ == "__main__":
    print({builder}())"""


def write_agent_framework(component: Component, report: Report) -> str:
    """The script.

    Raises:
        ConfigError: A part is not installed, or Agent Framework has nothing that it could be.
    """
    return script_of(component, _AgentFramework(component, report))


class _AgentFramework(FrameworkDialect):
    """The words of Agent Framework 1.23."""

    framework = "Agent Framework"
    show = PRINT
    show_modules = ()
    modules = PYTHON
    builds_inner_teams = True
    names = tuple(HELPERS)
    imported = tuple(dict.fromkeys(each for helper in HELPERS.values() for each in helper.imports))

    def __init__(self, component: Component, report: Report) -> None:
        super().__init__(component, report)
        is_team = isinstance(component, Team)
        self.run = RUN_TEAM if is_team else RUN_AGENT
        self.run_needs = ((CORE, "AgentExecutorResponse"),) if is_team else ()
        self._values: Writer | None = None
        self._used: set[str] = set()
        self._handoffs: dict[str, Name] = {}

    # --- what there is ---

    def place_of(self, cls: type) -> tuple[str, str]:
        return CLASSES.get(cls, (CORE, "Agent"))

    def made(self, name: str, part: Component, imports: Imports) -> str:
        if isinstance(part, Team):
            return imports.use(CORE, "Workflow")
        if isinstance(part, TerminationCondition):
            return "Condition"
        return imports.use(CORE, "FunctionTool") if part.component_type == "tool" else name

    def is_lacking_class(self, cls: type[Component]) -> bool:
        return cls not in CLASSES

    def is_lacking(self, part: Component) -> bool:
        if isinstance(part, FunctionTool):
            return not is_callable_there(part)
        if isinstance(part, ReplayChatCompletionClient):
            return not all(isinstance(reply, str) for reply in part.chat_completions)
        if isinstance(part, McpWorkbench):
            return mcp_call(part) is None
        return super().is_lacking(part)

    def cannot(self, part: Component, where: str) -> CannotExport:
        if not isinstance(part, ReplayChatCompletionClient):
            return super().cannot(part, where)
        return CannotExport(
            "The script's model for Agent Framework replies with text only, and this one also calls tools.",
            fix="Choose the model of a service, or export for another target.",
            where=where,
        )

    def reason_for(self, cls: type, owner: BaseModel, field: str = "") -> str:
        return reason_for(cls, owner, field)

    def is_written(self, owner: BaseModel, name: str, value: object, where: str) -> bool:
        del value, where
        return isinstance(owner, FunctionTool) and name in ("name", "description")  # all else is written by hand below

    def check(self, part: Component, where: str) -> None:
        for at, participant in enumerate(part.participants if isinstance(part, Team) else ()):
            if isinstance(participant, Team):
                raise CannotExport(
                    f"Agent Framework's group chats hold agents, and {participant.name!r} is a team.",
                    fix="Put its agents into the outer team, or export for another target.",
                    where=f"{where}/config/participants/{at}",
                )

    # --- how it is written ---

    def call(self, name: str, part: Component, arguments: dict[str, Expression], where: str, values: Writer) -> Call:
        del arguments
        self._values = values
        if self.is_lacking(part):
            raise self.cannot(part, where)
        self._note_differences(part, where)
        match part:
            case Team():
                return self._team(name, part, where, values)
            case MessageFilterAgent():
                return self._filtered(part, where, values)
            case AssistantAgent():
                return self._agent(name, part, where, values, part)
            case ChatCompletionClient():
                return client_call(name, part, where, values, self.use)
            case TerminationCondition():
                return condition_call(part, where, values, self)
            case McpWorkbench():
                return cast("Call", mcp_call(part, where, values))
            case BufferedChatCompletionContext():
                why = "Its window counts groups of messages that belong together, and keeps the instructions."
                self.report.add("approximated", place(where), name_of_part(part), why)
                return Call(name, named=(("keep_last_groups", Name(repr(part.buffer_size))),))
            case AgentTool():
                agent = cast("Name", values.expression(part.agent, f"{where}/config/agent", "agent"))
                described = (("name", Text(part.name)), ("description", Text(part.description)))
                return Call(f"{agent.text}.as_tool", named=described)
            case TeamTool():
                builder = values.expression(part.team, f"{where}/config/team", "team")
                described = (("name", Text(part.name)), ("description", Text(part.description)))
                return Call(self.use("team_tool"), (builder,), described)
            case FunctionTool():
                source = (Text(source_of_tool(part)), Text(function_name(part)))
                function = Call(self.use("function_from"), source)
                return Call(name, (function,), (("name", Text(part.name)), ("description", Text(part.description))))
            case _:
                raise self.cannot(part, where)

    def function_tool(self, name: str, function: FunctionSource, arguments: dict[str, Expression]) -> Call:
        if arguments["name"] == Text(function.name):
            del arguments["name"]
        return Call(name, (Name(function.name),), tuple(arguments.items()))

    def _note_differences(self, part: Component, where: str) -> None:
        """Say of each field that is set and has no counterpart that it is left out."""
        self._note_fields(part, fields_of(type(part)), f"{where}/config")
        if isinstance(part, McpWorkbench):
            self._note_fields(part.server_params, ("type", *SERVER_FIELDS), f"{where}/config/server_params")
        if isinstance(part, AgentTool | TeamTool) and not part.return_value_as_last_message:
            why = "The model gets the last answer only."
            self.report.add("approximated", place(where), name_of_part(part), why)

    def _note_fields(self, owner: BaseModel, known: Sequence[str], where: str) -> None:
        for field in type(owner).model_fields:
            at = f"{where}/{field}"
            if field not in known and super().is_written(owner, field, getattr(owner, field), at):
                self.drop_field(owner, field, at)

    def use(self, helper: str) -> str:
        """Have a helper in the script; gives its name."""
        assert self._values is not None, "a part is being written"
        for each in with_needed([helper]):
            self._used.add(each.name)
            self._values.imports.modules.update(each.modules)
            for package, name in each.imports:
                self._values.imports.use(package, name)
        return helper

    def blocks(self) -> Sequence[str]:
        return [each.source for each in with_needed(self._used)]

    # --- agents ---

    def _agent(
        self, name: str, agent: AssistantAgent, where: str, values: Writer, shown: AssistantAgent | MessageFilterAgent
    ) -> Call:
        at = f"{where}/config"
        options = self._options(agent, where, values)
        tools = self._tools(agent, where, values)
        middleware = self._listening(shown)
        rounds = self._rounds(agent) if tools else None
        if rounds is not None and middleware:
            middleware.append(replace(rounds, function=f"*{rounds.function}"))
        given: dict[str, Expression | None] = {
            "client": values.expression(agent.model_client, f"{at}/model_client", "model_client"),
            "name": Text(shown.name),
            "description": Text(shown.description),
            "instructions": self._instructions(agent, where),
            "tools": Items(tuple(tools)) if tools else None,
            "default_options": Pairs(tuple((Text(key), value) for key, value in options.items())) if options else None,
            "middleware": Items(tuple(middleware)) if middleware else rounds,
        }
        context = agent.model_context
        is_limited = context is not None and not isinstance(context, UnboundedChatCompletionContext)
        if is_limited and self.has(context, f"{at}/model_context"):
            given["compaction_strategy"] = values.expression(context, f"{at}/model_context", "model_context")
        return Call(name, named=tuple((key, value) for key, value in given.items() if value is not None))

    def _filtered(self, part: MessageFilterAgent, where: str, values: Writer) -> Call:
        inner, at = part.wrapped_agent, f"{where}/config/wrapped_agent"
        if not isinstance(inner, AssistantAgent):
            raise self.cannot(inner, at)
        self._note_differences(inner, at)
        return self._agent(values.imports.name_of(AssistantAgent), inner, at, values, part)

    def _listening(self, agent: AssistantAgent | MessageFilterAgent) -> list[Expression]:
        if not isinstance(agent, MessageFilterAgent):
            return []
        slices: dict[str, Expression] = {}
        for rule in agent.filter.per_source:
            limits = {"first": f"slice({rule.count})", "last": f"slice(-{rule.count}, None)"}
            text = limits.get(rule.position or "", "") if rule.count else ""
            slices[rule.source] = Name(text or "slice(None)")
        pairs = Pairs(tuple((Text(source), value) for source, value in slices.items()))
        return [Call(self.use("hear_only"), (pairs,))]

    def _instructions(self, agent: AssistantAgent, where: str) -> Expression | None:
        text = agent.system_message or ""
        for at, memory in enumerate(agent.memory or ()):
            place_of_memory = f"{where}/config/memory/{at}"
            if not self.has(memory, place_of_memory) or not isinstance(memory, ListMemory):
                continue
            kept = [str(each.content) for each in memory.memory_contents]
            lines = "".join(f"{number}. {content}\n" for number, content in enumerate(kept, 1))
            text += f"\n\nRelevant memory content (in chronological order):\n{lines}" if kept else ""
            why = "What it holds stands behind the instructions."
            self.report.add("approximated", place(place_of_memory), name_of_part(memory), why)
        return Text(text) if text else None

    def _options(self, agent: AssistantAgent, where: str, values: Writer) -> dict[str, Expression]:
        options = options_of(agent.model_client, f"{where}/config/model_client", values)
        factory = agent.structured_message_factory
        if factory is not None:
            at = f"{where}/config/structured_message_factory"
            schema = cast("JsonObject", factory.dump_component()["config"]).get("json_schema")
            wanted = {"name": str(factory.content_model_name or "Answer"), "schema": schema}
            found = {"type": "json_schema", "json_schema": wanted}
            options["response_format"] = values.expression(found, at)
            why = "The others hear the JSON as the model writes it, without a format of its own."
            self.report.add("approximated", place(at), name_of_part(factory), why)
        return options

    def _tools(self, agent: AssistantAgent, where: str, values: Writer) -> list[Expression]:
        tools: list[Expression] = []
        for handoff in agent.handoffs or ():
            texts = {"name": handoff.name, "description": handoff.description, "message": handoff.message}
            named = tuple((key, Text(text)) for key, text in texts.items())
            tools.append(Call(f"{self.handoffs(where, values).text}.to", (Text(handoff.target),), named))
        at = f"{where}/config/tools"
        tools += cast("Items", values.expression(agent.tools or [], at, "tools")).items
        for number, bench in enumerate(agent.workbench or ()):
            at = f"{where}/config/workbench/{number}"
            if isinstance(bench, StaticWorkbench):
                self._note_differences(bench, at)
                tools += cast("Items", values.expression(bench.tools, f"{at}/config/tools", "tools")).items
            elif self.has(bench, at):
                tools.append(values.expression(bench, at, "workbench"))
        return tools

    def _rounds(self, agent: AssistantAgent) -> Call:
        named: dict[str, Expression] = {}
        if agent.tool_call_summary_format != "{result}":
            named["summary"] = Text(agent.tool_call_summary_format)
        if agent.reflect_on_tool_use:
            named["answers_in_words"] = Name("True")
        if agent.handoffs:
            named["handoffs"] = Items(tuple(Text(each.name) for each in agent.handoffs))
        return Call(self.use("tool_rounds"), (Name(repr(agent.max_tool_iterations)),), tuple(named.items()))

    def handoffs(self, where: str, values: Writer) -> Name:
        """The variable that knows the handoffs of the team that a part is in."""
        team = next((at for at in _ways_up(where) if isinstance(self.parts.get(at), Team)), "")
        if team not in self._handoffs:
            self._handoffs[team] = values.variable("handoffs", Call(self.use("Handoffs")))
        return self._handoffs[team]

    # --- teams ---

    def _team(self, name: str, team: Team, where: str, values: Writer) -> Call:
        participants = values.expression(team.participants, f"{where}/config/participants", "participants")
        given: dict[str, Expression] = {"participants": participants}
        if isinstance(team, MagenticOneGroupChat):
            return self._magentic(name, team, given, where, values)
        stops: list[Expression] = []
        match team:
            case SelectorGroupChat():
                given["selection_func"] = self._selector(team, where, values)
            case Swarm():
                given["selection_func"] = Name(f"{self.handoffs(f'{where}/config', values).text}.next_speaker")
            case GraphFlow():
                graph = self._graph(team, where, values)
                given["selection_func"] = Name(f"{graph.text}.next_speaker")
                stops.append(Name(f"{graph.text}.is_complete"))
            case _:
                given["selection_func"] = Name(self.use("in_turn"))
        at = f"{where}/config/termination_condition"
        if team.termination_condition is not None and self.has(team.termination_condition, at):
            stops.append(values.expression(team.termination_condition, at, "termination_condition"))
        if stops:
            given["termination_condition"] = stops[0] if len(stops) == 1 else Call(self.use("any_of"), tuple(stops))
        if team.max_turns is not None:
            given["max_rounds"] = Name(repr(team.max_turns))
        return Call(name, named=tuple(given.items()), then=".build()")

    def _magentic(
        self, name: str, team: MagenticOneGroupChat, given: dict[str, Expression], where: str, values: Writer
    ) -> Call:
        if team.termination_condition is not None:
            self.drop_field(team, "termination_condition", f"{where}/config/termination_condition")
        client = values.expression(team.model_client, f"{where}/config/model_client", "model_client")
        options = options_of(team.model_client, f"{where}/config/model_client", values)
        manager: dict[str, Expression] = {"client": client, "name": Text("manager")}
        if options:
            manager["default_options"] = Pairs(tuple((Text(key), value) for key, value in options.items()))
        given["manager_agent"] = Call(values.imports.name_of(AssistantAgent), named=tuple(manager.items()))
        given["max_stall_count"] = Name(repr(team.max_stalls))
        if team.max_turns is not None:
            given["max_round_count"] = Name(repr(team.max_turns))
        why = "Its manager descends from AutoGen's, with prompts and an order of questions of its own."
        self.report.add("approximated", place(where), name_of_part(team), why)
        return Call(name, named=tuple(given.items()), then=".build()")

    def _selector(self, team: SelectorGroupChat, where: str, values: Writer) -> Name:
        at = f"{where}/config/model_client"
        client = values.expression(team.model_client, at, "model_client")
        named: dict[str, Expression] = {}
        if not ModelFamily.is_openai(team.model_client.info["family"]):
            named["role"] = Text("user")
        if team.max_selector_attempts != 3:
            named["attempts"] = Name(repr(team.max_selector_attempts))
        if team.allow_repeated_speaker:
            named["may_repeat"] = Name("True")
        if options := options_of(team.model_client, at, values):
            named["options"] = Pairs(tuple((Text(key), value) for key, value in options.items()))
        call = Call(self.use("Selector"), (client, Text(team.selector_prompt)), tuple(named.items()))
        return Name(f"{values.variable('selector', call).text}.next_speaker")

    def _graph(self, team: GraphFlow, where: str, values: Writer) -> Name:
        graph, edges = team.graph, list[Expression]()
        starts = Items(tuple(Text(name) for name in graph.ordered_start_nodes()))
        may_branch = len(starts.items) > 1
        for source, node in graph.nodes.items():
            may_branch |= sum(not edge.otherwise for edge in node.edges) > 1
            for at, edge in enumerate(node.edges):
                edge_at = f"{where}/config/graph/nodes/{escape(source)}/edges/{at}"
                if edge.context_condition:
                    self.drop_field(edge, "context_condition", f"{edge_at}/context_condition")
                named: dict[str, Expression] = {"condition": Text(edge.condition)} if edge.condition else {}
                if edge.activation_group != edge.target:
                    named["group"] = Text(edge.activation_group)
                if edge.activation_condition != "all":
                    named["activation"] = Text(edge.activation_condition)
                if edge.otherwise:
                    named["otherwise"] = Name("True")
                way = (Text(source), Text(edge.target))
                edges.append(Call("Edge", way, tuple(named.items()), self.comments(edge_at)))
        if may_branch:
            why = "Participants that could speak at the same time speak one after the other, and hear each other."
            self.report.add("approximated", place(where), name_of_part(team), why)
        return values.variable("graph", Call(self.use("Graph"), (starts, Items(tuple(edges)))))


def _ways_up(where: str) -> list[str]:
    """The pointers of what holds a part, nearest first, itself included."""
    steps = where.split("/")
    return ["/".join(steps[:length]) for length in range(len(steps), 0, -1)]
