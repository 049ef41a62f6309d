"""Names of participants: identifiers, unique in their team, as near to the source's as can be."""

from __future__ import annotations

import keyword
import re
import unicodedata

MAX_NAME = 60
RESERVED = frozenset(("user", "message", "result"))
"""Names that mean something in every team."""


class Names:
    """Gives names; no two are the same."""

    def __init__(self, *taken: str) -> None:
        self._taken = {*RESERVED, *taken}

    def free(self, wanted: str, otherwise: str = "agent") -> str:
        """An identifier for a label; `otherwise` where nothing of it can stand in one."""
        base = word(wanted) or otherwise
        name, number = base, 2
        while name in self._taken:
            name, number = f"{base}_{number}", number + 1
        self._taken.add(name)
        return name


def word(label: str) -> str:
    """A label as an identifier; empty where nothing of it can stand in one."""
    plain = unicodedata.normalize("NFKC", label)
    text = re.sub(r"\W+", "_", plain).strip("_")[:MAX_NAME].strip("_")
    if text and not text.isidentifier():
        text = f"step_{text}"
    if not text.isidentifier():
        return ""
    return f"{text}_" if keyword.iskeyword(text) else text
