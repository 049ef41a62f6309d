"""Tokens of browsers on a chat page: signed, short-lived, and good for one chat of one deployment.

No server remembers one. What it says is checked against the deployment with each request, so that a chat page that is
turned off, or a link that is revoked, ends the tokens that came of it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import ConfigDict

from studio.components.deferred_model import DeferredModel
from studio.deployments import ChatAccess, DeploymentSettings, KeyUse
from studio.store.deployment_tables import Deployment
from studio.store.deployments import OpenedDeployment
from studio.web.auth.access_token import Keys
from studio.web.auth.sealed import Seal

TOKEN_PREFIX = "studio-chat-token-"
MAX_TOKEN_LENGTH = 1_000
LASTS = timedelta(minutes=15)
RENEWED_WITHIN = timedelta(days=7)
"""How long after it expired a token still names the chat that goes on, for who may open the page."""


class ChatToken(DeferredModel):
    """What a token says. `person` is the ID of who is signed in, where only people of the studio may chat."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    deployment_id: str
    key_id: str
    access: ChatAccess
    person: str
    chat: str
    expires_at: int

    def is_expired(self, now: datetime) -> bool:
        return self.expires_at <= now.timestamp()


_SEAL = Seal(ChatToken, "token of a chat", TOKEN_PREFIX, MAX_TOKEN_LENGTH)


@dataclass(frozen=True)
class ChatTokens:
    """Makes tokens, and reads those that were made here."""

    keys: Keys

    def make(self, opened: OpenedDeployment, person: str, before: str = "") -> tuple[str, datetime]:
        """A new token, and when it expires. With the one `before` it is for the same chat, else for a new one."""
        now = datetime.now(UTC)
        expires_at, access = now + LASTS, access_of(opened.deployment)
        token = ChatToken(
            deployment_id=opened.deployment.id,
            key_id=opened.key.id,
            access=access,
            person=person,
            chat=secrets.token_urlsafe(16),
            expires_at=int(expires_at.timestamp()),
        )
        if (last := self.read(before)) is not None and not last.is_expired(now - RENEWED_WITHIN):
            same = token.model_copy(update={"chat": last.chat, "expires_at": last.expires_at})
            if same == last:
                token = token.model_copy(update={"chat": last.chat})
        return _SEAL.close(self.keys, token), expires_at

    def read(self, value: str) -> ChatToken | None:
        """What a token says, also one that has expired; None for any other text."""
        return _SEAL.open(self.keys, value)


def access_of(deployment: Deployment) -> ChatAccess:
    return DeploymentSettings.model_validate(deployment.settings).chat.access


def use_of(access: ChatAccess) -> KeyUse:
    """Which keys stand behind the chats of a page that is open to these."""
    return "link" if access == "link" else "chat"
