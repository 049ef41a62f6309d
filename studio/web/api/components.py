"""What can be built with, and what a document is worth before anybody runs it."""

from __future__ import annotations

import asyncio
from typing import cast

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, JsonValue

from studio.components import JsonObject, Report, catalogue, validate_component
from studio.web.dependencies import StoreDep
from studio.web.requests import StudioRoute
from studio.web.wording import condition_words

router = APIRouter(prefix="/api", tags=["components"], route_class=StudioRoute)


class ValidateRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    component: JsonValue


@router.get("/components", summary="Every component the studio knows, with schema, slots and template")
async def list_components() -> list[JsonObject]:
    return catalogue()


@router.post("/validate", summary="All errors, warnings, capabilities and parts of a component; executes nothing")
async def validate(body: ValidateRequest, store: StoreDep) -> JsonObject:
    report, words = await asyncio.to_thread(_checked, body.component)
    approved = await store.approvals.approved([capability.hash for capability in report.capabilities])
    capabilities = [
        {**capability.as_json(), "approved": capability.hash in approved} for capability in report.capabilities
    ]
    return {**report.as_json(), "capabilities": cast("list[JsonValue]", capabilities), "words": words}


def _checked(component: JsonValue) -> tuple[Report, JsonObject]:
    report = validate_component(component)
    return report, cast("JsonObject", condition_words(component) if report.parts else {})
