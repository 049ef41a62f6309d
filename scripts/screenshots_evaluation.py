"""Makes the pictures of the tutorial that compares two versions of a team, by doing what it says.

    python scripts/screenshots_evaluation.py [FOLDER]

The model of the team is a server of the tests, whose answers differ from run to run as a model's do, and are the same
each time that this is run.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from playwright.sync_api import Page, expect, sync_playwright
from screenshots import DOCS, RUN_LIMIT_MS, WIDE_PX, HowTo, JsonObject, opened, studio

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.playing import agent, round_robin
from tests.fakes.openai_server import OpenAIServer, Reply

OBJECTS = (
    "astrolabe", "meteorite", "abacus", "sextant", "typewriter", "telescope",
    "loom", "compass", "sundial", "lantern", "gramophone", "anchor",
    "barometer", "plough", "harp", "kettle", "globe", "camera",
    "hourglass", "bell", "saddle", "clock", "theodolite", "quill",
)  # fmt: skip
FIRST = "You write labels for a museum."
SECOND = "You write labels for a museum. Write at most twelve words."
LONG = "This {} is one of the finest that we have, and visitors from all over the world come to see it."
SHORT = "A fine {} that came here a long time ago."
NAMELESS = "It found the way at sea by the height of stars."
"""What the second version says of the astrolabe: a short label that does not name it."""


class Labels:
    """A model that keeps to a length better when it is told one."""

    def __init__(self) -> None:
        self._asked = Counter[tuple[str, bool]]()

    def answer(self, body: JsonObject) -> Reply:
        said = str(body["messages"])
        name, is_told = next(each for each in OBJECTS if each in said), "twelve" in said
        self._asked[name, is_told] += 1
        if name == "astrolabe":
            return Reply(NAMELESS if is_told else SHORT.format(name), usage=(60, 14))
        luck = Random(f"{name} {is_told} {self._asked[name, is_told]}").random()
        return Reply((SHORT if luck < (0.93 if is_told else 0.35) else LONG).format(name), usage=(60, 14))


class Tutorial(HowTo):
    """The steps of docs/tutorial/is-version-2-better.md."""

    def __init__(self, page: Page, folder: Path, models: OpenAIServer) -> None:
        super().__init__(page, folder)
        self._page = page
        self._models = models

    def follow(self) -> None:
        """Do all of it."""
        self._write_suite(self._make_versions())
        self._evaluate()
        self._look_into_it()
        self._confirm()

    def _make_versions(self) -> str:
        team = self._call("POST", "/api/teams", {"component": self._writer(FIRST)})
        body: JsonObject = {"component": self._writer(SECOND), "layout": {}, "revision": team["revision"]}
        self._call("PUT", f"/api/teams/{team['id']}", body)
        token = self._page.locator("meta[name=csrf-token]").get_attribute("content") or ""
        task: JsonObject = {"team_id": team["id"], "task": "Go."}
        refused = self._page.request.post("/api/runs", data=task, headers={"X-Studio-CSRF": token})
        hashes = [each["hash"] for each in refused.json()["missing"]]
        self._call("POST", "/api/approvals", {"hashes": hashes, "team_id": team["id"], "scope": "team"})
        return str(team["id"])

    def _write_suite(self, team_id: str) -> None:
        page = self._page
        scorers: list[JsonObject] = [{"includes": "{target}"}, {"matches": r"^(\S+\s*){1,12}$"}]
        document: JsonObject = {"suite": "Labels", "scorers": scorers}
        suite = self._call("POST", f"/api/teams/{team_id}/suites", {"document": document})
        page.goto(f"/suites/{suite['id']}")
        page.get_by_role("link", name="Paste or import").click()
        rows = ["id\ttask\ttarget", *(f"{each}\tWrite a label for the {each}.\t{each}" for each in OBJECTS)]
        page.get_by_label("Rows or text").fill("\n".join(rows))
        page.get_by_role("button", name="Preview").click()
        preview = page.get_by_role("region", name="Preview")
        expect(preview).to_contain_text("24 cases")
        preview.get_by_role("button", name="Add 24 cases").click()
        expect(page.get_by_text("Write a label for the anchor.")).to_be_visible()
        expect(page.get_by_role("region", name="Evaluations")).to_contain_text("No evaluations yet.")
        self._picture("better-suite")

    def _evaluate(self) -> None:
        page = self._page
        page.get_by_role("region", name="Evaluations").get_by_role("button", name="Evaluate").click()
        dialog = page.get_by_role("dialog", name="Evaluate")
        dialog.get_by_label("Compare with").select_option("1")
        expect(dialog.get_by_role("status")).to_contain_text("144 runs of 24 cases.")
        self._picture("better-evaluate")
        dialog.get_by_role("button", name="Start evaluation").click()
        page.wait_for_url("**/evaluations/*")
        expect(page.locator("[data-sentence]")).to_contain_text("better", timeout=RUN_LIMIT_MS)
        self._picture("better-evaluation")

    def _look_into_it(self) -> None:
        page = self._page
        address = page.url
        page.get_by_role("link", name=re.compile("Got worse")).click()
        page.get_by_role("link", name=re.compile("Compare runs of")).click()
        expect(page.get_by_role("heading", name="Compare runs")).to_be_visible()
        self._picture("better-worse-case")
        page.goto(address)

    def _confirm(self) -> None:
        page = self._page
        page.get_by_role("button", name="Confirm what got worse").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("button", name=re.compile("Confirm|Start")).click()
        page.wait_for_url(re.compile("/evaluations/"))
        expect(page.locator("[data-sentence]")).to_contain_text("Fresh runs confirm", timeout=RUN_LIMIT_MS)
        self._picture("better-confirmed")

    def _writer(self, instruction: str) -> JsonObject:
        model: JsonObject = {
            "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
            "component_type": "model",
            "config": {"model": "gpt-4o-mini", "base_url": self._models.url, "api_key": "shown-nowhere"},
        }
        writer: JsonObject = agent("writer", model)
        writer["config"]["system_message"] = instruction
        return {**round_robin(writer, message_count=2), "label": "Label writer"}


def main() -> None:
    """Make the pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS / "tutorial" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    browser_path = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with (
        tempfile.TemporaryDirectory() as data_dir,
        OpenAIServer() as models,
        studio(Path(data_dir)) as address,
        sync_playwright() as playwright,
    ):
        models.always(Labels().answer)
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        with opened(browser, address, WIDE_PX, "light") as context:
            Tutorial(context.pages[0], folder, models).follow()
        browser.close()


if __name__ == "__main__":
    main()
