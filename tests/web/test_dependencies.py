"""What routes ask for by type."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from studio.web.app import ROUTERS
from studio.web.auth.routes import is_what_was_checked


def test_no_request_waits_for_a_thread_to_give_it_what_it_asks_for():
    """FastAPI runs in a thread what is no coroutine; the queries of lists are classes, which read the address."""
    threaded = {
        f"{call.__module__}.{call.__name__}"
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for call in _calls(route.dependant)
        if inspect.isfunction(call) and not inspect.iscoroutinefunction(call) and not inspect.isasyncgenfunction(call)
    }
    assert not threaded


def test_every_route_checks_that_it_is_the_one_whose_role_was_asked_for():
    unchecked = [
        route.path
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute) and is_what_was_checked not in _calls(route.dependant)
    ]
    assert not unchecked, "their routers are no `StudioRouter`"


def _calls(dependant: Dependant) -> Iterator[object]:
    for each in dependant.dependencies:
        yield each.call
        yield from _calls(each)
