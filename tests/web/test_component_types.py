"""All component types: what a builder reads when it opens, kept by browsers and packed once."""

from __future__ import annotations

import gzip

from fastapi.testclient import TestClient

PATH = "/api/components"


def test_they_come_packed_where_that_is_understood(client: TestClient):
    plain = client.get(PATH, headers={"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in plain.headers
    assert "autogen_agentchat.agents.AssistantAgent" in {each["provider"] for each in plain.json()}
    with client.stream("GET", PATH, headers={"Accept-Encoding": "gzip"}) as packed:
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["Content-Type"] == plain.headers["Content-Type"] == "application/json"
        assert gzip.decompress(b"".join(packed.iter_raw())) == plain.content


def test_a_browser_that_has_them_gets_no_second_copy(client: TestClient):
    first = client.get(PATH)
    assert first.headers["Cache-Control"] == "private, no-cache"
    again = client.get(PATH, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert client.get(PATH, headers={"If-None-Match": '"another"'}).content == first.content


def test_what_is_kept_is_shown_to_no_stranger(client: TestClient, stranger: TestClient):
    tag = client.get(PATH).headers["ETag"]
    assert stranger.get(PATH, headers={"If-None-Match": tag}).status_code == 401
