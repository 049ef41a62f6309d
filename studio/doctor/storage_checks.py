"""What the studio keeps that somebody should look at: secrets, broad approvals, programs that are gone."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import NamedTuple, cast

from pydantic import JsonValue

from studio.components.redaction import MIN_LENGTH
from studio.doctor.finding import Finding, bad, doubtful, fine
from studio.egress import ANY_HOST
from studio.errors import SetupError
from studio.store import Store
from studio.store.tables import Approval


async def kept(store: Store) -> AsyncIterator[Finding]:
    """Secrets and approvals of a store."""
    for finding in await _secrets(store):
        yield finding
    for finding in _approvals([_Approved(row.hosts, _program(row)) async for row in store.approvals.all()]):
        yield finding


async def _secrets(store: Store) -> list[Finding]:
    names = [summary.name for summary in await store.secrets.list()]
    resolve = await store.secrets.source()

    def look() -> Iterator[Finding]:
        short: list[str] = []
        for name in names:
            try:
                value = resolve(f"secret:{name}") or ""
            except SetupError as error:
                yield bad("Secrets", error.what.removesuffix("."), error.fix)
                continue
            if len(value) < MIN_LENGTH:
                short.append(name)
        if short:
            fix = "Use longer secrets where the service allows it."
            said = f"Too short to redact from run output: {', '.join(short)}"
            yield doubtful("Secrets", said, fix)
        yield fine("Secrets", f"{len(names)} secret{' is' if len(names) == 1 else 's are'} stored, encrypted")

    return await asyncio.to_thread(lambda: list(look()))


class _Approved(NamedTuple):
    """What is looked at of an approval, which may cover a long source."""

    hosts: Sequence[JsonValue]
    program: str


def _approvals(approvals: Sequence[_Approved]) -> Iterator[Finding]:
    yield fine("Approvals", f"{len(approvals)} approval{'' if len(approvals) == 1 else 's'}")
    broad = [approval for approval in approvals if ANY_HOST in approval.hosts]
    if broad:
        fix = "Review them under Settings > Approvals, and list the hosts that they need."
        count = f"{len(broad)} approval{' lets' if len(broad) == 1 else 's let'}"
        yield doubtful("Approvals", f"{count} code reach any host on the internet", fix)
    for program in sorted({approval.program for approval in approvals} - {""}):
        if shutil.which(program) is None:
            fix = "Install it, or revoke its approval."
            yield doubtful("Approvals", f"The approved program {program!r} is not installed on this machine", fix)


def _program(approval: Approval) -> str:
    """The program that an approval lets a team start; empty where it is about something else."""
    if approval.kind != "process":
        return ""
    try:
        detail = cast("JsonValue", json.loads(approval.detail))
    except ValueError:
        return ""
    command = detail.get("command") if isinstance(detail, dict) else None
    return str(command[0]) if isinstance(command, list) and command else ""
