"""`studio doctor`: whether this studio is in order, and what to do where it is not."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence

from studio.doctor import Finding, Level, examine_here
from studio.settings import Settings


def examine(settings: Settings, *, as_json: bool = False) -> bool:
    """Print what was found; true when nothing is bad."""
    findings = asyncio.run(examine_here(settings))
    is_fine = all(finding.level is not Level.BAD for finding in findings)
    if as_json:
        print(json.dumps({"ok": is_fine, "findings": [finding.as_json() for finding in findings]}, indent=2))
    else:
        print("\n".join(_lines(findings)))
    return is_fine


def _lines(findings: Sequence[Finding]) -> Iterator[str]:
    area = ""
    for finding in findings:
        if finding.area != area:
            area = finding.area
            yield area
        yield f"  {finding.level:4}  {finding.text}"
        if finding.fix:
            yield f"        {finding.fix}"
