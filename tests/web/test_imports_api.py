"""Teams of other tools through the API and the preview of the Galleries page."""

from __future__ import annotations

import io
import json
import zipfile

from fastapi.testclient import TestClient

from tests.importers.agent_spec_samples import AGENT
from tests.importers.crewai_samples import AGENTS_YAML, PROJECT, TASKS_YAML
from tests.importers.langflow_samples import BRANCH as LANGFLOW
from tests.importers.markdown_samples import REVIEWER
from tests.importers.samples import HANDOFFS, ROUTER
from tests.importers.workflows import DESK
from tests.web.documents import gallery, team


def test_a_preview_reports_every_part_and_stores_nothing(client: TestClient):
    before = client.get("/api/teams").json()
    found = client.post("/api/imports/preview", json={"text": ROUTER}).json()
    assert (found["source"], found["name"]) == ("agent-builder", "Kitchen desk")
    assert found["counts"] == {"exact": 5, "approximated": 0, "dropped": 0, "asked": 0}
    assert sum(found["counts"].values()) == len(found["findings"])
    assert client.get("/api/teams").json() == before


def test_what_is_imported_is_what_was_previewed_and_opens_as_a_team(client: TestClient):
    files = {"file": ("desk.json", json.dumps(DESK))}
    previewed = client.post("/api/imports/preview", files=files).json()
    assert client.post("/api/imports", json={"text": ROUTER, "digest": previewed["digest"]}).status_code == 409
    added = client.post("/api/imports", files=files, data={"digest": previewed["digest"]})
    assert added.status_code == 201
    saved = client.get(f"/api/teams/{added.json()['id']}").json()
    assert (saved["name"], saved["component"]) == ("Desk", previewed["team"])


def test_a_note_on_the_canvas_holds_the_report_until_it_is_removed(client: TestClient):
    added = client.post("/api/imports", files={"file": ("a.py", HANDOFFS)}).json()
    note = client.get(f"/api/teams/{added['id']}").json()["layout"]["notes"]["import"]
    assert note["text"].startswith("Imported from the OpenAI Agents SDK.\n\nApproximated: Handoffs.")
    exact = client.post("/api/imports", json={"text": ROUTER}).json()
    assert client.get(f"/api/teams/{exact['id']}").json()["layout"] == {}


def test_findings_are_kept_by_their_parts_beside_the_team(client: TestClient):
    for name, content in {"desk.json": json.dumps(DESK), "reviewer.md": REVIEWER, "a.py": HANDOFFS}.items():
        added = client.post("/api/imports", files={"file": (name, content)}).json()
        team = client.get(f"/api/teams/{added['id']}").json()
        by_part = team["layout"]["imported"]
        kept = [each["what"] for findings in by_part.values() for each in findings]
        assert sorted(kept) == sorted(each["what"] for each in added["findings"] if each["verdict"] != "exact")
        assert client.get(f"/api/teams/{added['id']}/json").json() == team["component"] == added["team"]
    desk = client.post("/api/teams", json={"text": json.dumps(DESK)}).json()["layout"]["imported"]
    assert desk["/participants/approval"][0]["what"] == "Approval “Ask”"
    lonely = {"verdict": "dropped", "what": "Node “Lonely”", "place": "pasted.json/nodes/8", "fix": ""}
    assert desk[""] == [{**lonely, "why": "Nothing leads to it from the start, so it never ran."}]


def test_a_finding_within_an_agent_is_kept_with_the_innermost_part(client: TestClient):
    server = (
        f"    crm: {{ type: http, url: https://crm.example/mcp, headers: {{ Authorization: Bearer sk-{'a1B2' * 8} }} }}"
    )
    text = f"---\nname: clerk\ndescription: Sells.\nmcp-servers:\n{server}\n---\nSell.\n"
    added = client.post("/api/imports", files={"file": ("clerk.agent.md", text)}).json()
    by_part = client.get(f"/api/teams/{added['id']}").json()["layout"]["imported"]
    (place,) = [place for place, findings in by_part.items() if "Key" in [each["what"] for each in findings]]
    assert place == "/participants/clerk/workbench/0"


