"""Names and options of the commands; each command's work is in a module of its own, imported when it is called.

So `studio --help` loads neither the engine nor the server.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from studio.errors import ConfigError, RunFailed, StudioError

EXIT_WRONG = 1
"""What the file holds is wrong, or the run failed."""
EXIT_OPERATOR = 2
"""The command cannot be carried out as it was given."""

app = typer.Typer(
    name="studio",
    help="Build, run, check and export teams of AI agents.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
gallery_app = typer.Typer(help="See what the galleries that come with the studio hold.", rich_markup_mode=None)
app.add_typer(gallery_app, name="gallery", no_args_is_help=True)

TeamFile = Annotated[
    Path, typer.Argument(help="Component as JSON, YAML or a Python script; `-` reads JSON from standard input.")
]
TeamName = Annotated[str, typer.Option("--team", help="Which team, by label or name, when the file holds several.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
DataDir = Annotated[Path | None, typer.Option(help="Folder of the database, the token and the keys.")]


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        from importlib.metadata import version

        typer.echo(f"Team Studio {version('team-studio')}")
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
    host: Annotated[str | None, typer.Option(help="Address to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(help="TCP port; 0 takes a free one. [default: 8040]")] = None,
    data_dir: DataDir = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Listen on an address that other machines can reach.")
    ] = False,
) -> None:
    """Start the studio and print the address to open, with its access token."""
    from studio.settings import Settings

    settings = Settings.from_env(host=host, port=port, data_dir=data_dir)

    from studio.cli.serve import serve as run_server  # after the settings, which a mistype ends: it takes a second

    run_server(settings, open_browser=open_browser, allow_remote=allow_remote)


@app.command()
def run(
    file: TeamFile,
    task: Annotated[str, typer.Option("--task", "-t", help="What the team shall do.")],
    team: TeamName = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per message and event.")] = False,
    approve: Annotated[
        bool, typer.Option("--approve", help="Approve all that the team could do, without asking.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Run a team or an agent on the terminal. Secrets are those of the environment and of the studio."""
    from studio.cli.run import run_file
    from studio.settings import Settings

    settings = Settings.from_env(data_dir=data_dir)
    run_file(file, team, task, settings=settings, as_json=as_json, approve=approve)


@app.command()
def check(
    files: Annotated[
        list[Path], typer.Argument(help="Galleries, teams, other components, scripts; `-` is standard input.")
    ],
    as_json: AsJson = False,
) -> None:
    """Report what each component of the files is worth. Executes nothing; exit code 1 when something is wrong."""
    from studio.cli.check import check_files

    if not check_files(files, as_json=as_json):
        raise typer.Exit(EXIT_WRONG)


@app.command()
def export(
    file: TeamFile,
    team: TeamName = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="File to write; the terminal if not given.")] = None,
) -> None:
    """Write a team as a Python script."""
    from studio.cli.export import export_file

    export_file(file, team, out)


@app.command()
def components(as_json: AsJson = False) -> None:
    """List the components that can be loaded."""
    from studio.cli.components import list_components

    list_components(as_json=as_json)


@gallery_app.command("list")
def gallery_list(as_json: AsJson = False) -> None:
    """List the components of the shipped galleries."""
    from studio.cli.gallery import list_shipped

    list_shipped(as_json=as_json)


@gallery_app.command("show")
def gallery_show(label: Annotated[str, typer.Argument(help="Label or name of a component.")]) -> None:
    """Print the JSON of one component of the shipped galleries."""
    from studio.cli.gallery import show_shipped

    show_shipped(label)


@app.command()
def doctor(data_dir: DataDir = None) -> None:
    """Say whether this machine has what the studio needs."""
    from studio.cli.doctor import examine
    from studio.settings import Settings

    if not examine(Settings.from_env(data_dir=data_dir)):
        raise typer.Exit(EXIT_WRONG)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give back its exit code.

    An error that somebody can mend is one line on standard error, without a traceback.
    """
    try:
        app(arguments, prog_name="studio")
    except (ConfigError, RunFailed) as error:
        print(f"studio: {_one_line(error)}", file=sys.stderr)
        return EXIT_WRONG
    except StudioError as error:
        print(f"studio: {_one_line(error)}", file=sys.stderr)
        return EXIT_OPERATOR
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    return 0


def _one_line(error: StudioError) -> str:
    place = f" (at {error.where})" if error.where and error.where not in error.what else ""
    said = f"{error.what}{place}".rstrip()
    stop = "." if error.fix and said[-1:].isalnum() else ""
    return " ".join(f"{said}{stop} {error.fix}".split())
