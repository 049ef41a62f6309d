"""What can be built with, and what a document is worth before anybody runs it."""

from __future__ import annotations

from typing import cast

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, JsonValue

from studio.components import JsonObject, catalogue, validate_component
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
    report = validate_component(body.component)
    approved = await store.approvals.approved([capability.hash for capability in report.capabilities])
    capabilities = [
        {**capability.as_json(), "approved": capability.hash in approved} for capability in report.capabilities
    ]
    words = cast("JsonObject", condition_words(body.component) if report.parts else {})
    return {**report.as_json(), "capabilities": cast("list[JsonValue]", capabilities), "words": words}
