"""The part of a review that changes with each decision."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import Response

from studio.web.dependencies import PersonDep, SettingsDep, StoreDep, TemplatesDep
from studio.web.pages.review import surroundings
from studio.web.review.review import ReviewView, review_of_gallery, review_of_team
from studio.web.router import StudioRouter
from studio.web.templates import Templates

router = StudioRouter(prefix="/fragments", include_in_schema=False)


@router.get("/teams/{team_id}/review")
async def team_review(
    team_id: str, store: StoreDep, templates: TemplatesDep, person: PersonDep, settings: SettingsDep, back: str = ""
) -> Response:
    review = await review_of_team(store, await store.teams.get(team_id))
    return await _body(templates, review, surroundings(review, person, settings, back))


@router.get("/galleries/{gallery_id}/review")
async def gallery_review(
    gallery_id: str, store: StoreDep, templates: TemplatesDep, person: PersonDep, settings: SettingsDep
) -> Response:
    review = await review_of_gallery(store, await store.galleries.get(gallery_id))
    return await _body(templates, review, surroundings(review, person, settings))


async def _body(templates: Templates, review: ReviewView, shown_with: Mapping[str, object]) -> Response:
    return await asyncio.to_thread(templates.fragment, "fragments/review.html", review=review, **shown_with)
