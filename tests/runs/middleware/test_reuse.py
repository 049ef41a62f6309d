"""A run that reuses the answers of another one: exactly the same requests, each answer once, and nothing is paid twice.

`STUDIO_EXAMPLES=200 pytest tests/runs/middleware/test_reuse.py` tries more teams than an ordinary day does.
"""

from __future__ import annotations

import copy
import os
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from studio.components import JsonObject
from studio.runs import LogEntry, RunSupervisor
from studio.runs.journal.log import Reuse
from studio.store import Store, open_store
from tests.fakes.openai_server import OpenAIServer, Reply
from tests.runs.replay import generated
from tests.runs.replay.driving import Everything, said_in, to_its_end, whole_log
from tests.runs.replay.generated import answer, generated_team
from tests.web.documents import assistant, team

EXAMPLES = int(os.environ.get("STUDIO_EXAMPLES", "8"))
NUMBERS = st.integers(0, 1_000)
ONE_AFTER_THE_OTHER = st.tuples(NUMBERS, st.sampled_from((0, 1, 2, 4)))
SIDE_BY_SIDE = st.tuples(NUMBERS, st.sampled_from((3, 6)))
"""Kinds of teams: agents of a graph speak in the order in which they are answered, which need not come again."""
CALLING = 0
"""A team whose agents call their tool."""
NOW = datetime.now(UTC)
few = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # a smaller number is no smaller team
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch, openai_server: OpenAIServer) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    openai_server.always(answer)


@asynccontextmanager
async def studio_of_a_day() -> AsyncGenerator[tuple[Store, RunSupervisor]]:
    with TemporaryDirectory() as folder:
        async with (
            open_store(Path(folder)) as store,
            RunSupervisor(store.runs, Everything(), store.secrets) as supervisor,
        ):
            yield store, supervisor


async def run_of(
    studio: tuple[Store, RunSupervisor], component: JsonObject, of: str = "", days: float = 7
) -> tuple[str, Sequence[LogEntry]]:
    """A run brought to its end, and its log; `of` is whose answers it reuses."""
    store, supervisor = studio
    reuse = Reuse(run_id=of, not_before=NOW - timedelta(days=days)) if of else None
    run_id = await supervisor.start(component, "Go.", reuse=reuse)
    await to_its_end(supervisor, run_id)
    return run_id, await whole_log(store, run_id)


def answers_in(log: Sequence[LogEntry], kind: str = "model") -> list[JsonObject]:
    return [entry.body for entry in log if entry.kind == "effect" and entry.body["effect"] == kind]


def drawn(log: Sequence[LogEntry]) -> Counter[str]:
    """What models answered to which requests, whoever was given it first."""
    return Counter(f"{body['request']} {body.get('result')} {body.get('error')}" for body in answers_in(log))


def changed(component: JsonObject) -> JsonObject:
    """The same team with another instruction for its last agent."""

    def change(found: Any) -> bool:
        if isinstance(found, dict):
            part = cast("dict[str, Any]", found)
            if part.get("provider", "").endswith("AssistantAgent"):
                part["config"]["system_message"] = "Be strict."
                return True
            found = list(part.values())
        return isinstance(found, list) and any(change(each) for each in reversed(cast("list[Any]", found)))

    other = copy.deepcopy(component)
    assert change(other)
    return other


@pytest.mark.slow
@pytest.mark.timeout(60 + 10 * EXAMPLES)
@given(number=ONE_AFTER_THE_OTHER)
@few
async def test_the_same_team_is_answered_throughout_and_asks_nothing(
    openai_server: OpenAIServer, number: tuple[int, int]
) -> None:
    component = generated_team(7 * number[0] + number[1], openai_server.url)
    async with studio_of_a_day() as studio:
        first, log = await run_of(studio, component)
        asked = openai_server.request_count
        again_id, again = await run_of(studio, component, of=first)
        assert openai_server.request_count == asked
        usage = (await studio[0].runs.get(again_id)).status.usage
    assert sorted(said_in(again)) == sorted(said_in(log))
    assert drawn(again) == drawn(log)
    assert (usage.prompt_tokens, usage.completion_tokens, usage.unpriced_calls) == (0, 0, 0)


@pytest.mark.slow
@pytest.mark.timeout(60 + 10 * EXAMPLES)
@given(number=ONE_AFTER_THE_OTHER)
@few
async def test_a_changed_team_does_what_it_does_when_the_same_answers_are_drawn_anew(
    openai_server: OpenAIServer, number: tuple[int, int]
) -> None:
    component = generated_team(7 * number[0] + number[1], openai_server.url)
    other = changed(component)
    async with studio_of_a_day() as studio:
        first, _ = await run_of(studio, component)
        _, fresh = await run_of(studio, other)
        asked = openai_server.request_count
        _, reusing = await run_of(studio, other, of=first)
        asked_anew = openai_server.request_count - asked
    assert sorted(said_in(reusing)) == sorted(said_in(fresh))
    assert drawn(reusing) == drawn(fresh)
    taken = [body for body in answers_in(reusing) if "reused" in body]
    assert asked_anew == len(answers_in(fresh)) - len(taken)
    places = [cast("JsonObject", body["reused"])["seq"] for body in taken]
    assert len(places) == len(set(map(str, places))), "each answer once"


