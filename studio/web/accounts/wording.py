"""The audit log as people read it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from studio.store.tables import AuditEntry

WORDS: Mapping[str, str] = {
    "POST /api/teams": "Made a team",
    "PUT /api/teams/{team_id}": "Saved a team",
    "DELETE /api/teams/{team_id}": "Deleted a team",
    "POST /api/teams/{team_id}/versions/{number}/restore": "Restored a version",
    "POST /api/runs": "Started a run",
    "POST /api/runs/{run_id}/commands": "Told a run what to do",
    "DELETE /api/runs/{run_id}": "Deleted a run",
    "POST /api/runs/{run_id}/fork": "Forked a run",
    "POST /api/galleries": "Added a gallery",
    "DELETE /api/galleries/{gallery_id}": "Deleted a gallery",
    "POST /api/approvals": "Approved what a team could do",
    "DELETE /api/approvals/{capability_hash}": "Revoked an approval",
    "PUT /api/teams/{team_id}/policy": "Set the rules for tools",
    "PUT /api/secrets/{name}": "Set a secret",
    "DELETE /api/secrets/{name}": "Deleted a secret",
    "POST /api/users": "Added a user",
    "PUT /api/users/{user_id}/role": "Changed a role",
    "PUT /api/users/{user_id}/password": "Set a user's password",
    "DELETE /api/users/{user_id}": "Removed a user",
    "DELETE /api/users/{user_id}/sign-ins": "Ended a user's sign-ins",
    "POST /api/account/sign-out": "Signed out",
    "POST /api/account/tokens": "Made a token",
    "PUT /api/account/password": "Changed their password",
    "DELETE /api/account/sign-ins": "Signed out everywhere",
    "DELETE /api/account/sign-ins/{sign_in_id}": "Ended a sign-in",
    "sign in": "Sign-in",
    "use a token": "Wrong token",
    "become a user": "Came for the first time",
    "set a role": "Changed a role",
    "add a user": "Added a user",
    "set a password": "Set a user's password",
    "end all sign-ins": "Ended a user's sign-ins",
    "remove a user": "Removed a user",
}
"""What is not here is shown as it is."""


@dataclass(frozen=True)
class AuditLine:
    """One line; `state` is the look of its outcome."""

    at: datetime
    who: str
    action: str
    object: str
    address: str
    outcome: str
    state: str


def lines_of(rows: Iterable[AuditEntry]) -> list[AuditLine]:
    return [_line(row) for row in rows]


def _line(row: AuditEntry) -> AuditLine:
    outcome, state = _outcome(row.outcome)
    return AuditLine(row.at, row.who, WORDS.get(row.action, row.action), row.object, row.address, outcome, state)


def _outcome(said: str) -> tuple[str, str]:
    if not said.isdigit():
        return said.capitalize(), "failed" if said.startswith("refused") else ""
    if said in ("401", "403"):
        return "Refused", "failed"
    return ("Done", "") if said < "400" else (f"Failed ({said})", "failed")
