"""A studio with published teams, and OpenAI's client for each of them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import openai

from studio.components import JsonObject
from tests.web.documents import assistant, team
from tests.web.publishing import deployed

PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


@dataclass(frozen=True)
class Server:
    """A running studio; `owner` holds its token."""

    owner: httpx.Client
    clients: ExitStack

    def published(self, name: str, component: JsonObject, **settings: Any) -> openai.OpenAI:
        """OpenAI's client of a new deployment, without its own retries."""
        made = self.owner.post("/api/teams", json={"component": component}).json()
        body = {"team_id": made["id"], "name": name, "settings": settings, "key_label": "shop"}
        client = openai.OpenAI(
            base_url=f"{self.owner.base_url}/d/{name}/v1".replace("//d", "/d"),
            api_key=deployed(self.owner, body)["key"]["key"],
            max_retries=0,
        )
        return self.clients.enter_context(client)

    def calls(self, name: str) -> list[Any]:
        """The newest first."""
        return self.owner.get(f"/api/deployments/{name}/calls").json()


def writer() -> JsonObject:
    return team(assistant("writer", "The answer."), max_messages=2)
