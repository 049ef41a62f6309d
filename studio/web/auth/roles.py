"""Which role each route needs: the one table. A route without a line here is refused to everybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from studio.store import Role
from studio.web.auth.person import CALLER, CLIENT, GUEST, SENDER, VISITOR, CallerRole

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class RouteAccess(NamedTuple):
    """What a route asks of who uses it; `is_change` says that it is written to the audit log."""

    role: Role | CallerRole
    is_change: bool


VIEWER = """
GET /
GET /login
GET /account
GET /static
GET /api/openapi.json
GET /teams
GET /teams/{team_id}
GET /teams/{team_id}/play
GET /teams/{team_id}/review
GET /fragments/teams/{team_id}/review
GET /runs
GET /runs/{run_id}
GET /runs/{run_id}/beside/{other_id}
GET /runs/{run_id}/compare/{other_id}
GET /fragments/runs/{run_id}/compare/{other_id}
GET /fragments/runs/{run_id}/prompts/{seq}
GET /runs/{run_id}/share
GET /galleries
GET /galleries/{gallery_id}
GET /galleries/{gallery_id}/review
GET /ready-teams
GET /ready-teams/{slug}
GET /fragments/galleries/{gallery_id}/review
GET /costs
GET /costs/charts
GET /trash
GET /settings
GET /settings/approvals
GET /settings/models
GET /inbox
GET /help
GET /help/{section}/{page}
GET /help/pictures/{picture}
GET /fragments/help
GET /api/tags
GET /api/search
GET /api/teams
GET /api/teams/{team_id}
GET /api/teams/{team_id}/without-vision
GET /api/teams/{team_id}/json
GET /api/teams/{team_id}/python
GET /api/teams/{team_id}/versions
GET /api/teams/{team_id}/versions/{number}
GET /api/teams/{team_id}/changes
GET /api/teams/{team_id}/estimate
GET /api/teams/{team_id}/budget
GET /api/teams/{team_id}/breakpoints
GET /api/teams/{team_id}/policy
GET /api/teams/{team_id}/examples
GET /api/galleries
GET /api/ready-teams
GET /api/galleries/{gallery_id}
GET /api/galleries/{gallery_id}/export
GET /api/galleries/{gallery_id}/components/{group}/{index}
GET /api/runs
GET /api/runs/{run_id}
GET /api/runs/{run_id}/events
GET /api/runs/{run_id}/stream
GET /api/runs/{run_id}/diff/{other_id}
GET /api/runs/{run_id}/tools
GET /api/runs/{run_id}/line
GET /api/runs/{run_id}/cost
GET /api/runs/{run_id}/budget
GET /api/runs/{run_id}/bundle
GET /api/runs/{run_id}/bundle/preview
GET /api/runs/{run_id}/test
GET /api/runs/{run_id}/prompts/{seq}
GET /api/runs/{run_id}/index
GET /api/runs/{run_id}/search
GET /api/runs/{run_id}/state
GET /api/files/{file_id}
GET /api/files/{file_id}/text
GET /api/runs/{run_id}/files
GET /api/runs/{run_id}/files/archive
GET /api/runs/{run_id}/files/{number}
GET /api/runs/{run_id}/files/{number}/page
GET /api/runs/{run_id}/files/{number}/table
GET /api/runs/{run_id}/files/{number}/changes
GET /api/costs
GET /api/prices
GET /api/budget
GET /api/sessions
GET /api/sessions/{session_id}
GET /api/components
GET /api/connections
GET /api/approvals
GET /api/inbox
GET /api/account
GET /api/account/sign-ins
GET /deployments
GET /deployments/{deployment}
GET /deployments/{deployment}/calls
GET /deployments/{deployment}/releases
GET /deployments/{deployment}/releases/{number}
GET /deployments/{deployment}/keys
GET /deployments/{deployment}/limits
GET /deployments/{deployment}/usage
GET /deployments/{deployment}/schedules
GET /deployments/{deployment}/hooks
GET /deployments/{deployment}/webhooks
GET /deployments/{deployment}/settings
GET /deployments/{deployment}/chat
GET /chat/{deployment}
GET /fragments/deployments/{deployment}/calls
GET /fragments/schedule-times
GET /fragments/teams/{team_id}/publish
GET /api/deployments
GET /api/deployments/{deployment}
GET /api/deployments/{deployment}/hooks
GET /api/deployments/{deployment}/releases/{number}/replay
GET /fragments/deployments/{deployment}/releases/{number}/replay
GET /api/deployments/{deployment}/schedules
GET /api/teams/{team_id}/suites
GET /api/suites/{suite_id}
GET /api/suites/{suite_id}/evaluations
GET /api/teams/{team_id}/evaluations
GET /api/evaluations/{evaluation_id}
GET /evaluations/{evaluation_id}
GET /fragments/evaluations/{evaluation_id}
GET /fragments/suites/{suite_id}/evaluations
GET /api/evaluations/{evaluation_id}/cells
GET /api/evaluations/{evaluation_id}/labels
GET /evaluations/{evaluation_id}/labels
GET /fragments/evaluations/{evaluation_id}/labels
GET /api/suites/{suite_id}/file
GET /suites
GET /suites/{suite_id}
GET /suites/{suite_id}/settings
GET /suites/{suite_id}/text
GET /suites/{suite_id}/past-runs
GET /suites/{suite_id}/import
GET /fragments/runs/{run_id}/case
GET /api/deployments/{deployment}/schedules/{schedule_id}/firings
GET /knowledge
GET /knowledge/cited
GET /knowledge/{base_id}
GET /knowledge/{base_id}/documents/{document_id}
GET /api/knowledge
GET /api/knowledge/{base_id}
GET /api/knowledge/{base_id}/documents
GET /api/knowledge/{base_id}/documents/{document_id}/passages
GET /api/deployments/{deployment}/calls
"""

LOOKING = """
POST /fragments/form
POST /fragments/diff
POST /fragments/places
POST /fragments/arguments
POST /api/validate
POST /api/python
POST /fragments/export
POST /fragments/suites/{suite_id}/imports
POST /fragments/suites/imports
POST /api/python/read
POST /api/components/switch
POST /api/knowledge/{base_id}/search
"""
"""They change nothing: what they look at is too large for an address. Viewers may."""

WINDOWS = """
PUT /api/teams/{team_id}/windows/{tab}
DELETE /api/teams/{team_id}/windows/{tab}
"""
"""A window tells others where it is, every few seconds and for seconds: nothing for the audit log."""

PREVIEWS = """
POST /fragments/galleries/preview
POST /api/galleries/preview
POST /api/imports/preview
POST /api/suites/{suite_id}/evaluations/preview
"""
"""Nor do these, but they load whole teams or may fetch; from an address only for an admin, which `sources.py` holds."""

OWN = """
POST /api/account/sign-out
PUT /api/account/password
POST /api/account/tokens
PUT /api/account/stars
DELETE /api/account/sign-ins
DELETE /api/account/sign-ins/{sign_in_id}
"""
"""What everybody may do about themselves, and nobody about others."""

EDITOR = """
GET /api/secrets
POST /api/teams
POST /api/ready-teams/{slug}/teams
PUT /api/teams/{team_id}
PATCH /api/teams/{team_id}
DELETE /api/teams/{team_id}
POST /api/teams/bulk
POST /api/teams/{team_id}/components
PUT /api/teams/{team_id}/versions/{number}/title
POST /api/teams/{team_id}/versions/{number}/restore
PUT /api/teams/{team_id}/budget
PUT /api/teams/{team_id}/breakpoints
PUT /api/teams/{team_id}/examples
POST /api/galleries
POST /api/imports
DELETE /api/galleries/{gallery_id}
POST /api/galleries/library/components
DELETE /api/galleries/{gallery_id}/components/{group}/{index}
POST /api/files
POST /api/files/{file_id}/unpack
POST /api/knowledge
DELETE /api/knowledge/{base_id}
POST /api/knowledge/{base_id}/documents
POST /api/knowledge/{base_id}/embeddings
POST /api/knowledge/{base_id}/documents/{document_id}/read
DELETE /api/knowledge/{base_id}/documents/{document_id}
POST /api/runs
POST /api/runs/import
PATCH /api/runs/{run_id}
DELETE /api/runs/{run_id}
POST /api/runs/bulk
DELETE /api/trash
POST /api/runs/{run_id}/commands
POST /api/runs/{run_id}/fork
POST /api/runs/{run_id}/rerun
POST /api/runs/{run_id}/replay
POST /api/runs/{run_id}/next
PUT /api/runs/{run_id}/budget
POST /api/part-runs
POST /api/part-runs/{part_run_id}/commands
POST /api/part-runs/tools
POST /api/part-runs/termination
POST /api/connections/models
POST /api/connections/test
POST /api/pictures
POST /api/deployments
PATCH /api/deployments/{deployment}
DELETE /api/deployments/{deployment}
POST /api/deployments/{deployment}/releases
PUT /api/deployments/{deployment}/live
PUT /api/deployments/{deployment}/canary
DELETE /api/deployments/{deployment}/canary
POST /api/deployments/{deployment}/keys
GET /authorize
POST /api/oauth/consents
POST /api/deployments/{deployment}/tokens
DELETE /api/deployments/{deployment}/keys/{key_id}
POST /api/deployments/{deployment}/hooks
PATCH /api/deployments/{deployment}/hooks/{hook_id}
DELETE /api/deployments/{deployment}/hooks/{hook_id}
POST /api/deployments/{deployment}/schedules
PATCH /api/deployments/{deployment}/schedules/{schedule_id}
POST /api/deployments/{deployment}/schedules/{schedule_id}/firings
DELETE /api/deployments/{deployment}/schedules/{schedule_id}
POST /api/teams/{team_id}/suites
PUT /api/suites/{suite_id}
PUT /api/suites/{suite_id}/text
DELETE /api/suites/{suite_id}
POST /api/suites/{suite_id}/cases
POST /api/suites/{suite_id}/imports
POST /api/teams/{team_id}/suites/imports
POST /api/suites/{suite_id}/scores
POST /api/suites/{suite_id}/evaluations
POST /api/evaluations/{evaluation_id}/cancel
POST /api/evaluations/{evaluation_id}/confirm
POST /api/evaluations/{evaluation_id}/labels
DELETE /api/evaluations/{evaluation_id}
POST /fragments/suites/{suite_id}/scores
GET /api/deployments/{deployment}/webhooks
POST /api/deployments/{deployment}/webhooks
PATCH /api/deployments/{deployment}/webhooks/{webhook_id}
DELETE /api/deployments/{deployment}/webhooks/{webhook_id}
GET /api/deployments/{deployment}/deliveries
POST /api/deployments/{deployment}/deliveries/{delivery_id}/send
"""

APPROVER = """
POST /api/approvals
DELETE /api/approvals/{capability_hash}
PUT /api/teams/{team_id}/policy
"""

ADMIN = """
GET /settings/health
GET /settings/workers
GET /users
GET /audit
GET /api/users
POST /api/users
PUT /api/users/{user_id}/role
PUT /api/users/{user_id}/password
DELETE /api/users/{user_id}
DELETE /api/users/{user_id}/sign-ins
GET /api/audit
GET /api/connections/found
POST /api/connections
POST /api/connections/found
PUT /api/connections/default
PUT /api/connections/{connection_id}
DELETE /api/connections/{connection_id}
PUT /api/secrets/{name}
DELETE /api/secrets/{name}
PUT /api/prices
DELETE /api/prices
PUT /api/budget
POST /api/knowledge/{base_id}/pages
PUT /api/knowledge/{base_id}/documents/{document_id}/refresh
PUT /api/knowledge/{base_id}/embeddings
GET /api/workers
PATCH /api/workers/{worker_id}
"""

CALLS = """
POST /d/{deployment}/calls
GET /d/{deployment}/calls/{call_id}
GET /d/{deployment}/calls/{call_id}/events
POST /d/{deployment}/calls/{call_id}/answers
POST /d/{deployment}/calls/{call_id}/cancel
GET /d/{deployment}/v1/models
GET /d/{deployment}/v1/models/{model}
POST /d/{deployment}/v1/chat/completions
POST /d/{deployment}/v1/responses
GET /d/{deployment}/v1/responses/{response_id}
DELETE /d/{deployment}/v1/responses/{response_id}
GET /d/{deployment}/v1/responses/{response_id}/input_items
POST /d/{deployment}/v1/responses/{response_id}/cancel
POST /d/{deployment}/v1/conversations
DELETE /d/{deployment}/v1/conversations/{conversation_id}
POST /d/{deployment}/mcp
DELETE /d/{deployment}/mcp
GET /d/{deployment}/a2a/.well-known/agent-card.json
POST /d/{deployment}/a2a
POST /d/{deployment}/a2a/
POST /d/{deployment}/a2a/message:send
POST /d/{deployment}/a2a/message:stream
GET /d/{deployment}/a2a/tasks
GET /d/{deployment}/a2a/tasks/{task_id}
GET /d/{deployment}/a2a/tasks/{task_id}:subscribe
POST /d/{deployment}/a2a/tasks/{task_id}:subscribe
POST /d/{deployment}/a2a/tasks/{task_id}:cancel
GET /d/{deployment}/a2a/tasks/{task_id}/pushNotificationConfigs
POST /d/{deployment}/a2a/tasks/{task_id}/pushNotificationConfigs
GET /d/{deployment}/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}
DELETE /d/{deployment}/a2a/tasks/{task_id}/pushNotificationConfigs/{config_id}
GET /d/{deployment}/a2a/extendedAgentCard
POST /d/{deployment}/agui
POST /d/{deployment}/ui
GET /d/{deployment}/ui/{thread}/stream
DELETE /d/{deployment}/ui/{thread}/stream
"""
"""For who holds a key of that deployment, and nobody else. Calls are kept with their keys, not in the audit log."""

CHATS = """
GET /d/{deployment}/chat/messages
POST /d/{deployment}/chat/messages
GET /d/{deployment}/chat/calls/{call_id}/events
POST /d/{deployment}/chat/calls/{call_id}/answers
POST /d/{deployment}/chat/calls/{call_id}/cancel
"""
"""For a browser with the token of one chat, and nobody else. What is said is kept as calls are."""

CHAT_PAGES = """
GET /d/{deployment}/chat
GET /d/{deployment}/chat/embed.js
GET /d/{deployment}/chat/files/{build}/{file}
POST /d/{deployment}/chat/tokens
"""
"""For anybody: the page, which is the same whether there is a deployment or not, and the way to a token."""

HOOKS = """
POST /d/{deployment}/hooks/{hook_id}
"""
"""For services whose signature the hook itself checks."""

OAUTH = """
GET /.well-known/oauth-protected-resource/d/{deployment}/mcp
GET /.well-known/oauth-authorization-server
POST /register
POST /token
"""
"""For clients of MCP without a key. What a client is given was allowed by a person, which the audit log has."""


def _table() -> Mapping[str, RouteAccess]:
    looking = {*LOOKING.split("\n"), *WINDOWS.split("\n"), *PREVIEWS.split("\n"), *CALLS.split("\n")}
    looking |= {*CHATS.split("\n"), *CHAT_PAGES.split("\n"), *HOOKS.split("\n"), *OAUTH.split("\n")}
    lines: tuple[tuple[Role | CallerRole, str], ...] = (
        ("viewer", VIEWER + LOOKING + WINDOWS + OWN),
        ("editor", EDITOR + PREVIEWS),
        ("approver", APPROVER),
        ("admin", ADMIN),
        (CALLER, CALLS),
        (VISITOR, CHATS),
        (GUEST, CHAT_PAGES),
        (SENDER, HOOKS),
        (CLIENT, OAUTH),
    )
    table: dict[str, RouteAccess] = {}
    for role, routes in lines:
        for route in routes.split("\n"):
            if route:
                assert route not in table, f"{route} has two roles"
                table[route] = RouteAccess(role, route.split()[0] not in SAFE_METHODS and route not in looking)
    return table


NEEDS: Mapping[str, RouteAccess] = _table()
"""By `METHOD /path/{template}`, as the application names its routes; files of the front end are `GET /static`."""
