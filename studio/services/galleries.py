"""What pages show of a gallery: its components with what each is worth and could do, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from studio.components import Capability, envelopes, group_of
from studio.components.titles import title_alone, type_title
from studio.errors import Finding
from studio.galleries import EntryReport, Gallery, GalleryReport

KIND_OF_GROUP: Mapping[str, str] = {
    "teams": "team",
    "agents": "agent",
    "models": "model",
    "tools": "tool",
    "workbenches": "workbench",
    "terminations": "termination",
    "memories": "memory",
    "contexts": "context",
    "executors": "executor",
}
ORDER = tuple(KIND_OF_GROUP)
STATUS_TEXT = {"loaded": "Compatible", "opaque": "Not installed", "wrong": "Has errors"}
PARTLY_OPAQUE = "Missing components"
TALLY_TEXT = {"loaded": "{} compatible", "opaque": "{} not installed", "wrong": "{} with errors"}
SHOWN_PARTS = 8
CAPABILITY_WORDS: Mapping[str, str] = {
    "python": "run Python code",
    "process": "start programs",
    "host": "connect to other servers",
    "secret": "read secrets",
    "file": "read or write files",
    "knowledge": "read knowledge bases",
    "spend": "spend money",
}


@dataclass(frozen=True)
class PartChip:
    """A component inside another, as a chip."""

    kind: str
    label: str
    provider: str


@dataclass(frozen=True)
class ComponentCard:
    """One component of a gallery. `index` counts within its group, as the API does."""

    group: str
    index: int
    label: str
    description: str
    provider: str
    status: str
    status_text: str
    errors: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    capabilities: tuple[Capability, ...]
    holds: tuple[PartChip, ...]

    @property
    def kind(self) -> str:
        return KIND_OF_GROUP.get(self.group, "other")

    @property
    def type_title(self) -> str:
        return type_title(self.provider.rpartition(".")[2])


@dataclass(frozen=True)
class Section:
    """The components of one group."""

    group: str
    cards: tuple[ComponentCard, ...]

    @property
    def title(self) -> str:
        return self.group.replace("_", " ").capitalize()


@dataclass(frozen=True)
class Count:
    """How many components of a kind there are, in words."""

    kind: str
    text: str


@dataclass(frozen=True)
class Tally:
    """How many components have a status, in words."""

    state: str
    text: str


@dataclass(frozen=True)
class GalleryPreview:
    """A whole gallery before it is added."""

    name: str
    counts: tuple[Count, ...]
    tallies: tuple[Tally, ...]
    sections: tuple[Section, ...]
    could: str
    rejected: tuple[Finding, ...]


def preview_of(gallery: Gallery) -> GalleryPreview:
    """Check a gallery and put what was found in words. Takes a while for a large one: call it in a thread."""
    report = gallery.check()
    return GalleryPreview(
        name=gallery.name,
        counts=counts_of(gallery.counts),
        tallies=tallies_of(report),
        sections=sections_of(report),
        could=what_it_could(capability for entry in report.entries for capability in entry.report.capabilities),
        rejected=report.rejected,
    )


def sections_of(report: GalleryReport) -> tuple[Section, ...]:
    """The groups that hold something, in the palette's order."""
    groups: dict[str, list[ComponentCard]] = {}
    for entry in report.entries:
        cards = groups.setdefault(entry.entry.group, [])
        cards.append(_card(entry, len(cards)))
    return tuple(Section(group, tuple(groups[group])) for group in _ordered(groups))


def counts_of(counts: Mapping[str, int]) -> tuple[Count, ...]:
    return tuple(
        Count(KIND_OF_GROUP.get(group, "other"), f"{counts[group]} {_noun(group, counts[group])}")
        for group in _ordered(counts)
        if counts[group]
    )


def tallies_of(report: GalleryReport) -> tuple[Tally, ...]:
    return tuple(Tally(status, TALLY_TEXT[status].format(count)) for status, count in report.counts.items() if count)


def what_it_could(capabilities: Iterable[Capability]) -> str:
    """The kinds of things, as the end of a sentence; "" when there are none."""
    kinds = {capability.kind for capability in capabilities}
    return _joined([text for kind, text in CAPABILITY_WORDS.items() if kind in kinds])


def _card(checked: EntryReport, index: int) -> ComponentCard:
    component = checked.entry.component
    description, class_name = component.get("description"), checked.entry.provider.rpartition(".")[2]
    return ComponentCard(
        group=checked.entry.group,
        index=index,
        label=type_title(class_name) if checked.entry.label == class_name else checked.entry.label,
        description=description if isinstance(description, str) else "",
        provider=checked.entry.provider,
        status=checked.status,
        status_text=_status_text(checked),
        errors=checked.report.errors,
        warnings=checked.report.warnings,
        capabilities=checked.report.capabilities,
        holds=_parts(checked),
    )


def _status_text(checked: EntryReport) -> str:
    itself = next((part for part in checked.report.parts if part.where == checked.entry.where), None)
    if checked.status == "opaque" and itself is not None and itself.status == "loaded":
        return PARTLY_OPAQUE
    return STATUS_TEXT[checked.status]


def _parts(checked: EntryReport) -> tuple[PartChip, ...]:
    """What is inside, under the names that its author gave; contexts say too little to take the room."""
    names = {
        where: title_alone(envelope) for where, envelope in envelopes(checked.entry.component, checked.entry.where)
    }
    inner = [part for part in checked.report.parts if part.where != checked.entry.where]
    chips = [
        PartChip(
            KIND_OF_GROUP.get(group_of(part.component_type), "other"),
            names.get(part.where) or part.label,
            part.provider,
        )
        for part in inner
    ]
    shown = [chip for chip in dict.fromkeys(chips) if chip.kind != "context"]
    rest = len(shown) - SHOWN_PARTS
    more = [PartChip("other", f"{rest} more", "")] if rest > 0 else []
    return tuple(shown[:SHOWN_PARTS] + more)


def _ordered(groups: Iterable[str]) -> list[str]:
    return sorted(groups, key=lambda group: (ORDER.index(group) if group in ORDER else len(ORDER), group))


def _noun(group: str, count: int) -> str:
    plural = group.replace("_", " ")
    return KIND_OF_GROUP.get(group, plural) if count == 1 else plural


def _joined(texts: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(texts[:-1]), *texts[-1:]]))
