"""What reading documents and scripts may cost: together, not one by one, and once at a time for each person."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.components import JsonObject
from studio.web import request_queue as turns
from studio.web.request_queue import RequestQueue, TooManyAtOnce


def tool(name: str, formatted: str) -> JsonObject:
    source = f"def {name}(a: int) -> str:\n    return f'{formatted}'\n"
    config: JsonObject = {"name": name, "description": "", "source_code": source, "global_imports": []}
    return {"provider": "autogen_core.tools.FunctionTool", "component_type": "tool", "config": config}


def workbench(tools: list[JsonObject]) -> JsonObject:
    return {
        "provider": "autogen_core.tools.StaticWorkbench",
        "component_type": "workbench",
        "config": {"tools": [*tools]},
    }


def errors(client: TestClient, component: JsonObject) -> list[Any]:
    return client.post("/api/validate", json={"component": component}).json()["errors"]


def test_long_formatted_strings_are_refused_together_each_time(client: TestClient):
    document = workbench([tool(f"t{number}", "{a}" * 4_000) for number in range(6)])
    first, again = errors(client, document), errors(client, document)
    assert len(first) == 4
    assert all("All formatted strings together are too long" in error["message"] for error in first)
    assert again == first


def test_many_short_formatted_strings_and_a_long_one_in_many_places_are_read(client: TestClient):
    short = [tool(f"s{number}", "{a}" * 500) for number in range(100)]
    shared = [tool("shared", "{a}" * 4_000)] * 20
    found = [*errors(client, workbench(short)), *errors(client, workbench(shared))]
    assert [error for error in found if "formatted" in error["message"]] == []


@pytest.mark.parametrize(
    "hidden",
    ["a = '# \"'; b = @", "a = '''\n\"\n'''; b = @", "a = rb'\\' \"'; b = @", "# ' f'\nb = @"],
    ids=["comment in a string", "quote in a docstring", "escaped quote", "quote in a comment"],
)
def test_a_formatted_string_is_found_whatever_stands_before_it(client: TestClient, hidden: str):
    code = hidden.replace("@", "F'" + "{x}" * 5_500 + "'") + "\nc = fR'''" + "{y}" * 5_000 + "'''\n"
    answer = client.post("/api/python/read", json={"code": code})
    assert "All formatted strings together" in answer.text, answer.text[:500]


def test_who_has_too_many_checks_under_way_is_told(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "MAX_WAITING", 0)
    answer = client.post("/api/validate", json={"component": workbench([])})
    assert answer.status_code == 429
    assert "Wait" in answer.text


async def test_one_person_has_one_thing_done_at_a_time_and_keeps_no_other_waiting():
    busy = RequestQueue("checks")
    done: list[str] = []

    async def work() -> None:
        async with busy.wait_turn("a"):
            done.append("later")

    async with asyncio.TaskGroup() as tasks, busy.wait_turn("a"):
        tasks.create_task(work())
        async with busy.wait_turn("b"):
            done.append("another person")
        await asyncio.sleep(0)
        done.append("first")
    assert done == ["another person", "first", "later"]


async def test_no_more_wait_than_the_bound_and_what_is_done_makes_room(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "MAX_WAITING", 1)
    busy = RequestQueue("checks")
    async with busy.wait_turn("a"):
        with pytest.raises(TooManyAtOnce):
            await busy.wait_turn("a").__aenter__()
    async with busy.wait_turn("a"):
        pass
