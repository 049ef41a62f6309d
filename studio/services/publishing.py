"""Publishes teams: a release is frozen only when its team could run right now."""

from __future__ import annotations

from studio.deployments import DeploymentSettings
from studio.errors import ConfigError
from studio.runs import NewRun, PreparedRun, RunControl
from studio.store import Store
from studio.store.deployments import NewRelease
from studio.store.tables import Deployment, JsonObject, Release

CHECK = "Check."


async def publish(
    store: Store,
    supervisor: RunControl,
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
        ConfigError: It has no agent of the name that its answers should come from.
        Conflict: Another deployment has the name.
    """
    team = await store.teams.get(team_id)
    prepared = await _prepare(supervisor, team.component, team_id)
    _check_answers(prepared, settings)
    first = NewRelease(prepared.new.component, team.revision, note, by)
    return await store.deployments.add(name, team_id, team.name, settings, first, summary=summary)


async def make_release(
    store: Store, supervisor: RunControl, deployment: Deployment, *, note: str = "", by: str = ""
) -> Release:
    """Freeze the team of a deployment as it is saved now; it is not live yet.

    Raises:
        NotFound: The team is gone.
        InvalidComponent, NotApproved, JailUnavailable, ConfigError: As for `publish`.
    """
    team = await store.teams.get(deployment.team_id or "")
    prepared = await _prepare(supervisor, team.component, team.id)
    _check_answers(prepared, DeploymentSettings.model_validate(deployment.settings))
    return await store.deployments.add_release(
        deployment.name, NewRelease(prepared.new.component, team.revision, note, by)
    )


async def check_settings(
    store: Store, supervisor: RunControl, deployment: Deployment, settings: DeploymentSettings
) -> None:
    """Hold that the live release can answer as these settings say.

    Raises:
        InvalidComponent, NotApproved, JailUnavailable, ConfigError: As for `publish`.
    """
    if settings.answer_from:
        release = await store.deployments.release(deployment.id, deployment.live)
        _check_answers(await _prepare(supervisor, release.component, deployment.team_id), settings)


async def _prepare(supervisor: RunControl, component: JsonObject, team_id: str | None) -> PreparedRun:
    return await supervisor.prepare(NewRun(component, CHECK, CHECK, team_id))


def _check_answers(prepared: PreparedRun, settings: DeploymentSettings) -> None:
    names = sorted({*prepared.names.values()} - {""})
    if settings.answer_from and settings.answer_from not in names:
        raise ConfigError(
            f"The team has no agent {settings.answer_from!r}.",
            fix=f"Choose one of {', '.join(names)}, or leave it empty.",
            where="/settings/answer_from",
        )
