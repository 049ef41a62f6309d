"""Workflows in the YAML of Agent Framework: actions one after the other, with branches and jumps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.errors import TooLarge
from studio.importers.agent_framework_agents import FrameworkAgents, schema_of_fields
from studio.importers.agent_framework_document import actions_of, items_of, text_of
from studio.importers.components import USER_PROXY, assignments, component, config_of, step, structured
from studio.importers.expressions import Unsupported
from studio.importers.findings import Report
from studio.importers.names import word
from studio.importers.parts import Part
from studio.importers.power_fx import PowerFx, ignores_case
from studio.importers.tools import report_stand_in, stand_in
from studio.importers.workflow import MAX_NODES, START, Edge, Node, TeamBuilder, Workflow, alternatives

LAST = "last_message"
"""Keeps what the user said last."""
_INPUTS = ("text", "input", "message", "task", "query")
"""Inputs that are what the user says."""
_ENDS = ("EndWorkflow", "EndConversation", "EndDialog", "CancelAllDialogs")
_SETS = ("SetVariable", "SetTextVariable", "SetValue")
_SAYS = ("SendActivity", "SendMessage")
_ASKS = ("Question", "RequestExternalInput", "Confirmation")
_TOOLS = ("InvokeFunctionTool", "InvokeMcpTool", "HttpRequestAction")
_LOOPS = ("Foreach", "RepeatUntil")


class FlowReader:
    """Makes the team of a workflow."""

    def __init__(self, agents: FrameworkAgents, report: Report, root: Part, text: str) -> None:
        self._agents = agents
        self._report = report
        self._root = root
        self._keeps_last = "System.LastMessage" in text
        self._inputs = set(re.findall(r"\b(?:[Ii]nputs)\.(\w{1,60})", text))
        self._targets = set(re.findall(r"""\bactionId["']?[ \t]*:[ \t]*["']?([\w.-]{1,100})""", text))
        self._fx = PowerFx(LAST)
        self._flow = Workflow(report)
        self._entries: dict[str, str] = {}
        self._jumps: list[tuple[list[Edge], Part]] = []
        self._answers: list[tuple[str, str]] = []
        self._calls = 0

    def team(self) -> JsonObject:
        """The team; the workflow's name is its label.

        Raises:
            TooLarge: There are more than `MAX_NODES` nodes.
        """
        flow = self._flow
        started = self._begin([Edge(START)])
        actions = actions_of(self._root)
        flow.connect(self._sequence(list(actions.all_of()) if actions is not None else [], started), None)
        for edges, part in self._jumps:
            target = self._entries.get(text_of(part, "actionId"))
            if target is None:
                why = f"There is no action `{text_of(part, 'actionId')[:80]}`. The workflow ends there."
                self._report.add("asked", part.place, "Jump", why, fix="Connect it.")
            flow.connect(edges, target)
        for node, variable in self._answers:
            fields, part = self._fx.fields.get(variable, set()), flow.nodes[node].part
            if fields and part is not None and not config_of(part).get("structured_message_factory"):
                config_of(part)["structured_message_factory"] = structured(schema_of_fields(fields))
                why = f"The workflow reads {', '.join(f'`{each}`' for each in sorted(fields))} of its answer."
                self._report.add("approximated", flow.nodes[node].place, f"Answer of {node}", why, became=node)
        if self._calls > 1 or (self._calls and self._jumps):
            why = "An agent gets each answer once. In the source, it gets the last one a second time, as its input."
            self._report.add("approximated", self._root.place, "What the agents hear", why)
        numbers = {name: 0 for name in self._fx.numbers}
        flow.state |= {name: numbers.get(name, "") for name in self._fx.fields if name not in flow.state}
        name = text_of(self._root, "name") or text_of(self._root, "trigger", "id")
        return TeamBuilder(flow, name).team()

    def _begin(self, edges: list[Edge]) -> list[Edge]:
        """A step that keeps the message of the user, where the workflow reads it."""
        pairs = [(self._fx.variable(f"Local.{name}"), "message") for name in sorted(self._inputs) if name in _INPUTS]
        for name in sorted(self._inputs - set(_INPUTS)):
            why = "A run has a message and no other inputs. It is an empty context variable of the team."
            self._report.add("asked", self._root.place, f"Input `{name}`", why, fix="Set its value there.")
        pairs += [(LAST, "message")] if self._keeps_last else []
        return self._put("Start", self._root, step(assignments=assignments(pairs)), edges) if pairs else edges

    # --- actions ---

    def _sequence(self, actions: Sequence[Part], edges: list[Edge]) -> list[Edge]:
        """Actions one after the other; the edges that lead on."""
        for action in actions:
            if len(self._flow.nodes) > MAX_NODES:
                raise TooLarge(f"The workflow has more than {MAX_NODES} nodes.", fix="Import a part of it.")
            if (key := text_of(action, "id")) in self._targets and key not in self._entries:
                edges = self._put(key, action, None, edges)
                self._entries[key] = edges[0].source
            edges = self._action(action, edges)
        return edges

    def _action(self, action: Part, edges: list[Edge]) -> list[Edge]:
        kind = text_of(action, "kind")
        if kind in _ENDS:
            self._flow.connect(edges, None)
            return []
        if kind == "GotoAction":
            self._jumps.append((edges, action))
            return []
        if kind in ("InvokeAzureAgent", "InvokePromptAgent", "InvokeAgent"):
            return self._agent(action, edges)
        if kind in ("ConditionGroup", "If"):
            return self._branch(action, edges)
        if kind in _SETS:
            return self._set(action, edges)
        if kind in _SAYS:
            return self._say(action, edges)
        if kind in _ASKS:
            return self._ask(action, edges)
        if kind in _TOOLS:
            return self._tool(action, kind, edges)
        if kind in _LOOPS:
            why = "Its actions run once here. There, they run for each item, or until a condition holds."
            self._report.add("approximated", action.place, f"Action `{kind}`", why, fix="Add an edge back.")
            return self._sequence(list(items_of(action, "actions")), edges)
        if kind == "CreateConversation":
            why = "A team has one conversation. Agents hear all of it, unless they have a message filter."
        else:
            why = "There is no such action here."
        self._report.add("dropped", action.place, f"Action `{kind or '?'}`", why)
        return edges

    def _put(
        self,
        label: str,
        action: Part,
        part: JsonObject | None,
        edges: list[Edge],
        wanted: str = "",
        *,
        tells: bool = True,
    ) -> list[Edge]:
        """A node behind these edges; the edge that leads on from it."""
        name = self._flow.add(Node(label, action.place, part, tells=tells), wanted)
        self._flow.connect(edges, name)
        return [Edge(name)]

    def _then_keep(self, action: Part, edges: list[Edge], *variables: str) -> list[Edge]:
        """A step that keeps what a person just said."""
        pairs = [(name, "message") for name in (*variables, LAST if self._keeps_last else "") if name]
        return self._put("Keep", action, step(assignments=assignments(pairs)), edges) if pairs else edges

    def _agent(self, action: Part, edges: list[Edge]) -> list[Edge]:
        label = text_of(action, "agent", "name") or text_of(action, "agent") or text_of(action, "agentName") or "agent"
        self._calls += 1
        name = self._flow.add(Node(label, action.place, None), label)
        self._flow.nodes[name].part = part = self._agents.assistant(label, name, action.place)
        self._flow.connect(edges, name)
        heard = text_of(action, "input", "messages")
        if "(" in heard:
            try:
                self._flow.nodes[name].prompts = [self._fx.template(heard)]
            except Unsupported as error:
                self._lost(action, f"Message for {name}", error, name)
        for key, _ in (action.get("input", "arguments") or Part(action.place)).entries_or_none():
            why = "Agents have no arguments here. It hears the conversation."
            self._report.add("dropped", action.place, f"Argument `{key}` of {name}", why, became=name)
        conversation = text_of(action, "conversationId")
        if conversation and "System.ConversationId" not in conversation:
            why = "In the source, it has its own conversation. Here, it reads the whole conversation of the team."
            self._report.add("approximated", action.place, f"Conversation of {name}", why, became=name)
        variable = self._fx.variable(text_of(action, "output", "responseObject"))
        said = self._fx.variable(text_of(action, "output", "messages"))
        if variable or said:
            config_of(part)["keep_as"] = variable or said
        if variable:
            self._answers.append((name, variable))
        return self._until(action, name)

    def _until(self, action: Part, name: str) -> list[Edge]:
        """An agent that goes on talking with the user while a condition holds."""
        given = action.get("input", "externalLoop", "when")
        if given is None:
            return [Edge(name)]
        condition = self._condition(given, f"Loop of {name}", name)
        again, on = alternatives(name, [condition])
        person = component(USER_PROXY, description="The person who talks with the agent.")
        back = self._put(f"Person for {name}", action, person, [again], "person")
        self._flow.connect(self._then_keep(action, back), name)
        return [on]

    def _branch(self, action: Part, edges: list[Edge]) -> list[Edge]:
        cases = list(items_of(action, "conditions")) or [action]
        label = text_of(action, "displayName") or text_of(action, "id") or "Branch"
        router = self._flow.add(Node(label, action.place, step(), is_router=True), text_of(action, "id"))
        self._flow.connect(edges, router)
        what = f"Branch “{label}”"
        conditions = [
            self._condition(found, what, router) if (found := each.get("condition")) is not None else None
            for each in cases
        ]
        self._report.add("exact", action.place, what, became=router)
        opened = alternatives(router, conditions)
        ends: list[Edge] = []
        for case, edge in zip(cases, opened, strict=False):
            ends += self._sequence(list(items_of(case, "then")) or list(items_of(case, "actions")), [edge])
        otherwise = list(items_of(action, "elseActions")) or list(items_of(action, "else"))
        return [*ends, *self._sequence(otherwise, [opened[-1]])]

    def _condition(self, part: Part, what: str, owner: str) -> str:
        """A condition on context variables; one of its own, for a person to set, where it cannot be read."""
        if isinstance(part.value, bool):
            return "true" if part.value else "false"
        try:
            condition = self._fx.condition(part.text)
        except Unsupported as error:
            variable = f"{word(owner) or 'branch'}_holds"
            self._flow.state[variable] = False
            why = f"Its condition cannot be read: {error}. It is the context variable `{variable}`, which is false."
            self._report.add("asked", part.place, what, why, fix="Write the condition.", became=owner)
            return variable
        if ignores_case(part.text):
            why = "Texts are compared as they are written, in upper and lower case."
            self._report.add("approximated", part.place, f"Condition of {what}", why, became=owner)
        return condition

    # --- steps ---

    def _set(self, action: Part, edges: list[Edge]) -> list[Edge]:
        path, value = text_of(action, "variable") or text_of(action, "path"), action.get("value")
        name, what = self._fx.variable(path), f"Variable `{path[:80]}`"
        if not name or value is None:
            self._report.add("dropped", action.place, what, "Its name or its value cannot be read.")
            return edges
        is_template = text_of(action, "kind") == "SetTextVariable" and "{" in value.text
        try:
            if is_template:
                made = step(message=self._fx.template(value.text))
                kept = self._put(text_of(action, "id") or name, action, made, edges)
                self._report.add("approximated", action.place, what, "Its text is said, and then kept.")
                return self._then_keep(action, kept, name)
            expression = self._fx.expression(value.text) if value.text else repr(value.plain())
        except Unsupported as error:
            self._lost(action, what, error)
            return edges
        self._report.add("exact", action.place, what)
        return self._put(name, action, step(assignments=assignments([(name, expression)])), edges, f"set_{name}")

    def _say(self, action: Part, edges: list[Edge]) -> list[Edge]:
        given = text_of(action, "activity", "text") or text_of(action, "activity") or text_of(action, "message")
        what = f"Message “{given[:60]}”"
        try:
            made = step(message=self._fx.template(given))
        except Unsupported as error:
            self._lost(action, what, error)
            return edges
        self._report.add("exact", action.place, what)
        return self._put(text_of(action, "id") or "Message", action, made, edges, tells=False)

    def _ask(self, action: Part, edges: list[Edge]) -> list[Edge]:
        label = text_of(action, "id") or "Question"
        asked = text_of(action, "question", "text") or text_of(action, "prompt")
        texts = action.get("prompt", "text")
        for each in texts.all_of() if texts is not None else ():
            asked = asked or each.text
        if asked:
            try:
                edges = self._put(f"{label} text", action, step(message=self._fx.template(asked)), edges)
            except Unsupported as error:
                self._lost(action, f"Text of {label}", error)
        variable = self._fx.variable(text_of(action, "variable") or text_of(action, "property"))
        after = self._put(label, action, component(USER_PROXY, description="A person who answers."), edges)
        self._report.add("exact", action.place, f"Question `{label}`", became=after[0].source)
        return self._then_keep(action, after, variable)

    def _tool(self, action: Part, kind: str, edges: list[Edge]) -> list[Edge]:
        """A step with a tool that fails when it is called: what it does is not in the file."""
        name = word(text_of(action, "functionName") or text_of(action, "toolName")) or "request"
        why = "Its code is not in the file." if kind == "InvokeFunctionTool" else "A step calls no server by itself."
        pairs: list[tuple[str, str]] = []
        properties: JsonObject = {}
        for key, each in (action.get("arguments") or Part(action.place)).entries_or_none():
            try:
                pairs.append((key, self._fx.expression(each.text) if each.text else repr(each.plain())))
            except Unsupported as error:
                self._lost(action, f"Argument `{key}` of {name}", error)
                continue
            properties[key] = {"type": "string"}
        schema: JsonObject = {"type": "object", "properties": properties, "required": list[JsonValue](properties)}
        made = step(tool=stand_in(name, f"The tool {name}.", schema, why))
        if pairs:
            config_of(made)["arguments"] = assignments([pair for pair in pairs if pair[0].isidentifier()])
        variable = self._fx.variable(text_of(action, "output", "result") or text_of(action, "response"))
        if variable:
            config_of(made)["keep_as"] = variable
        after = self._put(text_of(action, "id") or name, action, made, edges)
        report_stand_in(self._report, action.place, f"Tool `{name}`", why, after[0].source)
        return after

    def _lost(self, action: Part, what: str, error: Unsupported, owner: str = "") -> None:
        why = f"Its expression cannot be read: {error}."
        self._report.add("dropped", action.place, what, why, fix="Write it in a step.", became=owner)
