"""What all routes of the studio have in common."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from studio.web.auth.routes import is_what_was_checked
from studio.web.error_handlers import DOCUMENTED
from studio.web.requests import AsciiJSONResponse, StudioRoute


class StudioRouter(APIRouter):
    """The routes of one module.

    They are taken into the application as they are: FastAPI would work out each one again for a router that another
    one includes, a tenth of a second when the server starts.
    """

    def __init__(self, prefix: str = "", *, tags: list[str] | None = None, include_in_schema: bool = True) -> None:
        super().__init__(
            prefix=prefix,
            tags=[*(tags or ())],
            include_in_schema=include_in_schema,
            route_class=StudioRoute,
            default_response_class=AsciiJSONResponse,
            dependencies=[Depends(is_what_was_checked)],
            responses=DOCUMENTED,
        )
