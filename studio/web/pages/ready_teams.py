"""The ready teams by theme, and one of them with its recording."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Query, Request, Response

from studio.components import validate_component
from studio.galleries import Gallery
from studio.services.builtin_galleries import ready_team, ready_teams
from studio.services.galleries import what_it_could
from studio.services.ready_teams import ReadyTeam
from studio.services.recordings import Sample, Turn, samples_of, turns_of
from studio.services.team_templates import SHAPES, shape_of
from studio.web.api.labels import MAX_TAG
from studio.web.dependencies import StoreDep, TemplatesDep
from studio.web.router import StudioRouter

router = StudioRouter(include_in_schema=False)


@dataclass(frozen=True)
class ReadyTeamCard:
    """A ready team as lists show it."""

    slug: str
    label: str
    description: str
    shape: str
    summary: str


@dataclass(frozen=True)
class Theme:
    """The ready teams of one gallery."""

    id: str
    name: str
    description: str
    cards: tuple[ReadyTeamCard, ...]


@dataclass(frozen=True)
class ReadyTeamView:
    """What the page of one ready team shows of it."""

    card: ReadyTeamCard
    agents: tuple[tuple[str, str], ...]
    samples: tuple[Sample, ...]
    turns: tuple[Turn, ...]
    could: str


@router.get("/ready-teams")
async def ready_teams_page(
    request: Request,
    templates: TemplatesDep,
    search: Annotated[str, Query(max_length=200)] = "",
    theme: Annotated[str, Query(max_length=100)] = "",
    tag: Annotated[str, Query(max_length=MAX_TAG)] = "",
) -> Response:
    found = await asyncio.to_thread(ready_teams)
    themes = await asyncio.to_thread(_themes, found, search, theme, tag)
    return templates.page(
        request,
        "pages/ready_teams.html",
        title="Ready teams",
        nav="galleries",
        themes=themes,
        all_themes={gallery.id: gallery.name for gallery, _ in found.values()},
        all_tags=sorted({each for _, team in found.values() for each in team.tags}),
        count=sum(len(each.cards) for each in themes),
        search=search,
        theme=theme,
        tag=tag,
    )


@router.get("/ready-teams/{slug}")
async def ready_team_page(request: Request, slug: str, store: StoreDep, templates: TemplatesDep) -> Response:
    gallery, team = await asyncio.to_thread(ready_team, slug)
    view = await asyncio.to_thread(_view, team)
    connections = await store.connections.list()
    return templates.page(
        request,
        "pages/ready_team.html",
        title=team.label,
        nav="galleries",
        team=team,
        theme=gallery,
        view=view,
        usual_model=next((each.name for each in connections if each.is_default), ""),
    )


def _themes(found: Mapping[str, tuple[Gallery, ReadyTeam]], search: str, theme: str, tag: str) -> Sequence[Theme]:
    words = search.casefold().split()
    galleries: dict[str, Gallery] = {}
    cards: dict[str, list[ReadyTeamCard]] = {}
    for gallery, team in found.values():
        if (theme and gallery.id != theme) or (tag and tag not in team.tags) or not _has(gallery, team, words):
            continue
        galleries[gallery.id] = gallery
        cards.setdefault(gallery.id, []).append(_card(team))
    return [
        Theme(each.id, each.name, str(each.metadata.get("description") or ""), tuple(cards[each.id]))
        for each in galleries.values()
    ]


def _has(gallery: Gallery, team: ReadyTeam, words: Sequence[str]) -> bool:
    text = " ".join((team.label, team.description, gallery.name, *team.tags, team.task)).casefold()
    return all(word in text for word in words)


def _card(team: ReadyTeam) -> ReadyTeamCard:
    shape, agents, files = shape_of(team.component), len(team.agents()), len(team.files)
    parts = [SHAPES.get(shape, ""), _counted(agents, "agent"), _counted(files, "file") if files else ""]
    return ReadyTeamCard(team.slug, team.label, team.description, shape, " · ".join(filter(None, parts)))


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _view(team: ReadyTeam) -> ReadyTeamView:
    report = validate_component(team.live)
    return ReadyTeamView(
        card=_card(team),
        agents=tuple(team.agents()),
        samples=tuple(samples_of(team)),
        turns=tuple(turns_of(team)),
        could=what_it_could(report.capabilities),
    )
