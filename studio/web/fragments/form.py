"""The form of one component, drawn from what the page holds; nothing is stored here."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from fastapi import Response
from pydantic import Field, JsonValue

from studio.components import validate_component
from studio.components.deferred_model import DeferredModel
from studio.errors import MAX_FINDINGS, Finding
from studio.knowledge import BASE_NAMES
from studio.services.secret_list import suggested_references
from studio.store import Store
from studio.web.dependencies import QUEUED, PersonDep, StoreDep, TemplatesDep
from studio.web.forms.form_model import NOT_TOLD, FormField, FormModel, SecretOffer, Secrets
from studio.web.forms.forms import form_at
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/fragments", include_in_schema=False)


class FindingIn(DeferredModel):
    code: str = ""
    message: str = ""
    fix: str = ""
    where: str = ""


class FormRequest(RequestBody):
    component: JsonValue
    pointer: str = Field("", description="A component, or an object or entry inside a component's config.")
    errors: list[FindingIn] | None = Field(
        None, max_length=MAX_FINDINGS, description="Findings to mark; if omitted, the server validates."
    )


@router.post("/form", dependencies=[QUEUED])
async def form(body: FormRequest, templates: TemplatesDep, store: StoreDep, person: PersonDep) -> Response:
    stored_names = {BASE_NAMES: tuple(await store.knowledge.names())}
    made = await asyncio.to_thread(_made, body, stored_names)
    secrets = await secrets_for(made, store) if person.may("editor") else NOT_TOLD
    return await asyncio.to_thread(templates.fragment, "fragments/form.html", form=made, secrets=secrets)


def _made(body: FormRequest, stored_names: Mapping[str, tuple[str, ...]]) -> FormModel:
    given = None if body.errors is None else [Finding(**finding.model_dump()) for finding in body.errors]
    findings = validate_component(body.component).errors if given is None else given
    return form_at(body.component, body.pointer, findings, stored_names)


async def secrets_for(made: FormModel, store: Store) -> Secrets:
    """What the form's secret fields offer, and which of the references in it have a value."""
    fields = [field for field in _fields_of(made) if field.kind == "secret"]
    if not fields:
        return Secrets((), {})
    offers = tuple(SecretOffer(line.reference, line.is_set) for line in await suggested_references(store))
    resolve = await store.secrets.source()
    return Secrets(offers, {field.text: bool(resolve(field.text)) for field in fields if field.is_reference})


def _fields_of(made: FormModel) -> Iterator[FormField]:
    stack = [*made.fields]
    while stack:
        field = stack.pop()
        yield field
        stack += [*field.parts, *field.folded]
        stack += [each for filled in field.components if filled.form for each in filled.form.fields]
