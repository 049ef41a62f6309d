"""`studio hooks`, for whoever has the studio's folder."""

from __future__ import annotations

import json

from studio.cli.deploy import OPERATOR, in_store, record
from studio.cli.short_ids import find_by_beginning, short_id
from studio.services import hook_settings
from studio.settings import Settings
from studio.store import Store
from studio.store.deployment_tables import Hook


def add_hook(settings: Settings, name: str, label: str, kind: str, task: str, *, as_json: bool) -> None:
    """Make a hook and print its ID, its path and its secret, which is shown this once.

    Raises:
        StudioError: There is no such deployment, it has too many, or something given cannot be taken.
    """

    async def add(store: Store) -> tuple[Hook, str]:
        found = await store.deployments.get(name)
        made = await hook_settings.add_hook(store, found, label, kind, task, by=OPERATOR)
        await record(store, "add a hook", name)
        return made

    made, secret = in_store(settings, add)
    if as_json:
        print(json.dumps({**_as_json(name, made), "secret": secret}, indent=2))
        return
    print(f"{short_id(made)}  {made.label}")
    print(f"Path:    {_path(name, made)}")
    print(f"Secret:  {secret}")


def list_hooks(settings: Settings, name: str, *, as_json: bool) -> None:
    """Print the hooks of a deployment, the oldest first.

    Raises:
        NotFound: There is no such deployment.
    """

    async def read(store: Store) -> list[Hook]:
        return list(await store.hooks.list((await store.deployments.get(name)).id))

    rows = in_store(settings, read)
    if as_json:
        print(json.dumps([_as_json(name, each) for each in rows], indent=2))
        return
    for each in rows:
        state = "on" if each.is_on else "paused"
        print(f"{short_id(each)}  {each.label} ({each.kind}): {each.task[:60]!r}, {state}, {_path(name, each)}")
    if not rows:
        print(f"No hooks. `studio hooks add {name} SERVICE TASK` adds one.")


def turn_hook(settings: Settings, name: str, hook: str, *, is_on: bool) -> None:
    """Resume a hook, or pause it.

    Raises:
        NotFound, ConfigError: None or several begin so.
    """

    async def change(store: Store) -> None:
        found = await store.deployments.get(name)
        row = find_by_beginning(await store.hooks.list(found.id), hook, "hook", name)
        await store.hooks.change(found.id, row.id, is_on=is_on)
        await record(store, "resume a hook" if is_on else "pause a hook", name)

    in_store(settings, change)
    print(f"The hook {hook} is {'on' if is_on else 'paused'}.")


def remove_hook(settings: Settings, name: str, hook: str) -> None:
    """Delete a hook; its calls stay.

    Raises:
        NotFound, ConfigError: None or several begin so.
    """

    async def remove(store: Store) -> None:
        found = await store.deployments.get(name)
        row = find_by_beginning(await store.hooks.list(found.id), hook, "hook", name)
        await store.hooks.delete(found.id, row.id)
        await record(store, "delete a hook", name)

    in_store(settings, remove)
    print(f"The hook {hook} is deleted.")


def _path(name: str, hook: Hook) -> str:
    return f"/d/{name}/hooks/{hook.id}"


def _as_json(name: str, hook: Hook) -> dict[str, object]:
    shown = hook.model_dump(mode="json", include={"id", "label", "kind", "task", "is_on", "by"})
    return {**shown, "path": _path(name, hook)}
