"""Commands that manage what is published: deployments, their keys, schedules and hooks."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from studio.cli.options import AsJson, DataDir, DeploymentName, HookId, Override, ScheduleId

deployments_app = typer.Typer(help="Manage published teams.", rich_markup_mode=None)
keys_app = typer.Typer(help="Manage the keys that open a published team.", rich_markup_mode=None)
schedules_app = typer.Typer(help="Manage the times at which a published team is called.", rich_markup_mode=None)
hooks_app = typer.Typer(
    help="Manage the addresses at which other services call a published team.", rich_markup_mode=None
)


@deployments_app.command("list")
def deployments_list(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List published teams."""
    from studio.cli.deploy import list_deployments
    from studio.settings import Settings

    list_deployments(Settings.from_env(data_dir=data_dir), as_json=as_json)


@deployments_app.command("live")
def deployments_live(
    name: DeploymentName,
    release: Annotated[int, typer.Argument(help="Number of the release.")],
    override: Override = "",
    data_dir: DataDir = None,
) -> None:
    """Make a release live; an earlier one rolls back. Threads that have begun stay on theirs."""
    from studio.cli.deploy import go_live
    from studio.settings import Settings

    go_live(Settings.from_env(data_dir=data_dir), name, release, override)


@deployments_app.command("canary")
def deployments_canary(
    name: DeploymentName,
    release: Annotated[int | None, typer.Argument(help="Number of a release that is not live.")] = None,
    percent: Annotated[int, typer.Option(min=1, max=99, help="Share of the new threads.")] = 10,
    end: Annotated[bool, typer.Option("--end", help="Send all new threads to the live release again.")] = False,
    override: Override = "",
    data_dir: DataDir = None,
) -> None:
    """Send some of the new threads to a release that is not live; without one, say which release gets how many."""
    from studio.cli.deploy import end_canary, send_to_canary, show_canary
    from studio.settings import Settings

    settings = Settings.from_env(data_dir=data_dir)
    if end and release is not None:
        raise typer.BadParameter("Name a release, or use --end.")
    if end:
        end_canary(settings, name)
    elif release is None:
        show_canary(settings, name)
    else:
        send_to_canary(settings, name, release, percent, override)


@deployments_app.command("on")
def deployments_on(name: DeploymentName, data_dir: DataDir = None) -> None:
    """Take calls again."""
    from studio.cli.deploy import turn
    from studio.settings import Settings

    turn(Settings.from_env(data_dir=data_dir), name, is_on=True)


@deployments_app.command("off")
def deployments_off(name: DeploymentName, data_dir: DataDir = None) -> None:
    """Refuse new calls; those that run continue."""
    from studio.cli.deploy import turn
    from studio.settings import Settings

    turn(Settings.from_env(data_dir=data_dir), name, is_on=False)


