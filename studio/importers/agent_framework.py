"""YAML of Microsoft Agent Framework as teams."""

from __future__ import annotations

from collections.abc import Sequence

from studio.importers.agent_framework_agents import FrameworkAgents
from studio.importers.agent_framework_document import FrameworkFiles
from studio.importers.agent_framework_flows import FlowReader
from studio.importers.bundle import Bundle
from studio.importers.components import component, config_of, labelled, round_robin
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished
from studio.importers.names import Names
from studio.importers.parts import Part

SOURCE = "agent-framework"


def import_agent_framework(bundle: Bundle) -> Imported:
    """The team of the first workflow; of the first agent where there is none.

    Raises:
        InvalidDocument: The files hold neither.
    """
    report = Report()
    files = FrameworkFiles(bundle)
    files.require_any()
    agents = FrameworkAgents(files, report)
    if files.workflows:
        first, *others = files.workflows
        team = FlowReader(agents, report, first, bundle.files[first.place.file]).team()
        _left_out(report, others, "Workflow")
        return finished(SOURCE, team, report)
    (label, part), *more = files.agents.items()
    name = Names().free(label)
    made = agents.made(part, name)
    agent = labelled(component(str(made["provider"]), name=name, **config_of(made)), label)
    _left_out(report, [each for _, each in more], "Agent")
    return finished(SOURCE, labelled(round_robin([agent], 1, {}), label), report)


def _left_out(report: Report, parts: Sequence[Part], kind: str) -> None:
    for each in parts:
        why = "One import gives one team."
        report.add("asked", each.place, f"{kind} of {each.place.file}", why, fix="Import its file alone.")
