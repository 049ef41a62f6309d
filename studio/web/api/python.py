"""Python on its way in: a script as component JSON, for the builder and for programs."""

from __future__ import annotations

import asyncio
from typing import Annotated

from pydantic import Field

from studio.code import parse_python
from studio.code.source import MAX_CHARACTERS
from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.web.dependencies import QUEUED
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/api", tags=["python"])


class ReadPython(RequestBody):
    code: Annotated[str, Field(description=f"A script of at most {MAX_CHARACTERS:,} characters.")]


class ReadPythonOut(DeferredModel):
    component: JsonObject
    findings: list[JsonObject] = Field(description="Problems of the component, and what is not kept, by line.")


@router.post(
    "/python/read",
    dependencies=[QUEUED],
    summary="Read a component from a Python script without executing it; stores nothing",
)
async def read_python(body: ReadPython) -> ReadPythonOut:
    reading = await asyncio.to_thread(parse_python, body.code)
    return ReadPythonOut(component=reading.component, findings=[each.as_json() for each in reading.findings])
