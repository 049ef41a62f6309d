"""Signing in with an identity provider: OpenID Connect, authorization code with PKCE.

Source: OpenID Connect Core 1.0, section 3.1; RFC 7636 (PKCE); RFC 9700 (best practice).
"""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode, urlsplit

from pydantic import ConfigDict, JsonValue, TypeAdapter, ValidationError

from studio.components.deferred_model import DeferredModel
from studio.egress import Guard, HostRefused, http_client, place_of
from studio.errors import Forbidden, SetupError
from studio.settings import Settings
from studio.store import ROLES, Role, SignIns, role_named
from studio.web.auth.access_token import Keys, is_same

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 10.0
MAX_BYTES = 1024 * 1024
STATE_LIFETIME = timedelta(minutes=10)
JSON_OBJECT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class SignInFailed(Forbidden):
    """Raised when the identity provider's word is not enough to come in."""

    code = "sign_in_failed"


class ProviderMetadata(DeferredModel):
    """What the issuer says of itself at its well-known address."""

    model_config = ConfigDict(extra="ignore")

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str


class PendingSignIn(NamedTuple):
    """A sign-in on its way to the provider and back; it belongs to one browser and is used once."""

    state: str
    nonce: str
    verifier: str
    redirect_uri: str


class States:
    """The states of sign-ins that are on their way.

    A state is random, has an end and is signed, and its nonce and its verifier follow from it by the studio's key. So
    nothing is kept of those who begin, strangers who begin many push nobody out, and any replica takes who comes back.
    """

    def __init__(self, keys: Keys, sign_ins: SignIns, clock: Callable[[], datetime]) -> None:
        self._keys = keys
        self._sign_ins = sign_ins
        self._clock = clock

    def make(self) -> str:
        state = f"{int((self._clock() + STATE_LIFETIME).timestamp())}.{secrets.token_urlsafe(32)}"
        return f"{state}.{self._derived('state', state)}"

    def begun(self, state: str, redirect_uri: str) -> PendingSignIn:
        """What belongs to a state."""
        return PendingSignIn(state, self._derived("nonce", state), self._derived("verifier", state), redirect_uri)

    async def use(self, state: str) -> bool:
        """Whether the state is one of ours, is not too old and was not used before. From now on it was."""
        signed, _, signature = state.rpartition(".")
        if not is_same(signature, self._derived("state", signed)):
            return False
        until = datetime.fromtimestamp(int(signed.partition(".")[0]), UTC)
        return self._clock() <= until and await self._sign_ins.use_state(state, until)

    def _derived(self, purpose: str, state: str) -> str:
        return self._keys.sign(f"{purpose} of a sign-in with a provider", state)


@dataclass(frozen=True)
class Identity:
    """Whom the provider says that we have here. `role` is None where the provider has no say in it."""

    key: str
    name: str
    has_proven_address: bool
    role: Role | None


