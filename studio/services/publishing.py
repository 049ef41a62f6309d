"""Publishes teams: a release is frozen only when its team could run right now."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from studio.agents import AssistantAgent, BaseChatAgent
from studio.components import load_component
from studio.deployments import NAME_PATTERN, DeploymentSettings
from studio.errors import ConfigError, InvalidComponent
from studio.runs import NewRun, PreparedRun
from studio.store import Store
from studio.store.deployment_tables import Deployment, Release
from studio.store.deployments import NewRelease
from studio.store.tables import JsonObject
from studio.teams import Team

CHECK = "Check."
MAX_NAME = 48


class Prepares(Protocol):
    """What tells whether a team could run right now, as `RunControl.prepare` does."""

    async def prepare(self, new: NewRun) -> PreparedRun: ...


@dataclass(frozen=True)
class Speakers:
    """The agents whose messages may be the answer of a team, and those whose turns end with the result of a tool."""

    names: Sequence[str] = ()
    with_tool_results: Sequence[str] = ()


def speakers_of(component: JsonObject) -> Speakers:
    """Nobody, where the team does not load: publishing says why."""
    try:
        agents = list(_agents_of(load_component(component, Team)))
    except InvalidComponent:
        return Speakers()
    with_tools = [each.name for each in agents if isinstance(each, AssistantAgent) and each.ends_with_tool_results]
    return Speakers([each.name for each in agents], with_tools)


def _agents_of(team: Team) -> Iterator[BaseChatAgent]:
    for each in team.participants:
        if isinstance(each, Team):
            yield from _agents_of(each)
        elif isinstance(each, BaseChatAgent):
            yield each


def suggested_name(team_name: str) -> str:
    """What a deployment of the team may be called."""
    plain = unicodedata.normalize("NFKD", team_name).encode("ascii", "ignore").decode().lower()
    name = re.sub(r"[^a-z0-9]+", "-", plain)[:MAX_NAME].strip("-")
    return name if len(name) > 1 else "team"


async def publish(
    store: Store,
    runs: Prepares,
    team_id: str,
    name: str,
    settings: DeploymentSettings,
    *,
    summary: str = "",
    note: str = "",
    by: str = "",
) -> Deployment:
    """Publish a team as it is saved now under a new name.

    Raises:
        NotFound: There is no such team.
        InvalidComponent, NotApproved, JailUnavailable: It could not run.
        ConfigError: The name cannot be one, or no agent has the name that its answers should come from.
        Conflict: Another deployment has the name.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise ConfigError(
            f"{name!r} cannot be the name of a deployment.",
            fix=f"Use 2 to {MAX_NAME} lowercase letters, digits and hyphens.",
            where="/name",
        )
    team = await store.teams.get(team_id)
    prepared = await _prepare(runs, team.component, team_id)
    _check_answers(prepared, settings)
    first = NewRelease(prepared.new.component, team.revision, note, by)
    return await store.deployments.add(name, team_id, team.name, settings, first, summary=summary)


async def make_release(
    store: Store, runs: Prepares, deployment: Deployment, *, note: str = "", by: str = ""
) -> Release:
    """Freeze the team of a deployment as it is saved now; it is not live yet.

    Raises:
        NotFound: The team is gone.
        InvalidComponent, NotApproved, JailUnavailable, ConfigError: As for `publish`.
    """
    team = await store.teams.get(deployment.team_id or "")
    prepared = await _prepare(runs, team.component, team.id)
    _check_answers(prepared, DeploymentSettings.model_validate(deployment.settings))
    return await store.deployments.add_release(
        deployment.name, NewRelease(prepared.new.component, team.revision, note, by)
    )


async def is_live(store: Store, runs: Prepares, deployment: Deployment) -> bool:
    """Whether the live release is the team as it is saved now.

    Raises:
        NotFound, InvalidComponent, NotApproved, JailUnavailable: As for `make_release`.
    """
    team = await store.teams.get(deployment.team_id or "")
    release = await store.deployments.release(deployment.id, deployment.live)
    return (await _prepare(runs, team.component, team.id)).new.component == release.component


async def check_settings(store: Store, runs: Prepares, deployment: Deployment, settings: DeploymentSettings) -> None:
    """Hold that the live release can answer as these settings say.

    Raises:
        InvalidComponent, NotApproved, JailUnavailable, ConfigError: As for `publish`.
    """
    if settings.answer_from:
        release = await store.deployments.release(deployment.id, deployment.live)
        _check_answers(await _prepare(runs, release.component, deployment.team_id), settings)


async def _prepare(runs: Prepares, component: JsonObject, team_id: str | None) -> PreparedRun:
    return await runs.prepare(NewRun(component, CHECK, CHECK, team_id))


def _check_answers(prepared: PreparedRun, settings: DeploymentSettings) -> None:
    names = sorted({*prepared.names.values()} - {""})
    if settings.answer_from and settings.answer_from not in names:
        raise ConfigError(
            f"The team has no agent {settings.answer_from!r}.",
            fix=f"Choose one of {', '.join(names)}, or leave it empty.",
            where="/settings/answer_from",
        )
