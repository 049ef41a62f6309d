"""Names and options of the commands; each command's work is in a module of its own, imported when it is called.

So `studio --help` loads neither the engine nor the server.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import typer

from studio.cli.deploy_commands import deployments_app, hooks_app, keys_app, schedules_app
from studio.cli.eval_commands import eval_app
from studio.cli.options import (
    EXIT_AGAIN,
    EXIT_OPERATOR,
    EXIT_WRONG,
    AllowHost,
    Approve,
    AsJson,
    BehindProxy,
    DataDir,
    DeploymentName,
    Host,
    Override,
    Port,
    RoleName,
    TeamFile,
    TeamName,
    TlsCert,
    TlsKey,
    UserName,
    WithoutAccounts,
    WithoutTls,
)
from studio.errors import ConfigError, RunFailed, StudioError

app = typer.Typer(
    name="studio",
    help="Build, run, check and export teams of AI agents.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
gallery_app = typer.Typer(help="Browse the built-in galleries.", rich_markup_mode=None)
app.add_typer(gallery_app, name="gallery", no_args_is_help=True)

users_app = typer.Typer(help="Manage users and their roles.", rich_markup_mode=None)
app.add_typer(users_app, name="users", no_args_is_help=True)

secrets_app = typer.Typer(help="Manage the key of stored secrets.", rich_markup_mode=None)
app.add_typer(secrets_app, name="secrets", no_args_is_help=True)

for commands, name in (
    (keys_app, "keys"),
    (schedules_app, "schedules"),
    (hooks_app, "hooks"),
    (deployments_app, "deployments"),
    (eval_app, "eval"),
):
    app.add_typer(commands, name=name, no_args_is_help=True)


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from studio.version import VERSION

        typer.echo(f"Team Studio {VERSION}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Build, run, check and export teams of AI agents."""
    del version  # its callback did the work


@app.command()
def serve(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    behind_proxy: BehindProxy = None,
    without_tls: WithoutTls = None,
    without_accounts: WithoutAccounts = None,
    team: Annotated[
        Path | None, typer.Option(help="File of a team to publish when the server starts; `studio deploy` has more.")
    ] = None,
    name: Annotated[str, typer.Option(help="Name that callers use for the team of --team.")] = "",
    approve: Approve = False,
    allow_host: AllowHost = None,
    only_deployments: Annotated[
        bool | None,
        typer.Option("--only-deployments", help="Serve published teams to callers, and no page of the studio."),
    ] = None,
) -> None:
    """Start the studio and print the address to open, with its access token while it has no users.

    If other machines can reach it, it requires HTTPS and user accounts unless you opt out.
    """
    from studio.settings import Settings

    settings = Settings.from_env(
        host=host,
        port=port,
        data_dir=data_dir,
        tls_cert=tls_cert,
        tls_key=tls_key,
        behind_proxy=behind_proxy or None,
        without_tls=without_tls,
        without_accounts=without_accounts,
        only_deployments=only_deployments,
    )

    run_server = _import_server()  # after the settings, which a mistype ends: it takes a second
    deployed = None
    if team:
        from studio.cli.deploy import Publication, publish_file

        wanted = Publication(name, is_live=True, approve=approve, hosts=allow_host or ())
        deployed = publish_file(settings, team, "", wanted)
    run_server(settings, open_browser=open_browser, deployed=deployed)


def _import_server() -> Callable[..., None]:
    """What serves. All of it stays, so that nobody looks through it for garbage before the server has started."""
    gc.disable()
    from studio.cli.serve import serve as run_server

    return run_server


@app.command()
def run(
    file: TeamFile,
    task: Annotated[str | None, typer.Option("--task", "-t", help="The task to run, which a team needs.")] = None,
    team: TeamName = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per message and event.")] = False,
    approve: Approve = False,
    allow_host: AllowHost = None,
    usd: Annotated[float | None, typer.Option(min=0, help="Most that a program's model calls may cost.")] = None,
    replay: Annotated[str, typer.Option(help="ID of a program's run whose recorded answers are given again.")] = "",
    data_dir: DataDir = None,
) -> None:
    """Run a team or an agent in the terminal. Secrets come from the environment and the studio.

    A program of AutoGen Core is executed, if you agree, and its messages are kept as a run to watch in the studio.
    """
    from studio.cli.run_program import is_program, run_program
    from studio.settings import Settings

    settings = Settings.from_env(data_dir=data_dir)
    if is_program(file):
        raise typer.Exit(run_program(file, task, settings=settings, approve=approve, usd=usd, replay=replay))
    if task is None:
        raise typer.BadParameter("A team needs a task.", param_hint="--task")
    from studio.cli.run import run_file

    run_file(file, team, task, settings=settings, as_json=as_json, approve=approve, hosts=allow_host or ())


