"""A client of MCP without a key, and the person who lets it in, step by step."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from fastapi.testclient import TestClient

from tests.web.doors import BASE_URL

CALLBACK = "http://127.0.0.1:5005/callback"
Http = TestClient | httpx.Client


def shown_offer(page: str) -> str:
    """What the page that asks a person would send back."""
    found = re.search(r'data-offer="([^"]+)"', page)
    assert found, page
    return html.unescape(found[1])


def allowed(person: Http, address: str) -> str:
    """Where the browser of a person goes who allows what a client asks for."""
    page = person.get(address)
    assert page.status_code == 200, page.text
    made = person.post("/api/oauth/consents", json={"offer": shown_offer(page.text)})
    assert made.status_code == 201, made.text
    return made.json()["location"]


def answer_in(location: str) -> dict[str, str]:
    """What a client is told at its address."""
    return dict(parse_qsl(urlsplit(location).query))


@dataclass
class PlainClient:
    """What a library does, by hand, so that a test can do it wrong. `http` has no key."""

    http: Http
    deployment: str = "support"
    base: str = BASE_URL
    redirect_uri: str = CALLBACK
    verifier: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    id: str = ""

    def register(self, **metadata: Any) -> Any:
        given = {"client_name": "Editor", "redirect_uris": [self.redirect_uri], **metadata}
        answer = self.http.post("/register", json=given)
        if answer.status_code == 201:
            self.id = answer.json()["client_id"]
        return answer

    @property
    def resource(self) -> str:
        return f"{self.base}/d/{self.deployment}/mcp"

    @property
    def challenge(self) -> str:
        return base64.urlsafe_b64encode(hashlib.sha256(self.verifier.encode()).digest()).decode().rstrip("=")

    def request(self, **changes: str | None) -> str:
        """The address that the client opens in the browser of its person."""
        asked = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.redirect_uri,
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
            "resource": self.resource,
            "state": "s t&a",
            **changes,
        }
        return f"/authorize?{httpx.QueryParams({name: value for name, value in asked.items() if value is not None})}"

    def exchange(self, code: str, **changes: str | None) -> Any:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.id,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.verifier,
            "resource": self.resource,
            **changes,
        }
        return self.send(form)

    def renew(self, token: str, **changes: str | None) -> Any:
        return self.send({"grant_type": "refresh_token", "refresh_token": token, "client_id": self.id, **changes})

    def send(self, form: dict[str, str | None]) -> Any:
        return self.http.post("/token", data={name: value for name, value in form.items() if value is not None})

    def let_in(self, person: Http) -> Any:
        """All steps; what the client holds then."""
        self.register()
        given = self.exchange(answer_in(allowed(person, self.request()))["code"])
        assert given.status_code == 200, given.text
        return given.json()
