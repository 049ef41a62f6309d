"""Asking at the terminal what a team may do."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from studio.cli.terminal import Terminal
from studio.components import Capability
from studio.components.folders import OWN_FOLDER
from studio.components.hidden_characters import count_hidden, doubtful_words, written_out
from studio.components.named_hosts import is_host
from studio.errors import SetupError
from studio.sandbox.grants import ANY_HOST, Grants


def ask_approval(needed: Sequence[Capability], person: Terminal, hosts: Sequence[str], own_folder: Path) -> None:
    """Show all that a team could do, and go on only if somebody agrees.

    Raises:
        SetupError: Nobody did; the first thing that lacks approval is named.
    """
    if not needed:
        return
    print("This team can:", file=sys.stderr)
    for capability in needed:
        print("\n".join(told_exactly(capability)), file=sys.stderr)
    if any(OWN_FOLDER in capability.detail for capability in needed):
        print(f"The team's own folder is {own_folder}.", file=sys.stderr)
    if any(capability.may_have_network for capability in needed):
        print(f"Its code and programs get {_network(hosts)}.", file=sys.stderr)
    first = f"Not approved: {in_one_line(needed[0].text)}"
    more = f" And {len(needed) - 1} more." if len(needed) > 1 else ""
    if not person.is_person():
        raise SetupError(
            f"Approval needs a terminal. {first}{more}",
            fix="Review the list, then add --approve.",
            where=needed[0].where,
        )
    if not person.confirm("Approve all of it for this run? [y/N] "):
        raise SetupError(f"Nothing has run. {first}{more}", where=needed[0].where)


def told_exactly(capability: Capability) -> Iterator[str]:
    """The sentence, and below it the exact thing; what hides in them is written out, and counted."""
    yield f"  - {in_one_line(capability.text)}"
    detail = capability.detail.replace("\r\n", "\n")
    if hidden := count_hidden(detail):
        what = "1 character hides" if hidden == 1 else f"{hidden} characters hide"
        yield f"      ({what} in this; written out as <U+202E>)"
    if doubtful := doubtful_words(detail):
        yield f"      (words that may be misleading: {', '.join(doubtful)})"
    yield from (f"      {line}" for line in written_out(detail).split("\n"))


def in_one_line(text: str, *, is_prose: bool = False) -> str:
    """A sentence; a line end that a team put into it does not begin another one."""
    return written_out(text, is_prose=is_prose).replace("\n", "<U+000A>").replace("\t", "<U+0009>")


def network_of(needed: Sequence[Capability], hosts: Sequence[str]) -> Grants:
    """The same hosts for all code and programs of a team.

    Raises:
        SetupError: One of them is no host.
    """
    for host in hosts:
        if host != ANY_HOST and not is_host(host):
            raise SetupError(f"{host!r} is not a host.", fix="Enter only a host name, such as api.example.com, or '*'.")
    granted = tuple(host.lower() for host in hosts)
    networks = {each.hash: granted for each in needed if each.may_have_network} if granted else {}
    return Grants(networks, frozenset(each.hash for each in needed))


def _network(hosts: Sequence[str]) -> str:
    if not hosts:
        return "no network; --allow-host gives them one"
    return "any host" if ANY_HOST in hosts else f"network access to {', '.join(hosts)}"