def test_the_import_of_a_team_takes_a_workflow_too(client: TestClient):
    saved = client.post("/api/teams", json={"text": json.dumps(DESK)}).json()
    assert saved["name"] == "Desk"
    assert saved["layout"]["notes"]["import"]["text"].startswith("Imported from OpenAI Agent Builder (JSON).")
    assert client.post("/api/teams", json={"text": "from os import path"}).status_code == 422


def test_the_page_shows_a_report_for_a_workflow_and_components_for_a_gallery(client: TestClient):
    report = client.post("/fragments/galleries/preview", json={"text": json.dumps(DESK)}).text
    assert "data-save-team" in report
    assert "Left out: 1" in report
    assert "From OpenAI Agent Builder (JSON). Graph, 7 participants." in report
    shelf = client.post("/fragments/galleries/preview", json={"text": json.dumps(gallery(teams=[team()]))}).text
    assert "data-add-gallery" in shelf


def test_a_gallery_that_only_mentions_what_another_tool_writes_is_a_gallery(client: TestClient):
    text = json.dumps(gallery("userproxy", teams=[team()]))
    assert "data-add-gallery" in client.post("/fragments/galleries/preview", json={"text": text}).text
    assert client.post("/api/teams", json={"text": json.dumps({**team(), "label": "userproxy"})}).status_code == 201


def test_names_of_a_file_are_text_on_the_page(client: TestClient):
    code = ROUTER.replace('name="Cook"', 'name="<img src=x onerror=alert(1)>"')
    page = client.post("/fragments/galleries/preview", json={"text": code}).text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def test_what_is_of_no_tool_is_refused_with_what_to_do(client: TestClient):
    for name, text in (("a.ts", 'import { Agent } from "@openai/agents";'), ("a.py", "print()"), ("a.zip", "PK")):
        answer = client.post("/fragments/galleries/preview", files={"file": (name, text)})
        assert answer.status_code == 422, answer.text
        assert answer.json()["error"]["fix"]


def test_agents_in_markdown_and_agent_spec_come_in_as_pasted_text_and_as_files(client: TestClient):
    saved = client.post("/api/teams", json={"text": REVIEWER}).json()
    assert saved["name"] == "code-reviewer"
    assert saved["layout"]["notes"]["import"]["text"].startswith("Imported from agents in Markdown.")
    saved = client.post("/api/teams", json={"text": AGENT}).json()
    assert saved["layout"]["notes"]["import"]["text"].startswith("Imported from Agent Spec.")
    found = client.post("/api/imports/preview", files={"file": ("reviewer.md", REVIEWER)}).json()
    assert (found["source"], found["name"]) == ("markdown", "code-reviewer")
    refused = client.post("/api/imports/preview", json={"text": "component_type: OciAgent\nname: A\n"})
    assert refused.status_code == 400
    assert "type OciAgent" in refused.text


def test_a_flow_of_langflow_comes_in_with_its_layout(client: TestClient):
    saved = client.post("/api/teams", json={"text": json.dumps(LANGFLOW)}).json()
    assert saved["layout"]["pins"]["Judge"] == {"x": 0, "y": 0}
    assert saved["layout"]["notes"]["import"]["text"].startswith("Imported from Langflow.")
    found = client.post("/api/imports/preview", files={"file": ("desk.json", json.dumps(LANGFLOW))}).json()
    assert (found["source"], found["name"]) == ("langflow", "Desk")


def test_a_crew_comes_in_as_pasted_yaml_and_as_a_folder_in_a_zip_file(client: TestClient):
    saved = client.post("/api/teams", json={"text": AGENTS_YAML}).json()
    assert saved["layout"]["notes"]["import"]["text"].startswith("Imported from CrewAI.")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in (("crew.py", PROJECT), ("agents.yaml", AGENTS_YAML), ("tasks.yaml", TASKS_YAML)):
            archive.writestr(f"news/{name}", text)
    found = client.post("/api/imports/preview", files={"file": ("news.zip", packed.getvalue())}).json()
    assert (found["source"], found["name"]) == ("crewai", "NewsCrew")
    refused = client.post("/api/imports/preview", json={"text": "a: &a [*a]\nb:\n  role: R\n  goal: G\n"})
    assert refused.status_code == 400
    assert "contains itself" in refused.text
