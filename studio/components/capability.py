"""What a component could do to the world, in words that a person can approve."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

CapabilityKind = Literal["python", "process", "host", "secret", "file", "knowledge", "spend"]

CODE: frozenset[CapabilityKind] = frozenset({"python", "process"})
"""Kinds that run something on this machine, which may be given a network."""


@dataclass(frozen=True, slots=True)
class Capability:
    """One thing that a component would need when it runs.

    Args:
        kind: Sort of thing.
        text: One sentence for a person who decides.
        detail: The exact thing: the source code, the command line, the host and port, the secret's reference.
        where: JSON pointer of the component in its document.
        is_open: Whether a model decides later what is done with it: any code, any page. The detail then tells only
            where and how.
        has_own_network: Whether what runs reaches the network by a way of its own, outside of the sandbox.
        is_connection: Whether it is part of a model's connection: its address, its key, what it may spend.
    """

    kind: CapabilityKind
    text: str
    detail: str
    where: str = ""
    is_open: bool = False
    has_own_network: bool = False
    is_connection: bool = False

    @property
    def hash(self) -> str:
        """Identity of the thing itself, wherever it stands: approving it approves exactly this."""
        return hashlib.sha256(f"{self.kind}\n{self.detail}".encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def may_have_network(self) -> bool:
        """Whether a person decides what it may connect to, beside whether it may run."""
        return self.kind in CODE and not self.has_own_network

    def as_json(self) -> dict[str, str]:
        return {
            "kind": self.kind,
            "text": self.text,
            "detail": self.detail,
            "hash": self.hash,
            "where": self.where,
        }
