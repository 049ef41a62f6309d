"""A worker tells an orchestrator how it is and Prometheus what it counts, and tells nobody else."""

from __future__ import annotations

import re
import signal

import httpx
import pytest

from tests.fakes.openai_server import OpenAIServer, Reply
from tests.fleet.processes import Fleet, start, until
from tests.kills.teams import agent, group
from tests.processes import StudioProcess

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]
TOKEN = "metrics-token-of-16-and-more"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}


def watched(processes: Fleet) -> tuple[StudioProcess, httpx.Client]:
    """A worker that drives runs, and a client of what it answers."""
    process = processes.start("worker", "--metrics-port", "0")
    line = process.output.readline()
    found = re.search(r"(http://127\.0\.0\.1:\d+)/metrics", line)
    assert found, line
    assert "drives runs" in process.output.readline()
    return process, httpx.Client(base_url=found[1], trust_env=False, timeout=30)


def test_a_worker_counts_the_calls_of_its_runs(
    processes: Fleet, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("STUDIO_METRICS_TOKEN", TOKEN)
    openai_server.say("One.", "Two.")
    _, probes = watched(processes)
    client = processes.web()
    people = [agent("ann", openai_server.url), agent("bob", openai_server.url)]
    until(client, start(client, group("RoundRobinGroupChat", people, turns=2)), "finished")
    with probes:
        assert [probes.get(path).status_code for path in ("/healthz", "/readyz", "/api/teams")] == [200, 200, 404]
        for wrong in ("", "Bearer wrong", client.headers["Authorization"]):
            assert probes.get("/metrics", headers={"Authorization": wrong}).status_code == 401
        text = probes.get("/metrics", headers=AUTHORIZED).text
    calls = re.findall(r"^studio_model_calls_total\{.*\} (\S+)$", text, re.MULTILINE)
    assert sum(float(count) for count in calls) == 2
    assert re.search(r"^studio_log_entries_total [1-9]", text, re.MULTILINE)
    assert "\nstudio_database_up 1.0" in text


def test_a_worker_without_a_metrics_token_has_probes_alone(processes: Fleet, openai_server: OpenAIServer):
    """An open connection to them does not keep it from ending."""
    openai_server.say(Reply("One.", hold=0))
    process, probes = watched(processes)
    client = processes.web()
    start(client, group("RoundRobinGroupChat", [agent("ann", openai_server.url)], turns=1))
    openai_server.wait_until_held()
    with probes:
        refused = probes.get("/metrics", headers=AUTHORIZED)
        assert (refused.status_code, refused.json()["error"]["fix"]) == (404, "Set `STUDIO_METRICS_TOKEN`.")
        assert probes.get("/readyz").status_code == 200
        process.signal(signal.SIGTERM)
        assert process.wait(30) == 0


def test_a_worker_that_cannot_answer_does_not_start(processes: Fleet, monkeypatch: pytest.MonkeyPatch):
    process, probes = watched(processes)
    with probes:
        taken = str(probes.base_url.port)
    refused = processes.run("worker", "--metrics-port", taken)
    assert (refused.code, "--metrics-port" in refused.err) == (2, True)
    assert process.is_running
    monkeypatch.setenv("STUDIO_METRICS_TOKEN", "short")
    refused = processes.run("worker", "--metrics-port", "0")
    assert (refused.code, "fewer than 16" in refused.err) == (2, True)
