"""What clients and strangers bring to the addresses of OAuth, in any order and at once."""

from __future__ import annotations

import asyncio

import pytest

from studio.deployments.oauth import OAuthRefused
from tests.store.stores import OpenStore


async def test_what_is_unknown_is_refused_without_a_place_among_those_who_write(open_it: OpenStore):
    async with open_it() as store, store.oauth._database.write():  # pyright: ignore[reportPrivateUsage]
        async with asyncio.timeout(5):
            with pytest.raises(OAuthRefused):
                await store.oauth.exchange("guessed", "client", "https://app.example/", "v" * 43, None)
            with pytest.raises(OAuthRefused):
                await store.oauth.renew("studio-refresh-guessed.again", "client", None)
