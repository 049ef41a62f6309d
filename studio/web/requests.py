"""How JSON comes in and goes out.

In: through the same bounds as files, so a deep or broken body is refused clearly, and in a thread, so that a large one
holds up nobody. Out: as ASCII, since a model can say half of a surrogate pair, which JSON takes and UTF-8 does not.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import warnings
from collections.abc import Callable, Collection, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, JsonValue
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.routing import Match, compile_path, get_name
from starlette.types import Scope

from studio.components import JsonObject, extract_secrets, parse_json

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


# FastAPI turns this off while it works out a route, but for all threads, of which another may turn it on meanwhile.
warnings.filterwarnings("ignore", "The 'alias' attribute with value", UnsupportedFieldAttributeWarning)


class RequestBody(BaseModel):
    """Base of what the studio's own API is sent: a misspelt field or a value of another type is an error, not silence.

    Without `strict`, Pydantic reads true as the number 1, and text as a number.
    """

    model_config = ConfigDict(extra="forbid", strict=True)


class BoundedRequest(Request):
    """A request whose JSON body has a limited depth."""

    async def json(self) -> JsonValue:
        """Parse the body.

        Raises:
            InvalidDocument: Not JSON, or nested too deeply.
        """
        return await asyncio.to_thread(parse_json, await self.body())


class StudioRoute(APIRoute):
    """A route whose handler gets a `BoundedRequest`.

    What the route takes and answers is worked out when it is first used, which for all routes together would be a fifth
    of the studio's start: until then it knows what finds it, and every other attribute makes FastAPI work it out.
    """

    def __init__(
        self, path: str, endpoint: Callable[..., Any], *, methods: Collection[str] | None = None, **options: Any
    ) -> None:
        self.path, self.endpoint = path, endpoint
        self.name = options.get("name") or get_name(endpoint)
        self.methods = {method.upper() for method in methods or ("GET",)}
        self.include_in_schema = options.get("include_in_schema", True)
        self._prefix = path.partition("{")[0]
        self._options = options

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__:  # since another thread has just worked it out
            return self.__dict__[name]
        if "app" in self.__dict__ or "_options" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}", name=name, obj=self)
        whole = object.__new__(type(self))
        APIRoute.__init__(whole, self.path, self.endpoint, methods=self.methods, **self._options)
        # At once, since a request and the warm-up may each want it, and each in a thread of its own.
        self.__dict__.update(whole.__dict__)
        return getattr(self, name)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether it takes a request; most of hundreds do not, as the beginning of the path says."""
        if not scope["path"].startswith(self._prefix):
            return Match.NONE, {}
        if "path_regex" not in self.__dict__:
            self.path_regex, self.path_format, self.param_convertors = compile_path(self.path)
        return super().matches(scope)

    def make_ready(self) -> bool:
        """Work out what it takes and answers; False when that has been done."""
        return "app" not in self.__dict__ and self.app is not None

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def handle_bounded(request: Request) -> Response:
            return await handle(BoundedRequest(request.scope, request.receive))

        return handle_bounded


def etag_of(content: bytes) -> str:
    """What a client sends back in `If-None-Match` to learn whether it still has the same."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


class AsciiJSONResponse(JSONResponse):
    """JSON that every text fits in."""

    def render(self, content: object) -> bytes:
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


async def large_answer(make: Callable[[], BaseModel], status: int = 200) -> Response:
    """What a route answers with that may be large: made, checked and written in a thread.

    FastAPI would do it on the loop. The route names the model as its `response_model`, for the description.
    """
    return await asyncio.to_thread(lambda: AsciiJSONResponse(make().model_dump(mode="json"), status))


def filename(name: str, suffix: str) -> str:
    """A file name made of the letters and digits of `name`; safe in a header and on every disk."""
    stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:60]
    return f"{stem or 'team'}{suffix}"


def download(content: str | JsonObject, name: str, media_type: str = "application/json") -> Response:
    """The file; a document holds no keys, also when it was stored before they were looked for everywhere."""
    if not isinstance(content, str):
        content = json.dumps(extract_secrets(content)[0], indent=2, ensure_ascii=False)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content.encode("utf-8", "replace"), media_type=media_type, headers=headers)
