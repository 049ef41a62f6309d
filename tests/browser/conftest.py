"""A real server and a real browser for the tests of what people click."""

from __future__ import annotations

import os
import shutil
import ssl
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect, sync_playwright

from studio.components import JsonObject
from tests.browser.building import doors
from tests.browser.kept_pages import KeptPage, KeptPages
from tests.browser.playing import agent, hurry, round_robin
from tests.browser.servers import FleetServer, StudioServer
from tests.fakes.openai_server import OpenAIServer
from tests.store.postgres import PostgresServer

QUIET = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"]

# A page that is left is else styled and laid out once more, since the next one tells all that share its process the
# system's colors. The other two are what Playwright turns on: of two switches with one name, the last one counts.
UNSTYLED_ON_LEAVING = (
    "--enable-features=RenderDocument:level/crashed-frame,CDPScreenshotNewSurface,SkipListAccountsWithoutGaiaCookies"
)

CERTIFICATES = ssl.create_default_context()
"""Read once: each client would read those of the system for itself."""

# Two tests run side by side, on machines that may be slow: a wait costs nothing where all is well.
expect.set_options(timeout=15_000)


def chromium_path() -> str | None:
    """The Chromium that is installed, best one without windows; None leaves the choice to Playwright."""
    if named := os.environ.get("STUDIO_CHROMIUM"):
        return named
    names = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)


# Not of the session: the event loop of Playwright would go on under the async tests of the other folders.
@pytest.fixture(scope="package")
def browsers() -> Iterator[BrowserType]:
    """What starts browsers. There is one of it at a time."""
    with sync_playwright() as playwright:
        yield playwright.chromium


@pytest.fixture(scope="package")
def browser(browsers: BrowserType) -> Iterator[Browser]:
    started = browsers.launch(executable_path=chromium_path(), args=[*QUIET, UNSTYLED_ON_LEAVING])
    yield started
    started.close()


NewStudio = Callable[..., AbstractContextManager[StudioServer]]
"""Starts a studio on a data folder, with variables of its environment."""


@pytest.fixture(scope="session")
def new_studio(request: pytest.FixtureRequest, is_fleet: bool) -> NewStudio:
    """What starts a studio: one process, or with `--fleet` replicas and workers."""

    @contextmanager
    def start(data_dir: Path, environment: Mapping[str, str] | None = None) -> Generator[StudioServer]:
        with ExitStack() as stack:
            server = StudioServer(data_dir, {**(environment or {})})
            if is_fleet:
                postgres: PostgresServer = request.getfixturevalue("postgres")
                url = stack.enter_context(postgres.database_of_a_thread())
                server = FleetServer(data_dir, server.environment, database_url=url)
            server.start()
            yield server
            if server.is_running:
                server.stop()

    return start


# One for all tests of a file: to start one takes longer than most of them. A test makes the teams that it needs.
@pytest.fixture(scope="module")
def studio_server(tmp_path_factory: pytest.TempPathFactory, new_studio: NewStudio) -> Iterator[StudioServer]:
    """A fresh studio."""
    with new_studio(tmp_path_factory.mktemp("studio") / "data") as server:
        yield server


@pytest.fixture(autouse=True)
def printed_by_the_server(request: pytest.FixtureRequest) -> Iterator[None]:
    """What the studio printed during a test is shown when that fails."""
    server = request.getfixturevalue("studio_server") if "studio_server" in request.fixturenames else None
    seen = len(server.output) if server else 0
    yield
    if server:
        print("".join(server.output[seen:]))


OpenPage = Callable[..., Page]

MakeTeam = Callable[[JsonObject], str]
"""Saves a team and gives the address of its playground."""

ShippedTeam = Callable[..., str]
"""The same for the label of a team in the gallery; `has_waits` leaves it as slow as it is."""


@pytest.fixture(scope="module")
def kept_pages(browser: Browser) -> Iterator[KeptPages]:
    with closing(KeptPages(browser)) as pages:
        yield pages


@pytest.fixture
def open_page(kept_pages: KeptPages, studio_server: StudioServer, api: httpx.Client) -> Iterator[OpenPage]:
    """Makes empty pages that are signed in; a script error or a blocked resource in any of them fails the test.

    A test that leaves traces in a page itself, as listeners and first scripts are, takes one that `is_new`.
    """
    origin = studio_server.url
    with ExitStack() as afterwards:
        opened: list[KeptPage] = []

        def make(width_px: int = 1440, height_px: int = 900, scheme: str = "light", *, is_new: bool = False) -> Page:
            look = (width_px, height_px, scheme)
            if is_new:
                kept = kept_pages.new(origin, look)
                afterwards.callback(kept.close)
            else:
                kept = kept_pages.take(origin, look)
                afterwards.callback(kept_pages.give_back, kept)
            opened.append(kept)
            # Only the cookie is wanted of the entrance: few tests look at the start page, which takes long to load.
            kept.context.request.get(studio_server.entrance, max_redirects=0)
            doors[kept.context] = api
            return kept.page

        yield make
        problems = [problem for kept in opened for problem in kept.problems]
    assert not problems, problems


@pytest.fixture
def api(studio_server: StudioServer) -> Iterator[httpx.Client]:
    token = studio_server.entrance.split("token=")[1]
    headers = {"Authorization": f"Bearer {token}"}
    with httpx.Client(base_url=studio_server.url, headers=headers, verify=CERTIFICATES) as client:
        yield client


@pytest.fixture
def make_team(api: httpx.Client) -> MakeTeam:
    def make(component: JsonObject) -> str:
        team = api.post("/api/teams", json={"component": component}).json()
        return f"{api.base_url}/teams/{team['id']}/play".replace("//teams", "/teams")

    return make


@pytest.fixture
def shipped_team(api: httpx.Client) -> ShippedTeam:
    """The playground of a team of the gallery that comes with the studio, without the waits between its words.

    To draw them one by one is most of the work of a test, and few look at it.
    """

    def make(label: str, *, has_waits: bool = False) -> str:
        [gallery] = [each for each in api.get("/api/galleries").json() if each["name"] == "Team Studio"]
        teams = api.get(f"/api/galleries/{gallery['id']}").json()["components"]["teams"]
        index = [each["label"] for each in teams].index(label)
        source = {"gallery_id": gallery["id"], "group": "teams", "index": index}
        team = api.post("/api/teams", json={"from_gallery": source}).json()
        if not has_waits:
            hurried = {"component": hurry(team["component"]), "layout": team["layout"], "revision": team["revision"]}
            api.put(f"/api/teams/{team['id']}", json=hurried).raise_for_status()
        return f"{api.base_url}/teams/{team['id']}/play".replace("//teams", "/teams")

    return make


@pytest.fixture
def pair(openai_server: OpenAIServer, make_team: MakeTeam) -> Callable[[int], str]:
    """A writer and a critic who take turns, with a model server that the test tells what to say."""
    model: JsonObject = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": "gpt-4o", "base_url": openai_server.url, "api_key": "test-key", "max_retries": 0},
    }

    def make(message_count: int) -> str:
        return make_team(round_robin(agent("writer", model), agent("critic", model), message_count=message_count))

    return make
