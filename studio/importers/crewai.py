"""Files of CrewAI as a team: a crew in Python, in YAML or in JSON, or a flow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from studio.components import JsonObject
from studio.components.python_text import bounded_together
from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.components import assignments, step
from studio.importers.crewai_agents import AgentMaker
from studio.importers.crewai_crews import Crew, CrewAgent
from studio.importers.crewai_documents import CrewDocuments, crew_of_json, crew_of_yaml
from studio.importers.crewai_flows import FlowReader
from studio.importers.crewai_script import PACKAGE, CrewScript, is_script
from studio.importers.crewai_teams import CrewBuilder, variables_of
from studio.importers.findings import Imported, Location, Report
from studio.importers.finishing import finished
from studio.importers.names import Names
from studio.importers.parts import Part
from studio.importers.python_script import PythonScript
from studio.importers.workflow import START, Edge, Node, TeamBuilder, Workflow

SOURCE = "crewai"
KICKOFF = ".crew().kickoff"
"""How a script begins a crew of a module that it imports."""
_NAMES = ("Agent", "Task", "Crew", "Flow")
_WORDS = ("message", "result")
"""Variables that mean something else in a step."""


def is_crewai(bundle: Bundle) -> bool:
    """Whether a bundle has crews or flows of CrewAI.

    Raises:
        StudioError: It could have, and a file of it cannot be read.
    """
    texts = [text for _, text in bundle.named(".py", ".ipynb")]
    if any(PACKAGE in text and any(word in text for word in _NAMES) for text in texts):
        with bounded_together():
            if is_script(PythonScript(bundle)):
                return True
    if any(KICKOFF in text for text in texts):
        return True
    documents = CrewDocuments(bundle)
    if documents.flow() is not None or documents.project() is not None:
        return True
    return bool(documents.holding("agents") or documents.holding("tasks"))


def import_crewai(bundle: Bundle) -> Imported:
    """The team of the first crew or flow.

    Raises:
        InvalidDocument: There is no agent in the files.
    """
    report = Report()
    documents = CrewDocuments(bundle)
    has_code = any(PACKAGE in text for _, text in bundle.named(".py", ".ipynb"))
    script = PythonScript(bundle) if has_code else None
    agents = AgentMaker(script, bundle, report)
    crews, alone = _crews(script, documents, report)
    flow = documents.flow() if not crews else None
    if flow is not None:
        return finished(SOURCE, FlowReader(documents, agents, report).team(*flow), report)
    if not crews:
        raise InvalidDocument(
            "The files hold no agent of CrewAI.",
            fix="Choose the whole folder of the crew: crew.py, agents.yaml, tasks.yaml.",
        )
    first = crews[0]
    team = _team(first, agents, report)
    for crew in crews[1:]:
        why = "Only the first crew of the files is imported."
        fix = "Put it into files of its own, and import those."
        report.add("asked", crew.place, f"Crew `{crew.name}`", why, fix=fix)
    _report_unused([*first.agents, *alone], agents, report)
    return finished(SOURCE, team, report)


def _crews(
    script: PythonScript | None, documents: CrewDocuments, report: Report
) -> tuple[list[Crew], Sequence[CrewAgent]]:
    """The crews in the files, and agents of a script that may be in none."""
    if script is not None:
        for place in script.unread:
            report.add("dropped", place, "Cell of the notebook", "It is not Python.")
        reader = CrewScript(script, documents)
        crews = reader.crews()
        for cls in reader.flows():
            why = "The Python of a flow is not read."
            fix = "Import its crews one by one, and connect them in a graph."
            report.add("dropped", script.place(cls), f"Flow `{cls.name}`", why, fix=fix)
        agents = reader.agents()
        if not crews and agents:
            crews = [Crew("crew", agents[0].place, agents, [])]
        if crews:
            return crews, agents
    project = documents.project()
    if project is not None:
        return [crew_of_json(documents, *project)], ()
    crew = crew_of_yaml(documents) if documents.flow() is None else None
    return ([crew] if crew is not None else []), ()


def _team(crew: Crew, agents: AgentMaker, report: Report) -> JsonObject:
    flow = Workflow(report, names=Names(*variables_of(crew)))
    builder = CrewBuilder(flow, agents, report)
    edges = [Edge(START)]
    flow.connect(builder.add(crew, edges) if crew.tasks else _without_tasks(crew, flow, agents, report), None)
    if not flow.nodes:
        raise InvalidDocument("The crew has no agent that can be read.", fix="Choose the whole folder of the crew.")
    _set_inputs(flow, crew, agents.variables, report)
    return TeamBuilder(flow, crew.name).team()


def _without_tasks(crew: Crew, flow: Workflow, agents: AgentMaker, report: Report) -> list[Edge]:
    """The agents one after the other, each with what was said before."""
    edges = [Edge(START)]
    for agent in crew.agents:
        name = flow.names.free(agent.name)
        flow.nodes[name] = Node(agent.role, agent.place, agents.assistant(agent, name), name=name)
        flow.connect(edges, name)
        edges = [Edge(name)]
    if crew.agents:
        why = "The files hold no tasks. Each agent answers once, after the other."
        report.add("asked", crew.place, "Tasks", why, fix="Import them with their tasks, or begin a run with a task.")
    return edges


def _set_inputs(flow: Workflow, crew: Crew, variables: Mapping[str, Location], report: Report) -> None:
    """Context variables for the inputs of a crew; a single one takes the message of a run."""
    given = {name.replace("-", "_"): part for name, part in crew.inputs.items()}
    for name, place in variables.items():
        part = given.get(name)
        value: JsonValue = part.plain() if part is not None else None
        flow.state[name] = "" if value is None else value
        is_message = len(variables) == 1 and name not in _WORDS
        if is_message:
            _take_message(flow, name, place)
            why = "The message that begins a run is its value."
            fix = f"Begin a run with: {value}" if isinstance(value, str | int | float) and value != "" else ""
            report.add("approximated", (part or Part(place)).place, f"Input `{name}`", why, fix=fix)
        elif part is not None and value is not None:
            report.add("exact", part.place, f"Input `{name}`")
        else:
            why = "Its value is not in the files. It is empty in the context variables of the team."
            report.add("asked", place, f"Input `{name}`", why, fix="Set its value there.")
    for name, part in given.items():
        if name not in variables:
            report.add("dropped", part.place, f"Input `{name}`", "No text names it.")
    if len(variables) != 1 and crew.tasks:
        why = "The agents read their tasks and the context variables, and not the message that begins a run."
        report.add("approximated", crew.place, "Message of a run", why, fix="Change the context variables of the team.")


def _take_message(flow: Workflow, name: str, place: Location) -> None:
    first = [each for each in flow.edges if each.source == START]
    start = flow.add(Node("Inputs", place, step(assignments=assignments([(name, "message")]))), "inputs")
    flow.edges = [each for each in flow.edges if each.source != START]
    flow.edges = [Edge(START, start), *(Edge(start, each.target) for each in first), *flow.edges]


def _report_unused(known: Sequence[CrewAgent], agents: AgentMaker, report: Report) -> None:
    """Say which agents do no task and help with none."""
    for agent in dict.fromkeys(known):
        if agent not in agents.used:
            why = "No task of the first crew is given to it."
            report.add("dropped", agent.place, f"Agent “{agent.role}”", why)