@dataclass
class Provider:
    """One identity provider, as the operator set it up."""

    settings: Settings
    client: httpx.AsyncClient
    states: States
    _discovered: ProviderMetadata | None = None
    _key_set: JsonValue = None

    async def begin(self, redirect_uri: str) -> tuple[str, str]:
        """Where the browser must go, and the state that it must bring back.

        Raises:
            SignInFailed: The provider does not answer as it should.
        """
        found = await self._discover()
        begun = self.states.begun(self.states.make(), redirect_uri)
        digest = hashlib.sha256(begun.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.settings.oidc_client_id,
            "redirect_uri": redirect_uri,
            "scope": "openid profile email",
            "state": begun.state,
            "nonce": begun.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        mark = "&" if urlsplit(found.authorization_endpoint).query else "?"
        return f"{found.authorization_endpoint}{mark}{urlencode(asked)}", begun.state

    async def finish(self, query: Mapping[str, str], kept_state: str | None, redirect_uri: str) -> Identity:
        """Who came back.

        Raises:
            SignInFailed: It is not the browser that began, the provider refused, or its word does not hold.
        """
        state = query.get("state", "")
        if not await self.states.use(state) or not is_same(kept_state or "", state):
            raise SignInFailed("This sign-in expired or was started in another browser.", fix="Sign in again.")
        begun = self.states.begun(state, redirect_uri)
        code = query.get("code", "")
        if not code or "error" in query:
            raise SignInFailed("The identity provider refused the sign-in.", fix="Sign in again.")
        if query.get("iss", self.settings.oidc_issuer) != self.settings.oidc_issuer:
            raise SignInFailed("The response came from a different identity provider.", fix="Sign in again.")
        claims = await self._claims(await self._id_token(code, begun), begun.nonce)
        return self._identity(claims)

    async def _id_token(self, code: str, begun: PendingSignIn) -> str:
        found = await self._discover()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": begun.redirect_uri,
            "client_id": self.settings.oidc_client_id,
            "code_verifier": begun.verifier,
        }
        if self.settings.oidc_client_secret:
            form["client_secret"] = self.settings.oidc_client_secret
        answer = await self._asked("POST", found.token_endpoint, form)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise SignInFailed("The identity provider returned no ID token.")
        return token

    async def _claims(self, token: str, nonce: str) -> dict[str, JsonValue]:
        from studio.web.auth.id_token import InvalidToken, claims_in  # its package is large, and few sign in like this

        us, issuer = self.settings.oidc_client_id, self.settings.oidc_issuer
        try:
            try:
                claims = claims_in(token, await self._keys(), issuer=issuer, client_id=us, nonce=nonce)
            except InvalidToken:  # the provider may have changed its keys since
                keys = await self._keys(again=True)
                claims = claims_in(token, keys, issuer=issuer, client_id=us, nonce=nonce)
        except InvalidToken as error:
            raise SignInFailed("The identity provider's ID token is invalid.") from error
        has_others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if has_others else us) != us:
            raise SignInFailed("The ID token of the identity provider is for another client.")
        return claims

    async def _keys(self, *, again: bool = False) -> JsonValue:
        if self._key_set is None or again:
            found = await self._asked("GET", (await self._discover()).jwks_uri)
            self._key_set = found.get("keys", [])
        return self._key_set

    async def _discover(self) -> ProviderMetadata:
        if self._discovered is None:
            address = f"{self.settings.oidc_issuer.rstrip('/')}/.well-known/openid-configuration"
            try:
                found = ProviderMetadata.model_validate(await self._asked("GET", address))
            except ValidationError as error:
                raise SignInFailed("The identity provider has no authorization endpoint.") from error
            if found.issuer != self.settings.oidc_issuer:
                raise SignInFailed("The identity provider's issuer differs from the configured one.")
            self._discovered = found
        return self._discovered

    async def _asked(self, method: str, address: str, form: dict[str, str] | None = None) -> dict[str, JsonValue]:
        """JSON of the provider, within bounds; no redirect is followed.

        Raises:
            SignInFailed: There is none.
        """
        import httpx  # slow to load

        try:
            answer = await self.client.request(method, address, data=form, headers={"Accept": "application/json"})
            if answer.status_code != 200:
                raise SignInFailed(f"The identity provider answered with status {answer.status_code}.")
            return JSON_OBJECT.validate_json(answer.content)
        except (httpx.HTTPError, httpx.InvalidURL, HostRefused, ValidationError) as error:
            raise SignInFailed("The identity provider returned an invalid response.", fix="Try again later.") from error

    def _identity(self, claims: Mapping[str, JsonValue]) -> Identity:
        email = claims.get("email")
        is_proven = isinstance(email, str) and claims.get("email_verified") is True
        if self.settings.oidc_domains:
            domain = str(email).rpartition("@")[2].lower()
            if not is_proven or domain not in {allowed.strip().lower() for allowed in self.settings.oidc_domains}:
                raise SignInFailed("Sign-in is not allowed for this e-mail domain.", fix="Contact the administrator.")
        # An address that is not proven is what somebody typed there: it could be that of a colleague.
        names = (email if is_proven else None, claims.get("preferred_username"), claims.get("name"), claims["sub"])
        name = next(found for found in names if isinstance(found, str) and found)
        return Identity(f"{claims['iss']} {claims['sub']}", name, is_proven and name == email, self._role(claims))

    def _role(self, claims: Mapping[str, JsonValue]) -> Role | None:
        """The highest that the claim names; a viewer's where it names none."""
        if not self.settings.oidc_role_claim:
            return None
        said = claims.get(self.settings.oidc_role_claim)
        values = {str(value) for value in said} if isinstance(said, list) else {str(said)}
        meant = role_of_value(self.settings)
        granted = {meant[value] for value in values if value in meant}
        for role in ROLES[::-1]:
            if role in granted:
                return role
        return "viewer"


def role_of_value(settings: Settings) -> Mapping[str, Role]:
    """What the values of the role claim stand for; the names of our roles stand for themselves unless told.

    Raises:
        SetupError: An entry of the setting has no role.
    """
    if not settings.oidc_roles:
        return {role: role for role in ROLES}
    found: dict[str, Role] = {}
    for entry in settings.oidc_roles:
        value, _, role = entry.rpartition("=")
        if not value or role.strip() not in ROLES:
            raise SetupError(f"{entry!r} in `STUDIO_OIDC_ROLES` names no role.", fix=f"Write `VALUE=ROLE`; {ROLES}.")
        found[value.strip()] = role_named(role.strip())
    return found


@asynccontextmanager
async def open_provider(settings: Settings, keys: Keys, sign_ins: SignIns) -> AsyncGenerator[Provider | None]:
    """The provider that the settings name, if they name one.

    Raises:
        SetupError: They say too little, or the issuer could be imitated on the way.
    """
    if not settings.oidc_issuer:
        yield None
        return
    if not settings.oidc_client_id:
        raise SetupError("`STUDIO_OIDC_ISSUER` needs a client.", fix="Set `STUDIO_OIDC_CLIENT_ID`.")
    issuer = urlsplit(settings.oidc_issuer)
    if issuer.scheme != "https" and issuer.hostname not in {"localhost", "127.0.0.1", "::1"}:
        raise SetupError(
            "The identity provider's address must start with https://.", fix="Change `STUDIO_OIDC_ISSUER`."
        )
    role_of_value(settings)
    # The operator chose the issuer, which may be within the own network, and which says where its other parts are.
    guard = Guard((place_of(settings.oidc_issuer),), elsewhere=True, private=True)
    async with http_client(guard, limit=MAX_BYTES, timeout=TIMEOUT_S) as client:
        yield Provider(settings, client, States(keys, sign_ins, lambda: datetime.now(UTC)))
