"""What a process counts while runs are written, and what it finds waiting."""

from __future__ import annotations

from studio.components import JsonObject
from studio.runs import RunState, RunSupervisor
from studio.store.metrics import MAX_MODELS, OTHER, REGISTRY, observe_append
from tests.runs.scripted import Studio
from tests.runs.tooling import agent, team
from tests.store.stores import OpenStore


def totals() -> dict[str, float]:
    """Of each counter, whatever its labels."""
    families = REGISTRY.collect()
    return {each.name: sum(one.value for one in each.samples if one.name.endswith("_total")) for each in families}


async def test_a_run_is_counted(open_it: OpenStore) -> None:
    before = totals()
    commits = REGISTRY.get_sample_value("studio_log_append_seconds_count") or 0
    async with (
        open_it() as store,
        RunSupervisor(store.runs, store.approvals, store.secrets, store.settings) as supervisor,
    ):
        studio = Studio(supervisor, store)
        run_id = await supervisor.start(team(agent("ann", "Well.", tools=()), turns=1), "Choose.")
        await studio.until(run_id, RunState.FINISHED)
        backlog = await store.backlog.read()
        entries = len(await store.runs.read(run_id))
    assert backlog.runs == {"created": 0, "running": 0, "paused": 0}
    assert (backlog.submissions, backlog.oldest_submission_s, backlog.commands) == (0, 0, 0)
    now = totals()
    assert now["studio_model_calls"] == before["studio_model_calls"] + 1
    assert now["studio_log_entries"] == before["studio_log_entries"] + entries
    assert (REGISTRY.get_sample_value("studio_log_append_seconds_count") or 0) > commits


def test_models_have_a_limited_number_of_labels() -> None:
    """Teams choose the names of models."""

    def call(body: JsonObject) -> None:
        observe_append(0.1, 1, [{"effect": "model", **body}])

    before = totals()
    for number in range(2 * MAX_MODELS):
        call({"spent": {"name": f"m{number}", "prompt_tokens": 2}})
    call({"error": {"type": "E"}, "spent": {"name": "x" * 999}})
    labels = {one.labels["model"] for each in REGISTRY.collect() for one in each.samples if "model" in one.labels}
    assert len(labels) <= MAX_MODELS + 1
    assert "x" * 999 not in labels
    assert (REGISTRY.get_sample_value("studio_model_calls_total", {"model": OTHER}) or 0) >= MAX_MODELS
    now = totals()
    assert now["studio_model_tokens"] == before["studio_model_tokens"] + 4 * MAX_MODELS
    assert now["studio_model_errors"] == before["studio_model_errors"] + 1
