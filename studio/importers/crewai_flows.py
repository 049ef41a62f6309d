"""Flows of CrewAI in YAML."""

from __future__ import annotations

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.importers.crewai_agents import AgentMaker
from studio.importers.crewai_documents import CrewDocuments
from studio.importers.findings import Report
from studio.importers.parts import Part


class FlowReader:
    """Makes the team of a flow."""

    def __init__(self, documents: CrewDocuments, agents: AgentMaker, report: Report) -> None:
        self._documents = documents
        self._agents = agents
        self._report = report

    def team(self, name: str, part: Part) -> JsonObject:
        """The graph of a flow."""
        raise InvalidDocument("not yet")
