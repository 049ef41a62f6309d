"""Components that a script makes beside each other: each has the name of its variable, and a person may choose one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from studio.code.findings import CodeFinding, InvalidPython, Position
from studio.code.parsed import ParsedValue

MAX_TOLD = 50
"""Names in the message."""


class SeveralComponents(InvalidPython):
    """A script makes several components, and none, or none of that name, was chosen.

    Args:
        findings: One says so, with their names; the others are what else is in the way.
        names: Each chooses one.
    """

    def __init__(self, findings: Sequence[CodeFinding], names: Sequence[str]) -> None:
        super().__init__(findings)
        self.names = tuple(names)


class Names:
    """The names of components by their variables, or by the functions that return them."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[str, Position, ParsedValue]] = {}
        """By the identity of their entries, which stay alive here."""

    def add(self, made: ParsedValue, name: str, place: Position) -> None:
        """Remember the first name of a component."""
        if made.cls is not None:
            self._found.setdefault(id(made.entries), (name, place, made))

    def labels(self, candidates: Sequence[ParsedValue]) -> list[str]:
        """A name for each, unlike the others': with its line, or file and line, where several have the same."""
        names = [self._name(made) for made in candidates]
        places = [self.place(made) for made in candidates]
        for ends in ([f":{at.line}" for at in places], [f"#{number}" for number in range(1, len(places) + 1)]):
            counts = Counter(names)
            names = [f"{name}{end}" if counts[name] > 1 else name for name, end in zip(names, ends, strict=True)]
        return names

    def choose(self, candidates: Sequence[ParsedValue], wanted: str) -> ParsedValue | None:
        """The one of that name; also by its own name or label, if only one has it."""
        if wanted in (names := self.labels(candidates)):
            return candidates[names.index(wanted)]
        fitting = [made for made in candidates if wanted in (self._name(made), *_own_names(made))]
        return fitting[0] if len(fitting) == 1 else None

    def _name(self, made: ParsedValue) -> str:
        known = self._found.get(id(made.entries))
        return known[0] if known else made.cls.__name__ if made.cls else ""

    def place(self, made: ParsedValue) -> Position:
        """Where a component got its name."""
        known = self._found.get(id(made.entries))
        return known[1] if known else made.at


def several(
    candidates: Sequence[ParsedValue], names: Names, wanted: str, fix: str, others: Sequence[CodeFinding]
) -> SeveralComponents:
    """What a script is refused with that makes several components, none of which was chosen."""
    found = names.labels(candidates)
    entries = [
        f"`{label}` in line {names.place(made).line} ({made.cls.__name__})"
        for label, made in zip(found[:MAX_TOLD], candidates, strict=False)
        if made.cls is not None
    ]
    more = f" and {len(candidates) - len(entries)} more" if len(candidates) > len(entries) else ""
    has = f"The script has no component named {wanted!r}; it has " if wanted else "The script has several components: "
    message = f"{has}{', '.join(entries)}{more}."
    finding = CodeFinding("several_components", message, fix, candidates[-1].at)
    return SeveralComponents([finding, *others], found)


def _own_names(made: ParsedValue) -> list[str]:
    """The name, the label and the class of a component."""
    if made.cls is None or not isinstance(made.entries, Mapping):
        return []
    config = made.entries["config"].entries
    name = config.get("name") if isinstance(config, Mapping) else None
    label = made.entries.get("label")
    return [*(str(each.value) for each in (name, label) if each is not None and each.value), made.cls.__name__]
