"""The form for a tool's arguments, drawn from the schema that the tool gives for them."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace

from fastapi import Response

from studio.components import JsonObject
from studio.errors import InvalidDocument
from studio.web.dependencies import QUEUED, TemplatesDep
from studio.web.forms.form_model import FormModel, Json, Secrets
from studio.web.forms.form_schema import UNIONS, Object, Schemas, as_list, as_object
from studio.web.forms.forms import build_form
from studio.web.requests import RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/fragments", include_in_schema=False)

MAX_STEPS = 100_000
"""Of following what a schema demands. A tool server may send any schema, also one that doubles at every reference."""


class ArgumentsRequest(RequestBody):
    """What was filled in so far, and the JSON schema of it. Pointers of the form begin with /config."""

    parameters: JsonObject
    arguments: JsonObject


@router.post("/arguments", dependencies=[QUEUED])
async def arguments(body: ArgumentsRequest, templates: TemplatesDep) -> Response:
    form = await asyncio.to_thread(_made, body.parameters, body.arguments)
    secrets = Secrets((), {})
    return await asyncio.to_thread(templates.fragment, "fragments/form.html", form=form, secrets=secrets)


def _made(parameters: JsonObject, arguments: JsonObject) -> FormModel:
    """The form.

    Raises:
        InvalidDocument: The schema is too large or goes in a circle.
    """
    try:
        _check_size(parameters)
        form = build_form({"config": arguments}, _without_echoes(parameters))
    except RecursionError as error:
        raise _no_form() from error
    as_written = {
        "primary": tuple(replace(each, label=each.name) for each in form.primary),
        "more": tuple(replace(each, label=each.name) for each in form.more),
    }
    return replace(form, label=None, help="", is_opaque=False, **as_written)


def _check_size(parameters: JsonObject) -> None:
    schemas = Schemas(as_object(parameters.get("$defs")))
    stack = list(_objects(parameters))
    for _ in range(MAX_STEPS):
        if not stack:
            return
        stack += _demanded(schemas, stack.pop())
    raise _no_form()


def _no_form() -> InvalidDocument:
    return InvalidDocument("The schema of this tool is too large for a form.", fix="Write the arguments as JSON.")


def _demanded(schemas: Schemas, schema: Object) -> Iterator[Object]:
    """What a value of this schema must hold, and each way in which it may."""
    schema = schemas.resolve(schema)
    required = as_list(schema.get("required"))
    for key in UNIONS:
        yield from (as_object(option) for option in as_list(schema.get(key)))
    for name, part in as_object(schema.get("properties")).items():
        if name in required or "const" in as_object(part):
            yield as_object(part)


def _objects(node: Json) -> Iterator[Object]:
    if isinstance(node, dict):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _objects(child)


def _without_echoes(parameters: JsonObject) -> JsonObject:
    """The schema without descriptions that only repeat the name, as AutoGen's function tools have them."""
    properties = parameters.get("properties")
    if not isinstance(properties, dict):
        return parameters
    kept: JsonObject = {
        name: {key: each for key, each in part.items() if key != "description" or each != name}
        if isinstance(part, dict)
        else part
        for name, part in properties.items()
    }
    return {**parameters, "properties": kept}
