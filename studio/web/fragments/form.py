"""The form of one component, drawn from what the page holds; nothing is stored here."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

from studio.components import validate_component
from studio.errors import Finding
from studio.web.dependencies import TemplatesDep
from studio.web.form_model import FormModel
from studio.web.forms import form_at
from studio.web.requests import StudioRoute

router = APIRouter(prefix="/fragments", include_in_schema=False, route_class=StudioRoute)


class FindingIn(BaseModel):
    code: str = ""
    message: str = ""
    fix: str = ""
    where: str = ""


class FormRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    component: JsonValue
    pointer: str = ""
    errors: list[FindingIn] | None = Field(None, description="Findings to mark; the server checks when left out.")


@router.post("/form")
async def form(body: FormRequest, templates: TemplatesDep) -> Response:
    form = await asyncio.to_thread(_made, body)
    return templates.fragment("fragments/form.html", form=form)


def _made(body: FormRequest) -> FormModel:
    given = None if body.errors is None else [Finding(**finding.model_dump()) for finding in body.errors]
    findings = validate_component(body.component).errors if given is None else given
    return form_at(body.component, body.pointer, findings)
