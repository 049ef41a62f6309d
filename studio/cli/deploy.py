"""`studio deploy`, `studio keys` and `studio deployments`, for whoever has the studio's folder; no server is needed."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from studio.cli.approval_prompt import ask_approval, network_of
from studio.cli.load_files import read_document
from studio.cli.terminal import terminal
from studio.components import JsonObject
from studio.deployments import NOBODYS, DeploymentSettings, KeyUse
from studio.errors import ConfigError, NotFound, StudioError
from studio.runs import NewRun, PreparedRun
from studio.runs.admission import NotApproved
from studio.runs.prepare import RunDependencies, prepare_run
from studio.sandbox import open_sandbox, outside_of, own_folder
from studio.services import publishing
from studio.services.release_gates import check_release, pass_gate
from studio.services.secret_storage import with_references
from studio.settings import Settings
from studio.store import Store, open_store, team_scope
from studio.store.deployment_tables import CallerKey, Deployment
from studio.store.deployments import KeyState, key_state

KINDS: Mapping[str, str] = {"link": " (chat link)", "oauth": " (MCP client)"}
"""What is said of a key that is not for programs."""
OPERATOR = "command line"
FIRST_KEY = "command line"
T = TypeVar("T")


@dataclass(frozen=True)
class Publication:
    """How a team is published. Of the settings, what is None stays, or has its default.

    Args:
        name: Of the deployment; "" makes one of the team's label.
        note: About the release.
        sees, tool_results: As in `DeploymentSettings`.
        chat: `access` of `ChatSettings`.
        call_usd, day_usd: As in `CallLimits`.
        key: Label of a key that is made; "" makes one only where no valid one is.
        is_live: Whether a new release of a team that is published goes live at once.
        override: Why it goes live though an evaluation that gates releases did not pass.
        approve: Whether all that the team asks for is approved without a question.
        hosts: That its code may reach.
    """

    name: str = ""
    note: str = ""
    sees: str | None = None
    tool_results: bool | None = None
    chat: str | None = None
    call_usd: float | None = None
    day_usd: float | None = None
    key: str = ""
    is_live: bool = False
    override: str = ""
    approve: bool = False
    hosts: Sequence[str] = ()


@dataclass(frozen=True)
class Deployed:
    """What came of it; `key` is "" where none was made."""

    name: str
    live: int
    release: int
    key: str


@dataclass(frozen=True)
class _Preparer:
    """Tells whether a team could run here; it starts nothing."""

    sources: RunDependencies

    async def prepare(self, new: NewRun) -> PreparedRun:
        return await prepare_run(self.sources, new, copy_context())


def deploy_file(settings: Settings, file: Path, team_name: str, wanted: Publication, *, as_json: bool) -> None:
    """Publish the team of a file, or make a release of it where it is published, and say what to do next.

    Raises:
        StudioError: The team cannot run, was not approved, or the name cannot be used.
    """
    done = publish_file(settings, file, team_name, wanted)
    if as_json:
        print(json.dumps(done.__dict__, indent=2))
        return
    if done.release == done.live:
        print(f"{done.name}: release {done.release} is live.")
    else:
        print(f"{done.name}: release {done.release} is ready; release {done.live} is live.")
        print(f"To make it live: studio deployments live {done.name} {done.release}")
    if done.key:
        print(f"Key, shown this once: {done.key}")


def publish_file(settings: Settings, file: Path, team_name: str, wanted: Publication) -> Deployed:
    """Publish the team of a file; nothing changes where its live release is this team already.

    Raises:
        StudioError: As for `deploy_file`.
    """
    document = read_document(file, team_name)
    name = wanted.name or publishing.suggested_name(str(document.get("label") or file.stem))
    return asyncio.run(_publish(settings, document, replace(wanted, name=name)))


async def _publish(settings: Settings, document: JsonObject, wanted: Publication) -> Deployed:
    async with (
        open_store(settings.data_dir, settings.database_url) as store,
        open_sandbox(settings.sandbox, outside_of(settings)),
    ):
        runs = _Preparer(RunDependencies(store.runs, store.approvals, store.secrets, store.settings))
        found = await _found(store, wanted.name)
        team_id = await _save_team(store, found, document, wanted.note)
        try:
            deployment, release = await _approved_release(store, settings, runs, found, team_id, wanted)
        except StudioError:
            if found is None:
                await store.teams.delete(team_id)  # it was made for this
            raise
        keys = await store.deployments.keys(deployment.id)
        key = ""
        if wanted.key or not any(_state(each) == "valid" and each.opens == "calls" for each in keys):
            _, key = await store.deployments.add_key(wanted.name, wanted.key or FIRST_KEY, None, by=OPERATOR)
            await record(store, "make a key", wanted.name)
        return Deployed(wanted.name, deployment.live, release, key)


async def _approved_release(
    store: Store,
    settings: Settings,
    runs: publishing.Prepares,
    found: Deployment | None,
    team_id: str,
    wanted: Publication,
) -> tuple[Deployment, int]:
    while True:
        try:
            return await _release(store, runs, found, team_id, wanted)
        except NotApproved as error:
            await _approve(store, settings, error, team_id, wanted)


async def _save_team(store: Store, found: Deployment | None, document: JsonObject, note: str) -> str:
    """The team of the deployment with this document as its newest version; a new one where there is none."""
    component = await with_references(store, document)
    if found is None or found.team_id is None:
        return (await store.teams.create(component, author=OPERATOR)).id
    team = await store.teams.get(found.team_id)
    await store.teams.save(
        team.id, component=component, layout=team.layout, revision=team.revision, note=note, author=OPERATOR
    )
    return team.id


async def _release(
    store: Store, runs: publishing.Prepares, found: Deployment | None, team_id: str, wanted: Publication
) -> tuple[Deployment, int]:
    """The deployment, and the number of the release that is this team."""
    if found is None:
        first = _settings(DeploymentSettings(), wanted)
        made = await publishing.publish(store, runs, team_id, wanted.name, first, note=wanted.note, by=OPERATOR)
        await record(store, "publish a team", wanted.name)
        return made, made.live
    if found.team_id is None:
        raise ConfigError(f"The team of {wanted.name!r} was deleted.", fix="Publish the file under another name.")
    found = await store.deployments.change(
        wanted.name, settings=_settings(DeploymentSettings.model_validate(found.settings), wanted)
    )
    if await publishing.is_live(store, runs, found):
        return found, found.live
    release = await publishing.make_release(store, runs, found, note=wanted.note, by=OPERATOR)
    await record(store, "make a release", wanted.name)
    if wanted.is_live:
        found = await _go_live(store, wanted.name, release.number, wanted.override)
    return found, release.number


def _settings(before: DeploymentSettings, wanted: Publication) -> DeploymentSettings:
    """Raises: ConfigError: What is wanted cannot be."""
    values = before.model_dump()
    values |= {name: value for name in ("sees", "tool_results") if (value := getattr(wanted, name)) is not None}
    limits = {name: value for name in ("call_usd", "day_usd") if (value := getattr(wanted, name)) is not None}
    values["limits"] |= limits
    values["chat"] |= {"access": wanted.chat} if wanted.chat is not None else {}
    try:
        return DeploymentSettings.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = first["loc"]
        name = "chat" if place[:1] == ("chat",) else str(place[-1]) if place else "limits"
        raise ConfigError(f"--{name.replace('_', '-')} cannot be that: {first['msg']}.") from error


async def _approve(store: Store, settings: Settings, error: NotApproved, team_id: str, wanted: Publication) -> None:
    """Raises: SetupError: Nobody agreed."""
    granted = network_of(error.missing, wanted.hosts)
    if not wanted.approve:
        ask_approval(error.missing, terminal(sys.stderr), wanted.hosts, own_folder(settings, team_id))
    await store.approvals.approve(error.missing, by=OPERATOR, scope=team_scope(team_id), hosts=granted.hosts)
    await record(store, "approve permissions", team_id)


def list_deployments(settings: Settings, *, as_json: bool) -> None:
    """Print the deployments, one per line."""

    async def read(store: Store) -> None:
        found = await store.deployments.list()
        if as_json:
            shown = [each.model_dump(mode="json", exclude={"id", "settings"}) for each in found]
            print(json.dumps(shown, indent=2))
            return
        for each in found:
            state = "on " if each.is_on else "off"
            print(f"{each.name:<24} {state} release {each.live} of {each.team_name}{_canary_of(each)}")
        if not found:
            print("Nothing is published. `studio deploy TEAM.json` publishes a team.")

    in_store(settings, read)


def go_live(settings: Settings, name: str, number: int, override: str = "") -> None:
    """Let a release go live; an earlier one rolls back. `override` is why it does though a gate did not pass.

    Raises:
        NotFound: There is no such deployment or release.
        ReleaseGateNotPassed: An evaluation that gates releases did not pass.
    """
    in_store(settings, lambda store: _go_live(store, name, number, override))
    print(f"{name}: release {number} is live.")


def send_to_canary(settings: Settings, name: str, number: int, percent: int, override: str = "") -> None:
    """Let so many percent of the new threads use a release that is not live; `override` is as for `go_live`.

    Raises:
        NotFound: There is no such deployment or release.
        ConfigError: The release is live.
        ReleaseGateNotPassed: An evaluation that gates releases did not pass.
    """

    async def change(store: Store) -> None:
        await _pass_gate(store, name, number, override)
        await store.deployments.send_to_canary(name, number, percent)
        await record(store, "send new threads to a canary", name)

    in_store(settings, change)
    print(f"{name}: {percent} % of the new threads use release {number}.")


def end_canary(settings: Settings, name: str) -> None:
    """Let all new threads use the live release.

    Raises:
        NotFound: There is no such deployment.
    """

    async def change(store: Store) -> Deployment:
        found = await store.deployments.send_to_canary(name, None, 0)
        await record(store, "end a canary", name)
        return found

    print(f"{name}: all new threads use release {in_store(settings, change).live}.")


def show_canary(settings: Settings, name: str) -> None:
    """Print which releases new threads use.

    Raises:
        NotFound: There is no such deployment.
    """
    found = in_store(settings, lambda store: store.deployments.get(name))
    if found.canary is None:
        print(f"{name}: all new threads use release {found.live}.")
    else:
        print(
            f"{name}: {found.canary_percent} % of the new threads use release {found.canary}, all others {found.live}."
        )


def _canary_of(deployment: Deployment) -> str:
    if deployment.canary is None:
        return ""
    return f", {deployment.canary_percent} % of new threads on release {deployment.canary}"


def turn(settings: Settings, name: str, *, is_on: bool) -> None:
    """Take calls again, or refuse new ones.

    Raises:
        NotFound: There is no such deployment.
    """

    async def change(store: Store) -> None:
        await store.deployments.change(name, is_on=is_on)
        await record(store, f"turn a deployment {'on' if is_on else 'off'}", name)

    in_store(settings, change)
    print(f"{name} is {'on' if is_on else 'off'}.")


def create_key(settings: Settings, name: str, label: str, days: int | None, *, is_link: bool = False) -> None:
    """Make a key and print it, and nothing else; of a chat link what follows the host.

    Raises:
        StudioError: There is no such deployment, or it has too many keys.
    """

    async def make(store: Store) -> str:
        lasts = timedelta(days=days) if days else None
        opens: KeyUse = "link" if is_link else "calls"
        _, key = await store.deployments.add_key(name, label, lasts, opens=opens, by=OPERATOR)
        await record(store, "make a chat link" if is_link else "make a key", name)
        return f"/d/{name}/chat#{key}" if is_link else key

    print(in_store(settings, make))


def list_keys(settings: Settings, name: str, *, as_json: bool) -> None:
    """Print the keys of a deployment without what opens it, the newest first.

    Raises:
        NotFound: There is no such deployment.
    """

    async def read(store: Store) -> Sequence[CallerKey]:
        return await store.deployments.keys((await store.deployments.get(name)).id)

    keys = [each for each in in_store(settings, read) if each.opens not in NOBODYS]
    if as_json:
        shown = [each.model_dump(mode="json", exclude={"key_hash", "deployment_id"}) for each in keys]
        print(json.dumps(shown, indent=2))
        return
    for each in keys:
        print(f"{each.ending}  {_state(each):<8} {each.label}{KINDS.get(each.opens, '')}")


def revoke_key(settings: Settings, name: str, ending: str) -> None:
    """Revoke the key that ends so.

    Raises:
        NotFound: There is no such deployment, or no valid key of it ends so.
        ConfigError: Several do.
    """

    async def revoke(store: Store) -> None:
        keys = await store.deployments.keys((await store.deployments.get(name)).id)
        held = [each for each in keys if _state(each) == "valid" and each.opens not in NOBODYS]
        fitting = [each for each in held if ending in (each.ending, each.id)]
        if not fitting:
            raise NotFound(f"No valid key of {name!r} ends with {ending!r}.", fix=f"`studio keys list {name}`.")
        if len(fitting) > 1:
            raise ConfigError("Several keys end so.", fix="Give the ID: `studio keys list --json` prints it.")
        await store.deployments.revoke_key(name, fitting[0].id)
        await record(store, "revoke a key", name)

    in_store(settings, revoke)
    print(f"The key …{ending} is revoked.")


async def _pass_gate(store: Store, name: str, number: int, override: str) -> None:
    missing = await check_release(store, await store.deployments.get(name), number)
    await pass_gate(store, missing, override=override.strip(), by=OPERATOR, thing=f"/api/deployments/{name}")


async def _go_live(store: Store, name: str, number: int, override: str) -> Deployment:
    await _pass_gate(store, name, number, override)
    changed = await store.deployments.go_live(name, number)
    await record(store, f"set the live release to {number}", name)
    return changed


async def record(store: Store, action: str, thing: str) -> None:
    """Write into the audit log what was done to a deployment."""
    await store.audit.add(OPERATOR, action, object=thing, outcome="done")


async def _found(store: Store, name: str) -> Deployment | None:
    return next((each for each in await store.deployments.list() if each.name == name), None)


def _state(key: CallerKey) -> KeyState:
    return key_state(key, datetime.now(UTC))


def in_store(settings: Settings, work: Callable[[Store], Coroutine[Any, Any, T]]) -> T:
    """What `work` makes of the studio's store."""

    async def run() -> T:
        async with open_store(settings.data_dir, settings.database_url) as store:
            return await work(store)

    return asyncio.run(run())
