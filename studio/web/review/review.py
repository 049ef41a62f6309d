"""What a person decides about before a team runs: all that it asks for, what is new, and what is allowed already."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from urllib.parse import quote

from studio.components.hidden_characters import count_hidden, doubtful_words
from studio.components.manifest import GROUPS, Group, Item, Manifest, manifest_of, manifest_of_all
from studio.galleries import parse_gallery
from studio.sandbox.grants import ANY_HOST
from studio.services.changes import changed_lines
from studio.services.code_scores import stored_code
from studio.store import ReviewRecord, Store, publisher_of, team_scope
from studio.store.tables import Approval, Gallery, Team
from studio.web.review.review_words import (
    GLYPHS,
    GROUP_TITLES,
    RISKS,
    Summary,
    consequence_of,
    plain,
    summary_of,
)
from studio.web.review.source_lines import SourceLine, Span, all_visible, plain_lines, python_lines, visible

MAX_UNNEEDED = 50
News = Literal["", "new", "changed", "revoked"]
NEWS: Mapping[News, str] = {"new": "New", "changed": "Changed", "revoked": "Revoked"}


@dataclass(frozen=True)
class PlaceLink:
    """Who asks for a thing, and the page that shows it."""

    name: str
    href: str


@dataclass(frozen=True)
class Allowed:
    """By whom, since when and where a thing is allowed."""

    id: str
    by: str
    at: datetime
    where: str
    network: str

    @property
    def reaches_nothing(self) -> bool:
        """Whether it gives no host to code."""
        return self.network in ("", NO_NETWORK)


@dataclass(frozen=True)
class ChangedLine:
    """One line of what is different from what was allowed before."""

    state: str
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class ItemView:
    """One thing to decide about, as the page shows it."""

    hash: str
    group: Group
    glyph: str
    text: tuple[Span, ...]
    places: tuple[PlaceLink, ...]
    more_places: int
    risk: str
    risk_text: str
    news: News
    news_text: str
    consequence: str
    lines: Sequence[SourceLine]
    is_code: bool
    is_short: bool
    changes: Sequence[ChangedLine]
    hidden_count: int
    doubtful: Sequence[str]
    hosts: tuple[str, ...]
    has_network: bool
    is_outside: bool
    allowed: Allowed | None


@dataclass(frozen=True)
class GroupView:
    group: Group
    title: str
    items: Sequence[ItemView]


@dataclass(frozen=True)
class ReviewView:
    """The page. `publisher` is the address or gallery that the subject is from, in words; "" when it is from none."""

    subject: Literal["team", "gallery"]
    id: str
    name: str
    summary: Summary
    waiting: Sequence[GroupView]
    allowed: Sequence[GroupView]
    unneeded: Sequence[Allowed]
    unneeded_texts: Mapping[str, tuple[Span, ...]]
    reviewed: ReviewRecord | None
    publisher: str
    error_count: int

    @property
    def waiting_count(self) -> int:
        return sum(len(group.items) for group in self.waiting)

    @property
    def allowed_count(self) -> int:
        return sum(len(group.items) for group in self.allowed)

    @property
    def runs_something(self) -> bool:
        """Whether code or programs are among what it asks for."""
        return any(group.group in ("code", "programs") for group in (*self.waiting, *self.allowed))

    @property
    def runs_outside_the_sandbox(self) -> bool:
        """Whether a program among it is not shut in by the studio, as a browser."""
        return any(item.is_outside for group in (*self.waiting, *self.allowed) for item in group.items)

    @property
    def new_count(self) -> int:
        return sum(1 for group in self.waiting for item in group.items if item.news in ("new", "changed"))


@dataclass(frozen=True)
class PreviousReview:
    """What was known of a subject before: what was last allowed, what that was, and what is allowed now."""

    reviewed: ReviewRecord | None
    known: Mapping[str, Approval]
    holding: Mapping[str, Approval]


MAX_PLACES = 6
NO_NETWORK = "no network"
SHORT = 160
"""Characters of what is shown without being unfolded."""


async def team_manifest(team: Team) -> Manifest:
    return await asyncio.to_thread(manifest_of, team.component)


async def gallery_manifest(row: Gallery) -> Manifest:
    entries = [(entry.label, entry.component) for entry in parse_gallery(row.config).entries]
    return await asyncio.to_thread(manifest_of_all, entries)


async def review_of_team(store: Store, team: Team) -> ReviewView:
    """Everything about a stored team."""
    manifest = await team_manifest(team)
    hashes = list(manifest.capabilities)
    reviewed = await store.approvals.reviewed(team.id)
    earlier = [key for key, _ in reviewed.items] if reviewed else []
    before = PreviousReview(
        reviewed,
        await store.approvals.known([*hashes, *earlier]),
        await store.approvals.holding(hashes, team_id=team.id),
    )
    unneeded = await _unneeded(store, team.id, manifest)
    base = f"/teams/{quote(team.id, safe='')}"
    views = await asyncio.to_thread(_views, manifest.items, before, base)
    return ReviewView(
        "team",
        team.id,
        team.name,
        summary_of(manifest.items, "This team"),
        _grouped(view for view in views if view.allowed is None),
        _grouped(view for view in views if view.allowed is not None),
        [_allowed(row) for row in unneeded],
        {row.id: visible(plain(row.text)) for row in unneeded},
        reviewed,
        await _publisher_words(store, team.publisher),
        len(manifest.report.errors),
    )


async def _unneeded(store: Store, team_id: str, manifest: Manifest) -> list[Approval]:
    """What is allowed in the team alone although it no longer asks for it: the newest, more once these are revoked."""
    found: list[Approval] = []
    scoring: Collection[str] | None = None
    async with aclosing(store.approvals.all(scope=team_scope(team_id))) as rows:
        async for row in rows:
            if row.hash not in manifest.capabilities:
                scoring = await _scoring(store, team_id) if scoring is None else scoring
                found += [] if row.hash in scoring else [row]
            if len(found) == MAX_UNNEEDED:
                break
    return found


async def _scoring(store: Store, team_id: str) -> Collection[str]:
    """Hashes of the scorers in Python of the team's suites, which are approved where one is evaluated."""
    found: set[str] = set()
    for row in await store.suites.list(team_id):
        document = (await store.suites.get(row.id)).document
        found |= {each.hash for each in await asyncio.to_thread(stored_code, document)}
    return found


