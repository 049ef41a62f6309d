"""Any replica starts, shows and tells runs; one worker drives them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.extended import sample
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.fleet.processes import Fleet, follow, numbers, shown_by, start, tell, until
from tests.kills.teams import agent, group
from tests.web.documents import USER_PROXY, assistant, team

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def test_what_one_replica_starts_another_one_shows_and_tells(processes: Fleet):
    first, second = processes.web(), processes.web()
    run_id = start(first, team(assistant("writer", "One.", "Two."), USER_PROXY, max_messages=4))
    assert first.get(f"/api/runs/{run_id}").json()["state"] == "created"
    processes.worker()
    pending = until(second, run_id, "paused")["pending"]
    assert isinstance(pending, dict)
    wrong = tell(first, run_id, "answer", request_id="another", text="Hello.")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (409, "conflict")
    told = tell(second, run_id, "answer", request_id=pending["request_id"], text="Hello there.")
    assert told.status_code == 200, told.text
    again = tell(first, run_id, "answer", request_id=pending["request_id"], text="Hello there.")
    assert again.status_code == 409
    until(first, run_id, "finished")
    seen = numbers(first, run_id)
    assert seen == sorted(set(seen))
    assert seen == numbers(second, run_id)
    said = [entry for name, data in follow(second, run_id) if name == "entries" for entry in data]
    assert [entry["body"].get("content") for entry in said if entry["kind"] == "message"].count("Hello there.") == 1
    ended = tell(second, run_id, "pause")
    assert (ended.status_code, ended.json()["error"]["code"]) == (409, "run_already_ended")


def test_words_that_are_being_written_are_shown_by_every_replica(processes: Fleet, openai_server: OpenAIServer):
    openai_server.say(Reply("one two three", hold=2))
    processes.worker()
    client = processes.web()
    run_id = start(client, group("RoundRobinGroupChat", [agent("ann", openai_server.url)], turns=1))
    seen, said = "", [""]
    for name, data in follow(client, run_id):
        if name == "chunks":
            seen += "".join(chunk["text"] for chunk in data)
        if seen.startswith("one two"):
            openai_server.release()
        said += (
            [entry["body"].get("content") for entry in data if entry["kind"] == "message"] if name == "entries" else []
        )
    assert seen.startswith("one two")
    assert said[-1] == "one two three"


@pytest.mark.parametrize("number", sample([signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP], 1))
def test_another_worker_takes_over(processes: Fleet, openai_server: OpenAIServer, number: signal.Signals):
    openai_server.say("One.", Reply("Two.", hold=0), "Two.")
    client, driving = processes.web(), processes.worker()
    people = [agent("ann", openai_server.url), agent("bob", openai_server.url)]
    run_id = start(client, group("RoundRobinGroupChat", people, turns=2))
    openai_server.wait_until_held()
    shown_by(client, run_id, "One.")
    processes.worker()
    driving.signal(number)
    until(client, run_id, "finished")
    assert numbers(client, run_id) == sorted(set(numbers(client, run_id)))
    assert openai_server.request_count == 3, "what was shown is not asked again"
    if number is signal.SIGSTOP:
        driving.signal(signal.SIGCONT)
        assert driving.wait(60) == 75


def test_a_server_and_workers_share_the_runs(processes: Fleet, openai_server: OpenAIServer):
    """What one of them drives is told by any; each of them goes on while another one dies."""
    openai_server.always(lambda _: Reply("Hello."))
    client, worker = processes.web("serve"), processes.worker()
    people = [agent("ann", openai_server.url), {**USER_PROXY}]
    run_ids = [start(client, group("RoundRobinGroupChat", people, turns=3)) for _ in range(8)]
    asked = {run_id: until(client, run_id, "paused")["pending"] for run_id in run_ids}
    worker.signal(signal.SIGKILL)
    processes.worker()
    for run_id, pending in asked.items():
        assert isinstance(pending, dict)
        told = tell(client, run_id, "answer", request_id=pending["request_id"], text="Go on.")
        assert told.status_code == 200, told.text
    for run_id in run_ids:
        until(client, run_id, "finished")
        seen = numbers(client, run_id)
        assert seen == sorted(set(seen))
    assert openai_server.request_count == 2 * len(run_ids), "what was answered is not asked again"


def test_a_worker_that_is_drained_claims_nothing_more(processes: Fleet):
    client = processes.web()
    processes.worker()
    [drained] = client.get("/api/workers").json()["workers"]
    asking = team(assistant("writer", "One."), USER_PROXY, max_messages=4)
    before = start(client, asking)
    until(client, before, "paused")
    shown = client.patch(f"/api/workers/{drained['id']}", json={"is_draining": True}).json()
    assert [(each["is_draining"], each["run_count"]) for each in shown["workers"]] == [(True, 1)]
    waiting = start(client, asking)
    until_queued = client.get("/api/workers").json()
    assert (until_queued["queued"], until_queued["queued_since"] is not None) == (1, True)
    processes.worker()
    pending = until(client, waiting, "paused")["pending"]
    counts = {each["id"]: each["run_count"] for each in client.get("/api/workers").json()["workers"]}
    assert sorted(counts.values()) == [1, 1]
    page = client.get("/settings/workers").text
    assert "Draining" in page
    assert "No run is waiting for a worker." in page
    assert isinstance(pending, dict)
    assert tell(client, waiting, "cancel").status_code == 200
    gone = client.patch("/api/workers/nobody", json={"is_draining": True})
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "not_found")
    shown = client.patch(f"/api/workers/{drained['id']}", json={"is_draining": False}).json()
    assert not any(each["is_draining"] for each in shown["workers"])


def test_wrong_tokens_are_counted_for_all_replicas(processes: Fleet):
    first, second = processes.web(), processes.web()
    wrong = {"Authorization": "Bearer wrong"}
    statuses = [each.get("/api/teams", headers=wrong).status_code for each in [first, second] * 10]
    assert statuses == [401] * 20
    for each in (first, second):
        refused = each.get("/api/teams", headers=wrong)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "too_many_guesses")
        assert each.get("/api/teams").status_code == 200, "the right one is let in"


def test_processes_of_a_fleet_need_its_database_and_its_keys(processes: Fleet, tmp_path: Path):
    def refusal(*arguments: str, url: str = processes.url) -> str:
        code, _, err = Fleet(url, tmp_path / "other").run(*arguments)
        assert code == 2
        return err

    assert "PostgreSQL" in refusal("web", "--port", "0", url="")
    assert "PostgreSQL" in refusal("worker", url="")
    assert "secret.key' is missing" in refusal("web", "--port", "0")
    assert "secret.key' is missing" in refusal("worker")
