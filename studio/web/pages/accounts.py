"""Who is here: one's own account, and for admins the users and the audit log."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request, Response

from studio.store import ROLES
from studio.web.api.account import list_sign_ins
from studio.web.api.users import list_users
from studio.web.auth.audit_words import lines_of, teams_in
from studio.web.dependencies import AccountsDep, PersonDep, StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)
MAX_ID = 2**63 - 1
PAGE = 100
MEANS = {
    "viewer": "Views teams and runs.",
    "editor": "Also changes teams, and starts and controls runs.",
    "approver": "Also approves permissions and tool calls.",
    "admin": "Also manages users, secrets and prices.",
}


@router.get("/account")
async def account_page(request: Request, store: StoreDep, person: PersonDep, templates: TemplatesDep) -> Response:
    user = await store.users.get(person.id) if person.id else None
    return templates.page(
        request,
        "pages/account.html",
        title="Account",
        nav="account",
        has_password=bool(user and user.password),
        sign_ins=await list_sign_ins(store, person),
        means=MEANS,
    )


@router.get("/users")
async def users_page(request: Request, store: StoreDep, accounts: AccountsDep, templates: TemplatesDep) -> Response:
    return templates.page(
        request,
        "pages/users.html",
        title="Users",
        nav="settings",
        users=await list_users(store),
        roles=ROLES,
        means=MEANS,
        has_provider=accounts.provider is not None,
    )


@router.get("/audit")
async def audit_page(
    request: Request,
    store: StoreDep,
    templates: TemplatesDep,
    before: Annotated[int | None, Query(ge=0, le=MAX_ID)] = None,
    who: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    rows = await store.audit.list(before=before, who=who, limit=PAGE)
    return templates.page(
        request,
        "pages/audit.html",
        title="Audit log",
        nav="settings",
        lines=lines_of(rows, await store.teams.names(teams_in(rows))),
        who=who,
        before=before,
        next_before=rows[-1].id if len(rows) == PAGE else None,
    )
