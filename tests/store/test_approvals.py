from __future__ import annotations

import pytest

from studio.components import Capability
from studio.errors import NotFound
from tests.store.opening import OpenStore

PYTHON = Capability("python", "Run this Python.", "def add(a, b): return a + b", "/config/tools/0")


async def test_an_approval_holds_for_exactly_that_thing_until_it_is_revoked(open_it: OpenStore) -> None:
    changed = Capability("python", PYTHON.text, PYTHON.detail + "  # changed")
    async with open_it() as store:
        await store.approvals.approve([PYTHON, PYTHON], by="ann")
    async with open_it() as store:
        assert await store.approvals.approved([PYTHON.hash, changed.hash]) == {PYTHON.hash}
        (approval,) = await store.approvals.list()
        assert (approval.kind, approval.text, approval.detail, approval.by) == (
            "python",
            PYTHON.text,
            PYTHON.detail,
            "ann",
        )
        await store.approvals.revoke(PYTHON.hash)
        assert await store.approvals.approved([PYTHON.hash]) == frozenset()
        with pytest.raises(NotFound):
            await store.approvals.revoke(PYTHON.hash)


async def test_approving_twice_keeps_the_first_date(open_it: OpenStore) -> None:
    async with open_it() as store:
        await store.approvals.approve([PYTHON], by="ann")
        first = await store.approvals.list()
        await store.approvals.approve([PYTHON], by="ben")
        assert await store.approvals.list() == first
