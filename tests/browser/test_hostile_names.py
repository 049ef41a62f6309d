"""A name is shown as text, wherever it is shown and whatever it is of."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from studio.components import JsonObject
from tests.browser.conftest import OpenPage, StudioServer
from tests.web.documents import ASK, SOURCE, assistant, function_tool, gallery, replay_model, team

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(120)]

EVIL = "'\"><x-evil tabindex=0>"
"""Makes an element where a name is taken for HTML, in an attribute too; short enough to be a tag."""
LONG = f"{EVIL}</script></textarea></style>{{{{7*7}}}}<svg><x-evil>]]>&lt;x-evil&gt;"


@pytest.fixture(scope="module")
def named(studio_server: StudioServer) -> dict[str, str]:
    """One of everything, named so; the ids of what was made."""
    token = studio_server.entrance.split("token=")[1]
    with httpx.Client(base_url=studio_server.url, headers={"Authorization": f"Bearer {token}"}) as api:
        return furnished(api)


def furnished(api: httpx.Client) -> dict[str, str]:
    agent = assistant("writer")
    model = replay_model("x")
    call: JsonObject = {"id": EVIL, "name": "shout", "arguments": json.dumps({"text": LONG})}
    usage: JsonObject = {"prompt_tokens": 1, "completion_tokens": 1}
    answer: JsonObject = {"finish_reason": "function_calls", "content": [call], "usage": usage, "cached": False}
    put(model, "chat_completions", [answer])
    for name, value in {"model_client": model, "tools": [function_tool(SOURCE)], "description": LONG}.items():
        put(agent, name, value)
    shown = {"label": LONG, "description": LONG}
    component = {**team({**agent, **shown}, max_messages=2), **shown}
    layout = {
        "notes": {"n": {"team": "", "text": LONG, "x": 40, "y": 700}},
        "groups": {"g": {"name": EVIL, "members": ["participants/writer"]}},
    }
    made = done(api.post("/api/teams", json={"component": component, "layout": layout, "name": LONG}))
    done(api.put(f"/api/teams/{made['id']}/examples", json={"examples": [f"{LONG} {{{{{EVIL}}}}}"]}))
    done(api.put(f"/api/teams/{made['id']}/policy", json=ASK))
    waits = started(api, made["id"])
    ended = started(
        api, done(api.post("/api/teams", json={"component": team(agent, label=LONG, max_messages=2)}))["id"]
    )
    for run in (waits, ended):
        api.patch(f"/api/runs/{run}", json={"title": LONG}).raise_for_status()
    tags = {"add_tags": [EVIL]}
    done(api.post("/api/teams/bulk", json={"ids": [made["id"]], **tags}))
    done(api.post("/api/runs/bulk", json={"ids": [waits, ended], **tags}))
    trashed = done(api.post("/api/teams", json={"component": component, "name": LONG}))["id"]
    done(api.post("/api/teams/bulk", json={"ids": [trashed], "listing": "trashed"}))
    text = json.dumps({**gallery(EVIL, teams=[component], tools=[function_tool(SOURCE, "shout")]), "metadata": about()})
    brought = done(api.post("/api/galleries", json={"text": text}))["id"]
    connection = {"name": LONG[:80], "service": "openai", "model": EVIL, "key": "env:A_KEY"}
    kept = done(api.post("/api/connections", json=connection))["id"]
    done(api.post("/api/deployments", json={"team_id": made["id"], "name": "evil", "key_label": LONG[:100]}))
    done(api.post("/api/deployments/evil/releases", json={"note": LONG}))
    return {"team": made["id"], "waits": waits, "ended": ended, "gallery": brought, "connection": kept}


def about() -> JsonObject:
    texts = ("author", "version", "description", "license", "homepage", "category", "last_synced")
    return {**dict.fromkeys(texts, LONG), "tags": [EVIL], "url": f"javascript:'{EVIL}'", "source": LONG}


def put(component: JsonObject, name: str, value: Any) -> None:
    config = component["config"]
    assert isinstance(config, dict)
    config[name] = value


def done(answer: httpx.Response) -> Any:
    assert answer.is_success, f"{answer.request.method} {answer.request.url}: {answer.text}"
    return answer.json()


def started(api: httpx.Client, team_id: str) -> str:
    body = {"team_id": team_id, "task": LONG}
    if missing := api.post("/api/runs", json=body).json().get("missing"):
        api.post("/api/approvals", json={"hashes": [item["hash"] for item in missing]}).raise_for_status()
    run_id = str(done(api.post("/api/runs", json=body))["id"])
    with api.stream("GET", f"/api/runs/{run_id}/stream") as answer:
        next(line for line in answer.iter_lines() if '"paused"' in line or '"finished"' in line)
    return run_id


def opened(named: dict[str, str]) -> Sequence[str]:
    team_, waits, ended = named["team"], named["waits"], named["ended"]
    lists = (
        "/teams",
        "/teams?listing=archived",
        "/runs",
        "/galleries",
        "/costs",
        "/costs/charts",
        "/inbox",
        "/trash",
        "/deployments",
    )
    more = ("/settings", "/settings/models", "/settings/health", "/settings/approvals", "/account", "/users", "/audit")
    asked = [f"/{kind}?{name}={EVIL}" for kind in ("teams", "runs") for name in ("search", "tag", "text", "q")]
    runs = [f"/runs/{ended}", f"/runs/{waits}", f"/runs/{ended}/share", f"/runs/{ended}/compare/{waits}"]
    of_team = [f"/teams/{team_}", f"/teams/{team_}/play", f"/teams/{team_}/review"]
    of_gallery = [f"/galleries/{named['gallery']}", f"/galleries/{named['gallery']}/review"]
    of_deployment = [
        f"/deployments/evil{tab}" for tab in ("", "/calls", "/releases", "/releases/2", "/keys", "/settings")
    ]
    return [
        *lists,
        *more,
        *asked,
        *runs,
        *of_deployment,
        f"/runs/{ended}/beside/{waits}",
        *of_team,
        *of_gallery,
        f"/help?q={EVIL}",
    ]


def hold(page: Page, where: str) -> None:
    """Nothing became an element, and no link leads to a script."""
    assert page.locator("x-evil").count() == 0, where
    assert page.locator("a[href^='javascript:' i], [onfocus]").count() == 0, where


def test_no_page_takes_a_name_for_markup(open_page: OpenPage, api: httpx.Client, named: dict[str, str]) -> None:
    page, shown = open_page(), 0
    for path in opened(named):
        page.goto(str(api.base_url).rstrip("/") + path)
        shown += "x-evil" in page.locator("body").inner_text()
        for button in all_of(page, "[popovertarget]:not([disabled])")[:4]:
            if button.is_visible():
                button.click()
                hold(page, f"{path}: a menu")
                page.keyboard.press("Escape")
        hold(page, path)
    assert shown > 20, "the names are shown on most pages"


def all_of(page: Page, selector: str) -> list[Locator]:
    return page.locator(selector).all()


PLACES: dict[str, Callable[[Page], None]] = {
    "the palette": lambda page: (page.keyboard.press("Control+k"), page.keyboard.type("x-evil"))[0],
    "a card": lambda page: page.locator(".node[data-card]").first.click(),
    "versions": lambda page: page.locator("[data-versions]:visible").click(),
    "the checklist": lambda page: page.locator("[data-checklist]").click(),
}


@pytest.mark.parametrize("place", PLACES)
def test_nothing_in_the_builder_takes_a_name_for_markup(
    open_page: OpenPage, api: httpx.Client, named: dict[str, str], place: str
) -> None:
    page = open_page()
    page.goto(f"{str(api.base_url).rstrip('/')}/teams/{named['team']}")
    expect(page.locator(".node[data-card]").first).to_be_visible()
    PLACES[place](page)
    expect(page.get_by_text("x-evil").first).to_be_attached()
    page.wait_for_load_state("networkidle")
    hold(page, place)


def test_what_is_downloaded_takes_no_name_for_markup_or_a_header(
    open_page: OpenPage, api: httpx.Client, named: dict[str, str], tmp_path: Any
) -> None:
    page = open_page()
    saved = api.get(f"/api/runs/{named['ended']}/bundle")
    file = tmp_path / "run.html"
    file.write_text(saved.text)
    page.goto(file.as_uri())
    expect(page.get_by_text("x-evil").first).to_be_attached()
    hold(page, "a saved run")
    assert "x-evil>" not in saved.headers["Content-Disposition"]
