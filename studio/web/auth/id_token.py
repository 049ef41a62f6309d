"""The ID token of an identity provider: whether it holds, and what it says.

Source: OpenID Connect Core 1.0, section 3.1.3.7.
"""

from __future__ import annotations

from typing import cast

from joserfc import jwk, jwt
from joserfc.errors import JoseError
from pydantic import JsonValue

from studio.components import JsonObject

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
"""Public-key signatures only: `none`, and those made with a shared secret, are no proof of who signed."""
LEEWAY_S = 60


class InvalidToken(ValueError):
    """The token does not hold."""


def claims_in(token: str, keys: JsonValue, *, issuer: str, client_id: str, nonce: str) -> JsonObject:
    """What a token says that one of these keys signed, for this client and this sign-in.

    Args:
        token: As the provider sent it.
        keys: Those of the provider's key set.
        issuer: The provider.
        client_id: The studio's name there.
        nonce: Of the sign-in.

    Raises:
        InvalidToken: It is not signed by them, has expired, or is for somebody else.
    """
    must = jwt.JWTClaimsRegistry(
        leeway=LEEWAY_S,
        iss={"essential": True, "value": issuer},
        aud={"essential": True, "value": client_id},
        exp={"essential": True},
        iat={"essential": True},
        sub={"essential": True},
        nonce={"essential": True, "value": nonce},
    )
    try:
        key_set = jwk.KeySet.import_key_set({"keys": keys})  # pyright: ignore[reportArgumentType]  it checks them
        decoded = jwt.decode(token, key_set, algorithms=ALGORITHMS)
        must.validate(decoded.claims)
    except (JoseError, ValueError) as error:
        raise InvalidToken from error
    return cast("JsonObject", decoded.claims)  # read from JSON
