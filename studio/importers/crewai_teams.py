"""A crew as participants of a workflow: for each task a step that says it, and the agent that does it.

An agent hears its task alone, with the results that it reads, as there. An agent with several tasks is a participant
for each, since it remembers nothing of one in the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from studio.components import JsonObject
from studio.importers.components import USER_PROXY, assignments, component, config_of, step
from studio.importers.crewai_agents import AgentMaker
from studio.importers.crewai_crews import LOST_CONFIG, Crew, CrewAgent, CrewTask
from studio.importers.crewai_texts import FEEDBACK, MANAGER, prompt, template, variables_in
from studio.importers.crewai_tools import tool_name
from studio.importers.findings import NO_SETTING, SEE_PARTS, Report
from studio.importers.names import Names
from studio.importers.parts import Part
from studio.importers.python_script import short
from studio.importers.workflow import Edge, Node, Workflow

APPROVE = "Looks good"
"""What a person answers who has nothing to change."""
_CREW_READ = ("process", "manager_llm", "manager_agent", "knowledge_sources")
_WITHOUT_EFFECT = ("verbose", "name", "type", "tracing", "share_crew", "description", "id")
"""Settings that change what is shown of a run, and nothing that is said."""
_CREW_IGNORED: Mapping[str, str] = {
    "memory": "Agents remember nothing across runs here, unless they have a memory.",
    "cache": "There is no cache of tool results.",
    "planning": "No plan is made before the tasks.",
    "planning_llm": "No plan is made before the tasks.",
    "function_calling_llm": "The agents' own models call their tools.",
    "max_rpm": "There is no such limit for a team.",
    "step_callback": "Code that is called in a run is not imported.",
    "task_callback": "Code that is called in a run is not imported.",
    "before_kickoff_callbacks": "Code around a run is not imported.",
    "after_kickoff_callbacks": "Code around a run is not imported.",
    "output_log_file": "The studio keeps a log of each run.",
    "chat_llm": "The studio talks to the team itself.",
}
_TASK_READ = (
    "description",
    "expected_output",
    "agent",
    "context",
    "tools",
    "output_json",
    "output_pydantic",
    "response_model",
    "human_input",
    "guardrail",
    "guardrails",
    "markdown",
)
_TASK_IGNORED: Mapping[str, str] = {
    "async_execution": "The tasks are done one after the other.",
    "output_file": "The result is not written into a file. It is in the run.",
    "create_directory": "The result is not written into a file.",
    "callback": "Code that is called in a run is not imported.",
    "callbacks": "Code that is called in a run is not imported.",
    "condition": "The task is always done: its condition is code.",
    "converter_cls": "Answers are not converted by code.",
    "guardrail_max_retries": "An answer that fails is not tried again.",
    "max_retries": "An answer that fails is not tried again.",
    "input_files": "Files are not sent along. Attach them to the run.",
}


def variables_of(crew: Crew) -> set[str]:
    """The `{variables}` in all texts of a crew, which are no names of participants."""
    agents = [each.given.get(name) for each in crew.agents for name in ("role", "goal", "backstory")]
    tasks = [each.given.get(name) for each in crew.tasks for name in ("description", "expected_output")]
    return {name for part in (*agents, *tasks) if part is not None for name in variables_in(part.text)}


@dataclass
class CrewBuilder:
    """Adds crews to a workflow."""

    flow: Workflow
    agents: AgentMaker
    report: Report
    _seen: dict[CrewTask, str] = field(default_factory=dict[CrewTask, str])

    def add(self, crew: Crew, open_edges: Sequence[Edge]) -> list[Edge]:
        """Add the tasks of a crew in their order; the edges that lead on from the last one."""
        is_led = self._is_hierarchical(crew)
        shared = list(self.agents.knowledge(crew.given.get("knowledge_sources"), crew.name))
        edges = list(open_edges)
        for at, task in enumerate(crew.tasks):
            agent = self._agent(crew, task, at, is_led=is_led)
            edges = self._task(crew, task, agent, edges, shared, is_led=is_led)
        self._report_crew(crew, is_led=is_led)
        return edges

    def _is_hierarchical(self, crew: Crew) -> bool:
        part = crew.given.get("process")
        node = part.node if part is not None else None
        written = short(node) if node is not None else part.text if part is not None else ""
        return written.rpartition(".")[2].strip("'\"").lower() == "hierarchical"

    def _agent(self, crew: Crew, task: CrewTask, at: int, *, is_led: bool) -> CrewAgent:
        """Who does a task."""
        if is_led:
            return crew.manager or self._manager(crew)
        if task.agent is not None:
            return task.agent
        is_pair = len(crew.agents) == len(crew.tasks)
        agent = crew.agents[at if is_pair else 0] if crew.agents else self._manager(crew)
        why = f"The files do not say who does it, so it is “{agent.role}”."
        self.report.add("asked", task.place, f"Agent of the task `{task.name}`", why, fix="Choose the agent.")
        return agent

    def _manager(self, crew: Crew) -> CrewAgent:
        """CrewAI's own manager."""
        given = {name: Part(crew.place, text) for name, text in MANAGER.items()}
        llm = crew.given.get("manager_llm")
        return CrewAgent("crew_manager", crew.place, given | ({"llm": llm} if llm is not None else {}))

    def _coworkers(self, crew: Crew, task: CrewTask, agent: CrewAgent, *, is_led: bool) -> Mapping[str, CrewAgent]:
        """Those that an agent can delegate to; a manager those of the crew, or the one that the task names."""
        part = agent.given.get("allow_delegation")
        if not is_led and (part is None or part.value is not True):
            return {}
        names = Names()
        known = [task.agent] if is_led and task.agent is not None else crew.agents
        others = [each for each in known if each is not agent]
        return {names.free(tool_name(each.role) or each.name): each for each in others}

    def _task(
        self,
        crew: Crew,
        task: CrewTask,
        agent: CrewAgent,
        edges: Sequence[Edge],
        shared: Sequence[JsonObject],
        *,
        is_led: bool,
    ) -> list[Edge]:
        """A step that says the task, the agent that does it, and who checks the answer."""
        report, flow = self.report, self.flow
        before = len(report.findings)
        name = flow.names.free(agent.name)
        part = self.agents.assistant(agent, name, task, self._coworkers(crew, task, agent, is_led=is_led))
        config = config_of(part)
        if shared:
            own = cast("list[JsonObject]", config.get("memory") or [])
            contents = [
                each for memory in own for each in cast("list[JsonObject]", config_of(memory)["memory_contents"])
            ]
            texts = cast("list[JsonValue]", [*contents, *shared])
            config["memory"] = [component("autogen_core.memory.ListMemory", memory_contents=texts)]
        format_of = self._format(task, name)
        if format_of is not None:
            config |= {"structured_message_factory": format_of, "reflect_on_tool_use": False}
        self._guard(task, part, name)
        said = prompt(
            template(self.agents.text(task.given.get("description"), "Description of the task", task.name)),
            template(self.agents.text(task.given.get("expected_output"), "Expected output of the task", task.name)),
            context=[flow.variable_of(self._seen[each]) for each in self._context(crew, task)],
            schema=cast("JsonObject | None", config_of(format_of)["json_schema"]) if format_of is not None else None,
            is_markdown=task.given.get("markdown", Part(task.place)).value is True,
            has_tools=bool(config.get("tools") or config.get("workbench")),
        )
        spoken = flow.add(
            Node(task.name, task.place, step(message=said), tells=False, prompt_of=name), f"{task.name}_prompt"
        )
        flow.connect(edges, spoken)
        flow.nodes[name] = Node(agent.role, task.place, part, "nothing", name=name)
        flow.connect([Edge(spoken)], name)
        self._seen[task] = name
        self._report_task(task, name)
        after = self._checked_by_person(task, name)
        is_same = all(each.verdict in ("exact", "asked") for each in report.findings[before:])
        verdict, why = ("exact", "") if is_same else ("approximated", SEE_PARTS)
        report.add(verdict, task.place, f"Task `{task.name}`", why, became=name)
        return after

    def _context(self, crew: Crew, task: CrewTask) -> list[CrewTask]:
        """The earlier tasks whose results a task reads."""
        if task.lost:
            why = f"The files do not hold {', '.join(f'`{each}`' for each in task.lost)}."
            self.report.add("asked", task.place, f"Context of the task `{task.name}`", why, fix="Add its result.")
        earlier = [each for each in crew.tasks if each in self._seen]
        if task.context is None:
            return [] if task.lost else list(dict.fromkeys(earlier))
        late = [each for each in task.context if each not in self._seen]
        if late:
            why = f"{', '.join(f'`{each.name}`' for each in late)} is not done before it."
            self.report.add("dropped", task.place, f"Context of the task `{task.name}`", why, fix="Change the order.")
        return [each for each in task.context if each in self._seen]

    def _format(self, task: CrewTask, name: str) -> JsonObject | None:
        for each in ("output_pydantic", "output_json", "response_model"):
            if each in task.given and not task.given[each].is_off:
                return self.agents.answer_format(task.given[each], name)
        return None

    def _guard(self, task: CrewTask, part: JsonObject, name: str) -> None:
        """Rules that an answer has to keep; those in code do not come along."""
        rails: list[JsonValue] = []
        for setting in ("guardrail", "guardrails"):
            for each in task.given[setting].all_of() if setting in task.given else ():
                what = f"Guardrail of the task `{task.name}`"
                if not each.text:
                    why = "What it checks is code, which is not imported."
                    fix = "Add a guardrail with a rule."
                    self.report.add("dropped", each.place, what, why, fix=fix, became=name)
                    continue
                rule = f"The text does not meet this requirement: {each.text}"
                asks = config_of(part)["model_client"]
                rails.append(
                    component(
                        "studio.agents.ModelGuardrail", name=task.name, model_client=asks, rule=rule, action="stop"
                    )
                )
                why = "The run stops when an answer fails. There, the agent tries again."
                self.report.add("approximated", each.place, what, why, became=name)
        if rails:
            config_of(part)["output_guardrails"] = rails

    def _checked_by_person(self, task: CrewTask, name: str) -> list[Edge]:
        """A person who reads the answer, and lets the agent change it as often as needed."""
        given = task.given.get("human_input")
        if given is None or given.value is not True:
            return [Edge(name)]
        flow, place = self.flow, given.place
        person = flow.names.free(f"{name}_reviewer")
        variable = flow.names.free(f"{name}_feedback")
        choices: list[JsonValue] = [APPROVE]
        proxy = component(USER_PROXY, description="A person who gives feedback on an answer.", choices=choices)
        flow.nodes[person] = Node("Reviewer", place, proxy, name=person)
        keeps = step(assignments=assignments([(variable, "message")]))
        noted = flow.add(Node("Feedback", place, keeps), f"{name}_reviewed")
        text = FEEDBACK.replace("{feedback}", f"{{{variable}}}")
        revise = flow.add(Node("Revise", place, step(message=text), tells=False, prompt_of=name), f"{name}_revise")
        flow.edges += [Edge(name, person), Edge(person, noted), Edge(revise, name)]
        flow.edges.append(Edge(noted, revise, condition=f"{variable} not in ['', '{APPROVE}']"))
        why = f"A person answers “{APPROVE}”, or what to change. The agent also sees its earlier answer then."
        self.report.add("approximated", place, f"`human_input` of the task `{task.name}`", why, became=person)
        return [Edge(noted, otherwise=True)]

    # --- what is not imported ---

    def _report_task(self, task: CrewTask, name: str) -> None:
        self.agents.lost(task.given, task.place, f"the task `{task.name}`", "description")
        for setting, part in task.given.items():
            if setting == LOST_CONFIG or setting in _TASK_READ or setting in _WITHOUT_EFFECT or part.is_off:
                continue
            why = _TASK_IGNORED.get(setting, NO_SETTING)
            verdict = "approximated" if setting == "async_execution" else "dropped"
            self.report.add(verdict, part.place, f"`{setting}` of the task `{task.name}`", why, became=name)

    def _report_crew(self, crew: Crew, *, is_led: bool) -> None:
        for setting, part in crew.given.items():
            if setting in _CREW_READ or setting in _WITHOUT_EFFECT or part.is_off:
                continue
            if setting in ("agents", "tasks"):
                continue
            why = _CREW_IGNORED.get(setting, NO_SETTING)
            self.report.add("dropped", part.place, f"`{setting}` of the crew", why)
        for place, what, why in crew.without_effect:
            self.report.add("dropped", place, what, why)
        if is_led:
            why = "A manager does each task and calls the agents as tools, one tool for each."
            self.report.add("approximated", crew.place, "Hierarchical process", why)
