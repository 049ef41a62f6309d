"""Requests made from a route's description: what fits, what does not, and what nearly does."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode

import httpx
import schemathesis
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute, iter_route_contexts
from hypothesis import strategies as st
from pydantic import JsonValue
from schemathesis import GenerationMode

from studio.components import JsonObject, catalogue
from tests.web.direct import Asked
from tests.web.documents import SOURCE, assistant, gallery, shouting, team

Names = dict[str, list[str]]
JSON = "application/json"

REAL: tuple[Any, ...] = (team(), shouting(), assistant("writer"), *(entry["template"] for entry in catalogue()))
PROVIDERS = tuple(str(each["provider"]) for each in REAL)
TEXTS = (json.dumps(team()), json.dumps(gallery(teams=[team()])), SOURCE, "DONE", "user: Hello.\nwriter: Hi.")
POINTERS = ("", "/config", "/config/participants", "/config/participants/0", "/config/participants/0/config/tools/0")
ODD_VALUES: tuple[JsonValue, ...] = (
    *(None, True, 0, -1, 2**63, 2**70, 1e308),
    *("", " ", "\0", "\ud800", "é" * 300, "{{7*7}}", "../x", "%00"),
    *([], {}, [[]]),
)
ODD = st.sampled_from(ODD_VALUES)
ODD_BYTES = st.sampled_from(
    (b"", b"null", b"[]", b'"x"', b"{", b"\xff\xfe", b"\0", b"[" * 300, b'{"a":1e999}', b"1" * 5000)
)
PIECES = st.sampled_from(("", '"', "}", "]", "-1", "1e999", "null", "\\ud800", "\0", "<script>", "9" * 30, "true"))


@dataclass(frozen=True)
class Route:
    """A route, what it documents, and requests for it."""

    label: str
    statuses: frozenset[str]
    requests: Callable[[Names], st.SearchStrategy[Asked]]


def routes(document: dict[str, Any]) -> list[Route]:
    """Every operation of an OpenAPI document."""
    described: Any = schemathesis.openapi.from_dict(document)
    return [_route(result.ok()) for result in described.get_all_operations()]


def hidden_document(app: FastAPI) -> dict[str, Any]:
    """An OpenAPI document of the pages and fragments, which the real one leaves out."""
    shown = FastAPI(openapi_url=None)
    for context in iter_route_contexts(app.routes):
        route = context.original_route
        if isinstance(route, APIRoute) and not context.include_in_schema and context.path and context.endpoint:
            methods = sorted(context.methods or ())
            shown.add_api_route(
                context.path, context.endpoint, methods=methods, response_model=None, openapi_extra=route.openapi_extra
            )
    return get_openapi(title="Pages", version="1", routes=shown.routes)


def _route(operation: Any) -> Route:
    fitting = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    cases = st.one_of(fitting, fitting, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
    return Route(
        operation.label,
        frozenset(operation.definition.raw["responses"]),
        lambda names: st.builds(_asked, st.just(names), cases, st.data()),
    )


def _asked(names: Names, case: Any, data: st.DataObject) -> Asked:
    path = case.path.format_map({key: _in_path(names, key, value, data) for key, value in case.path_parameters.items()})
    query = {key: _known(names, key, value, data) for key, value in case.query.items()}
    headers = {key: _text(value).replace("\n", " ") for key, value in case.headers.items()}
    if case.media_type is None:
        return Asked(case.method.upper(), path, _encoded(query), b"", headers)
    body, content_type = _body(names, case, data)
    return Asked(case.method.upper(), path, _encoded(query), body, {**headers, "Content-Type": content_type})


def _in_path(names: Names, key: str, value: object, data: st.DataObject) -> str:
    """Mostly something that exists: else every request ends at the same place."""
    if key in names and data.draw(st.integers(0, 3)) < 3:
        return quote(data.draw(st.sampled_from(names[key])), safe="")
    if key in {"index", "number", "seq"} and not data.draw(st.booleans()):
        return str(data.draw(st.integers(-1, 4)))
    return str(value) or "%20"


def _known(names: Names, key: str, value: object, data: st.DataObject) -> object:
    if key in names and data.draw(st.integers(0, 3)) < 3:
        return data.draw(st.sampled_from(names[key]))
    if key == "revision" and not data.draw(st.booleans()):
        return data.draw(st.integers(1, 2))
    if key in {"revision", "against", "seq", "from_seq", "index", "version", "at", "after", "start"}:
        return data.draw(st.one_of(st.just(value), st.integers(-1, 12)))
    return value


def _encoded(query: dict[str, object]) -> str:
    pairs = [(key, each) for key, value in query.items() for each in _each(value)]
    return urlencode([(_text(key), _text(each)) for key, each in pairs], errors="surrogatepass")


def _each(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _body(names: Names, case: Any, data: st.DataObject) -> tuple[bytes, str]:
    if data.draw(st.integers(0, 9)) == 7:
        return data.draw(ODD_BYTES), data.draw(
            st.sampled_from((case.media_type, JSON, "text/plain", "multipart/form-data"))
        )
    if case.media_type == "multipart/form-data":
        return _form(names, data)
    if case.media_type != JSON:
        return _changed_text(names["page"], data).encode("utf-8", "surrogatepass"), case.media_type
    body = _with_known(names, case.body, data)
    return json.dumps(body, default=str).encode(), JSON


def _form(names: Names, data: st.DataObject) -> tuple[bytes, str]:
    field = data.draw(st.sampled_from(("file", "file", "file", "other", "\0")))
    content = _changed_text((*TEXTS, *names["page"]), data).encode("utf-8", "surrogatepass")
    sent = httpx.Request(
        "POST", "http://x", files={field: (data.draw(st.sampled_from(("a.json", "../é", ""))), content)}
    )
    return sent.read(), sent.headers["Content-Type"]


def _changed_text(texts: Sequence[str], data: st.DataObject) -> str:
    """A real text, mostly cut and patched in some place."""
    text = data.draw(st.sampled_from(texts))
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text)))
        text = text[:start] + data.draw(PIECES) + text[start + data.draw(st.integers(0, 12)) :]
    return text


def _with_known(names: Names, body: Any, data: st.DataObject) -> Any:
    """The body with real things in most places that have a place for them."""
    if isinstance(body, list):
        return [_with_known(names, each, data) for each in cast("list[Any]", body)]
    if not isinstance(body, dict):
        return body
    return {str(key): _field(names, str(key), value, data) for key, value in cast("dict[Any, Any]", body).items()}


def _field(names: Names, key: str, value: Any, data: st.DataObject) -> Any:
    if key == "component" and data.draw(st.integers(0, 4)) < 4:
        return _changed_component(data)
    if key in {"text", "code", "message", "task"} and not data.draw(st.booleans()):
        return _changed_text(names["python"] if key == "code" else TEXTS, data)
    if key == "message" and not data.draw(st.booleans()):
        return data.draw(st.sampled_from(("Hello.", '{"name": "shout", "arguments": {"text": "a"}}')))
    if key == "pointer" and data.draw(st.integers(0, 3)) < 3:
        return data.draw(st.sampled_from(POINTERS))
    if key == "provider" and not data.draw(st.booleans()):
        return data.draw(st.sampled_from(PROVIDERS))
    if key == "hashes" and not data.draw(st.booleans()):
        return names["capability_hash"]
    known = _known(names, key, value, data)
    return known if known is not value else _with_known(names, value, data)


def _changed_component(data: st.DataObject) -> JsonObject:
    """A component of ours with up to two values that do not belong there."""
    document = copy.deepcopy(data.draw(st.sampled_from(REAL)))
    for _ in range(data.draw(st.integers(0, 2))):
        holder, key = data.draw(st.sampled_from(_places(document)))
        holder[key] = data.draw(ODD)
    return document


def _places(node: Any) -> list[tuple[Any, Any]]:
    """Every place of a document where a value stands."""
    if not isinstance(node, dict | list):
        return []
    holder = cast("Any", node)
    keys: list[Any] = list(holder) if isinstance(node, dict) else list(range(len(holder)))
    return [(holder, key) for key in keys] + [place for key in keys for place in _places(holder[key])]
