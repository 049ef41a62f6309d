from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest
from pydantic import JsonValue

from studio import effects
from studio.effects import EffectRequest, HumanQuestion, LiveEffects, RecordingEffects, StreamItem


def request(body: JsonValue = "q") -> EffectRequest:
    return EffectRequest("tool", "calculator", lambda: body)


async def answer() -> JsonValue:
    return {"value": 4}


async def pieces() -> AsyncIterator[StreamItem]:
    yield "he"
    yield "llo"
    yield {"content": "hello"}


def recording(log: list[dict[str, JsonValue]], run_id: str = "run-1") -> RecordingEffects:
    async def append(entry: dict[str, JsonValue]) -> None:
        log.append(entry)

    async def human(question: HumanQuestion) -> str:
        return f"answer to {question.prompt}"

    return RecordingEffects(append, run_id=run_id, human=human)


async def test_a_result_is_recorded_with_the_hash_of_its_request():
    log: list[dict[str, JsonValue]] = []
    with effects.use(recording(log)):
        assert await effects.call(request(), answer) == {"value": 4}
    assert log == [{"effect": "tool", "source": "calculator", "request": request().hash, "result": {"value": 4}}]


async def test_of_a_stream_only_the_whole_result_is_recorded():
    log: list[dict[str, JsonValue]] = []
    with effects.use(recording(log)):
        seen = [item async for item in effects.stream(request(), pieces)]
    assert seen == ["he", "llo", {"content": "hello"}]
    assert [entry["result"] for entry in log] == [{"content": "hello"}]


async def test_an_effect_that_fails_is_recorded_and_still_fails():
    async def fail() -> JsonValue:
        raise ValueError("no luck")

    log: list[dict[str, JsonValue]] = []
    with effects.use(recording(log)), pytest.raises(ValueError, match="no luck"):
        await effects.call(request(), fail)
    assert log[0]["error"] == {"type": "ValueError", "message": "no luck"}


async def test_a_persons_answer_is_an_effect():
    log: list[dict[str, JsonValue]] = []
    with effects.use(recording(log)):
        assert await effects.ask_human(HumanQuestion("r1", "user", "Name?")) == "answer to Name?"
    assert log[0]["effect"] == "input"


def test_ids_of_a_recorded_run_follow_from_its_own_id():
    first, again, other = recording([]), recording([]), recording([], "run-2")
    ids = [first.new_id(), first.new_id()]
    assert ids == [again.new_id(), again.new_id()]
    assert ids[0] != ids[1]
    assert other.new_id() not in ids


def test_ids_are_those_that_python_gives_to_their_numbers():
    run_id = effects.random_id()
    port = recording([], run_id)
    ids = [port.new_id() for _ in range(50)]
    assert ids == [str(uuid5(UUID(run_id), str(number))) for number in range(1, 51)]
    scoped = effects.Scoped(port)
    name = uuid5(UUID(run_id), "51")
    assert [scoped.new_id()[8:] for _ in ids] == [
        str(uuid5(NAMESPACE_OID, f"{name} {number}"))[8:] for number in range(1, 51)
    ]


def test_equal_requests_have_equal_hashes_whatever_the_order_of_keys():
    assert request({"a": 1, "b": 2}).hash == request({"b": 2, "a": 1}).hash
    assert request({"a": 1}).hash != request({"a": 2}).hash
    assert request("\ud800").hash


def test_without_a_port_in_force_the_world_is_asked_directly():
    assert isinstance(effects.current(), LiveEffects)
