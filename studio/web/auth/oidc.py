"""Signing in with an identity provider: OpenID Connect, authorization code with PKCE.

Source: OpenID Connect Core 1.0, section 3.1; RFC 7636 (PKCE); RFC 9700 (best practice).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

import httpx
from joserfc import jwk, jwt
from joserfc.errors import JoseError
from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from studio.egress import Guard, HostRefused, http_client, place_of
from studio.errors import Forbidden, SetupError
from studio.settings import Settings
from studio.store import ROLES, Role, role_named
from studio.web.auth.access_token import is_same

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Public-key signatures only: `none`, and those made with a shared secret, are no proof of who signed."""
TIMEOUT_S = 10.0
MAX_BYTES = 1024 * 1024
STATE_LIFETIME_S = 600.0
MAX_FINISHED = 10_000
"""States that are remembered as used. Who came back in vain too often must wait, so one address fills little of it."""
LEEWAY_S = 60
JSON_OBJECT: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class SignInFailed(Forbidden):
    """Raised when the identity provider's word is not enough to come in."""

    code = "sign_in_failed"


class ProviderMetadata(BaseModel):
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

    A state is random, has an end and is signed, and its nonce and its verifier follow from it by a key that only this
    process knows. So nothing is kept of those who begin, and strangers who begin many push nobody out.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._key = secrets.token_bytes(32)
        self._used: dict[str, float] = {}

    def make(self) -> str:
        state = f"{int(self._clock() + STATE_LIFETIME_S)}.{secrets.token_urlsafe(32)}"
        return f"{state}.{self._derived('state', state)}"

    def begun(self, state: str, redirect_uri: str) -> PendingSignIn:
        """What belongs to a state."""
        return PendingSignIn(state, self._derived("nonce", state), self._derived("verifier", state), redirect_uri)

    def use(self, state: str) -> bool:
        """Whether the state is one of ours, is not too old and was not used before. From now on it was."""
        signed, _, signature = state.rpartition(".")
        if not is_same(signature, self._derived("state", signed)) or state in self._used:
            return False
        now, until = self._clock(), float(signed.partition(".")[0])
        if now > until:
            return False
        for old in [old for old, end in self._used.items() if now > end]:
            del self._used[old]
        if len(self._used) >= MAX_FINISHED:
            self._used.pop(next(iter(self._used)))
        self._used[state] = until
        return True

    def _derived(self, purpose: str, state: str) -> str:
        digest = hmac.digest(self._key, f"{purpose}:{state}".encode("utf-8", "replace"), "sha256")
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


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
    clock: Callable[[], float] = time.monotonic
    _discovered: ProviderMetadata | None = None
    _key_set: jwk.KeySet | None = None

    def __post_init__(self) -> None:
        self._states = States(self.clock)

    async def begin(self, redirect_uri: str) -> tuple[str, str]:
        """Where the browser must go, and the state that it must bring back.

        Raises:
            SignInFailed: The provider does not answer as it should.
        """
        found = await self._discover()
        begun = self._states.begun(self._states.make(), redirect_uri)
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
        if not self._states.use(state) or not is_same(kept_state or "", state):
            raise SignInFailed("This sign-in expired or was started in another browser.", fix="Sign in again.")
        begun = self._states.begun(state, redirect_uri)
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
        must = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self.settings.oidc_issuer},
            aud={"essential": True, "value": self.settings.oidc_client_id},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            try:
                decoded = jwt.decode(token, await self._keys(), algorithms=ALGORITHMS)
            except (JoseError, ValueError):  # the provider may have changed its keys since
                decoded = jwt.decode(token, await self._keys(again=True), algorithms=ALGORITHMS)
            must.validate(decoded.claims)
        except (JoseError, ValueError) as error:
            raise SignInFailed("The identity provider's ID token is invalid.") from error
        claims = JSON_OBJECT.validate_python(decoded.claims)
        us = self.settings.oidc_client_id
        has_others = isinstance(claims["aud"], list) and len(claims["aud"]) > 1
        if claims.get("azp", None if has_others else us) != us:
            raise SignInFailed("The ID token of the identity provider is for another client.")
        return claims

    async def _keys(self, *, again: bool = False) -> jwk.KeySet:
        if self._key_set is None or again:
            found = await self._asked("GET", (await self._discover()).jwks_uri)
            self._key_set = jwk.KeySet.import_key_set({"keys": found.get("keys", [])})  # pyright: ignore[reportArgumentType]  the library checks what they are
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
async def open_provider(settings: Settings) -> AsyncGenerator[Provider | None]:
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
        yield Provider(settings, client)
