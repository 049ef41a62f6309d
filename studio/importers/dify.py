"""Apps of Dify: workflows, chatflows, agents, chats and text generators."""

from __future__ import annotations

from dataclasses import replace

from studio.errors import InvalidDocument
from studio.importers.bundle import Bundle
from studio.importers.canvas import Canvas
from studio.importers.dify_apps import read_app
from studio.importers.dify_document import Found, apps_in, canvas_of, is_dify_text
from studio.importers.dify_workflow import AGENTS, WIDE, DifyReading, WorkflowReader
from studio.importers.findings import Imported, Report
from studio.importers.finishing import finished
from studio.importers.workflow import TeamBuilder

SOURCE = "dify"


def is_dify(bundle: Bundle) -> bool:
    """Whether the files hold an app of Dify."""
    return any(is_dify_text(text) for _, text in bundle.named(".yml", ".yaml", ".txt"))


def import_dify(bundle: Bundle) -> Imported:
    """The team of the first app in these files.

    Raises:
        InvalidDocument: There is none, or nothing in it that answers.
        TooLarge: It has too many nodes, or is beyond the bounds of YAML.
    """
    apps = list(apps_in(bundle))
    if not apps:
        raise InvalidDocument("The files hold no app of Dify.", fix="Choose the YAML that it exported, a DSL file.")
    report = Report()
    for each in apps[1:]:
        why = "One import makes one team."
        what = f"App “{each.title[:80]}”"
        report.add("dropped", each.document.place, what, why, fix="Import it from a file of its own.")
    found = apps[0]
    reading = _read(found, report)
    team = TeamBuilder(reading.flow, found.title).team()
    return replace(finished(SOURCE, team, report), layout=reading.layout(WIDE, team) if found.is_workflow else {})


def _read(found: Found, report: Report) -> DifyReading:
    if not found.is_workflow:
        reading = DifyReading(Canvas(found.title, found.document.place), report)
        read_app(found, reading)
        return reading
    reading = DifyReading(canvas_of(found, report), report)
    if not any(node.kind in AGENTS for node in reading.canvas.nodes.values()):
        what = "The workflow has no model and no agent: it only moves data."
        raise InvalidDocument(what, fix="Choose a workflow with a model, or write this one as a tool in Python.")
    workflow = found.document.get("workflow")
    assert workflow is not None, "its graph is in it"
    WorkflowReader(reading, workflow, is_chat=found.mode == "advanced-chat").read()
    return reading
