"""What clients of MCP and the consent page hold: signed, and checked with each use. No server remembers it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import ConfigDict

from studio.components.deferred_model import DeferredModel
from studio.deployments.oauth import TOKEN_LASTS, ClientMetadata
from studio.store.deployment_tables import CallerKey
from studio.web.auth.access_token import Keys
from studio.web.auth.sealed import Seal

ACCESS_PREFIX = "studio-access-"
CLIENT_PREFIX = "studio-client-"
CONSENT_LASTS = timedelta(minutes=10)
MAX_CLIENT_ID = 6_000


class _Expiring(DeferredModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    expires_at: int

    def is_expired(self, now: datetime) -> bool:
        return self.expires_at <= now.timestamp()


class AccessToken(_Expiring):
    """What a client was given. `resource` is the one address that it opens."""

    deployment_id: str
    key_id: str
    resource: str


class Consent(_Expiring):
    """What a person is shown and may allow. It is only good for that person."""

    person: str
    deployment: str
    deployment_id: str
    client_id: str
    client_name: str
    redirect_uri: str
    challenge: str
    resource: str
    state: str


_ACCESS = Seal(AccessToken, "access of a client", ACCESS_PREFIX, 2_000)
_CLIENT = Seal(ClientMetadata, "metadata of a client", CLIENT_PREFIX, MAX_CLIENT_ID)
_CONSENT = Seal(Consent, "consent of a person", "", 20_000)


@dataclass(frozen=True)
class OAuthTokens:
    """Makes what is handed out, and reads what was made here."""

    keys: Keys

    def make_access(self, key: CallerKey, resource: str) -> str:
        expires_at = int((datetime.now(UTC) + TOKEN_LASTS).timestamp())
        token = AccessToken(expires_at=expires_at, deployment_id=key.deployment_id, key_id=key.id, resource=resource)
        return _ACCESS.close(self.keys, token)

    def read_access(self, value: str) -> AccessToken | None:
        """What a token says, also one that has expired."""
        return _ACCESS.open(self.keys, value)

    def register(self, client: ClientMetadata) -> str:
        """The ID of a client. It says all that was registered, so that strangers fill no table."""
        return _CLIENT.close(self.keys, client)

    def registered(self, client_id: str) -> ClientMetadata | None:
        return _CLIENT.open(self.keys, client_id)

    def offer(self, consent: Consent) -> str:
        return _CONSENT.close(self.keys, consent)

    def offered(self, value: str) -> Consent | None:
        """What a person was shown, unless that was too long ago."""
        found = _CONSENT.open(self.keys, value)
        return None if found is None or found.is_expired(datetime.now(UTC)) else found
