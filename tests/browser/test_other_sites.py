"""A page of another site, in the browser of somebody who is signed in, reads nothing and changes nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, BrowserType, Page, expect

from tests.browser.conftest import QUIET, StudioServer, chromium_path
from tests.browser.elsewhere import ATTEMPTS, FORM, REBOUND_NAME, RESOLVER_RULES, Elsewhere, elsewhere
from tests.web.documents import team

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

PATIENCE_MS = 4000
STATE = ("teams", "galleries", "runs", "approvals", "secrets", "prices", "budget", "inbox")
REFUSED = {401, 403, 421}


@pytest.fixture(scope="module")
def browser(browsers: BrowserType) -> Iterator[Browser]:
    """Names of the other site lead to this machine."""
    started = browsers.launch(executable_path=chromium_path(), args=[*QUIET, RESOLVER_RULES])
    yield started
    started.close()


@pytest.fixture(scope="module")
def attacker() -> Iterator[Elsewhere]:
    with elsewhere() as found:
        yield found


@pytest.fixture
def victim(browser: Browser, studio_server: StudioServer) -> Iterator[Page]:
    """The browser of somebody who is signed in. What it prints of refusals is no fault here."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(studio_server.entrance, wait_until="domcontentloaded")
    yield page
    context.close()


@pytest.fixture
def run_id(api: httpx.Client) -> str:
    made = api.post("/api/teams", json={"component": team()}).json()
    run_id = api.post("/api/runs", json={"team_id": made["id"], "task": "Say hello."}).json()["id"]
    api.get(f"/api/runs/{run_id}/stream")  # to its end
    return run_id


def everything(api: httpx.Client) -> dict[str, object]:
    return {name: api.get(f"/api/{name}").json() for name in STATE}


def reads(run_id: str) -> list[str]:
    return ["/api/teams", "/teams", f"/api/runs/{run_id}/stream", f"/api/runs/{run_id}/events"]


def changes(api: httpx.Client, run_id: str) -> list[list[str]]:
    team_id = api.get("/api/teams").json()[0]["id"]
    return [
        ["POST", "/api/teams", json.dumps({"name": "Not mine"})],
        ["POST", "/api/runs", json.dumps({"team_id": team_id, "task": "Go."})],
        ["PUT", "/api/secrets/STOLEN", json.dumps({"value": "x"})],
        ["POST", "/api/galleries", json.dumps({"text": json.dumps(team())})],
        ["DELETE", f"/api/teams/{team_id}", ""],
        ["DELETE", f"/api/runs/{run_id}", ""],
    ]


def statuses_of(page: Page) -> list[int]:
    """How requests of a page are answered from now on, those too whose answer the browser keeps from it."""
    found: list[int] = []
    session: Any = page.context.new_cdp_session(page)

    def note(event: dict[str, Any]) -> None:
        found.append(event["statusCode"])

    session.send("Network.enable")
    session.on("Network.responseReceivedExtraInfo", note)
    return found


@pytest.mark.parametrize("where", ["other_site", "other_port"])
def test_a_page_elsewhere_reads_nothing_and_changes_nothing(
    victim: Page, api: httpx.Client, attacker: Elsewhere, studio_server: StudioServer, run_id: str, where: str
):
    before = everything(api)
    victim.goto(getattr(attacker, where))
    statuses = statuses_of(victim)
    tried = {
        "base": studio_server.url,
        "reads": reads(run_id),
        "changes": [[*change] for change in changes(api, run_id)],
        "patience_ms": PATIENCE_MS,
    }
    seen: dict[str, str] = victim.evaluate(ATTEMPTS, tried)
    assert len(seen) > 80
    assert [name for name, what in seen.items() if what.startswith(("read", "open", "loaded", "ran"))] == []
    assert len(statuses) > 50, "They came to the studio, and were not lost on the way."
    assert set(statuses) <= REFUSED
    assert everything(api) == before


def test_the_same_attempts_succeed_in_a_page_of_the_studio(victim: Page, studio_server: StudioServer, run_id: str):
    """So that their failing elsewhere means something."""
    victim.goto(f"{studio_server.url}/teams")
    tried = {"base": studio_server.url, "reads": ["/api/teams"], "changes": [], "patience_ms": PATIENCE_MS}
    assert victim.evaluate(ATTEMPTS, tried)["fetch /api/teams"].startswith("read 200 ")
    events = {**tried, "reads": [f"/api/runs/{run_id}/stream"]}
    assert victim.evaluate(ATTEMPTS, events)[f"events /api/runs/{run_id}/stream"] != "refused"


