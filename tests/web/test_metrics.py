"""`/metrics` tells Prometheus how much there is and how long it takes, and tells nobody else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from studio.errors import SetupError
from studio.settings import Settings
from studio.store.metrics import observe_append
from studio.web.app import create_app
from tests.web.doors import BASE_URL, TOKEN, client_of

METRICS_TOKEN = "metrics-token-of-16-and-more"
DASHBOARD = Path(__file__).parents[2] / "scripts/grafana.json"


@pytest.fixture
def watched(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A studio with a metrics token."""
    monkeypatch.setattr("studio.web.metrics.FRESH_S", 0.0)
    with TestClient(create_app(settings.model_copy(update={"metrics_token": METRICS_TOKEN})), base_url=BASE_URL) as it:
        yield it


def read(server: TestClient) -> dict[str, float]:
    """Each sample with its labels, by what the text says."""
    answer = client_of(server).get(
        "/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}", "Host": "10.0.0.7:8040"}
    )
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    return {
        sample.name + "".join(f",{key}={value}" for key, value in sorted(sample.labels.items())): sample.value
        for family in families
        for sample in family.samples
    }


def test_nobody_reads_metrics_where_no_token_is_set(client: TestClient, stranger: TestClient):
    for one in (client, stranger):
        assert one.get("/metrics").status_code == 404
        assert one.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("sent", ["", "Bearer ", f"Bearer {TOKEN}", "Bearer wrong", f"Basic {METRICS_TOKEN}"])
def test_only_the_metrics_token_opens_them(watched: TestClient, sent: str):
    answer = client_of(watched).get("/metrics", headers={"Authorization": sent} if sent else {})
    assert (answer.status_code, answer.content) == (401, b"")


def test_the_metrics_token_opens_nothing_else(watched: TestClient):
    headers = {"Authorization": f"Bearer {METRICS_TOKEN}"}
    assert client_of(watched).get("/api/teams", headers=headers).status_code == 401


def test_a_short_token_is_refused_at_the_start(settings: Settings):
    app = create_app(settings.model_copy(update={"metrics_token": "short"}))
    with pytest.raises(SetupError, match="fewer than 16"), TestClient(app):
        pass


def test_requests_are_counted_by_template(watched: TestClient):
    name = "studio_http_requests_total,method=GET,route=/api/teams/{team_id},status=4xx"
    before = read(watched).get(name, 0)
    member = client_of(watched, {"Authorization": f"Bearer {TOKEN}"})
    member.get("/api/teams/private-name")
    member.request("INVENTED", "/private-address")
    after = read(watched)
    assert after[name] == before + 1
    assert "private" not in str(after)
    assert "INVENTED" not in str(after)


def test_each_metric_of_the_dashboard_exists(watched: TestClient):
    observe_append(0.1, 0, [])
    names = {sample.partition(",")[0] for sample in read(watched)}
    labelled = {"studio_model_calls_total", "studio_model_errors_total", "studio_model_tokens_total"}
    text = client_of(watched).get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"}).text
    assert all(f"# TYPE {name.removesuffix('_total')}" in text for name in labelled)
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = set(re.findall(r"studio_\w+", " ".join(target["expr"] for panel in panels for target in panel["targets"])))
    assert len(asked) > 10
    assert asked <= names | labelled
