"""Flows of Flowise: Agentflow V2, sequential flows, teams with a supervisor, and chatflows."""

from __future__ import annotations

from dataclasses import replace

from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished
from studio.importers.flowise_agentflow import SUFFIX, AgentflowReader
from studio.importers.flowise_chatflow import ChatflowReader
from studio.importers.flowise_documents import canvas_of, flows_in, tool_in
from studio.importers.flowise_flow import NOTES, Reading
from studio.importers.flowise_sequential import SequentialReader, SupervisorReader
from studio.importers.workflow import TeamBuilder

SOURCE = "flowise"
WIDE = 1.8
"""Nodes of Agentflow V2 are that much smaller than our cards."""


def is_flowise(bundle: Bundle) -> bool:
    """Whether the files hold a flow of Flowise, or one of its custom tools."""
    return next(flows_in(bundle), None) is not None or bool(tool_in(bundle))


def import_flowise(bundle: Bundle) -> Imported:
    """The team of the first flow in these files.

    Raises:
        InvalidDocument: There is none, or nothing in it that answers.
        TooLarge: It has too many nodes.
    """
    flows = list(flows_in(bundle))
    if not flows:
        tool = tool_in(bundle)
        if tool:
            raise InvalidDocument(
                f"“{tool}” is a custom tool of Flowise, which is JavaScript, not a flow.",
                fix="Import the flow that uses it, and write the tool in Python.",
            )
        raise InvalidDocument("The files hold no flow of Flowise.", fix="Choose the JSON that it exported.")
    report = Report()
    found = flows[0]
    for each in flows[1:]:
        why = "One import makes one team."
        report.add("dropped", each.place, f"Flow “{each.title[:80]}”", why, fix="Import it from a file of its own.")
    reading = Reading(canvas_of(found, report), report)
    kinds = [node.kind for node in reading.canvas.nodes.values()]
    is_new = any(kind.endswith(SUFFIX) and kind not in NOTES for kind in kinds)
    if is_new:
        AgentflowReader(reading).read()
    elif "supervisor" in kinds:
        SupervisorReader(reading).read()
    elif any(kind.startswith("seq") for kind in kinds):
        SequentialReader(reading).read()
    else:
        ChatflowReader(reading).read()
    team = TeamBuilder(reading.flow, found.title).team()
    imported = finished(SOURCE, team, report)
    return replace(imported, layout=reading.layout(WIDE if is_new else 1.0, team))
