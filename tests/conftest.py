"""Fixtures that more than one folder uses."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.extended import IS_EXTENDED
from tests.fakes.docker_engine import missing, running_engine
from tests.fakes.openai_server import OpenAIServer
from tests.fleet.processes import Fleet, fleet
from tests.store.postgres import PostgresServer, find_programs, running_server
from tests.store.shared_statements import shared_statements

# How long an example takes depends on what else the machine does.
hypothesis.settings.register_profile("studio", deadline=None)
hypothesis.settings.load_profile("studio")

BROWSER = Path(__file__).with_name("browser")
FLEET = "--fleet"
DOCKER = {"docker_engine", "possible_docker_engine"}
SERVERS = {"docker_engine", "postgres", "processes", "server"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(FLEET, action="store_true", help="The studio as two web replicas and two workers on PostgreSQL.")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks what a test needs, as far as it is told by its place and its fixtures. What takes long comes first.

    A file is run by one process: begun late, a long one goes on alone when all others have ended.
    """
    if not IS_EXTENDED:
        left_out = [item for item in items if item.get_closest_marker("extended")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("extended")]
    for item in items:
        if item.path.is_relative_to(BROWSER):
            item.add_marker("browser")
        if isinstance(item, pytest.Function) and SERVERS & set(item.fixturenames):
            item.add_marker("server")
        if item.get_closest_marker("embedded") and config.getoption(FLEET):
            item.add_marker(pytest.mark.skip("This is about one process or SQLite's file."))
    limits: dict[Path, float] = {}
    for item in items:
        limits[item.path] = max(limits.get(item.path, 0), _limit_s(item))
    # On a new machine the image of Docker is made meanwhile.
    limits |= {item.path: 1 for item in items if isinstance(item, pytest.Function) and DOCKER & set(item.fixturenames)}
    items.sort(key=lambda item: -limits[item.path])


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: the collector of garbage need not look through it each time.

    Nor does it look so often: with the usual thresholds it took a sixth of the time of tests that start a studio each.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 50)


def _limit_s(item: pytest.Item) -> float:
    """How long a test may take that says so of itself."""
    mark = item.get_closest_marker("timeout")
    return float(mark.args[0]) if mark else 0


@pytest.fixture(scope="session", autouse=True)
def compiled_once() -> Iterator[None]:
    """Studios of this process compile each statement once."""
    with shared_statements():
        yield


@pytest.fixture
def openai_server() -> Iterator[OpenAIServer]:
    """A running fake model server; what it says is told in the test."""
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="session")
def is_fleet(request: pytest.FixtureRequest) -> bool:
    """Whether the tests of what people and programs do are to meet several processes."""
    return bool(request.config.getoption(FLEET))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """One server for all tests."""
    programs = find_programs()
    if programs is None:
        pytest.skip("No PostgreSQL server is installed, such as by Debian's package `postgresql`.")
    with running_server(programs) as server:
        yield server


@pytest.fixture
def processes(postgres: PostgresServer, tmp_path: Path) -> Iterator[Fleet]:
    """Replicas and workers on a database of their own."""
    with postgres.database_of_a_thread() as url, fleet(url, tmp_path) as made:
        yield made


# One for each file: an idle engine takes as much of the processor in five minutes as its start.
@pytest.fixture(scope="module")
def docker_engine() -> Iterator[str]:
    """The address of a real Docker engine; the test is skipped where none can be had."""
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with running_engine() as address:
        yield address


@pytest.fixture(scope="module")
def possible_docker_engine(request: pytest.FixtureRequest) -> str | None:
    """The same for tests that do without."""
    return None if missing() else str(request.getfixturevalue("docker_engine"))


@pytest.fixture
def engine(docker_engine: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same, which the `docker` command speaks to."""
    monkeypatch.setenv("DOCKER_HOST", docker_engine)
    return docker_engine
