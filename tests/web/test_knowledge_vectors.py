"""Search by meaning: vectors of a service are kept beside the passages; words alone count when it does not answer."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from studio.memory import local_model
from tests.fakes.embedding_server import EmbeddingServer
from tests.fakes.openai_server import Reply
from tests.web.following import entries, keeping, stream
from tests.web.knowledge_bases import added, made, with_memory

PASSAGES = {"aaaa.txt": "aaaa aaaa", "bbbb.txt": "bbbb bbbb", "zzzz.txt": "zzzz zzzz"}


@pytest.fixture
def service() -> Iterator[EmbeddingServer]:
    with EmbeddingServer() as server:
        yield server


def connected(client: TestClient, service: EmbeddingServer) -> str:
    body = {"name": "Own", "service": "openai-compatible", "address": service.url, "key": ""}
    answer = client.post("/api/connections", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def choose(client: TestClient, base: str, connection_id: str, model: str = "small") -> Any:
    body = {"connection_id": connection_id, "model": model}
    return client.put(f"/api/knowledge/{base}/embeddings", json=body)


def found(client: TestClient, base: str, query: str = "bbba") -> list[str]:
    answer = client.post(f"/api/knowledge/{base}/search", json={"query": query, "limit": 2})
    assert answer.status_code == 200, answer.text
    return [hit["file"] for hit in answer.json()]


def filled(client: TestClient) -> str:
    base = made(client)
    for name, text in PASSAGES.items():
        assert added(client, base, text, name).status_code == 201
    return base


def test_a_passage_without_a_word_of_the_question_is_found_by_its_meaning(client: TestClient, service: EmbeddingServer):
    base = filled(client)
    assert found(client, base) == []
    assert choose(client, base, connected(client, service)).json()["missing"] == 3
    assert client.post(f"/api/knowledge/{base}/embeddings").json()["missing"] == 0
    assert service.requests[-1].body["model"] == "small"
    assert sorted(service.requests[-1].body["input"]) == sorted(PASSAGES.values())
    assert found(client, base) == ["bbbb.txt", "aaaa.txt"]
    assert found(client, base, "zzzz")[0] == "zzzz.txt"


def test_what_both_rankings_find_comes_first(client: TestClient, service: EmbeddingServer):
    base = made(client)
    choose(client, base, connected(client, service))
    added(client, base, "abba", "letters.txt")
    added(client, base, "baba plus xxxxxxxxxxxxx", "word.txt")
    added(client, base, "baba", "both.txt")
    assert found(client, base, "baba")[0] == "both.txt"


def test_documents_that_are_added_or_read_again_get_vectors(client: TestClient, service: EmbeddingServer):
    base = made(client)
    choose(client, base, connected(client, service))
    document = added(client, base, "bbbb bbbb", "bbbb.txt").json()["document"]["id"]
    assert found(client, base) == ["bbbb.txt"]
    assert client.post(f"/api/knowledge/{base}/documents/{document}/read", json={}).status_code == 200
    assert found(client, base) == ["bbbb.txt"]
    assert client.delete(f"/api/knowledge/{base}/documents/{document}").status_code == 204
    assert found(client, base) == []


def test_words_alone_count_when_the_service_does_not_answer(client: TestClient, service: EmbeddingServer):
    base = filled(client)
    choose(client, base, connected(client, service))
    client.post(f"/api/knowledge/{base}/embeddings")
    service.always(lambda _: Reply(status=400))
    assert found(client, base, "aaaa") == ["aaaa.txt"]
    assert added(client, base, "cccc", "cccc.txt").status_code == 201
    assert found(client, base, "cccc") == ["cccc.txt"]
    refused = client.post(f"/api/knowledge/{base}/embeddings")
    assert refused.status_code >= 400
    assert "Injected by the test." in refused.text
    connection_id = client.get("/api/connections").json()["connections"][0]["id"]
    assert client.delete(f"/api/connections/{connection_id}").status_code == 204
    assert found(client, base, "aaaa") == ["aaaa.txt"]


def test_another_model_begins_anew_and_none_ends_it(client: TestClient, service: EmbeddingServer):
    base = filled(client)
    connection_id = connected(client, service)
    choose(client, base, connection_id)
    client.post(f"/api/knowledge/{base}/embeddings")
    assert choose(client, base, connection_id, "large").json()["missing"] == 3
    assert choose(client, base, "").json() == {"connection_id": "", "model": "", "missing": 0}
    asked = service.request_count
    assert found(client, base) == []
    assert service.request_count == asked


def test_what_makes_no_vectors_is_refused(client: TestClient, service: EmbeddingServer):
    base, connection_id = filled(client), connected(client, service)
    assert choose(client, base, "gone").status_code == 404
    assert choose(client, base, connection_id, "").json()["error"]["where"] == "/model"
    service.always(lambda _: Reply(status=404))
    assert choose(client, base, connection_id).status_code >= 400
    assert client.get(f"/api/knowledge/{base}").json()["embedding_model"] == ""
    anthropic = {"name": "Other", "service": "anthropic", "key": "env:SOME_KEY"}
    other = client.post("/api/connections", json=anthropic).json()["id"]
    assert "no OpenAI-compatible embeddings" in choose(client, base, other).text


def test_a_run_finds_by_meaning_as_the_page_does(client: TestClient, service: EmbeddingServer):
    base = filled(client)
    choose(client, base, connected(client, service))
    client.post(f"/api/knowledge/{base}/embeddings")
    team_id = keeping(client, with_memory("Yes.", max_passages=1))
    run_id = str(client.post("/api/runs", json={"team_id": team_id, "task": "bbba"}).json()["id"])
    log = entries(stream(client, run_id))
    (event,) = [each["body"] for each in log if each["body"].get("type") == "MemoryQueryEvent"]
    assert [each["metadata"]["file"] for each in event["content"]] == ["bbbb.txt"]
    client.post("/api/runs", json={"team_id": team_id, "task": "x" * 50_000})
    service.wait_for_requests(4)
    assert max(len(text) for each in service.requests for text in each.body["input"]) <= 4_000
    page = client.get(f"/knowledge/{base}", params={"q": "bbba"}).text
    assert page.index("bbbb.txt") < page.index("aaaa.txt")


def test_a_question_in_other_words_is_found_without_any_service(client: TestClient):
    pytest.importorskip("wordllama")
    base = made(client)
    texts = ("Holidays are asked for in writing.", "Cars are parked behind the house.", "\u200b\ufeff.", "株主総会")
    for number, text in enumerate(texts):
        assert added(client, base, text, f"{number}.md").status_code == 201
    query = "requesting vacation"
    assert found(client, base, query) == []
    assert choose(client, base, "local", "any").json()["model"] == "WordLlama"
    assert client.post(f"/api/knowledge/{base}/embeddings").json()["missing"] == 0
    assert found(client, base, query)[0] == "0.md"
    assert found(client, base, "automobile")[0] == "1.md"
    for odd in ("\u200b", "\0", "x" * 4_000):
        assert len(found(client, base, odd)) == 2
    halved = client.post(f"/api/knowledge/{base}/search", content='{"query": "vacation \\udc00"}')
    assert halved.status_code == 422


def test_without_the_extra_it_is_said_what_to_install(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    base = filled(client)
    local_model._model.cache_clear()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setitem(sys.modules, "wordllama", None)
    refused = choose(client, base, "local")
    assert refused.status_code == 422
    assert "team-studio[embeddings]" in refused.json()["error"]["fix"]
