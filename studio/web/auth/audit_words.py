"""The audit log as people read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, unquote

from studio.store.tables import AuditEntry

WORDS: Mapping[str, str] = {
    "POST /api/teams": "Created a team",
    "POST /api/ready-teams/{slug}/teams": "Created a team from a ready team",
    "PUT /api/teams/{team_id}": "Saved a team",
    "PATCH /api/teams/{team_id}": "Renamed a team",
    "PUT /api/teams/{team_id}/examples": "Set the example tasks of a team",
    "POST /api/teams/bulk": "Tagged, archived, deleted or restored teams",
    "DELETE /api/teams/{team_id}": "Deleted a team",
    "POST /api/teams/{team_id}/versions/{number}/restore": "Restored a version",
    "POST /api/files": "Uploaded a file",
    "POST /api/files/{file_id}/unpack": "Unpacked a ZIP file",
    "POST /api/knowledge": "Added a knowledge base",
    "DELETE /api/knowledge/{base_id}": "Deleted a knowledge base",
    "POST /api/knowledge/{base_id}/documents": "Added a document",
    "POST /api/knowledge/{base_id}/pages": "Added a web page to a knowledge base",
    "PUT /api/knowledge/{base_id}/embeddings": "Chose the embedding model of a knowledge base",
    "POST /api/knowledge/{base_id}/embeddings": "Made vectors of a knowledge base",
    "POST /api/knowledge/{base_id}/documents/{document_id}/read": "Read a document again",
    "PUT /api/knowledge/{base_id}/documents/{document_id}/refresh": "Chose how often a web page is read again",
    "DELETE /api/knowledge/{base_id}/documents/{document_id}": "Removed a document",
    "POST /api/runs": "Started a run",
    "POST /api/runs/{run_id}/commands": "Controlled a run",
    "PATCH /api/runs/{run_id}": "Renamed a run",
    "DELETE /api/runs/{run_id}": "Deleted a run",
    "POST /api/runs/bulk": "Tagged, archived, deleted or restored runs",
    "DELETE /api/trash": "Emptied the trash",
    "PUT /api/account/stars": "Starred or unstarred teams or runs",
    "POST /api/runs/{run_id}/fork": "Forked a run",
    "POST /api/runs/{run_id}/rerun": "Ran a run again",
    "POST /api/runs/{run_id}/replay": "Replayed a run",
    "POST /api/runs/{run_id}/next": "Continued a conversation",
    "PUT /api/runs/{run_id}/budget": "Set the limits of a run",
    "POST /api/runs/import": "Imported a run",
    "PUT /api/teams/{team_id}/budget": "Set the limits of a team",
    "PUT /api/teams/{team_id}/breakpoints": "Set breakpoints",
    "POST /api/teams/{team_id}/components": "Added a component to a team",
    "PUT /api/teams/{team_id}/versions/{number}/title": "Named a version",
    "POST /api/part-runs": "Tried a component",
    "POST /api/part-runs/{part_run_id}/commands": "Controlled a part run",
    "POST /api/part-runs/tools": "Listed the tools of a component",
    "POST /api/part-runs/termination": "Tried a termination condition",
    "POST /api/pictures": "Loaded a picture",
    "POST /api/connections": "Added a model connection",
    "POST /api/connections/found": "Added a detected model connection",
    "POST /api/connections/models": "Listed the models of a service",
    "POST /api/connections/test": "Tested a model connection",
    "PUT /api/connections/default": "Chose the default model connection",
    "PUT /api/connections/{connection_id}": "Changed a model connection",
    "DELETE /api/connections/{connection_id}": "Deleted a model connection",
    "PUT /api/prices": "Set a price",
    "DELETE /api/prices": "Deleted a price",
    "PUT /api/budget": "Set the limits of all teams",
    "PATCH /api/workers/{worker_id}": "Drained a worker, or ended that",
    "POST /api/galleries/library/components": "Saved a component to the library",
    "DELETE /api/galleries/{gallery_id}/components/{group}/{index}": "Deleted a component from the library",
    "POST /api/galleries": "Added a gallery",
    "POST /api/imports": "Imported a team",
    "DELETE /api/galleries/{gallery_id}": "Deleted a gallery",
    "POST /api/approvals": "Approved permissions",
    "DELETE /api/approvals/{capability_hash}": "Revoked an approval",
    "PUT /api/teams/{team_id}/policy": "Set tool rules",
    "POST /api/deployments": "Published a team",
    "PATCH /api/deployments/{deployment}": "Changed a deployment",
    "DELETE /api/deployments/{deployment}": "Deleted a deployment",
    "POST /api/deployments/{deployment}/releases": "Made a release",
    "PUT /api/deployments/{deployment}/live": "Set the live release",
    "PUT /api/deployments/{deployment}/canary": "Sent new threads to a canary",
    "DELETE /api/deployments/{deployment}/canary": "Ended a canary",
    "POST /api/deployments/{deployment}/keys": "Created a caller key",
    "POST /api/oauth/consents": "Allowed a client to call a deployment",
    "POST /api/deployments/{deployment}/tokens": "Created a caller key for a page",
    "DELETE /api/deployments/{deployment}/keys/{key_id}": "Revoked a caller key",
    "POST /api/deployments/{deployment}/schedules": "Added a schedule",
    "PATCH /api/deployments/{deployment}/schedules/{schedule_id}": "Changed a schedule",
    "POST /api/deployments/{deployment}/schedules/{schedule_id}/firings": "Called a schedule now",
    "DELETE /api/deployments/{deployment}/schedules/{schedule_id}": "Deleted a schedule",
    "POST /api/deployments/{deployment}/hooks": "Added a hook",
    "PATCH /api/deployments/{deployment}/hooks/{hook_id}": "Changed a hook",
    "DELETE /api/deployments/{deployment}/hooks/{hook_id}": "Deleted a hook",
    "POST /api/teams/{team_id}/suites": "Added a suite",
    "PUT /api/suites/{suite_id}": "Changed a suite",
    "PUT /api/suites/{suite_id}/text": "Changed the text of a suite",
    "DELETE /api/suites/{suite_id}": "Deleted a suite",
    "POST /api/suites/{suite_id}/cases": "Made a case from a run",
    "POST /api/teams/{team_id}/suites/imports": "Imported a suite",
    "POST /api/suites/{suite_id}/imports": "Imported cases into a suite",
    "POST /api/suites/{suite_id}/scores": "Scored past runs",
    "POST /api/suites/{suite_id}/evaluations": "Started an evaluation",
    "POST /api/evaluations/{evaluation_id}/confirm": "Confirmed what got worse",
    "POST /api/evaluations/{evaluation_id}/labels": "Labeled a run of an evaluation",
    "POST /api/evaluations/{evaluation_id}/cancel": "Canceled an evaluation",
    "DELETE /api/evaluations/{evaluation_id}": "Deleted an evaluation",
    "POST /fragments/suites/{suite_id}/scores": "Scored past runs",
    "POST /api/deployments/{deployment}/webhooks": "Added a webhook",
    "PATCH /api/deployments/{deployment}/webhooks/{webhook_id}": "Changed a webhook",
    "DELETE /api/deployments/{deployment}/webhooks/{webhook_id}": "Deleted a webhook",
    "POST /api/deployments/{deployment}/deliveries/{delivery_id}/send": "Sent a delivery again",
    "PUT /api/secrets/{name}": "Set a secret",
    "DELETE /api/secrets/{name}": "Deleted a secret",
    "POST /api/users": "Added a user",
    "PUT /api/users/{user_id}/role": "Changed a role",
    "PUT /api/users/{user_id}/password": "Set a user's password",
    "DELETE /api/users/{user_id}": "Removed a user",
    "DELETE /api/users/{user_id}/sign-ins": "Ended a user's sign-ins",
    "POST /api/account/sign-out": "Signed out",
    "POST /api/account/tokens": "Created a token",
    "PUT /api/account/password": "Changed their password",
    "DELETE /api/account/sign-ins": "Signed out everywhere",
    "DELETE /api/account/sign-ins/{sign_in_id}": "Ended a sign-in",
    "sign in": "Sign-in",
    "use a token": "Wrong token",
    "become a user": "First sign-in",
    "set a role": "Changed a role",
    "add a user": "Added a user",
    "set a password": "Set a user's password",
    "end all sign-ins": "Ended a user's sign-ins",
    "remove a user": "Removed a user",
    "override a gate": "Overrode the gate of a release",
}
"""What is not here is shown as it is."""
STARTING = frozenset(
    {"POST /api/runs", "POST /api/part-runs", "POST /api/connections/models", "POST /api/connections/test"}
    | {f"POST /api/runs/{{run_id}}/{way}" for way in ("fork", "rerun", "next")}
)
"""What asks for approvals when it is refused: most often the first time that somebody does it."""
_OF = re.compile(r"/api/(teams|runs|secrets|galleries|connections|users|deployments)/([^/]+)")


@dataclass(frozen=True)
class AuditLine:
    """One line; `state` is the look of its outcome."""

    at: datetime
    who: str
    action: str
    object: str
    href: str
    address: str
    outcome: str
    state: str


def teams_in(rows: Iterable[AuditEntry]) -> set[str]:
    """Ids of the teams that lines are about."""
    return {match[2] for row in rows if (match := _OF.match(row.object)) and match[1] == "teams"}


def lines_of(rows: Iterable[AuditEntry], team_names: Mapping[str, str]) -> list[AuditLine]:
    """The lines, with the names of the teams that are there still."""
    return [_line(row, team_names) for row in rows]


def _words(action: str) -> str:
    """What was done. Lines of earlier versions have the routes of then."""
    return WORDS.get(action.replace("/api/tries", "/api/part-runs").replace("{try_id}", "{part_run_id}"), action)


def _line(row: AuditEntry, team_names: Mapping[str, str]) -> AuditLine:
    outcome, state = _outcome(row.outcome, row.action)
    named, href = _object(row.object, team_names)
    return AuditLine(row.at, row.who, _words(row.action), named, href, row.address, outcome, state)


def _object(path: str, team_names: Mapping[str, str]) -> tuple[str, str]:
    """What a line is about, and its page where it has one."""
    match = _OF.match(path)
    if match is None:
        return ("", "") if path.startswith("/") else (path, "")
    kind, key = match[1], unquote(match[2])
    if kind == "runs":
        return f"Run {key[:8]}", f"/runs/{quote(key, safe='')}"
    if kind != "teams":
        return key, ""
    return (team_names[key], f"/teams/{quote(key, safe='')}") if key in team_names else ("Deleted team", "")


def _outcome(said: str, action: str) -> tuple[str, str]:
    if not said.isdigit():
        return f"{said[:1].upper()}{said[1:]}", "failed" if said.startswith("refused") else ""
    if said == "403" and action in STARTING:
        return "Approval needed", "warning"
    if said in ("401", "403"):
        return "Refused", "failed"
    return ("Done", "") if said < "400" else (f"Failed ({said})", "failed")