async def review_of_gallery(store: Store, row: Gallery) -> ReviewView:
    """Everything that the components of a stored gallery ask for together."""
    manifest = await gallery_manifest(row)
    hashes, publisher = list(manifest.capabilities), publisher_of(row)
    holding = await store.approvals.holding(hashes, publisher=publisher)
    before = PreviousReview(None, await store.approvals.known(hashes), holding)
    views = await asyncio.to_thread(_views, manifest.items, before, "")
    return ReviewView(
        "gallery",
        row.id,
        row.name,
        summary_of(manifest.items, "This gallery"),
        _grouped(view for view in views if view.allowed is None),
        _grouped(view for view in views if view.allowed is not None),
        [],
        {},
        None,
        await _publisher_words(store, publisher),
        0,
    )


async def remember_allowed(store: Store, team_id: str, manifest: Manifest, *, by: str = "") -> None:
    """Keep what of a team is allowed now. While something waits, what it may have been before is kept as well."""
    holding = await store.approvals.holding(list(manifest.capabilities), team_id=team_id)
    items = [(item.hash, item.places[0].name) for item in manifest.items if item.hash in holding]
    if len(items) < len(manifest.items) and (last := await store.approvals.reviewed(team_id)) is not None:
        items += [item for item in last.items if item[0] not in manifest.capabilities]
    await store.approvals.remember(team_id, items, by=by)


def _views(items: Sequence[Item], before: PreviousReview, base: str) -> list[ItemView]:
    old = _before_each(items, before)
    return [_view(item, before, old.get(item.hash), base) for item in items]


