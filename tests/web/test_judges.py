"""Judges: models that check runs of evaluations by criteria, in runs of their own."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from tests.fakes.openai_server import HEADERS, OpenAIServer, Reply
from tests.web.documents import replay_model
from tests.web.evaluating import added_suite, added_team, cells_of, over, started
from tests.web.judging import MET, NOT_MET, is_to_judge, judge_model, reply, speak_and_judge
from tests.web.reusing import pair, saved


def judged_case(name: str, *replies: str, criteria: int = 1, **fields: object) -> JsonObject:
    """A case with a judge of its own, which always begins with the same reply."""
    asks = [f"Criterion {at} of {{id}}." for at in range(1, criteria + 1)]
    scorer: JsonObject = {"judge": {"criteria": [*asks], "model": replay_model(*replies), **fields}}  # pyright: ignore[reportAssignmentType]
    return {"id": name, "task": f"Greet me: {name}.", "scorers": [scorer]}


CASES: dict[str, tuple[JsonObject, str, str]] = {
    "met": (judged_case("met", f"```json\n{reply(MET)}\n```"), "pass", "All criteria are met: “good Morning”"),
    "not": (judged_case("not", reply(MET, NOT_MET), criteria=2), "fail", "No name."),
    "invented": (judged_case("invented", reply(("met", "Good evening", ""))), "unscored", "quotes what was not said"),
    "unquoted": (judged_case("unquoted", reply(("met", " ", ""))), "unscored", "quotes nothing"),
    "unsure": (judged_case("unsure", reply(("cannot tell", "", "Too short."))), "unscored", "cannot tell"),
    "prose": (judged_case("prose", "Well done!"), "unscored", "cannot be read: “Well done!”"),
    "few": (judged_case("few", reply(MET), criteria=2), "unscored", "cannot be read"),
}


def test_a_judge_decides_by_criteria_and_quotes(client: TestClient):
    unwanted = judged_case("unwanted", reply(MET))
    unwanted["scorers"] = [{"not": scorer} for scorer in unwanted["scorers"]]  # pyright: ignore
    cases = {**CASES, "unwanted": (unwanted, "fail", "Not wanted: All criteria are met")}
    team_id = added_team(client, "Good morning.")
    suite_id = added_suite(client, team_id, scorers=[], cases=[case for case, _, _ in cases.values()])
    preview = client.post(f"/api/suites/{suite_id}/evaluations/preview", json={"usd": 1, "repeats": 1}).json()
    assert (preview["judged"], preview["warnings"]) == (8, [])
    evaluation_id = started(client, suite_id, repeats=1)
    found = over(client, evaluation_id, 60)
    assert found["state"] == "finished"
    cells = cells_of(client, evaluation_id)
    for cell in cells:
        _, verdict, reason = cases[cell["case"]]
        assert cell["verdict"] == verdict, cell
        assert reason in cell["scores"][0]["reason"]
    first = cells[0]
    run = client.get(f"/api/runs/{first['scores'][0]['judged_by']}").json()
    assert (run["state"], run["team_name"]) == ("finished", "Judge")
    assert "Criterion 1 of met." in run["task"]
    assert "Good morning." in run["task"]
    assert run["evaluated"] == {
        "evaluation_id": evaluation_id, "suite_name": "greetings", "case_key": "met", "epoch": 1,
        "judged_run_id": first["run_id"],
    }  # fmt: skip
    own = client.get(f"/api/runs/{first['run_id']}").json()["usage"]
    judge = run["usage"]
    assert first["tokens"] == sum(each["prompt_tokens"] + each["completion_tokens"] for each in (own, judge))
    listed = client.get("/api/runs", params={"listing": "evaluation", "limit": 100}).json()
    assert len(listed) == 8 + 8 + 2, "a reply that cannot be read is asked for once more"
    assert client.get("/api/runs").json() == []
    assert client.delete(f"/api/evaluations/{evaluation_id}").status_code == 204
    assert client.get("/api/runs", params={"listing": "evaluation"}).json() == []


def test_a_judge_is_approved_paid_and_reused(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    monkeypatch.setenv("JUDGE_KEY", "key")
    speak_and_judge(openai_server)
    suite_id = saved(client, pair(openai_server.url))
    suite = client.get(f"/api/suites/{suite_id}").json()
    scorers = [{"judge": {"criteria": ["Greets at {target}."], "connection": "Checker"}}]
    changed = {"document": {**suite["document"], "scorers": scorers}, "revision": 1}
    client.put(f"/api/suites/{suite_id}", json=changed).raise_for_status()
    path, plan = f"/api/suites/{suite_id}/evaluations", {"usd": 1, "repeats": 1}
    refused = client.post(path, json=plan).json()
    assert refused["findings"][0]["message"] == "There is no model connection 'Checker' for a judge."
    connection = {"name": "Checker", "component": judge_model(openai_server.url)}
    made = client.post("/api/connections", json=connection)
    assert made.status_code == 201, made.text
    warnings = client.post(f"{path}/preview", json=plan).json()["warnings"]
    assert warnings[0] == (
        "The judge asks gpt-4o, which the team asks, too. Models favor their own answers; choose another one."
    )
    assert warnings[1].startswith("The scorers are not approved yet: Sends the secret env:JUDGE_KEY")
    refused = client.post(path, json=plan)
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "not_approved")
    assert client.post(f"{path}/preview", json=plan).json()["usd_judges"] is None
    missing, component = refused.json()["missing"], refused.json()["component"]
    body = {"hashes": [each["hash"] for each in missing], "component": component}
    approved = client.post("/api/approvals", json=body)
    assert approved.status_code == 201, approved.text
    found = over(client, started(client, suite_id, repeats=1))
    assert (found["versions"][0]["passed"], openai_server.request_count) == (2, 6)
    assert found["tokens"] == 6 * 110
    likely = client.post(f"{path}/preview", json=plan).json()
    assert likely["usd_likely"] == pytest.approx(found["usd"] * 4 / 6), "the calls of judges are no runs of the team"
    assert likely["usd_judges"] == pytest.approx(found["usd"] * 2 / 6)
    again = over(client, started(client, suite_id, repeats=1, reuse_days=7))
    assert (again["versions"][0]["passed"], openai_server.request_count) == (2, 6), "all is reused"
    assert again["tokens"] == 0
    stopped = over(client, started(client, suite_id, repeats=1, usd=None, tokens=250, at_once=1))
    assert (stopped["state"], stopped["detail"]) == ("stopped", "The spending limit is used up.")
    (cell,) = [each for each in cells_of(client, stopped["id"]) if each["state"] == "done"]
    assert (cell["verdict"], "spending limit" in cell["detail"]) == ("unscored", True)
    assert stopped["tokens"] <= 250


def test_a_judge_that_does_not_answer_is_canceled_with_its_evaluation(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    openai_server.always(lambda body: Reply("Well.", hold=HEADERS if is_to_judge(body) else None))
    model: Any = pair(openai_server.url)
    model = model["config"]["participants"][0]["config"]["model_client"]
    suite_id = saved(client, pair(openai_server.url))
    suite = client.get(f"/api/suites/{suite_id}").json()
    scorers = [{"judge": {"criteria": ["Greets."], "model": model}}]
    changed = {"document": {**suite["document"], "scorers": scorers}, "revision": 1}
    client.put(f"/api/suites/{suite_id}", json=changed).raise_for_status()
    evaluation_id = started(client, suite_id, repeats=1, at_once=1)
    while openai_server.request_count < 3:
        time.sleep(0.02)
    client.post(f"/api/evaluations/{evaluation_id}/cancel").raise_for_status()
    found = over(client, evaluation_id)
    assert found["state"] == "canceled"
    cell = cells_of(client, evaluation_id)[0]
    assert cell["verdict"] == "unscored"
    assert cell["detail"].startswith("The judge gave no verdict")
    judge = client.get(f"/api/runs/{cell['scores'][0]['judged_by']}").json()
    assert judge["state"] == "cancelled"


def test_a_judge_is_held_against_what_people_say(client: TestClient):
    polite: JsonObject = {"judge": {"criteria": ["Greets."], "model": replay_model(reply(MET))}}
    suite_id = added_suite(client, added_team(client, "Good morning."), scorers=[{"includes": "{target}"}, polite])
    evaluation_id = started(client, suite_id, repeats=3)
    over(client, evaluation_id)
    path = f"/evaluations/{evaluation_id}"
    assert "data-agreement" not in client.get(path).text
    for position, verdict in enumerate(("pass", "fail", "pass", "fail", "skip", "pass"), 1):
        body = {"position": position, "verdict": verdict, "note": "Not late." if verdict == "fail" else ""}
        client.post(f"/api{path}/labels", json=body).raise_for_status()
    client.post(f"/api{path}/labels", json={"position": 6, "verdict": "fail"}).raise_for_status()
    found = client.get(f"/api{path}/labels").json()
    together, judge = found["agreements"]
    assert (together["scorer"], together["share"]["mean"]) == ("All scorers together", 1)
    assert judge["scorer"] == "A judge finds: “Greets.”"
    assert (judge["both_pass"], judge["too_kind"], judge["disagreements"]) == (2, 3, [2, 4, 6])
    assert (judge["of_passes"]["mean"], judge["of_fails"]["mean"], judge["unscored"]) == (1, 0, 0)
    assert judge["sentence"] == (
        "Agrees with people on 40 % (6–87) of 5 runs. Passes 100 % (21–100) of 2 that people pass. "
        "Fails 0 % (0–79) of 3 that people fail."
    )
    page = client.get(path).text
    assert judge["sentence"] in page
    assert found["advice"] in page
    assert f'href="{path}/labels?cell=2"' in page
    assert "“Not late.”" in page
