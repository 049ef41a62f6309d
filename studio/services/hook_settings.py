"""Makes and changes the hooks of a deployment. What other services post to them is in `web/protocols/hook_posts.py`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args
from uuid import uuid4

from studio.deployments.hooks import HookKind, check_template
from studio.errors import ConfigError
from studio.services.schedule_calls import task_to_keep
from studio.store import Store
from studio.store.deployment_tables import Deployment, Hook

MAX_LABEL_CHARACTERS = 100


async def add_hook(
    store: Store, deployment: Deployment, label: str, kind: str, task: str, *, by: str
) -> tuple[Hook, str]:
    """Let another service call a deployment. Returns the hook and its secret, which is told this once.

    Raises:
        ConfigError: The label, the kind or the task cannot be taken.
        Conflict: The deployment has too many.
    """
    if kind not in get_args(HookKind):
        raise ConfigError(
            f"There is no kind of hook {kind!r}.", fix=f"Use one of {', '.join(get_args(HookKind))}.", where="/kind"
        )
    _check_label(label)
    check_template(task)
    new = Hook(
        id=uuid4().hex,
        deployment_id=deployment.id,
        label=label.strip(),
        kind=kind,
        encrypted_secret=b"",
        task=await task_to_keep(store, deployment, task),
        by=by,
        created_at=datetime.now(UTC),
    )
    return await store.hooks.add(new)


async def change_hook(
    store: Store,
    deployment: Deployment,
    hook_id: str,
    *,
    label: str | None = None,
    task: str | None = None,
    is_on: bool | None = None,
) -> Hook:
    """Change what is given.

    Raises:
        ConfigError: The label or the task cannot be taken.
        NotFound: The deployment has no such hook.
    """
    if label is not None:
        _check_label(label)
        label = label.strip()
    if task is not None:
        check_template(task)
        task = await task_to_keep(store, deployment, task)
    return await store.hooks.change(deployment.id, hook_id, label=label, task=task, is_on=is_on)


def _check_label(label: str) -> None:
    if not 0 < len(label.strip()) <= MAX_LABEL_CHARACTERS:
        raise ConfigError(f"A service has a name of 1 to {MAX_LABEL_CHARACTERS} characters.", where="/label")
