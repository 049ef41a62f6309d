"""An evaluation stops when it is clear which version is better, if it was asked to."""

from __future__ import annotations

from fastapi.testclient import TestClient

from tests.web.evaluating import added_suite, added_team, cells_of, over, started

CASES = [{"id": f"case {n}", "task": f"Greet {n}.", "target": "morning"} for n in range(40)]


def test_nothing_more_is_run_once_it_is_clear(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning.", "Nothing."), cases=CASES)
    found = over(client, started(client, suite_id, version=2, against=1, repeats=1, stops_when_clear=True), 30)
    assert (found["state"], found["early"]) == ("finished", {"comparison": "worse", "cases": 9})
    assert found["sentence"].startswith("Version 2 is worse than version 1. That was clear after 9 cases of 40,")
    assert found["detail"] == found["sentence"]
    assert (found["difference"], found["versions"][0]["rate"]) == (None, None)
    begun = [each for each in cells_of(client, found["id"]) if each["state"] == "done"]
    assert 18 <= len(begun) <= 80
    assert [each["case"] for each in begun] != [case["id"] for case in CASES for _ in range(2)], "in another order"
    page = client.get(f"/evaluations/{found['id']}").text
    assert "That was clear after 9 cases of 40" in page


def test_what_does_not_get_clear_is_carried_out_to_its_end(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning.", "Good morning!"), cases=CASES[:4])
    found = over(client, started(client, suite_id, version=2, against=1, repeats=2, stops_when_clear=True))
    assert (found["state"], found["early"], found["versions"][0]["passed"]) == ("finished", None, 8)
    assert found["difference"]["comparison"] == "cannot_tell"


def test_one_version_alone_cannot_get_clear(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning."))
    answer = client.post(f"/api/suites/{suite_id}/evaluations", json={"usd": 1, "stops_when_clear": True})
    assert answer.status_code == 422
    assert [each["where"] for each in answer.json()["findings"]] == ["/stops_when_clear"]