def _before_each(items: Sequence[Item], before: PreviousReview) -> dict[str, Approval]:
    """What stood at the place of each thing that is not allowed, when the team was last decided about."""
    if before.reviewed is None:
        return {}
    now = {item.hash for item in items}
    gone = [
        (before.known[key], place) for key, place in before.reviewed.items if key not in now and key in before.known
    ]
    found: dict[str, Approval] = {}
    for item in items:
        names = {place.name for place in item.places}
        fitting = [each for each in gone if each[1] in names and each[0].kind == item.capability.kind]
        if item.hash not in before.holding and fitting:
            found[item.hash] = fitting[0][0]
            gone.remove(fitting[0])
    return found


def _view(item: Item, before: PreviousReview, old: Approval | None, base: str) -> ItemView:
    capability, holding = item.capability, before.holding.get(item.hash)
    is_code = capability.kind == "python"
    news = "" if holding else _news(item, before, old)
    return ItemView(
        hash=item.hash,
        group=item.group,
        glyph=GLYPHS[item.group],
        text=visible(plain(capability.text)),
        places=tuple(PlaceLink(place.name, _link(base, place.where)) for place in item.places[:MAX_PLACES]),
        more_places=max(0, len(item.places) - MAX_PLACES),
        risk=item.risk,
        risk_text=RISKS[item.risk],
        news=news,
        news_text=NEWS.get(news, ""),
        consequence=consequence_of(item),
        lines=python_lines(capability.detail) if is_code else plain_lines(capability.detail),
        is_code=is_code,
        is_short=is_short(capability.kind, capability.detail),
        changes=_changes(old.detail, capability.detail) if old is not None else [],
        hidden_count=count_hidden(capability.detail.replace("\r\n", "\n")),
        doubtful=doubtful_words(capability.detail),
        hosts=item.hosts if capability.may_have_network else (),
        has_network=capability.may_have_network,
        is_outside=capability.has_own_network,
        allowed=_allowed(holding) if holding else None,
    )


def _changes(before: str, after: str) -> list[ChangedLine]:
    return [ChangedLine(line.state, all_visible(line.text)) for line in changed_lines(before, after)]


def _news(item: Item, before: PreviousReview, old: Approval | None) -> News:
    if old is not None:
        return "changed"
    if item.hash in before.known:
        return "revoked" if before.known[item.hash].revoked_at else ""
    return "new" if before.reviewed is not None else ""


def is_short(kind: str, detail: str) -> bool:
    """Whether the exact thing is shown without being unfolded."""
    return kind != "python" and "\n" not in detail and len(detail) <= SHORT


def _link(base: str, where: str) -> str:
    return f"{base}?at={quote(where, safe='/')}" if base else ""


def _allowed(row: Approval) -> Allowed:
    return Allowed(row.id, row.by, row.at, scope_words(row.scope), network_words(row))


def scope_words(scope: str) -> str:
    """Where an approval holds."""
    if scope == "":
        return "in every team"
    return "in this team" if scope.startswith("team:") else "for its publisher"


def network_words(row: Approval) -> str:
    """What code may reach by an approval; "" where it says nothing of that."""
    hosts = [str(host) for host in row.hosts]
    if not hosts:
        return NO_NETWORK if row.kind == "python" else ""
    return "any host" if ANY_HOST in hosts else f"may reach {', '.join(hosts)}"


def _grouped(views: Iterable[ItemView]) -> list[GroupView]:
    found: dict[Group, list[ItemView]] = {}
    for view in views:
        found.setdefault(view.group, []).append(view)
    return [GroupView(group, GROUP_TITLES[group], found[group]) for group in GROUPS if group in found]


async def _publisher_words(store: Store, publisher: str) -> str:
    kind, _, name = publisher.partition(":")
    if kind == "url":
        return name
    names = {summary.id: summary.name for summary in await store.galleries.list()}
    return f"the gallery “{names[name]}”" if name in names else ""
