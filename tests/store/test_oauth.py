"""What clients and strangers bring to the addresses of OAuth, in any order and at once."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import Sequence

import pytest

from studio.deployments import DeploymentSettings
from studio.deployments.oauth import OAuthRefused
from studio.store import Store
from studio.store.deployments import NewRelease
from studio.store.oauth import GivenAccess, NewGrant
from tests.store.stores import OpenStore

VERIFIER = "v" * 43
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
ADDRESS = "https://app.example/"
RESOURCE = "https://studio.example/d/support/mcp"


async def code_in(store: Store) -> str:
    team = await store.teams.create({}, name="Team")
    made = await store.deployments.add("support", team.id, "Team", DeploymentSettings(), NewRelease({}, 1))
    return await store.oauth.add(NewGrant(made.id, "client", "Client", ADDRESS, CHALLENGE, RESOURCE, "ann"))


def given(answers: Sequence[GivenAccess | BaseException]) -> list[GivenAccess]:
    assert all(isinstance(each, GivenAccess | OAuthRefused) for each in answers), answers
    return [each for each in answers if isinstance(each, GivenAccess)]


async def test_what_is_unknown_is_refused_without_a_place_among_those_who_write(open_it: OpenStore):
    async with open_it() as store, store.oauth._database.write():  # pyright: ignore[reportPrivateUsage]
        async with asyncio.timeout(5):
            with pytest.raises(OAuthRefused):
                await store.oauth.exchange("guessed", "client", ADDRESS, VERIFIER, None)
            with pytest.raises(OAuthRefused):
                await store.oauth.renew("studio-refresh-guessed.again", "client", None)


async def test_of_servers_that_get_the_same_at_once_one_gives_access_and_it_ends(open_it: OpenStore):
    """Whoever is slower has what was used: one of them is not the client."""
    async with open_it() as store, open_it() as other:
        code, both = await code_in(store), (store, other) * 4
        exchanging = (each.oauth.exchange(code, "client", ADDRESS, VERIFIER, None) for each in both)
        [first] = given(await asyncio.gather(*exchanging, return_exceptions=True))
        assert not await store.deployments.holds(first.key.id)


async def test_of_servers_that_renew_the_same_at_once_one_does_and_it_ends(open_it: OpenStore):
    async with open_it() as store, open_it() as other:
        first = await store.oauth.exchange(await code_in(store), "client", ADDRESS, VERIFIER, None)
        renewing = (each.oauth.renew(first.refresh_token, "client", None) for each in (store, other) * 4)
        [second] = given(await asyncio.gather(*renewing, return_exceptions=True))
        assert not await store.deployments.holds(second.key.id)
        with pytest.raises(OAuthRefused):
            await store.oauth.renew(second.refresh_token, "client", None)