@keys_app.command("create")
def keys_create(
    name: DeploymentName,
    label: Annotated[str, typer.Argument(help="Name of the key: the program or person that uses it.")],
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="Days after which it expires.")] = None,
    link: Annotated[
        bool, typer.Option("--link", help="Create a link to the chat page, which opens nothing else.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Create a key and print it, this once."""
    from studio.cli.deploy import create_key
    from studio.settings import Settings

    create_key(Settings.from_env(data_dir=data_dir), name, label, days, is_link=link)


@keys_app.command("list")
def keys_list(name: DeploymentName, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the keys of a deployment by their last characters."""
    from studio.cli.deploy import list_keys
    from studio.settings import Settings

    list_keys(Settings.from_env(data_dir=data_dir), name, as_json=as_json)


@keys_app.command("revoke")
def keys_revoke(
    name: DeploymentName,
    key: Annotated[str, typer.Argument(help="Last characters of the key, or its ID.")],
    data_dir: DataDir = None,
) -> None:
    """Revoke a key. Programs that use it are refused from now on."""
    from studio.cli.deploy import revoke_key
    from studio.settings import Settings

    revoke_key(Settings.from_env(data_dir=data_dir), name, key)


@schedules_app.command("add")
def schedules_add(
    name: DeploymentName,
    cron: Annotated[str, typer.Argument(help="Cron expression, as '30 8 * * 1-5', or @hourly, @daily, @weekly.")],
    task: Annotated[str, typer.Argument(help="What the team is to do.")],
    zone: Annotated[str, typer.Option(help="Time zone, as Europe/Berlin.")] = "UTC",
    data_dir: DataDir = None,
) -> None:
    """Call a published team at the times of a cron expression, and print the next five."""
    from studio.cli.schedules import add_schedule
    from studio.settings import Settings

    add_schedule(Settings.from_env(data_dir=data_dir), name, cron, zone, task)


@schedules_app.command("list")
def schedules_list(name: DeploymentName, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the schedules of a deployment with their next times and their last calls."""
    from studio.cli.schedules import list_schedules
    from studio.settings import Settings

    list_schedules(Settings.from_env(data_dir=data_dir), name, as_json=as_json)


@schedules_app.command("pause")
def schedules_pause(name: DeploymentName, schedule: ScheduleId, data_dir: DataDir = None) -> None:
    """Call no more until it is resumed."""
    from studio.cli.schedules import turn_schedule
    from studio.settings import Settings

    turn_schedule(Settings.from_env(data_dir=data_dir), name, schedule, is_on=False)


@schedules_app.command("resume")
def schedules_resume(name: DeploymentName, schedule: ScheduleId, data_dir: DataDir = None) -> None:
    """Call again from the next time on."""
    from studio.cli.schedules import turn_schedule
    from studio.settings import Settings

    turn_schedule(Settings.from_env(data_dir=data_dir), name, schedule, is_on=True)


@schedules_app.command("remove")
def schedules_remove(name: DeploymentName, schedule: ScheduleId, data_dir: DataDir = None) -> None:
    """Delete a schedule. The calls that it began are kept."""
    from studio.cli.schedules import remove_schedule
    from studio.settings import Settings

    remove_schedule(Settings.from_env(data_dir=data_dir), name, schedule)


@hooks_app.command("add")
def hooks_add(
    name: DeploymentName,
    label: Annotated[str, typer.Argument(metavar="SERVICE", help="Name of the service that posts.")],
    task: Annotated[str, typer.Argument(help="What the team is to do; {{/issue/title}} is that part of the body.")],
    kind: Annotated[
        Literal["standard", "github", "bearer"],
        typer.Option(help="How posts are signed: Standard Webhooks, GitHub's signature, or a bearer token."),
    ] = "standard",
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Let another service call a published team, and print the path and the secret, this once."""
    from studio.cli.hooks import add_hook
    from studio.settings import Settings

    add_hook(Settings.from_env(data_dir=data_dir), name, label, kind, task, as_json=as_json)


@hooks_app.command("list")
def hooks_list(name: DeploymentName, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the hooks of a deployment."""
    from studio.cli.hooks import list_hooks
    from studio.settings import Settings

    list_hooks(Settings.from_env(data_dir=data_dir), name, as_json=as_json)


@hooks_app.command("pause")
def hooks_pause(name: DeploymentName, hook: HookId, data_dir: DataDir = None) -> None:
    """Refuse what is posted until it is resumed."""
    from studio.cli.hooks import turn_hook
    from studio.settings import Settings

    turn_hook(Settings.from_env(data_dir=data_dir), name, hook, is_on=False)


@hooks_app.command("resume")
def hooks_resume(name: DeploymentName, hook: HookId, data_dir: DataDir = None) -> None:
    """Take posts again."""
    from studio.cli.hooks import turn_hook
    from studio.settings import Settings

    turn_hook(Settings.from_env(data_dir=data_dir), name, hook, is_on=True)


@hooks_app.command("remove")
def hooks_remove(name: DeploymentName, hook: HookId, data_dir: DataDir = None) -> None:
    """Delete a hook. The calls that it began are kept."""
    from studio.cli.hooks import remove_hook
    from studio.settings import Settings

    remove_hook(Settings.from_env(data_dir=data_dir), name, hook)
