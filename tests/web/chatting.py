"""Chat pages, and browsers that talk on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from tests.web.doors import client_of
from tests.web.publishing import Published


@dataclass(frozen=True)
class Chatter:
    """A browser on a chat page, with the token of its chat."""

    client: TestClient
    url: str
    token: str

    def say(self, text: str = "Say hello.", **headers: str) -> Any:
        """Send a message; the call that it is."""
        answer = self.client.post(f"{self.url}/messages", json={"text": text}, headers=headers)
        assert answer.status_code == 202, answer.text
        return answer.json()

    def hear(self, call_id: str, after: str = "") -> str:
        """The stream of an answer, to its end."""
        headers = {"Last-Event-ID": after} if after else {}
        return self.client.get(f"{self.url}/calls/{call_id}/events", headers=headers).text

    def messages(self) -> Any:
        answer = self.client.get(f"{self.url}/messages")
        assert answer.status_code == 200, answer.text
        return answer.json()


def turn_on(published: Published, access: str = "anyone", **chat: Any) -> None:
    """Open the chat page to these."""
    body = {"settings": {**settings_of(published), "chat": {"access": access, **chat}}}
    answer = published.owner.patch(f"/api/deployments/{published.name}", json=body)
    assert answer.status_code == 200, answer.text


def settings_of(published: Published) -> dict[str, Any]:
    return published.owner.get(f"/api/deployments/{published.name}").json()["settings"]


def make_link(published: Published, label: str = "customers") -> Any:
    """A chat link, as its owner is told of it once."""
    body = {"label": label, "opens": "link"}
    return published.owner.post(f"/api/deployments/{published.name}/keys", json=body).json()


def ask_for_token(published: Published, link: str = "", before: str = "", **headers: str) -> Any:
    """What a browser without a cookie is answered."""
    given = {"Authorization": f"Bearer {link}"} if link else {}
    client = client_of(published.owner, {**given, **headers})
    return client.post(f"{published.url}/chat/tokens", json={"token": before})


def chatter(published: Published, link: str = "", before: str = "") -> Chatter:
    """Another browser."""
    answer = ask_for_token(published, link, before)
    assert answer.status_code == 200, answer.text
    token = answer.json()["token"]
    return Chatter(client_of(published.owner, {"Authorization": f"Bearer {token}"}), f"{published.url}/chat", token)