@pytest.mark.parametrize("where", ["other_site", "other_port"])
@pytest.mark.parametrize("enctype", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_form_elsewhere_changes_nothing(
    victim: Page, api: httpx.Client, attacker: Elsewhere, studio_server: StudioServer, where: str, enctype: str
):
    before = everything(api)
    for path in ("/api/teams", "/api/galleries", "/api/approvals"):
        victim.goto(getattr(attacker, where))
        with victim.expect_navigation() as navigation:
            victim.evaluate(FORM, [studio_server.url + path, enctype, '{"name": "', '"}'])
        assert navigation.value is not None
        assert navigation.value.status in REFUSED
    assert everything(api) == before


@pytest.mark.parametrize("where", ["other_site", "other_port"])
def test_no_page_shows_in_a_frame(victim: Page, attacker: Elsewhere, studio_server: StudioServer, where: str):
    victim.goto(getattr(attacker, where))
    for path in ("/teams", "/settings", "/login"):
        with victim.expect_response(studio_server.url + path):
            victim.set_content(f'<iframe src="{studio_server.url}{path}"></iframe>')
        victim.wait_for_function("frames.length === 1")
        [frame] = [each for each in victim.frames if each.parent_frame]
        frame.wait_for_load_state()
        assert urlsplit(frame.url).scheme == "chrome-error", path


@pytest.mark.parametrize("where", ["other_site", "other_port"])
def test_a_window_that_they_open_is_out_of_their_reach(
    victim: Page, api: httpx.Client, attacker: Elsewhere, studio_server: StudioServer, where: str
):
    before = everything(api)
    victim.goto(getattr(attacker, where))
    with victim.context.expect_page() as opened:
        victim.evaluate("(url) => { window.theirs = window.open(url) }", f"{studio_server.url}/teams")
    expect(opened.value.get_by_role("heading", name="Teams", exact=True)).to_be_visible()
    assert opened.value.evaluate("window.opener") is None
    assert victim.evaluate("window.theirs.closed") is True  # Cross-Origin-Opener-Policy cut the tie
    assert everything(api) == before


@pytest.mark.parametrize("where", ["other_site", "other_port"])
def test_a_link_from_elsewhere_shows_a_page_and_changes_nothing(
    victim: Page, api: httpx.Client, attacker: Elsewhere, studio_server: StudioServer, where: str
):
    before = everything(api)
    victim.goto(getattr(attacker, where))
    victim.set_content(f'<a href="{studio_server.url}/teams">Look</a>')
    victim.get_by_role("link").click()
    expect(victim.get_by_role("heading", name="Teams", exact=True)).to_be_visible()
    assert everything(api) == before


def test_a_name_that_was_bound_anew_reaches_nothing(
    browser: Browser, api: httpx.Client, studio_server: StudioServer, run_id: str
):
    """Their page was loaded from their server; then their name leads here, on our port, and is of one origin with us.

    What the page may do is for their server to say, so our Content-Security-Policy does not count.
    """
    token = studio_server.entrance.split("token=")[1]
    base = f"http://{REBOUND_NAME}:{urlsplit(studio_server.url).port}"
    before = everything(api)
    context = browser.new_context(bypass_csp=True)
    victim = context.new_page()
    victim.goto(studio_server.entrance)
    victim.goto(f"{base}/theirs")
    statuses = statuses_of(victim)
    tried = {
        "base": base,
        "reads": [*reads(run_id), "/healthz-not", f"/teams?token={token}"],
        "changes": changes(api, run_id),
        "patience_ms": PATIENCE_MS,
    }
    seen: dict[str, str] = victim.evaluate(ATTEMPTS, tried)
    assert len(statuses) > 50
    assert set(statuses) == {421}
    assert seen[f"events /api/runs/{run_id}/stream"] == "refused"
    read = " ".join(seen.values())
    assert "wrong_host" in read
    assert "Greeters" not in read
    for path in ("/teams", f"/teams?token={token}", "/static/css/tokens.css"):
        answer = victim.goto(base + path)
        assert answer is not None
        assert answer.status == 421
    assert context.cookies(base) == []
    context.close()
    assert everything(api) == before
