"""What the author of a component should know though nothing in it is wrong, each piece with a stable code."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from types import MappingProxyType

from studio.components.base import Component
from studio.errors import Finding, Fix

logger = logging.getLogger(__name__)

MAX_OF_ONE = 50
"""Pieces of advice that one component may give; a class that counts something could give thousands."""

_kinds: dict[str, Advice] = {}
advice_kinds: Mapping[str, Advice] = MappingProxyType(_kinds)
"""All there are, by their codes; complete once the packages are loaded."""


class Advice:
    """One kind of advice, made once at the top of a module.

    Args:
        code: A stable snake_case name.
        meaning: When it is given, for the reference: one sentence.
    """

    def __init__(self, code: str, meaning: str) -> None:
        if code in _kinds:
            raise ValueError(f"Two kinds of advice have the code {code!r}.")
        self.code = code
        self.meaning = meaning
        _kinds[code] = self

    def __call__(self, message: str, fix: str = "", where: str = "", fixes: Sequence[Fix] = ()) -> Finding:
        """Give it.

        Args:
            message: One sentence.
            fix: What to do; may be empty.
            where: JSON pointer relative to the component that gives it, such as "/config/max_turns".
            fixes: What the page can do at a press; their pointers are relative, too.
        """
        return Finding(self.code, message, fix, where, tuple(fixes))


def advice_of(parts: Iterable[tuple[str, Component]]) -> Iterator[Finding]:
    """What components have to say, each of which comes with its place in the document."""
    for place, part in parts:
        if not part.is_opaque:
            yield from (finding.moved(place) for finding in _given_by(part))


def _given_by(component: Component) -> Sequence[Finding]:
    try:
        return tuple(islice(component.advice(), MAX_OF_ONE))
    except Exception as error:
        # Advice is a courtesy: a check that trips over something unusual must not make a sound team unrunnable.
        logger.warning("%s could not be checked for advice.", type(component).__name__, exc_info=error)
        return ()
