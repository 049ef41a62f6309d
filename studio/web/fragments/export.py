"""What is different in the target of an export, as the builder's dialog shows it; nothing is stored here."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import Response

from studio.components import load_component
from studio.exporters import export_team
from studio.services.conversion_report import FindingGroup, groups_of, tallies_of
from studio.services.galleries import Tally
from studio.web.api.teams import PythonRequest
from studio.web.dependencies import QUEUED, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/fragments", include_in_schema=False)


@dataclass(frozen=True)
class ExportReport:
    """The report of a script that is not downloaded yet."""

    tallies: tuple[Tally, ...]
    groups: tuple[FindingGroup, ...]


@router.post("/export", dependencies=[QUEUED])
async def export_report(body: PythonRequest, templates: TemplatesDep) -> Response:
    report = await asyncio.to_thread(_report, body)
    return templates.fragment("fragments/export_report.html", report=report)


def _report(body: PythonRequest) -> ExportReport:
    findings = export_team(load_component(body.component), body.target).findings
    return ExportReport(tallies_of(findings), groups_of(findings))
