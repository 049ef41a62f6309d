"""Which route a request will reach, so that the guard can tell what it needs before anything runs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from typing import NamedTuple

from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute, Mount, compile_path

CHECKED = "studio.route"
"""Where the guard leaves in the scope what it has found."""


class Route(NamedTuple):
    """One route of the application; `path` is its template, and each path that it takes begins with `prefix`."""

    prefix: str
    methods: frozenset[str]
    path: str
    is_folder: bool = False
    """Whether it takes whatever begins so."""

    def takes(self, path: str) -> bool:
        return path.startswith(self.prefix) and (self.is_folder or _pattern(self.path).match(path) is not None)

    def name(self, method: str) -> str:
        """What the table of roles calls it."""
        return f"{'GET' if method == 'HEAD' else method} {self.path}"


class Routes:
    """The routes of the application, in the order in which it tries them."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = routes

    @cached_property
    def all(self) -> Sequence[Route]:
        return tuple(_listed(self._routes))

    def name_of(self, method: str, path: str) -> str:
        """The first that takes it; "" when none does, and the application will answer 404 or 405."""
        for route in self.all:
            if method in route.methods and route.takes(path):
                return route.name(method)
        return ""


def _listed(routes: Sequence[BaseRoute]) -> Iterator[Route]:
    for context in iter_route_contexts(routes):
        if isinstance(context.original_route, Mount):
            mount = context.original_route
            folder = f"/{mount.path.split('/')[1]}"
            yield Route(f"{mount.path}/", frozenset({"GET", "HEAD"}), folder, is_folder=True)
        elif context.path is not None:
            yield Route(context.path.partition("{")[0], frozenset(context.methods or ()), context.path)


@cache
def _pattern(path: str) -> re.Pattern[str]:
    """What a template takes. Made when it is first asked for: to make all takes longer than most answers."""
    return compile_path(path)[0]


async def is_what_was_checked(request: Request) -> None:
    """Hold that the route which runs is the one whose role was asked for."""
    route = request.scope.get("route")
    if not request.scope.get(CHECKED, "").endswith(f" {getattr(route, 'path', None)}"):
        raise HTTPException(403, "The authorized route differs from the one that would run.")
