"""Makes the pictures of the guides for moving from other tools, each by importing a file of that tool.

    python scripts/screenshots_imports.py [FOLDER]

The files are those of the tests of the importers. A canvas of another tool is shown in the builder, everything else
with its report.
"""

from __future__ import annotations

import copy
import io
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from playwright.sync_api import FilePayload, Page, expect, sync_playwright
from screenshots import DOCS, TUTORIAL_PX, JsonObject, builder_is_ready, opened, studio, take_screenshot

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.importers.adk_samples import TEAM
from tests.importers.agent_framework_samples import CLERK, WORKFLOW
from tests.importers.agent_spec_samples import AGENT
from tests.importers.classic_samples import PATTERN
from tests.importers.crewai_samples import AGENTS_YAML, PROJECT, TASKS_YAML
from tests.importers.dify_samples import BRANCH as DIFY
from tests.importers.dify_samples import written
from tests.importers.langflow_samples import BRANCH as LANGFLOW
from tests.importers.letta_samples import ONE
from tests.importers.markdown_samples import LEAD, REVIEWER, TESTER
from tests.importers.n8n_samples import DESK as N8N
from tests.importers.pydantic_ai_samples import CLERK as SPEC
from tests.importers.test_flowise import ROUTED as FLOWISE
from tests.importers.workflows import DESK as AGENT_BUILDER

REPORTS: Mapping[str, Mapping[str, str]] = {
    "adk": TEAM,
    "agent-framework": {"workflow.yaml": WORKFLOW, "clerk.yaml": CLERK},
    "agent-spec": {"weather.yaml": AGENT},
    "autogen-0-2": {"desk.py": PATTERN},
    "crewai": {"crew.py": PROJECT, "agents.yaml": AGENTS_YAML, "tasks.yaml": TASKS_YAML},
    "letta": {"shop.af": ONE},
    "pydantic-ai": {"clerk.yaml": SPEC},
    "markdown-agents": {"lead.md": LEAD, "code-reviewer.md": REVIEWER, "tester.md": TESTER},
}
"""By guide, the files of an import whose report is shown."""


def with_positions(nodes: Sequence[JsonObject], positions: Mapping[str, tuple[int, int]]) -> None:
    """Draw the nodes of a file where these say; n8n keeps lists, the others objects."""
    for node in nodes:
        x, y = positions.get(node["id"], (0, 0))
        node["position"] = [x, y] if isinstance(node["position"], list) else {"x": x, "y": y}


def canvases() -> Mapping[str, Mapping[str, str]]:
    """By guide, the file of an import that is shown in the builder."""
    dify, flowise, langflow, n8n = copy.deepcopy((DIFY, FLOWISE, LANGFLOW, N8N))
    with_positions(dify["workflow"]["graph"]["nodes"], {"1": (0, 160), "a": (420, 0), "b": (420, 320)})
    with_positions(flowise["nodes"], {"agentAgentflow_0": (170, 20), "agentAgentflow_1": (170, 180)})
    with_positions(langflow["data"]["nodes"], {"a": (0, 200), "yes": (620, 0), "if": (620, 320), "no": (620, 640)})
    with_positions(n8n["nodes"], {"Note": (0, -160), "Cook": (0, 0), "Baker": (420, 0)})
    return {
        "dify": {"desk.yml": written(dify)},
        "flowise": {"desk.json": json.dumps(flowise)},
        "langflow": {"desk.json": json.dumps(langflow)},
        "n8n": {"desk.json": json.dumps(n8n)},
        "openai-agent-builder": {"desk.json": json.dumps(AGENT_BUILDER)},
    }


def upload(files: Mapping[str, str]) -> FilePayload:
    """One file as it is, several in a ZIP file."""
    if len(files) == 1:
        [(name, text)] = files.items()
        return {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return {"name": "team.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}


def preview(page: Page, files: Mapping[str, str]) -> None:
    """Show the report of an import."""
    page.goto("/galleries")
    page.get_by_role("button", name="Import", exact=True).click()
    page.locator('input[name="file"]').set_input_files([upload(files)])
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("[data-gallery-preview]")).to_be_visible()


def save(page: Page) -> None:
    """The imported team in the builder."""
    page.get_by_role("button", name="Save as team").click()
    page.wait_for_url(re.compile(r"/teams/[^/]+$"))
    builder_is_ready(page)


def main() -> None:
    """Make the pictures."""
    folder = (Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS) / "how-to" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    browser_path = os.environ.get("STUDIO_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as data_dir, studio(Path(data_dir)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        with opened(browser, address, TUTORIAL_PX, "light") as context:
            page = context.pages[0]
            for guide, files in REPORTS.items():
                preview(page, files)
                take_screenshot(page, folder / f"move-from-{guide}.png", page.locator("[data-gallery-preview]"))
            for guide, files in canvases().items():
                preview(page, files)
                save(page)
                page.get_by_role("button", name="Zoom to fit").click()
                page.mouse.move(0, 0)
                take_screenshot(page, folder / f"move-from-{guide}.png")
        browser.close()


if __name__ == "__main__":
    main()
