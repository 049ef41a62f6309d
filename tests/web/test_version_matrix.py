"""Versions of a team side by side on the page of a suite, with their models, reliability and cost."""

from __future__ import annotations

import itertools

import pytest
from fastapi.testclient import TestClient

from tests.fakes.openai_server import OpenAIServer, Reply
from tests.web.evaluating import added_suite, added_team, over, started
from tests.web.page_text import text_of
from tests.web.reusing import pair, saved


def shown(client: TestClient, suite_id: str) -> str:
    page = text_of(f"<main>{client.get(f'/fragments/suites/{suite_id}/evaluations').text}</main>")
    return page.partition("Versions and their models")[2].partition("The newest result of each version")[0]


def test_versions_are_shown_beside_each_other_the_best_first(
    client: TestClient, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    numbers = itertools.count(1)
    openai_server.always(lambda _: Reply(f"Good morning, number {next(numbers)}.", usage=(100, 10)))
    longer = pair(openai_server.url)
    longer["config"]["termination_condition"]["config"]["max_messages"] = 4  # pyright: ignore
    suite_id = saved(client, pair(openai_server.url), longer)
    over(client, started(client, suite_id, version=1, repeats=3))
    assert shown(client, suite_id) == "", "one version alone is no matrix"
    over(client, started(client, suite_id, version=2, against=1, repeats=3))
    found = shown(client, suite_id)
    first, second = found.index("Version 1 gpt-4o 50 % (9–91) 50 %"), found.index("Version 2 gpt-4o 50 % (9–91) 50 %")
    assert first < second, "the cheaper one of two that pass alike"
    assert found.count("Another version passes at least as often and costs no more") == 1


def test_only_evaluations_of_the_whole_suite_as_it_is_are_comparable(client: TestClient):
    suite_id = added_suite(client, added_team(client, "Good morning.", "Good evening.", "Good night."))
    document = client.get(f"/api/suites/{suite_id}").json()["document"]
    document["cases"][0]["tags"] = ["first"]
    for version in (1, 2):
        over(client, started(client, suite_id, version=version, repeats=1))
    assert "Version 2" in shown(client, suite_id)
    assert "–" in shown(client, suite_id), "one run of each case does not say whether three pass"
    client.put(f"/api/suites/{suite_id}", json={"document": document, "revision": 1}).raise_for_status()
    over(client, started(client, suite_id, version=3, repeats=1))
    assert shown(client, suite_id) == ""
    over(client, started(client, suite_id, version=1, repeats=1, only="first"))
    assert shown(client, suite_id) == ""
