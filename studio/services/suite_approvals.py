"""What a person approves before a suite judges anything: what its judges ask for, and its scorers in Python."""

from __future__ import annotations

from collections.abc import Sequence

from studio.components import Capability, JsonObject
from studio.evaluation.suites import Suite
from studio.runs import NotApproved, RunControl
from studio.runs.admission import ApprovalSource
from studio.services.code_scores import unapproved_code
from studio.services.judges import check_judges


class SuiteNotApproved(NotApproved):
    """A scorer of the suite asks for something that nobody allowed.

    Args:
        missing: All of it.
        component: Of the judges, as a person approves them; None where none of it is theirs.
        suite_id: The stored suite whose scorers in Python are among it; "" where none is.
    """

    def __init__(self, missing: Sequence[Capability], component: JsonObject | None, suite_id: str) -> None:
        super().__init__(missing)
        self.component = component
        self.suite_id = suite_id

    def as_json(self) -> dict[str, object]:
        judges = {} if self.component is None else {"component": self.component}
        return {**super().as_json(), **judges, **({"suite_id": self.suite_id} if self.suite_id else {})}


async def check_suite_approved(
    control: RunControl, approvals: ApprovalSource, team_id: str, suite_id: str, suite: Suite
) -> SuiteNotApproved | None:
    """What a person has to approve, or None.

    Args:
        control: Knows what judges may do.
        approvals: Know which scorers in Python may be called.
        team_id: The team that is evaluated.
        suite_id: Of the stored suite.
        suite: With the models of its judges.

    Raises:
        ConfigError: The model of a judge cannot be loaded.
    """
    judges = await check_judges(control, team_id, suite)
    code = await unapproved_code(suite, approvals, team_id)
    missing = [*(judges.missing if judges else ()), *code]
    if not missing:
        return None
    return SuiteNotApproved(missing, judges and judges.component, suite_id if code else "")
