"""The galleries that come with the studio, and how they get into the store: at the first start, and with a new version.

Each is a folder: `gallery.json` with what it is and its components, and a file for each ready team.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from studio.components import Capability, all_capabilities, load_component
from studio.errors import NotFound
from studio.galleries import Entry, Gallery, parse_gallery
from studio.services.ready_teams import ReadyTeam, read_ready_team
from studio.store import Store

PUBLISHER = "Team Studio"


@dataclass(frozen=True)
class BuiltinGallery:
    """A gallery of the studio with its ready teams, which are the last of its teams."""

    gallery: Gallery
    ready_teams: Sequence[ReadyTeam]


def gallery_folders() -> list[Path]:
    """Where the galleries lie: in the wheel beside the code, in a checkout beside the package."""
    package = Path(__file__).parents[1]
    for folder in (package / "_gallery", package.parent / "gallery"):
        if folder.is_dir():
            return sorted(file.parent for file in folder.glob("*/gallery.json"))
    return []


@cache
def read_builtin(folder: Path) -> BuiltinGallery:
    """The whole of one. The first reading takes a tenth of a second: call it in a thread."""
    teams = [read_ready_team(file) for file in sorted(folder.glob("*.yaml"))]
    gallery = _outline(folder)
    first = len(gallery.components["teams"])
    entries = [Entry("teams", team.component, f"/components/teams/{index}") for index, team in enumerate(teams, first)]
    return BuiltinGallery(replace(gallery, entries=(*gallery.entries, *entries)), teams)


def builtin_galleries() -> list[BuiltinGallery]:
    """All of them, by name of their folder."""
    return [read_builtin(folder) for folder in gallery_folders()]


async def load_builtin_galleries(store: Store) -> None:
    """Add or upgrade each by id and version. What an operator revoked stays revoked until a new version comes.

    One that is damaged is put back, and nothing is approved again.
    """
    stored = await store.galleries.versions("shipped")
    for folder in gallery_folders():
        outline = await asyncio.to_thread(_outline, folder)
        version = stored.get(outline.id)
        if version is not None and version == outline.metadata.get("version"):
            continue
        gallery = (await asyncio.to_thread(read_builtin, folder)).gallery
        await store.galleries.put(gallery.id, gallery.name, gallery.dump(), origin="shipped")
        if version is not None or outline.id not in stored:
            await store.approvals.approve(await asyncio.to_thread(_code, folder), by=PUBLISHER)


@cache
def _outline(folder: Path) -> Gallery:
    """A gallery without its ready teams."""
    return parse_gallery((folder / "gallery.json").read_bytes(), name=folder.name)


@cache
def _code(folder: Path) -> list[Capability]:
    """The Python that we publish ourselves, and approve. Hosts and secrets are still asked for: an approval of those
    would also hold for every other component that wants the same."""
    return [
        capability
        for entry in read_builtin(folder).gallery.entries
        for capability in all_capabilities(load_component(entry.component))
        if capability.kind == "python"
    ]


def ready_teams() -> Mapping[str, tuple[Gallery, ReadyTeam]]:
    """Each with its gallery, by its slug. Read it in a thread."""
    return {team.slug: (each.gallery, team) for each in builtin_galleries() for team in each.ready_teams}


def ready_team(slug: str) -> tuple[Gallery, ReadyTeam]:
    """One with its gallery. Read it in a thread.

    Raises:
        NotFound: There is no such ready team.
    """
    found = ready_teams().get(slug)
    if found is None:
        raise NotFound("There is no such ready team.", fix="Choose one on the page Ready teams.")
    return found
