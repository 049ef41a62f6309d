"""Two runs compared, through the API and as a page."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.runs import Usage
from studio.services.run_comparison import cost_totals
from tests.web.documents import assistant, team
from tests.web.following import compare, ended


@pytest.fixture
def two_runs(client: TestClient) -> tuple[str, str]:
    before = ended(
        client, team(assistant("writer", "A red fox.", "The end."), assistant("critic", "Good."), max_messages=4)
    )
    changed = assistant("writer", "A grey fox.", "The end.")
    config = changed["config"]
    assert isinstance(config, dict)
    config["system_message"] = "Say <b>hello</b>."
    return before, ended(client, team(changed, assistant("critic", "Good."), max_messages=4))


def test_the_comparison_names_the_first_difference_and_the_config_that_led_to_it(
    client: TestClient, two_runs: tuple[str, str]
):
    found = compare(client, two_runs)
    assert found["divergence"] == {"index": 1, "words": "writer has a different message."}
    assert [row["state"] for row in found["rows"]] == ["same", "changed", "same", "same"]
    assert found["differences"] == [1]
    pieces = [(piece["state"], piece["text"]) for piece in found["rows"][1]["after"]["pieces"]]
    assert pieces == [("kept", "A "), ("added", "grey"), ("kept", " fox.")]
    [change] = [each for each in found["config"] if each["where"].endswith("/system_message")]
    assert change["place"] == "writer"
    assert "Say <b>hello</b>." in change["text"]


def test_rows_come_in_windows(client: TestClient, two_runs: tuple[str, str]):
    first = compare(client, two_runs, limit=1)
    assert (len(first["rows"]), first["following"], first["row_count"]) == (1, 1, 4)
    rest = compare(client, two_runs, start=first["following"], limit=100)
    assert [row["index"] for row in rest["rows"]] == [1, 2, 3]
    assert rest["following"] is None


def test_a_run_compared_with_itself_is_the_same(client: TestClient, two_runs: tuple[str, str]):
    found = compare(client, (two_runs[0], two_runs[0]))
    assert (found["divergence"], found["differences"], found["config"]) == (None, [], [])


def test_a_run_that_is_not_there_cannot_be_compared(client: TestClient, two_runs: tuple[str, str]):
    assert client.get(f"/api/runs/{two_runs[0]}/diff/nothing").status_code == 404
    assert client.get(f"/runs/nothing/compare/{two_runs[0]}").status_code == 404


def test_the_page_shows_both_runs_and_escapes_what_they_said(browser: TestClient, client: TestClient):
    hostile = "</ins><script>alert(1)</script>"
    before = ended(client, team(assistant("writer", "Nothing."), max_messages=2))
    after = ended(client, team(assistant("writer", hostile), max_messages=2))
    page = browser.get(f"/runs/{before}/compare/{after}")
    assert page.status_code == 200
    assert "First difference: writer has a different message." in page.text
    assert "<script>alert" not in page.text
    rows = browser.get(f"/fragments/runs/{before}/compare/{after}?start=1&limit=1")
    assert "&lt;script&gt;" in rows.text
    assert 'data-index="1"' in rows.text


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ({"micro_usd": 20_000}, {"micro_usd": 10_000}, ("$0.0200", "$0.0100", "−50%")),
        ({"micro_usd": 20_000}, {"micro_usd": 20_000}, ("$0.0200", "$0.0200", "")),
        ({"micro_usd": 20_000}, {"unpriced_calls": 1}, ("$0.0200", "price unknown", "")),
        ({"micro_usd": 20_000, "unpriced_calls": 2}, {}, ("$0.0200 + price unknown", "$0.00", "")),
    ],
)
def test_costs_are_compared_where_they_are_known(
    before: dict[str, int], after: dict[str, int], shown: tuple[str, str, str]
):
    [total] = cost_totals(Usage(**before), Usage(**after))
    assert (total.before, total.after, total.change) == shown


def test_what_costs_nothing_is_not_told():
    assert cost_totals(Usage(), Usage(prompt_tokens=5)) == []


def test_a_pair_tells_what_each_cost_and_the_change(client: TestClient):
    model = "ReplayChatCompletionClient"
    client.put("/api/prices", json={"model": model, "input": 1000, "output": 1000}).raise_for_status()
    said = [{"content": text, "usage": {"prompt_tokens": tokens, "completion_tokens": 5}, "finish_reason": "stop"}
            for text, tokens in (("Short.", 15), ("Long.", 35))]  # fmt: skip
    runs: list[str] = []
    for reply in said:
        writer = assistant("writer")
        config: Any = writer["config"]
        config["model_client"]["config"]["chat_completions"] = [{**reply, "cached": False}]
        runs.append(ended(client, team(writer, max_messages=2)))
    page = client.get(f"/runs/{runs[0]}/compare/{runs[1]}").text
    assert ">$0.0200<" in page
    assert ">$0.0400 (+$0.0200)<" in page
    assert (
        "(" not in client.get(f"/fragments/runs/{runs[0]}/compare/{runs[0]}?folded=false").text.split("$0.0200")[1][:3]
    )
