"""Errors on their way out: one JSON shape for API and fragments, one page for pages, nothing of our insides."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ConfigDict, JsonValue
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from studio.components.deferred_model import DeferredModel
from studio.deployments import DeploymentUnavailable, LimitReached
from studio.errors import (
    ConfigError,
    Conflict,
    Finding,
    Forbidden,
    InvalidDocument,
    NotFound,
    RunFailed,
    SetupError,
    StudioError,
    TooLarge,
)
from studio.runs import NotApproved
from studio.runs.fleet.client import NoWorker
from studio.sandbox import JailUnavailable
from studio.store import StorageUnavailable
from studio.web.auth.guard import security_headers
from studio.web.auth.request_info import CALLS, is_oauth
from studio.web.dependencies import Services
from studio.web.fetch import UrlRefused, UrlUnreachable
from studio.web.request_queue import TooManyAtOnce
from studio.web.requests import AsciiJSONResponse
from studio.web.review.review_words import asked_for
from studio.web.templates import Templates

STATUS: Mapping[type[StudioError], int] = {
    InvalidDocument: 400,
    ConfigError: 422,
    NotFound: 404,
    Conflict: 409,
    Forbidden: 403,
    TooLarge: 413,
    UrlRefused: 422,
    UrlUnreachable: 502,
    NoWorker: 503,
    RunFailed: 502,
    JailUnavailable: 503,
    StorageUnavailable: 503,
    TooManyAtOnce: 429,
    LimitReached: 429,
    DeploymentUnavailable: 503,
    SetupError: 500,
    StudioError: 400,
}
MESSAGES = {
    404: ("not_found", "There is no page at this address.", "Check the address, or go to your teams."),
    405: ("method_not_allowed", "This address does not support this method.", ""),
    413: ("too_large", "", "Send a smaller request, or raise `STUDIO_MAX_UPLOAD_MB`."),
    500: ("internal", "Internal error. The server log has the details.", "Try again. If it keeps failing, report it."),
}
DATA_PREFIXES = ("/api/", "/fragments/", "/static/", CALLS)
OPENAI = re.compile(rf"{CALLS}[^/]*/v1/")
"""Addresses that clients of OpenAI use."""
SCHEMA_REF = "#/components/schemas/{model}"
JsonObject = dict[str, object]


class Problem(DeferredModel):
    """What went wrong, for a person: what to do about it, and where it is."""

    code: str
    message: str
    fix: str
    where: str


class Refusal(DeferredModel):
    """Every error of the API; some say more, such as `findings` or what is `missing`."""

    model_config = ConfigDict(extra="allow")

    error: Problem


DOCUMENTED: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "description": "What is wrong, and the fix.",
        "content": {"application/json": {"schema": {"$ref": SCHEMA_REF.format(model=Refusal.__name__)}}},
    }
}
"""What the OpenAPI document says of errors, for every route; as a model, FastAPI would build it for each of them."""


def documented_schemas() -> JsonObject:
    """The schemas that `DOCUMENTED` refers to, by their names."""
    _, schemas = models_json_schema([(Refusal, "serialization")], ref_template=SCHEMA_REF)
    return cast("JsonObject", schemas["$defs"])


def status_of(error: StudioError) -> int:
    """The status of the closest class; decided here and nowhere else."""
    return next(STATUS[cls] for cls in type(error).__mro__ if cls in STATUS)


def error_page(templates: Templates, request: Request, status: int, body: JsonObject) -> Response:
    """A page that says what went wrong, for a page that was asked for."""
    title = HTTPStatus(status).phrase.capitalize()
    page = templates.page(request, "pages/error.html", title=title, status=status, **body)
    page.status_code = status
    return page


def add_error_handlers(app: FastAPI, templates: Templates, csp: str) -> None:
    """Give every way of failing its answer."""

    def answer(request: Request, status: int, body: JsonObject, headers: Mapping[str, str] | None = None) -> Response:
        if status >= 500:  # what a person did wrong is told in their own words, in which they could guess secrets
            body = _redacted(request, body)
        if OPENAI.match(request.url.path):
            status, body = _for_openai(status, body)
        if request.url.path.startswith(DATA_PREFIXES) or is_oauth(request.url.path):
            return AsciiJSONResponse(body, status, headers)
        page = error_page(templates, request, status, body)
        page.headers.update(headers or {})
        return page

    async def studio_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, StudioError)
        details = asked_for(error.missing) if isinstance(error, NotApproved) else {}
        headers = {"Retry-After": str(error.retry_after_s)} if error.retry_after_s else None
        return answer(request, status_of(error), {**error.as_json(), **details}, headers)

    async def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if isinstance(error.__cause__, StudioError):  # a body that BoundedRequest refused; FastAPI wrapped it
            return await studio_error(request, error.__cause__)
        return answer(request, error.status_code, _http_body(error), error.headers)

    async def invalid_request(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(request, 422, _validation_body(error))

    async def gone(request: Request, error: Exception) -> Response:
        del request, error  # nobody reads the answer, and the server's log has nothing to tell
        return Response(status_code=400)

    async def crash(request: Request, error: Exception) -> Response:
        del error  # Starlette raises it again, for the server's log
        code, message, fix = MESSAGES[500]
        return answer(request, 500, _shape(code, message, fix), security_headers(csp))

    app.add_exception_handler(StudioError, studio_error)
    app.add_exception_handler(HTTPException, http_error)
    app.add_exception_handler(RequestValidationError, invalid_request)
    app.add_exception_handler(ClientDisconnect, gone)
    app.add_exception_handler(Exception, crash)


def _for_openai(status: int, body: JsonObject) -> tuple[int, JsonObject]:
    """The same with what clients of OpenAI look for beside it."""
    error = cast("dict[str, str]", body["error"])
    kind = "server_error" if status >= 500 else "invalid_request_error"
    param = error["where"].strip("/").replace("/", ".") or None
    return 400 if status == 422 else status, {"error": {**error, "type": kind, "param": param}}


def _redacted(request: Request, body: JsonObject) -> JsonObject:
    services = getattr(request.app.state, "services", None)
    if not isinstance(services, Services):
        return body
    return cast("JsonObject", services.store.secrets.redactor.clean(cast("JsonValue", body)))


def _shape(code: str, message: str, fix: str = "", where: str = "") -> JsonObject:
    return {"error": {"code": code, "message": message, "fix": fix, "where": where}}


def _http_body(error: HTTPException) -> JsonObject:
    phrase = HTTPStatus(error.status_code).phrase
    code, message, fix = MESSAGES.get(error.status_code, (phrase.lower().replace(" ", "_"), "", ""))
    return _shape(code, message or error.detail or phrase, fix)


def _validation_body(error: RequestValidationError) -> JsonObject:
    """Every wrong field at once; `where` points into what was sent."""
    findings = [
        Finding(str(found["type"]), str(found["msg"]), "", "".join(f"/{part}" for part in found["loc"][1:]))
        for found in error.errors()
    ]
    places = "; ".join(f"{finding.where[1:] or 'body'}: {finding.message}" for finding in findings)
    shape = _shape("invalid_request", f"Invalid request: {places}.", "", findings[0].where)
    return {**shape, "findings": [finding.as_json() for finding in findings]}