@pytest.mark.slow
@pytest.mark.timeout(60 + 10 * EXAMPLES)
@given(number=SIDE_BY_SIDE)
@few
async def test_agents_that_speak_side_by_side_reuse_each_answer_once(
    openai_server: OpenAIServer, number: tuple[int, int]
) -> None:
    component = generated_team(7 * number[0] + number[1], openai_server.url)
    async with studio_of_a_day() as studio:
        first, log = await run_of(studio, component)
        _, again = await run_of(studio, component, of=first)
    taken = [str(cast("JsonObject", body["reused"])["seq"]) for body in answers_in(again) if "reused" in body]
    assert taken
    assert len(taken) == len(set(taken))
    assert sorted(said_in(again)) == sorted(said_in(log))


async def test_a_tool_that_may_change_the_world_is_called_anew_and_what_fits_behind_it_is_reused(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted: list[object] = []
    monkeypatch.setattr(generated, "noted", noted.append)
    component = generated_team(CALLING, openai_server.url)
    async with studio_of_a_day() as studio:
        first, log = await run_of(studio, component)
        assert noted
        calls, asked = len(noted), openai_server.request_count
        _, again = await run_of(studio, component, of=first)
        assert len(noted) == 2 * calls
        assert openai_server.request_count == asked
        assert not any("reused" in body for body in answers_in(again, "tool"))
        monkeypatch.setattr(generated.NotingTool, "is_safe_to_repeat", property(lambda _: True))
        _, safe = await run_of(studio, component, of=first)
        assert len(noted) == 2 * calls
    assert all("reused" in body for body in answers_in(safe, "tool"))
    assert sorted(said_in(again)) == sorted(said_in(safe)) == sorted(said_in(log))


async def test_answers_that_are_too_old_are_drawn_anew_and_reusing_makes_none_younger(
    openai_server: OpenAIServer,
) -> None:
    component = generated_team(0, openai_server.url)
    async with studio_of_a_day() as studio:
        first, log = await run_of(studio, component)
        second, again = await run_of(studio, component, of=first)
        asked = openai_server.request_count
        _, third = await run_of(studio, component, of=second)
        assert openai_server.request_count == asked
        assert [cast("JsonObject", body["reused"])["at"] for body in answers_in(third)] == [
            cast("JsonObject", body["reused"])["at"] for body in answers_in(again)
        ]
        _, late = await run_of(studio, component, of=second, days=-1)
    assert openai_server.request_count == asked + len(answers_in(log))
    assert not any("reused" in body for body in answers_in(late))


async def test_what_a_scripted_model_says_is_not_reused() -> None:
    async with studio_of_a_day() as studio:
        first, _ = await run_of(studio, team(assistant("writer", "Good morning."), max_messages=2))
        _, log = await run_of(studio, team(assistant("writer", "Good evening."), max_messages=2), of=first)
    assert "Good evening." in str(said_in(log))


async def test_a_run_whose_other_run_is_gone_asks_by_itself(openai_server: OpenAIServer) -> None:
    component = generated_team(0, openai_server.url)
    async with studio_of_a_day() as studio:
        first, log = await run_of(studio, component)
        await studio[0].runs.delete(first)
        _, again = await run_of(studio, component, of=first)
    assert openai_server.request_count == 2 * len(answers_in(log))
    assert said_in(again) == said_in(log)


async def test_a_service_that_was_down_is_asked_again(openai_server: OpenAIServer) -> None:
    component = team(assistant("writer"), max_messages=2)
    config = cast("dict[str, Any]", component)["config"]["participants"][0]["config"]
    config["model_client"] = {
        "provider": "autogen_ext.models.openai.OpenAIChatCompletionClient",
        "config": {
            "model": "talks:writer",
            "api_key": "env:OPENAI_API_KEY",
            "base_url": openai_server.url,
            "model_info": generated.INFO,
            "max_retries": 0,
        },
    }
    openai_server.always(Reply(status=503))
    async with studio_of_a_day() as studio:
        first, failed = await run_of(studio, component)
        openai_server.always(answer)
        _, again = await run_of(studio, component, of=first)
    assert "error" in answers_in(failed)[0]
    assert [set(body) & {"result", "error", "reused"} for body in answers_in(again)] == [{"result"}]
