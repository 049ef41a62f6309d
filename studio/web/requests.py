"""How the studio reads JSON bodies: through the same bounds as files, so a deep or broken one is refused clearly."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import JsonValue

from studio.components import parse_document

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class BoundedRequest(Request):
    """A request whose JSON body has a limited depth."""

    async def json(self) -> JsonValue:
        """Parse the body.

        Raises:
            InvalidDocument: Not JSON, or nested too deeply.
        """
        return parse_document(await self.body())


class StudioRoute(APIRoute):
    """A route whose handler gets a `BoundedRequest`."""

    def get_route_handler(self) -> Handler:
        handle = super().get_route_handler()

        async def handle_bounded(request: Request) -> Response:
            return await handle(BoundedRequest(request.scope, request.receive))

        return handle_bounded
