"""What can be built with, and what a document is worth before anybody runs it."""

from __future__ import annotations

import asyncio
import functools
import gzip
import threading
from dataclasses import dataclass, replace
from typing import Annotated, cast

from fastapi import Header, Response
from pydantic import Field, JsonValue

from studio.components import JsonObject, Report, catalogue, switch_to, validate_component
from studio.components.deferred_model import DeferredModel
from studio.services.knowledge_search import missing_bases
from studio.services.missing_secrets import missing_secrets
from studio.services.team_templates import scripted_model
from studio.web.dependencies import QUEUED, StoreDep
from studio.web.forms.condition_words import describe_conditions
from studio.web.requests import AsciiJSONResponse, RequestBody, etag_of
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["components"])


class ValidateRequest(RequestBody):
    component: JsonValue
    team_id: str = Field("", max_length=100, description="ID of the stored team, for its approvals.")


class SwitchRequest(RequestBody):
    component: JsonObject
    provider: str


class SwitchedOut(DeferredModel):
    component: JsonObject
    left: list[str]
    """Fields that the new type has no place for."""


@dataclass(frozen=True)
class PackedCatalogue:
    """All component types as JSON, as it is sent.

    Args:
        tag: Its ETag.
    """

    plain: bytes
    packed: bytes
    tag: str


@router.get("/components", summary="List all component types with schema, slots and template")
async def list_components(
    accept_encoding: Annotated[str, Header()] = "", if_none_match: Annotated[str, Header()] = ""
) -> Response:
    """A browser keeps them, and asks each time whether they are still the same."""
    made = await asyncio.to_thread(packed_catalogue)
    headers = {"ETag": made.tag, "Cache-Control": "private, no-cache", "Vary": "Accept-Encoding"}
    if made.tag in if_none_match:
        return Response(status_code=304, headers=headers)
    if "gzip" not in accept_encoding:
        return Response(made.plain, headers=headers, media_type="application/json")
    return Response(made.packed, headers={**headers, "Content-Encoding": "gzip"}, media_type="application/json")


def packed_catalogue() -> PackedCatalogue:
    """The same for the life of the server, and every builder asks for it. Who comes while it is made waits for it."""
    with _making:
        return _packed_catalogue()


_making = threading.Lock()


@functools.cache
def _packed_catalogue() -> PackedCatalogue:
    plain = bytes(AsciiJSONResponse(catalogue()).body)
    return PackedCatalogue(plain, gzip.compress(plain, mtime=0), etag_of(plain))


@router.post(
    "/components/switch",
    dependencies=[QUEUED],
    summary="Convert a component to another type, keeping the values that fit; stores nothing",
)
async def switch_type(body: SwitchRequest) -> SwitchedOut:
    made = await asyncio.to_thread(switch_to, body.component, body.provider)
    return SwitchedOut(component=made.component, left=list(made.left))


@router.post(
    "/validate",
    dependencies=[QUEUED],
    summary="Validate a component: errors, warnings, capabilities and parts; executes nothing",
)
async def validate(body: ValidateRequest, store: StoreDep) -> JsonObject:
    report, words, scripted = await asyncio.to_thread(_checked, body.component)
    hashes = [capability.hash for capability in report.capabilities]
    approved = await store.approvals.approved(hashes, team_id=body.team_id)
    capabilities = [
        {**capability.as_json(), "approved": capability.hash in approved} for capability in report.capabilities
    ]
    lacking = missing_bases(report.asked, await store.knowledge.names() if report.asked else ())
    report = replace(report, warnings=(*report.warnings, *lacking))
    needs = missing_secrets(body.component, report.secrets, await store.secrets.source())
    return {
        **report.as_json(),
        "capabilities": cast("list[JsonValue]", capabilities),
        "needs": cast("list[JsonValue]", needs),
        "words": words,
        "scripted": scripted,
    }


def _checked(component: JsonValue) -> tuple[Report, JsonObject, str]:
    report = validate_component(component)
    words = cast("JsonObject", describe_conditions(component) if report.parts else {})
    return report, words, scripted_model(component) if isinstance(component, dict) and report.parts else ""
