"""Asking at the terminal what a team may do."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from studio.cli.terminal import Terminal
from studio.components import Capability
from studio.components.named_hosts import is_host
from studio.console import printable
from studio.errors import SetupError
from studio.sandbox.grants import ANY_HOST, Grants


def ask_approval(needed: Sequence[Capability], person: Terminal, hosts: Sequence[str]) -> None:
    """Show all that a team could do, and go on only if somebody agrees.

    Raises:
        SetupError: Nobody did; the first thing that lacks approval is named.
    """
    if not needed:
        return
    print("This team could do the following:", file=sys.stderr)
    for capability in needed:
        print(f"  - {printable(capability.text)}", file=sys.stderr)
        if capability.may_have_network:
            print("\n".join(f"      {line}" for line in printable(capability.detail).splitlines()), file=sys.stderr)
    if any(capability.may_have_network for capability in needed):
        print(f"Its code and programs get {_network(hosts)}.", file=sys.stderr)
    first = f"Not approved: {printable(needed[0].text)}"
    more = f" And {len(needed) - 1} more." if len(needed) > 1 else ""
    if not person.is_person():
        raise SetupError(
            f"Nobody is here to approve this. {first}{more}",
            fix="Read the list, then add --approve.",
            where=needed[0].where,
        )
    if not person.confirm("Approve all of it for this run? [y/N] "):
        raise SetupError(f"Nothing was run. {first}{more}", where=needed[0].where)


def network_of(needed: Sequence[Capability], hosts: Sequence[str]) -> Grants:
    """The same hosts for all code and programs of a team.

    Raises:
        SetupError: One of them is no host.
    """
    for host in hosts:
        if host != ANY_HOST and not is_host(host):
            raise SetupError(f"{host!r} is not a host.", fix="Write a name alone, such as api.example.com, or '*'.")
    granted = tuple(host.lower() for host in hosts)
    networks = {each.hash: granted for each in needed if each.may_have_network} if granted else {}
    return Grants(networks, frozenset(each.hash for each in needed))


def _network(hosts: Sequence[str]) -> str:
    if not hosts:
        return "no network; --allow-host gives them one"
    return "any host" if ANY_HOST in hosts else f"a network that reaches {', '.join(hosts)}"
