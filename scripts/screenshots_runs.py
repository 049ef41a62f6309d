"""Makes the pictures of the guides that find out what is wrong with a team, by doing what these say.

    python scripts/screenshots_runs.py [FOLDER]

The models of the teams are a server of the tests, so that each picture tells the same story every time.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright
from screenshots import DOCS, RUN_LIMIT_MS, WIDE_PX, HowTo, JsonObject, opened, studio

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.playing import agent, expect_end, give_task, round_robin
from tests.fakes.openai_server import OpenAIServer, Reply

FAULT = "My router restarts every evening since the update. What can I do?"
HELP = {
    "billing": "I can see your invoices, but I know nothing about routers.",
    "technician": "Please go back to firmware 7.1: the update of Monday has this fault. DONE",
}
ALIKE = "Answers questions of customers"
CLEAR = {
    "billing": "Answers questions about invoices and payments only",
    "technician": "Answers questions about routers, lines and outages",
}
LINE = "The stone that came through the roof: 3.2 kg of iron, older than the Earth."
REVIEW = ("Say how heavy it is.", "Name its age.", "I approve of this label.")
LONG_TASK = "Write a guide to the meteorites of the museum, one room at a time."
ROOMS = "Room {}: iron from the sky, found by farmers, kept by their children, and given to the museum in a tin box."


def openai(model: str, url: str) -> JsonObject:
    return {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "component_type": "model",
        "config": {"model": model, "base_url": url, "api_key": "shown-nowhere"},
    }


def condition(name: str, **config: Any) -> JsonObject:
    provider = f"autogen_agentchat.conditions.{name}"
    return {"provider": provider, "component_type": "termination", "config": config}


def either(*conditions: JsonObject) -> JsonObject:
    return {
        "provider": "autogen_agentchat.base.OrTerminationCondition",
        "component_type": "termination",
        "config": {"conditions": list(conditions)},
    }


class Troubles(HowTo):
    """Teams with something wrong, and how it is found."""

    def __init__(self, page: Page, folder: Path, models: OpenAIServer) -> None:
        super().__init__(page, folder)
        self._page = page
        self._models = models

    def take_all(self) -> None:
        self._wrong_speaker()
        self._never_stops()
        self._costly()
        self._test()

    def _wrong_speaker(self) -> None:
        page = self._page
        self._models.always(_help_desk)
        team_id = self._made(self._desk(dict.fromkeys(HELP, ALIKE)))
        before = self._run(team_id, FAULT)
        page.get_by_role("button", name="Why billing spoke").click()
        page.get_by_text("What the model was asked").first.click()
        self._picture("wrong-speaker-why")
        team = self._call("GET", f"/api/teams/{team_id}")
        body = {"component": self._desk(CLEAR), "layout": team["layout"], "revision": team["revision"]}
        self._call("PUT", f"/api/teams/{team_id}", body)
        after = self._run(team_id, FAULT)
        page.goto(f"/runs/{before}/compare/{after}")
        expect(page.locator(".compare-divergence")).to_contain_text("First difference")
        self._picture("wrong-speaker-compare")
        page.goto(f"/runs/{after}")
        page.locator("article").filter(has_text="firmware").first.click()
        page.get_by_role("tab", name="Prompt").click()
        expect(page.get_by_role("tabpanel", name="Prompt")).to_contain_text("My router")
        self._picture("exact-prompt")
        page.keyboard.press("f")
        expect(page.get_by_role("dialog")).to_contain_text("What to change")
        self._picture("fork-run")
        page.goto(f"/runs/{after}/share")
        self._picture("share-run")

    def _never_stops(self) -> None:
        page = self._page
        self._models.always(_label)
        ends = either(
            condition("TextMentionTermination", text="APPROVED"), condition("MaxMessageTermination", max_messages=40)
        )
        pair = [agent(name, openai("gpt-4o-mini", self._models.url)) for name in ("writer", "critic")]
        document: JsonObject = round_robin(*pair, message_count=40)
        config = {**document["config"], "termination_condition": ends}
        team_id = self._made({**document, "label": "Label writers", "config": config})
        place = {"id": "1", "on": "text", "text": "approve", "name": "critic"}
        self._call("PUT", f"/api/teams/{team_id}/breakpoints", {"breakpoints": [place]})
        give_task(page, f"/teams/{team_id}/play", "Write a museum label for a meteorite.")
        expect(page.locator("[data-part=state]")).to_have_text("Paused at a breakpoint", timeout=RUN_LIMIT_MS)
        page.get_by_role("tab", name="Debug").click()
        self._picture("never-stops")

    def _costly(self) -> None:
        page = self._page
        self._models.always(_guide)
        researcher = agent("researcher", openai("gpt-4o", self._models.url))
        editor = agent("editor", openai("gpt-4o-mini", self._models.url))
        team_id = self._made({**round_robin(researcher, editor, message_count=9), "label": "Museum guide"})
        self._run(team_id, LONG_TASK)
        page.get_by_role("tab", name="Cost").click()
        expect(page.get_by_role("table", name="Agents")).to_contain_text("researcher")
        self._picture("costly-team")
        self._call("PUT", f"/api/teams/{team_id}/budget", {"run": {"micro_usd": 150_000}})
        give_task(page, f"/teams/{team_id}/play", LONG_TASK)
        expect(page.locator("[data-part=state]")).to_have_text("Paused at the budget limit", timeout=RUN_LIMIT_MS)
        page.get_by_role("tab", name="Cost").click()
        expect(page.get_by_role("table", name="Agents")).to_contain_text("researcher")
        self._picture("costly-team-budget")

    def _test(self) -> None:
        page = self._page
        self._models.always(_help_desk)
        self._run(self._made(self._desk(CLEAR)), FAULT)
        page.get_by_role("button", name="More for this run").click()
        page.get_by_role("menuitem", name="Save as test").hover()
        self._picture("make-test")

    def _desk(self, descriptions: dict[str, str]) -> JsonObject:
        members: list[JsonObject] = []
        for name, description in descriptions.items():
            member: JsonObject = agent(name, openai(name, self._models.url))
            members.append({**member, "config": {**member["config"], "description": description}})
        config: JsonObject = {
            "participants": members,
            "model_client": openai("gpt-4o-mini", self._models.url),
            "termination_condition": either(
                condition("TextMentionTermination", text="DONE"), condition("MaxMessageTermination", max_messages=4)
            ),
        }
        provider = "autogen_agentchat.teams.SelectorGroupChat"
        return {"provider": provider, "component_type": "team", "label": "Customer desk", "config": config}

    def _made(self, component: JsonObject) -> str:
        return str(self._call("POST", "/api/teams", {"component": component})["id"])

    def _run(self, team_id: str, task: str) -> str:
        give_task(self._page, f"/teams/{team_id}/play", task)
        expect_end(self._page, "Finished")
        return str(self._page.url.rsplit("/", 1)[1])


def _help_desk(body: JsonObject) -> Reply | str:
    """The selector takes the first who can answer questions; agents say what they know."""
    if (said := HELP.get(body["model"])) is not None:
        return Reply(said, usage=(140, 30))
    asked = json.dumps(body["messages"])
    is_clear = "routers, lines" in asked
    return Reply("technician" if is_clear or HELP["billing"] in asked else "billing", usage=(180, 2))


def _label(body: JsonObject) -> Reply:
    count = sum(LINE in str(message.get("content")) for message in body["messages"])
    is_critic = str(body["messages"][-1].get("content")).endswith(LINE)
    return Reply(REVIEW[min(count, len(REVIEW)) - 1] if is_critic else LINE, usage=(90 + 40 * count, 20))


def _guide(body: JsonObject) -> Reply:
    """Everybody hears everything: what is asked grows with each message."""
    count = len(body["messages"])
    if body["model"] == "gpt-4o":
        return Reply(ROOMS.format(count // 2 + 1), usage=(2_500 + 2_000 * count, 500))
    return Reply("Good. On to the next room.", usage=(1_200 + 900 * count, 12))


def main() -> None:
    """Make the pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "how-to" / "images"
    browser_path = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as data_dir,
        OpenAIServer() as models,
        studio(Path(data_dir)) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        with opened(browser, address, WIDE_PX, "light") as context:
            Troubles(context.pages[0], folder, models).take_all()
        browser.close()


if __name__ == "__main__":
    main()
