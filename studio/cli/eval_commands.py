"""Names and options of `studio eval`; the work is in `evaluate.py`, imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from studio.cli.options import EXIT_WRONG, AsJson, DataDir

eval_app = typer.Typer(help="Evaluate teams with suites of cases.", rich_markup_mode=None)


@eval_app.command("check")
def eval_check(
    files: Annotated[list[Path], typer.Argument(help="Suite files, YAML or JSON.")],
    as_json: AsJson = False,
) -> None:
    """Validate suites and list all mistakes with file and line. Executes nothing. Exit code 1 if there are any."""
    from studio.cli.evaluate import check_suites

    if not check_suites(files, as_json=as_json):
        raise typer.Exit(EXIT_WRONG)


@eval_app.command("score")
def eval_score(
    suite: Annotated[Path, typer.Argument(help="Suite file, YAML or JSON.")],
    runs: Annotated[list[str], typer.Option(help="ID of a run, or file that Share saved. May be repeated.")],
    case: Annotated[str, typer.Option(help="ID of the case. [default: the one with the task of the run]")] = "",
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Score finished runs by a suite. Runs nothing and costs nothing.

    Exit code 0 if all pass, 1 if one fails, 2 if one is unscored or belongs to no case.
    """
    from studio.cli.evaluate import score_runs
    from studio.settings import Settings

    code = score_runs(Settings.from_env(data_dir=data_dir), suite, runs, case, as_json=as_json)
    raise typer.Exit(code)


@eval_app.command("schema")
def eval_schema() -> None:
    """Print the JSON schema of suite files, for editors."""
    from studio.cli.evaluate import print_schema

    print_schema()
