"""What a team or gallery asks to be allowed, for a person to decide; and all that was allowed so far."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import Query, Request, Response

from studio.settings import Settings
from studio.store import Store
from studio.store.tables import Approval
from studio.web.auth.person import Person
from studio.web.dependencies import PersonDep, SettingsDep, StoreDep, TemplatesDep
from studio.web.review.review import (
    ReviewView,
    is_short,
    network_words,
    review_of_gallery,
    review_of_team,
    scope_words,
)
from studio.web.review.review_words import plain
from studio.web.review.source_lines import SourceLine, Span, plain_lines, python_lines, visible
from studio.web.router import StudioRouter
from studio.web.templates import Templates

router = StudioRouter(include_in_schema=False)
GLYPH_OF_KIND: Mapping[str, str] = {
    "python": "file-code",
    "process": "terminal",
    "host": "globe",
    "secret": "key-round",
    "file": "folder-open",
    "knowledge": "scroll-text",
    "spend": "coins",
}


@dataclass(frozen=True)
class ApprovalRow:
    """An approval as the list of all shows it; `until` is empty while it holds."""

    id: str
    glyph: str
    text: tuple[Span, ...]
    lines: Sequence[SourceLine]
    is_short: bool
    network: str
    by: str
    at: datetime
    revoked_by: str
    revoked_at: datetime | None


@dataclass(frozen=True)
class ApprovalGroup:
    """The approvals of one scope."""

    title: str
    href: str
    rows: Sequence[ApprovalRow]


@router.get("/teams/{team_id}/review")
async def team_review(
    request: Request,
    team_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    person: PersonDep,
    settings: SettingsDep,
    back: str = "",
) -> Response:
    review = await review_of_team(store, await store.teams.get(team_id))
    return await _page(request, templates, review, surroundings(review, person, settings, back))


@router.get("/galleries/{gallery_id}/review")
async def gallery_review(
    request: Request,
    gallery_id: str,
    store: StoreDep,
    templates: TemplatesDep,
    person: PersonDep,
    settings: SettingsDep,
) -> Response:
    review = await review_of_gallery(store, await store.galleries.get(gallery_id))
    return await _page(request, templates, review, surroundings(review, person, settings))


async def _page(
    request: Request, templates: Templates, review: ReviewView, shown_with: Mapping[str, object]
) -> Response:
    title, path = ("Teams", "/teams") if review.subject == "team" else ("Galleries", "/galleries")
    return await asyncio.to_thread(
        templates.page,
        request,
        "pages/review.html",
        title=f"Review {review.name}",
        nav=path.removeprefix("/"),
        review=review,
        crumbs=[(title, path), (review.name, home_of(review))],
        **shown_with,
    )


@router.get("/settings/approvals")
async def approvals_page(
    request: Request,
    store: StoreDep,
    templates: TemplatesDep,
    person: PersonDep,
    before: Annotated[str | None, Query(max_length=100)] = None,
    revoked_before: Annotated[str | None, Query(max_length=100)] = None,
) -> Response:
    """The newest and the last revoked approvals, or older ones of either."""
    holding = await store.approvals.list(before=before) if revoked_before is None else ()
    revoked = await store.approvals.revoked(before=revoked_before) if before is None else ()
    return await asyncio.to_thread(
        templates.page,
        request,
        "pages/approvals.html",
        title="Approvals",
        nav="settings",
        may_decide=person.may("approver"),
        count=await store.approvals.count(),
        is_older=bool(before or revoked_before),
        groups=_groups(holding, await _scope_names(store, {row.scope for row in holding})),
        history=[_row(row) for row in revoked],
        wheres={row.id: scope_words(row.scope) for row in revoked},
        next_before=holding[-1].id if holding and await store.approvals.list(before=holding[-1].id, limit=1) else "",
        next_revoked=revoked[-1].id
        if revoked and await store.approvals.revoked(before=revoked[-1].id, limit=1)
        else "",
    )


def home_of(review: ReviewView) -> str:
    """The page of what is reviewed."""
    return f"/{'teams' if review.subject == 'team' else 'galleries'}/{quote(review.id, safe='')}"


def surroundings(review: ReviewView, person: Person, settings: Settings, back_to: str = "") -> dict[str, object]:
    """What a review is shown with: who looks at it, what holds its code, and where they go on once all is decided.

    Args:
        review: What is to be decided.
        person: Who looks at it.
        settings: Of the studio.
        back_to: The page where they were; without one they go on to the first run.
    """
    shown: dict[str, object] = {"may_decide": person.may("approver"), "is_confined": settings.sandbox != "process"}
    if review.subject == "gallery":
        return {**shown, "back": home_of(review), "back_text": "Back to the gallery"}
    back = own_path(back_to) or f"{home_of(review)}/play"
    return {**shown, "back": back, "back_text": _back_text(back)}


def own_path(path: str) -> str:
    """The path if it leads to a page of this studio, else ""; nobody is sent elsewhere by a link."""
    parts = urlsplit(path)
    is_own = path.startswith("/") and not path.startswith("//") and not parts.scheme and not parts.netloc
    return path if is_own and "\\" not in path and path.isprintable() else ""


def _back_text(path: str) -> str:
    if path.startswith("/runs/"):
        return "Back to the run"
    return "Continue to the run" if path.split("?")[0].endswith("/play") else "Back to the team"


async def _scope_names(store: Store, scopes: Collection[str]) -> dict[str, tuple[str, str]]:
    ids = [scope.removeprefix("team:") for scope in scopes if scope.startswith("team:")]
    teams = {
        f"team:{team_id}": (f"In the team {name}", f"/teams/{team_id}/review")
        for team_id, name in (await store.teams.names(ids)).items()
    }
    galleries = {
        f"gallery:{one.id}": (f"In teams from the gallery {one.name}", f"/galleries/{one.id}/review")
        for one in await store.galleries.list()
    }
    return {"": ("In every team", ""), **teams, **galleries}


def _groups(rows: Sequence[Approval], names: Mapping[str, tuple[str, str]]) -> list[ApprovalGroup]:
    found: dict[str, list[ApprovalRow]] = {}
    for row in rows:
        found.setdefault(row.scope, []).append(_row(row))
    return [ApprovalGroup(*_named(scope, names), found[scope]) for scope in sorted(found)]


def _named(scope: str, names: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    if scope in names:
        return names[scope]
    if scope.startswith("url:"):
        return f"In teams from {scope.removeprefix('url:')}", ""
    return "In a deleted team" if scope.startswith("team:") else "In teams from a deleted gallery", ""


def _row(row: Approval) -> ApprovalRow:
    return ApprovalRow(
        id=row.id,
        glyph=GLYPH_OF_KIND.get(row.kind, "shield-alert"),
        text=visible(plain(row.text)),
        lines=python_lines(row.detail) if row.kind == "python" else plain_lines(row.detail),
        is_short=is_short(row.kind, row.detail),
        network=network_words(row),
        by=row.by,
        at=row.at,
        revoked_by=row.revoked_by,
        revoked_at=row.revoked_at,
    )
