"""Releases that wait for an evaluation: a suite of the team may say that no version goes live before it passes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from studio.errors import Conflict
from studio.evaluation.gates import GateOutcome, SuiteGate, apply_gate, broken_cases
from studio.evaluation.results import BASELINE, CANDIDATE
from studio.services.evaluations import report_of
from studio.store import Store
from studio.store.deployment_tables import Deployment, Release
from studio.store.evaluation_tables import Evaluation
from studio.store.tables import TeamSuite

OVERRIDE = "override a gate"
"""In the audit log, with the reason as its outcome."""
MAX_REASON = 280


@dataclass(frozen=True)
class RequiredEvaluation:
    """What a suite that gates releases says of a version of its team.

    Args:
        suite_id: The suite.
        suite_name: Its name.
        outcome: Of the gate; `missing` where no evaluation counts.
        reasons: Why it did not pass, in sentences.
        evaluation_id: The evaluation that counts; "" where there is none.
    """

    suite_id: str
    suite_name: str
    outcome: GateOutcome | Literal["missing"]
    reasons: tuple[str, ...] = ()
    evaluation_id: str = ""


class ReleaseGateNotPassed(Conflict):
    """Raised where a release cannot go live, since evaluations that its team's suites require did not pass."""

    code = "gate_not_passed"

    def __init__(self, required: Sequence[RequiredEvaluation]) -> None:
        first = required[0]
        super().__init__(
            f"“{first.suite_name}” gates releases. {' '.join(first.reasons)}",
            fix="Evaluate this version of the team against the live one. An admin can override the gate with a reason.",
        )
        self.required = tuple(required)

    def as_json(self) -> dict[str, object]:
        required = [
            {
                "suite_id": each.suite_id,
                "suite": each.suite_name,
                "outcome": each.outcome,
                "reasons": [*each.reasons],
                "evaluation_id": each.evaluation_id,
            }
            for each in self.required
        ]
        return {**super().as_json(), "required": required}


async def required_evaluations(
    store: Store, team_id: str, revision: int, live_revision: int | None
) -> Sequence[RequiredEvaluation]:
    """What the suites that gate releases of a team say of one of its versions.

    Args:
        store: Keeps them.
        team_id: The team.
        revision: The version that is to go live.
        live_revision: The version that is live; None where none is.
    """
    found: list[RequiredEvaluation] = []
    for listed in await store.suites.list(team_id):
        row = await store.suites.get(listed.id)
        gate = _gate_of(row)
        if gate is not None and gate.releases:
            found.append(await _required(store, row, gate, revision, live_revision))
    return found


async def check_release(store: Store, deployment: Deployment, number: int) -> Sequence[RequiredEvaluation]:
    """The required evaluations that keep a release from going live. To one that has been live, it is rolled back.

    Raises:
        NotFound: There is no such release.
    """
    release = await store.deployments.release(deployment.id, number)
    if deployment.team_id is None or release.live_at is not None:
        return ()
    return _not_passed(await release_evaluations(store, deployment, release))


async def release_evaluations(store: Store, deployment: Deployment, release: Release) -> Sequence[RequiredEvaluation]:
    """What the suites of its team require of a release."""
    if deployment.team_id is None:
        return ()
    live = await store.deployments.release(deployment.id, deployment.live)
    return await required_evaluations(store, deployment.team_id, release.team_revision, live.team_revision)


async def check_first_release(store: Store, team_id: str) -> Sequence[RequiredEvaluation]:
    """The same for a team that is published as it is saved now.

    Raises:
        NotFound: There is no such team.
    """
    team = await store.teams.summary(team_id)
    return _not_passed(await required_evaluations(store, team_id, team.revision, None))


def _not_passed(required: Sequence[RequiredEvaluation]) -> Sequence[RequiredEvaluation]:
    return [each for each in required if each.outcome != "passed"]


async def pass_gate(store: Store, missing: Sequence[RequiredEvaluation], *, override: str, by: str, thing: str) -> None:
    """Let a release pass that nothing keeps back, or whose gate is overridden with a reason, which is recorded.

    Args:
        store: Keeps the audit log.
        missing: What keeps it back.
        override: Why it goes live nevertheless; "" where it should not.
        by: Who says so.
        thing: What goes live, as the audit log names it.

    Raises:
        ReleaseGateNotPassed: Something keeps it back.
    """
    if not missing:
        return
    if not override:
        raise ReleaseGateNotPassed(missing)
    await store.audit.add(by, OVERRIDE, object=thing, outcome=f"Reason: {override[:MAX_REASON]}")


async def _required(
    store: Store, row: TeamSuite, gate: SuiteGate, revision: int, live_revision: int | None
) -> RequiredEvaluation:
    newest = await _newest(store, row, revision, live_revision)
    if newest is None:
        why = f"Version {revision} has no finished evaluation of the whole suite as it is now"
        is_other = live_revision is not None and live_revision != revision
        why += f", alone or compared with version {live_revision}, which is live." if is_other else "."
        return RequiredEvaluation(row.id, row.name, "missing", (why,))
    report = await report_of(store, newest.id)
    broken: Sequence[str] = ()
    if report.confirmation is not None and report.confirmation.found is not None:
        fresh = await report_of(store, report.confirmation.row.id)
        broken = await asyncio.to_thread(broken_cases, fresh.result)
    found = await asyncio.to_thread(apply_gate, gate.gate, report.result, broken)
    return RequiredEvaluation(row.id, row.name, found.outcome, found.reasons, newest.id)


async def _newest(store: Store, row: TeamSuite, revision: int, live_revision: int | None) -> Evaluation | None:
    """The newest evaluation that counts: finished, of the whole suite as it is, and not against any other version than
    the live one. An older one never counts for a newer one: who asks until the answer fits would find any."""
    rows = [
        each
        for each in await store.evaluations.list(suite_id=row.id)
        if each.state == "finished"
        and each.suite_revision == row.revision
        and each.confirms_id is None
        and not (each.only_tag or each.without_tag)
    ]
    versions = await store.evaluations.versions([each.id for each in rows])
    for each in rows:
        revisions = {version.number: version.revision for version in versions[each.id]}
        baseline = revisions.get(BASELINE)
        if revisions.get(CANDIDATE) == revision and (live_revision is None or baseline in (None, live_revision)):
            return each
    return None


def _gate_of(row: TeamSuite) -> SuiteGate | None:
    """The gate of a suite that was checked before it was kept."""
    try:
        return SuiteGate.model_validate(kept) if (kept := row.document.get("gate")) else None
    except ValidationError:
        return SuiteGate(releases=True)  # one that cannot be read lets nothing through that does not pass its default
