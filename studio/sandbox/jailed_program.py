"""Starting a program within its policy: the jail around it, and its one way to the network."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from studio.sandbox.jail import current_jail
from studio.sandbox.policy import Policy
from studio.sandbox.proxy import network_for


@asynccontextmanager
async def confined(argv: Sequence[str], policy: Policy) -> AsyncGenerator[list[str]]:
    """What to start instead of `argv`, in the jail of this context; the block must last as long as the program.

    Raises:
        JailUnavailable: The policy cannot be held here.
    """
    jail = current_jail.get()
    if not jail.is_confining:
        yield jail.command(argv, policy)
        return
    async with network_for(policy.hosts) as network:
        within = replace(policy, readable=(*policy.readable, *network.readable))
        yield jail.command(network.command(argv), within)
