"""When it is worked out what routes take and answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi import FastAPI
from fastapi._compat.v2 import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.testclient import TestClient
from pydantic_core import SchemaValidator

from studio.components.deferred_model import DeferredModel, make_validators
from studio.settings import Settings
from studio.web.app import ROUTES, create_app
from studio.web.requests import StudioRoute
from tests.web.doors import BASE_URL, wait_until_warm

STARTED = """
from studio.components.deferred_model import DeferredModel
from studio.settings import Settings
from studio.web.app import ROUTES, create_app
from studio.web.requests import StudioRoute

create_app(Settings())
routes = [route for route in ROUTES if isinstance(route, StudioRoute)]
print(len(routes) > 300, [route.path for route in routes if "dependant" in vars(route)])


def complete(cls):
    yield from (one for each in cls.__subclasses__() for one in complete(each))
    if cls.__pydantic_complete__:
        yield cls.__name__


models = list(complete(DeferredModel))
print(len(DeferredModel.__subclasses__()) > 100, models)
"""


WARMING = """
from studio.web.api.components import _packed_catalogue
from studio.web.app import ROUTES, made_ahead
from studio.web.requests import StudioRoute
from studio.web.templates import load_templates

steps = made_ahead(load_templates())
while not _packed_catalogue.cache_info().currsize:
    next(steps)
print([route.path for route in ROUTES if isinstance(route, StudioRoute) and "dependant" in vars(route)])
"""


def test_the_builder_which_most_visitors_open_next_waits_for_none_of_them():
    printed = subprocess.run([sys.executable, "-c", WARMING], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"


def test_a_studio_that_is_left_alone_makes_them_ready(server: TestClient):
    wait_until_warm(server)
    assert not any(route.make_ready() for route in ROUTES if isinstance(route, StudioRoute))
    assert next(make_validators(DeferredModel), "all are made") == "all are made"


def test_whoever_wants_to_know_is_told_once_that_all_is_made(settings: Settings):
    told: list[bool] = []

    def note() -> None:
        told.append(all("dependant" in vars(route) for route in ROUTES if isinstance(route, StudioRoute)))

    with TestClient(create_app(settings, on_warm=note), base_url=BASE_URL) as server:
        wait_until_warm(server)
    assert told == [True]


def test_fastapi_itself_makes_the_validators_of_what_requests_carry():
    """Made later, they would warn of how FastAPI makes them."""
    routes = [route for route in ROUTES if isinstance(route, StudioRoute)]
    later = [
        f"{route.path}: {field.name}"
        for route in routes
        for field in _fields(route.dependant)
        if not isinstance(field._type_adapter.validator, SchemaValidator)  # pyright: ignore[reportPrivateUsage]
    ]
    assert not later


def _fields(asked: Dependant) -> Iterator[ModelField]:
    yield from (*asked.path_params, *asked.query_params, *asked.header_params, *asked.body_params)
    for each in asked.dependencies:
        yield from _fields(each)


async def double(number: int) -> dict[str, int]:
    return {"twice": number * 2}


@pytest.fixture
def route() -> StudioRoute:
    return StudioRoute("/double/{number}", double, methods=["GET"], name=None, include_in_schema=True)


def test_a_start_works_out_no_route_and_makes_no_validator_of_what_requests_carry():
    printed = subprocess.run([sys.executable, "-c", STARTED], capture_output=True, text=True, check=True)
    assert printed.stdout.splitlines() == ["True []", "True []"]


def test_a_route_takes_and_answers_what_its_function_says(route: StudioRoute):
    app = FastAPI()
    app.router.routes.append(route)
    client = TestClient(app)
    assert "dependant" not in vars(route)
    assert client.get("/double/21").json() == {"twice": 42}
    assert client.get("/double/many").status_code == 422
    assert client.post("/double/21").status_code == 405
    assert app.url_path_for("double", number=3) == "/double/3"
    described = app.openapi()["paths"]["/double/{number}"]["get"]
    assert described["operationId"] == "double_double__number__get"
    assert described["parameters"][0]["schema"]["type"] == "integer"


def test_threads_that_want_a_route_at_the_same_time_find_it_whole(route: StudioRoute):
    def found(_: int) -> bool:
        return route.dependant.call is double and route.response_field is not None and callable(route.app)

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(found, range(32)))


def test_threads_that_work_out_many_routes_are_warned_of_nothing():
    """`pytest` makes errors of warnings."""
    made = [route for route in ROUTES if isinstance(route, StudioRoute)]
    again = [StudioRoute(each.path, each.endpoint, methods=each.methods, **each._options) for each in made]  # pyright: ignore[reportPrivateUsage]
    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(StudioRoute.make_ready, again))


def test_a_route_says_which_attribute_it_lacks(route: StudioRoute):
    assert not hasattr(route, "colour")
    with pytest.raises(AttributeError, match="'StudioRoute' object has no attribute 'colour'"):
        _ = route.colour
