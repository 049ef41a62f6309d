from __future__ import annotations

import pytest

from studio.components import Capability
from studio.errors import NotFound
from studio.store import team_scope
from tests.store.stores import OpenStore

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
        await store.approvals.revoke(PYTHON.hash, by="ben")
        assert await store.approvals.approved([PYTHON.hash]) == frozenset()
        (past,) = await store.approvals.revoked()
        assert (past.hash, past.by, past.revoked_by) == (PYTHON.hash, "ann", "ben")
        with pytest.raises(NotFound):
            await store.approvals.revoke(PYTHON.hash)


async def test_approving_twice_keeps_the_first_date(open_it: OpenStore) -> None:
    async with open_it() as store:
        await store.approvals.approve([PYTHON], by="ann")
        first = await store.approvals.list()
        await store.approvals.approve([PYTHON], by="ben")
        assert await store.approvals.list() == first


async def test_other_hosts_replace_an_approval_and_the_old_one_is_kept_as_history(open_it: OpenStore) -> None:
    async with open_it() as store:
        await store.approvals.approve([PYTHON], by="ann", hosts={PYTHON.hash: ["a.test"]})
        await store.approvals.approve([PYTHON], by="ben")
        assert await store.approvals.active_for([PYTHON.hash]) == {PYTHON.hash: ()}
        (past,) = await store.approvals.revoked()
        assert (past.hosts, past.revoked_by) == (["a.test"], "ben")


async def test_the_narrowest_approval_decides_what_code_may_reach(open_it: OpenStore) -> None:
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"}, publisher="url:https://a.test/g.json")
        other = await store.teams.create({"provider": "x"})
        everywhere = {PYTHON.hash: ["*"]}
        await store.approvals.approve([PYTHON], hosts=everywhere)
        await store.approvals.approve([PYTHON], scope=team.publisher, hosts={PYTHON.hash: ["a.test"]})
        assert await store.approvals.active_for([PYTHON.hash], team_id=team.id) == {PYTHON.hash: ("a.test",)}
        await store.approvals.approve([PYTHON], scope=team_scope(team.id))
        assert await store.approvals.active_for([PYTHON.hash], team_id=team.id) == {PYTHON.hash: ()}
        assert await store.approvals.active_for([PYTHON.hash], team_id=other.id) == {PYTHON.hash: ("*",)}


async def test_what_was_allowed_of_a_team_is_remembered_and_goes_with_it(open_it: OpenStore) -> None:
    async with open_it() as store:
        team = await store.teams.create({"provider": "x"})
        await store.approvals.remember(team.id, [(PYTHON.hash, "writer")], by="ann")
        reviewed = await store.approvals.reviewed(team.id)
        assert reviewed is not None
        assert (reviewed.items, reviewed.by) == (((PYTHON.hash, "writer"),), "ann")
        await store.teams.delete(team.id)
        assert await store.approvals.reviewed(team.id) is None
