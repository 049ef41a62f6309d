"""What the pages of deployments tell."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from tests.web.documents import assistant, shouting, team
from tests.web.evaluating import added_suite, over, started
from tests.web.page_text import text_of
from tests.web.publishing import Published, publish


@pytest.fixture
def published(client: TestClient) -> Published:
    return publish(client)


def words(published: Published, path: str = "") -> str:
    page = published.owner.get(f"/deployments/{published.name}{path}")
    assert page.status_code == 200, path
    return text_of(page.text)


def test_the_list_tells_what_was_called_today(published: Published):
    published.call()
    other = publish(published.owner, name="quiet")
    other.owner.patch("/api/deployments/quiet", json={"is_on": False})
    rows = text_of(published.owner.get("/deployments").text)
    assert "quiet Team of quiet Off 1 0 0 0 $0.00 support Team of support On 1 1 0 0 $0.00" in rows


def test_calls_are_a_page_each_a_link_to_its_run(published: Published):
    call = published.call()
    page = published.owner.get("/deployments/support/calls").text
    assert f'href="/runs/{call["id"]}"' in page
    assert "Say hello. Finished shop REST 1" in text_of(page)
    rows = published.owner.get("/fragments/deployments/support/calls").text
    assert f'href="/runs/{call["id"]}"' in rows
    published.owner.delete(f"/api/runs/{call['id']}")
    published.owner.delete("/api/trash")
    assert "Run deleted" in words(published, "/calls")


def test_older_calls_are_behind_the_one_that_a_page_ends_with(published: Published, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("studio.web.pages.deployments.PAGE", 2)
    calls = [published.call(task=f"Task {number}.")["id"] for number in range(3)]
    first = published.owner.get("/deployments/support/calls").text
    assert [each in first for each in calls] == [False, True, True]
    older = f"/deployments/support/calls?before={calls[1]}"
    assert older in first
    assert [each in published.owner.get(older).text for each in calls] == [True, False, False]
    foreign = publish(published.owner, name="other").call()["id"]
    assert calls[0] not in published.owner.get(f"/deployments/support/calls?before={foreign}").text


def test_usage_is_told_by_day_key_release_and_protocol(published: Published):
    published.call()
    published.another_caller("till").post("/d/support/calls", params={"wait_s": 20}, json={"task": "Go."})
    assert "shop 1 0 6 $0.00" in words(published, "/usage?by=key")
    assert "till 1 0 5 $0.00" in words(published, "/usage?by=key")
    assert "Release 1 2 0 11 $0.00" in words(published, "/usage?by=release")
    assert "REST 2 0 11 $0.00" in words(published, "/usage?by=protocol")
    assert "2 0 11 $0.00" in words(published, "/usage")
    assert published.owner.get("/deployments/support/usage?by=moon").status_code == 422


def test_a_release_is_compared_to_the_live_one(published: Published):
    made = published.owner.get(f"/api/teams/{published.team_id}").json()
    changed = team(assistant("writer", "Another."), assistant("critic"), max_messages=2)
    body = {"component": changed, "layout": {}, "revision": made["revision"]}
    published.owner.put(f"/api/teams/{published.team_id}", json=body).raise_for_status()
    published.owner.post("/api/deployments/support/releases", json={"note": "With a critic"}).raise_for_status()
    told = words(published, "/releases/2")
    assert "Compared to live release 1" in told
    assert "critic" in told
    assert published.owner.get("/deployments/support/releases/9").status_code == 404
    assert published.owner.get("/deployments/support/releases/0").status_code == 404


def test_a_release_shows_the_last_evaluation_of_its_version(published: Published):
    owner = published.owner
    assert "Last evaluation" in words(published, "/releases")
    suite_id = added_suite(owner, published.team_id, scorers=["no_errors"])
    evaluation_id = started(owner, suite_id, repeats=1)
    over(owner, evaluation_id, 60)
    assert "greetings Version 1 passes 100 % (34–100)." in words(published, "/releases")
    assert f'href="/evaluations/{evaluation_id}"' in owner.get("/deployments/support/releases").text


def test_what_was_live_before_is_one_step_away(published: Published):
    owner = published.owner
    assert "Roll back" not in words(published, "/releases")
    for _ in range(2):
        owner.post("/api/deployments/support/releases", json={}).raise_for_status()
    owner.put("/api/deployments/support/live", json={"number": 3}).raise_for_status()
    assert "Roll back to release 1" in words(published, "/releases")
    owner.put("/api/deployments/support/live", json={"number": 1}).raise_for_status()
    assert "Return to release 3" in words(published, "/releases")


def test_keys_are_told_apart_by_what_they_end_with(published: Published):
    made = published.owner.post("/api/deployments/support/keys", json={"label": "till", "days": 2}).json()
    told = words(published, "/keys")
    assert f"till …{made['key'][-4:]}" in told
    assert made["key"] not in told
    published.owner.delete(f"/api/deployments/support/keys/{made['id']}")
    assert "Expired and revoked keys" in words(published, "/keys")


def test_a_page_makes_calls_with_a_key_of_its_own(published: Published):
    made = published.owner.post("/api/deployments/support/tokens").json()
    assert made["expires_at"]
    assert "Try it (owner)" in words(published, "/keys")


def test_the_dialog_offers_a_free_name_and_what_is_published_already(client: TestClient):
    silent = publish(client, name="silent")
    page = client.get(f"/fragments/teams/{silent.team_id}/publish").text
    assert 'value="team-of-silent"' in page
    assert 'href="/deployments/silent"' in page
    assert "data-empty-answer" not in page
    assert client.get("/fragments/teams/nobody/publish").status_code == 404


def test_the_dialog_names_agents_whose_turns_end_with_a_tool(client: TestClient):
    made = client.post("/api/teams", json={"component": shouting()}).json()
    page = client.get(f"/fragments/teams/{made['id']}/publish").text
    assert 'data-agents="[&#34;writer&#34;]"' in page


def test_schedules_are_told_in_words_with_their_next_times(published: Published):
    assert "No schedules yet" in words(published, "/schedules")
    body = {"cron": "0 8 1 1 *", "zone": "Europe/Berlin", "task": "<b>Say hello.</b>"}
    made = published.owner.post("/api/deployments/support/schedules", json=body).json()
    told = words(published, "/schedules")
    assert "<b>Say hello.</b>" in told
    assert "On day 1 of January at 08:00 0 8 1 1 * Europe/Berlin" in told
    assert "1 Jan 2" in told
    published.owner.patch(f"/api/deployments/support/schedules/{made['id']}", json={"is_on": False})
    assert "Paused" in words(published, "/schedules")


def test_times_are_shown_while_a_schedule_is_written(published: Published):
    asked = {"cron": "0 8 * * 1-5", "zone": "Europe/Berlin"}
    shown = published.owner.get("/fragments/schedule-times", params=asked).text
    assert "<strong>Every weekday at 08:00</strong>, Europe/Berlin. Next:" in shown
    assert shown.count("<time") == 5
    for wrong, where in (({"cron": "61 * * * *"}, "/cron"), ({"cron": ""}, "/cron"), ({"zone": "Mars"}, "/zone")):
        answer = published.owner.get("/fragments/schedule-times", params={**asked, **wrong})
        assert (answer.status_code, answer.json()["error"]["where"]) == (422, where)
