"""Any replica starts, shows and tells runs; one worker drives them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP])
def test_another_worker_takes_over(processes: Fleet, openai_server: OpenAIServer, number: signal.Signals):
    openai_server.say("One.", Reply("Two.", hold=0), "Two.")
    client = processes.web()
    first, second = processes.start("worker"), processes.start("worker")
    driving, waiting = sorted([first, second], key=lambda each: "on standby" in each.output.readline())
    people = [agent("ann", openai_server.url), agent("bob", openai_server.url)]
    run_id = start(client, group("RoundRobinGroupChat", people, turns=2))
    openai_server.wait_until_held()
    shown_by(client, run_id, "One.")
    driving.signal(number)
    while waiting.output.readline() != "The worker drives runs.\n":
        assert waiting.is_running
    until(client, run_id, "finished")
    assert numbers(client, run_id) == sorted(set(numbers(client, run_id)))
    assert openai_server.request_count == 3, "what was shown is not asked again"
    if number is signal.SIGSTOP:
        driving.signal(signal.SIGCONT)
        assert driving.wait(60) == 75


def test_one_database_has_one_that_drives(processes: Fleet):
    processes.web("serve")
    waiting = processes.start("worker")
    assert "on standby" in waiting.output.readline()


def test_processes_of_a_fleet_need_its_database_and_its_keys(processes: Fleet, tmp_path: Path):
    def refusal(*arguments: str, url: str = processes.url) -> str:
        code, _, err = Fleet(url, tmp_path / "other").run(*arguments)
        assert code == 2
        return err

    assert "PostgreSQL" in refusal("web", "--port", "0", url="")
    assert "PostgreSQL" in refusal("worker", url="")
    assert "secret.key' is missing" in refusal("web", "--port", "0")
    assert "secret.key' is missing" in refusal("worker")