@app.command()
def deploy(
    file: TeamFile,
    team: TeamName = "",
    name: Annotated[str, typer.Option(help="Name that callers use. [default: from the team's label]")] = "",
    sees: Annotated[str | None, typer.Option(help="What callers see: answer or messages. [default: answer]")] = None,
    tool_results: Annotated[
        bool | None, typer.Option("--tool-results/--no-tool-results", help="Whether results of tools are answers.")
    ] = None,
    chat: Annotated[
        str | None, typer.Option(help="Access to the chat page: off, link, people or anyone. [default: off]")
    ] = None,
    call_usd: Annotated[float | None, typer.Option(help="Most that a call may cost. [default: 1]")] = None,
    day_usd: Annotated[float | None, typer.Option(help="Most that a day may cost. [default: 10]")] = None,
    key: Annotated[str, typer.Option(help="Create a key of this name; the first one is created without it.")] = "",
    note: Annotated[str, typer.Option(help="Note about the release.")] = "",
    live: Annotated[bool, typer.Option("--live", help="Make a new release live at once.")] = False,
    override: Override = "",
    approve: Approve = False,
    allow_host: AllowHost = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Publish the team of a file. Where the name is published already, make a release of it.

    Settings that are not given stay as they are.
    """
    from studio.cli.deploy import Publication, deploy_file
    from studio.settings import Settings

    wanted = Publication(
        name,
        note,
        sees=sees,
        tool_results=tool_results,
        chat=chat,
        call_usd=call_usd,
        day_usd=day_usd,
        key=key,
        is_live=live,
        override=override,
        approve=approve,
        hosts=allow_host or (),
    )
    deploy_file(Settings.from_env(data_dir=data_dir), file, team, wanted, as_json=as_json)


@app.command()
def call(
    name: DeploymentName,
    task: Annotated[str, typer.Argument(help="The task.")],
    key: Annotated[str, typer.Option(envvar="STUDIO_KEY", help="Key of the deployment.")] = "",
    at: Annotated[str, typer.Option(help="Address of the studio.")] = "http://127.0.0.1:8040",
    thread: Annotated[str, typer.Option(help="Name of a conversation, which is continued.")] = "",
    protocol: Annotated[
        Literal["rest", "mcp"], typer.Option(help="How to call: the studio's own protocol, or MCP.")
    ] = "rest",
    as_json: AsJson = False,
) -> None:
    """Call a published team and print its answer. The team's questions are asked in the terminal."""
    from studio.cli.call import call_deployment
    from studio.cli.call_by_mcp import call_by_mcp

    by = call_by_mcp if protocol == "mcp" else call_deployment
    by(at, key, name, task, thread=thread, as_json=as_json)


@app.command()
def acp(
    name: DeploymentName,
    key: Annotated[str, typer.Option(envvar="STUDIO_KEY", help="Key of the deployment.")] = "",
    at: Annotated[str, typer.Option(help="Address of the studio.")] = "http://127.0.0.1:8040",
) -> None:
    """Make a published team the agent of an editor, by the Agent Client Protocol. Editors start this by themselves."""
    from studio.models.extras import needs_extra

    with needs_extra("acp", "`studio acp`"):
        from studio.cli.editor_agent import serve_editor
    serve_editor(at, key, name)


@secrets_app.command("rotate")
def rotate_secrets(data_dir: DataDir = None) -> None:
    """Encrypt all stored secrets with a new key, also while the studio runs.

    Processes with a data folder of their own need a copy of the new `secret.key`.
    """
    from studio.cli.secrets import rotate_secrets as rotate
    from studio.settings import Settings

    rotate(Settings.from_env(data_dir=data_dir))


@app.command()
def check(
    files: Annotated[
        list[Path], typer.Argument(help="Galleries, teams, other components, scripts; `-` is standard input.")
    ],
    as_json: AsJson = False,
) -> None:
    """Validate components and report findings. Executes nothing. Exit code 1 if there are errors."""
    from studio.cli.check import check_files

    if not check_files(files, as_json=as_json):
        raise typer.Exit(EXIT_WRONG)


@app.command()
def export(
    file: TeamFile,
    team: TeamName = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write. Default: the terminal.")] = None,
    to: Annotated[
        Literal["python", "autogen", "agent-framework", "agent-spec"],
        typer.Option(
            "--to", help="What it is for: Team Studio, AutoGen 0.7, Microsoft Agent Framework, or Agent Spec (JSON)."
        ),
    ] = "python",
    report: Annotated[
        bool, typer.Option("--report", help="Print what behaves differently there instead of the script.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the script and the report as JSON.")] = False,
) -> None:
    """Write a team as a Python script, for the studio or for another framework. Executes nothing."""
    from studio.cli.export import export_file

    export_file(file, team, out, to, as_report=report, as_json=as_json)


@app.command("import")
def import_team(
    path: Annotated[Path, typer.Argument(help="Exported file, script, folder, or ZIP file of another tool.")],
    source: Annotated[
        str, typer.Option("--as", metavar="SOURCE", help="Where it is from. Default: found by its content.")
    ] = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File for the team's JSON.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a team of another tool's files and report what came along. Executes nothing. Exit code 1 if refused."""
    from studio.cli.import_team import import_path

    if not import_path(path, source, out, as_json=as_json):
        raise typer.Exit(EXIT_WRONG)


@app.command()
def components(as_json: AsJson = False) -> None:
    """List the components that can be loaded."""
    from studio.cli.components import list_components

    list_components(as_json=as_json)


@gallery_app.command("list")
def gallery_list(as_json: AsJson = False) -> None:
    """List the components of the built-in galleries."""
    from studio.cli.gallery import list_shipped

    list_shipped(as_json=as_json)


@gallery_app.command("show")
def gallery_show(label: Annotated[str, typer.Argument(help="Label or name of a component.")]) -> None:
    """Print the JSON of one component of the built-in galleries."""
    from studio.cli.gallery import show_shipped

    show_shipped(label)


@users_app.command("add")
def users_add(
    name: UserName,
    role: RoleName = "viewer",
    without_password: Annotated[
        bool,
        typer.Option(
            "--without-password", help="Sign in through the identity provider; the name is the e-mail address."
        ),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Add a user. Asks for the password, or reads it from the first line of standard input."""
    from studio.cli.users import add_user
    from studio.settings import Settings

    add_user(Settings.from_env(data_dir=data_dir), name, role, without_password=without_password)


@users_app.command("list")
def users_list(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List users."""
    from studio.cli.users import list_users
    from studio.settings import Settings

    list_users(Settings.from_env(data_dir=data_dir), as_json=as_json)


@users_app.command("set-role")
def users_set_role(
    name: UserName,
    role: Annotated[str, typer.Argument(help="viewer, editor, approver or admin.")],
    data_dir: DataDir = None,
) -> None:
    """Change a user's role; takes effect within seconds."""
    from studio.cli.users import set_role
    from studio.settings import Settings

    set_role(Settings.from_env(data_dir=data_dir), name, role)


@users_app.command("set-password")
def users_set_password(name: UserName, data_dir: DataDir = None) -> None:
    """Change a user's password and end their sign-ins. Reads it as `add` does."""
    from studio.cli.users import set_password
    from studio.settings import Settings

    set_password(Settings.from_env(data_dir=data_dir), name)


@users_app.command("sign-out")
def users_sign_out(name: UserName, data_dir: DataDir = None) -> None:
    """End all sign-ins of a user: browsers and tokens."""
    from studio.cli.users import sign_out
    from studio.settings import Settings

    sign_out(Settings.from_env(data_dir=data_dir), name)


@users_app.command("remove")
def users_remove(name: UserName, data_dir: DataDir = None) -> None:
    """Remove a user and their sign-ins; their teams and runs stay."""
    from studio.cli.users import remove_user
    from studio.settings import Settings

    remove_user(Settings.from_env(data_dir=data_dir), name)


@app.command()
def audit(
    who: Annotated[str, typer.Option(help="Only actions of this user.")] = "",
    data_dir: DataDir = None,
) -> None:
    """Print the audit log as JSON lines, oldest first."""
    from studio.cli.users import print_audit
    from studio.settings import Settings

    print_audit(Settings.from_env(data_dir=data_dir), who=who)


@app.command()
def web(
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    behind_proxy: BehindProxy = None,
    without_tls: WithoutTls = None,
    without_accounts: WithoutAccounts = None,
) -> None:
    """Serve pages and the API as a replica, on a PostgreSQL database whose runs a worker or `serve` drives.

    All processes on one database need the same keys: share the data folder, or copy its files.
    """
    from studio.settings import Settings
    from studio.web.engine import ProcessRole

    settings = Settings.from_env(
        host=host,
        port=port,
        data_dir=data_dir,
        tls_cert=tls_cert,
        tls_key=tls_key,
        behind_proxy=behind_proxy or None,
        without_tls=without_tls,
        without_accounts=without_accounts,
    )
    _import_server()(settings, role=ProcessRole.REPLICA)


@app.command()
def worker(
    host: Host = None,
    metrics_port: Annotated[
        int | None,
        typer.Option(help="TCP port for /healthz, /readyz and /metrics; 0 takes a free one. [default: none]"),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Drive runs of a PostgreSQL database, beside any number of other workers.

    On SIGTERM, it leaves its runs to the others. Exit code 75: the others have taken them over; start it again.
    """
    from studio.cli.worker import work
    from studio.settings import Settings

    work(Settings.from_env(host=host, metrics_port=metrics_port, data_dir=data_dir))


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Create or upgrade the tables of the database.

    `serve` does this when it starts. A database of a newer version is refused and not changed.
    """
    from studio.cli.migrate import migrate_database
    from studio.settings import Settings

    migrate_database(Settings.from_env(data_dir=data_dir))


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="File to write, such as studio.backup; it must not exist.")],
    data_dir: DataDir = None,
) -> None:
    """Write the database to a file, also while the studio runs.

    The secret key, the access token and the configuration are not in it.
    """
    from studio.cli.backup import back_up
    from studio.settings import Settings

    back_up(Settings.from_env(data_dir=data_dir), file)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="File that `studio backup` wrote.")],
    data_dir: DataDir = None,
    max_gb: Annotated[
        float | None, typer.Option(min=0, help="Largest content of the file in gigabytes. [default: 100]")
    ] = None,
) -> None:
    """Put a backup into an empty database, SQLite or PostgreSQL, whichever it was made of.

    The file is checked before anything is written. A database that is not empty is refused and not changed.
    """
    from studio.cli.backup import restore as restore_file
    from studio.settings import Settings

    restore_file(Settings.from_env(data_dir=data_dir), file, max_gb)


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print findings as JSON.")] = False,
    host: Host = None,
    port: Port = None,
    data_dir: DataDir = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    behind_proxy: BehindProxy = None,
    without_tls: WithoutTls = None,
    without_accounts: WithoutAccounts = None,
) -> None:
    """Check who can reach the studio and whether its parts work, and how to fix problems.

    Pass the same options as `serve`; the checks apply to that configuration.
    """
    from studio.cli.doctor import examine
    from studio.settings import Settings

    settings = Settings.from_env(
        host=host,
        port=port,
        data_dir=data_dir,
        tls_cert=tls_cert,
        tls_key=tls_key,
        behind_proxy=behind_proxy or None,
        without_tls=without_tls,
        without_accounts=without_accounts,
    )
    if not examine(settings, as_json=as_json):
        raise typer.Exit(EXIT_WRONG)


@cache
def command() -> Callable[..., object]:
    """All commands with their options. To read these off the functions above takes longer than most commands do."""
    return typer.main.get_command(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give back its exit code.

    An error that somebody can mend is one line on standard error, without a traceback.
    """
    try:
        command()(arguments, prog_name="studio")
    except (ConfigError, RunFailed) as error:
        print(f"studio: {_one_line(error)}", file=sys.stderr)
        return EXIT_WRONG
    except StudioError as error:
        print(f"studio: {_one_line(error)}", file=sys.stderr)
        return EXIT_AGAIN if error.code == "fenced" else EXIT_OPERATOR
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _one_line(error: StudioError) -> str:
    place = f" (at {error.where})" if error.where and error.where not in error.what else ""
    said = f"{error.what}{place}".rstrip()
    stop = "." if error.fix and said[-1:].isalnum() else ""
    return " ".join(f"{said}{stop} {error.fix}".split())
