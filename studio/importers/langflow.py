"""Flows of Langflow."""

from __future__ import annotations

from dataclasses import replace

from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished
from studio.importers.langflow_documents import canvas_of, flows_in
from studio.importers.langflow_flow import LangflowReading
from studio.importers.langflow_reader import FlowReader
from studio.importers.workflow import TeamBuilder

SOURCE = "langflow"
NARROW = 0.6
"""Nodes of Langflow are that much larger than our cards, with prompts and tools between them that are none here."""


def is_langflow(bundle: Bundle) -> bool:
    """Whether the files hold a flow of Langflow."""
    return next(flows_in(bundle), None) is not None


def import_langflow(bundle: Bundle) -> Imported:
    """The team of the first flow in these files.

    Raises:
        InvalidDocument: There is none, or nothing in it that answers.
        TooLarge: It has too many nodes, or its prompts are too long.
    """
    flows = list(flows_in(bundle))
    if not flows:
        raise InvalidDocument("The files hold no flow of Langflow.", fix="Choose the JSON that it exported.")
    report = Report()
    found = flows[0]
    for each in flows[1:]:
        why = "One import makes one team."
        report.add("dropped", each.place, f"Flow “{each.title[:80]}”", why, fix="Import it from a file of its own.")
    reading = LangflowReading(canvas_of(found, report), report)
    FlowReader(reading).read()
    team = TeamBuilder(reading.flow, found.title).team()
    imported = finished(SOURCE, team, report)
    return replace(imported, layout=reading.layout(NARROW, team))
