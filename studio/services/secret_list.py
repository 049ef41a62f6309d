"""Which secrets the teams name, and whether each has a value on this machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

from studio.components import DefaultEnv, component_classes, is_reference
from studio.services.team_checks import TeamChecks
from studio.store import ALL_TEAMS, Store


@dataclass(frozen=True)
class SecretLine:
    """A secret as a list shows it; never its value."""

    reference: str
    is_set: bool
    used_by: tuple[str, ...]
    is_too_short: bool = False
    """Whether its value cannot be told from ordinary words, so that it is not hidden in what runs say."""

    @property
    def name(self) -> str:
        return self.reference.partition(":")[2]

    @property
    def is_stored_here(self) -> bool:
        return self.reference.startswith("secret:")


async def secret_lines(store: Store, checks: TeamChecks) -> list[SecretLine]:
    """All stored secrets and all that teams name, by reference."""
    used: dict[str, list[str]] = {f"secret:{secret.name}": [] for secret in await store.secrets.list()}
    stored = frozenset(used)
    teams = await store.teams.list(ALL_TEAMS)
    found = await checks.get_many(teams)
    for team in teams:
        for reference in found[team.id].secrets if team.id in found else ():
            used.setdefault(reference, []).append(team.name)
    resolve = await store.secrets.source()
    lines = [
        SecretLine(reference, reference in stored or _is_in_environment(reference, resolve(reference)), tuple(teams))
        for reference, teams in sorted(used.items())
        if is_reference(reference)
    ]
    too_short = store.secrets.redactor.too_short
    return [replace(line, is_too_short=line.reference in too_short) for line in lines]


async def suggested_references(store: Store) -> list[SecretLine]:
    """What a form offers for a key: every stored secret, and the variables that the components usually read."""
    resolve = await store.secrets.source()
    stored = [f"secret:{secret.name}" for secret in await store.secrets.list()]
    usual = {
        f"env:{mark.name}"
        for cls in component_classes()
        for field in cls.model_fields.values()
        for mark in field.metadata
        if isinstance(mark, DefaultEnv)
    }
    return [SecretLine(reference, bool(resolve(reference)), ()) for reference in [*sorted(stored), *sorted(usual)]]


def _is_in_environment(reference: str, value: str | None) -> bool:
    return reference.startswith("env:") and bool(value)
