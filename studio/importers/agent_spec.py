"""Configurations of the Open Agent Specification as teams."""

from __future__ import annotations

from studio.importers.agent_spec_agents import SpecAgents
from studio.importers.agent_spec_document import AgentSpec, kind_of
from studio.importers.agent_spec_flows import FlowReader
from studio.importers.bundle import Bundle
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished

SOURCE = "agent-spec"


def import_agent_spec(bundle: Bundle) -> Imported:
    """The team of the first flow, agent, swarm, or manager with workers.

    Raises:
        InvalidDocument: The files hold none.
    """
    report = Report()
    spec = AgentSpec(bundle, report)
    root = spec.root()
    agents = SpecAgents(spec)
    team = FlowReader(agents).team(root) if kind_of(root) == "Flow" else agents.team(root)
    return finished(SOURCE, team, report)
