"""What a client of MCP says of itself in the document that its ID is the address of."""

from __future__ import annotations

import asyncio

from pydantic import ValidationError

from studio.components import parse_json
from studio.deployments.oauth import ClientMetadata, OAuthRefused, is_metadata_address
from studio.egress import Guard, HostRefused, TooLong, Unreadable, http_client
from studio.errors import InvalidDocument

READ_BYTES = 16 * 1024
READ_S = 5.0


async def read_metadata(client_id: str) -> ClientMetadata:
    """Fetch the document of a client. Redirects are not followed: they would lead to what somebody else says.

    Raises:
        OAuthRefused: The ID is no such address, or the document cannot be read or is about another client.
    """
    if not is_metadata_address(client_id):
        raise OAuthRefused("invalid_client", "Unknown client. It has to register again.")
    import httpx  # slow to load

    try:
        async with (
            asyncio.timeout(READ_S),
            http_client(
                Guard(elsewhere=True), limit=READ_BYTES, trust_env=False, timeout=READ_S, follow_redirects=False
            ) as client,
        ):
            answer = await client.get(client_id, headers={"Accept": "application/json"})
    except TimeoutError as error:
        raise _unreadable(f"no answer within {READ_S:.0f} s") from error
    except (HostRefused, TooLong, Unreadable) as error:
        raise _unreadable(error.what) from error
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:  # the last for a name that IDNA cannot decode
        raise _unreadable("the address cannot be reached") from error
    if answer.status_code != 200:
        raise _unreadable(f"the answer has status {answer.status_code}")
    return metadata_of(client_id, answer.content)


def metadata_of(client_id: str, document: bytes) -> ClientMetadata:
    """The metadata in a document, which must be about that client.

    Raises:
        OAuthRefused: It is not.
    """
    try:
        found = parse_json(document)
        client = ClientMetadata.model_validate(found)
    except (InvalidDocument, ValidationError) as error:
        raise _unreadable("it is not the metadata of a client") from error
    if not isinstance(found, dict) or found.get("client_id") != client_id:
        raise _unreadable("it is about another client")
    return client


def _unreadable(why: str) -> OAuthRefused:
    return OAuthRefused("invalid_client", f"The document of the client cannot be used: {why}.")
