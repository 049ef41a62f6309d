"""Names and options of `studio eval`; the work is in `evaluate.py`, imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from studio.cli.options import EXIT_WRONG, AllowHost, Approve, AsJson, DataDir, TeamName

Worse = Annotated[
    str | None,
    typer.Option(
        help="With --against: proved fails a team that is proved worse, ignore does not. "
        "[default: as the suite's gate, or proved]"
    ),
]
AtLeast = Annotated[
    float | None,
    typer.Option(
        min=0, max=100, help="Percent that the lower end of the pass rate must reach. [default: as the suite's gate]"
    ),
]
StopWhenClear = Annotated[
    bool,
    typer.Option("--stop-when-clear", help="With --against: begin nothing more once it is clear which team is better."),
]
Unscored = Annotated[
    float | None,
    typer.Option(min=0, max=100, help="Percent of runs that may be unscored. [default: as the suite's gate, or 5]"),
]

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


@eval_app.command("run")
def eval_run(
    suite: Annotated[Path, typer.Argument(help="Suite file, YAML or JSON.")],
    team: Annotated[Path, typer.Argument(metavar="TEAM", help="The team: JSON, YAML or a Python script.")],
    against: Annotated[
        Path | None, typer.Option(help="The team that it is compared with, or a baseline that was saved.")
    ] = None,
    team_name: TeamName = "",
    repeats: Annotated[int, typer.Option(min=1, max=100, help="Runs of each case.")] = 3,
    at_once: Annotated[int, typer.Option(min=1, max=16, help="Runs at the same time.")] = 4,
    usd: Annotated[float | None, typer.Option(min=0, help="Most that all runs together may cost.")] = None,
    tokens: Annotated[int | None, typer.Option(min=0, help="Most tokens that all runs together may take.")] = None,
    reuse: Annotated[
        bool, typer.Option("--reuse", help="With --against: reuse what the baseline is answered to the same requests.")
    ] = False,
    stop_when_clear: StopWhenClear = False,
    only: Annotated[str, typer.Option(help="Only cases with this tag.")] = "",
    without: Annotated[str, typer.Option(help="Only cases without this tag.")] = "",
    worse: Worse = None,
    at_least: AtLeast = None,
    unscored: Unscored = None,
    junit: Annotated[Path | None, typer.Option(help="Write a JUnit report to this file.")] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Annotate cases and add to the summary of the job, for GitHub Actions.")
    ] = False,
    save_baseline: Annotated[
        Path | None, typer.Option(help="Save the runs of the team in this file (.jsonl.gz), for a later --against.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Keep the runs in this new data folder.")] = None,
    approve: Approve = False,
    allow_host: AllowHost = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Run each case several times with a team, without a server, and score the runs.

    With --against or --at-least, these decide: exit code 0 if the gate passes, 1 if it fails, 2 if it cannot tell.
    Without them, 0 if all runs pass, 1 if one fails, 2 if one is unscored. 2 also if it cannot be carried out.
    """
    from studio.cli.eval_run import EvaluatedFiles, Reports, evaluate_files
    from studio.evaluation.gates import GateOptions
    from studio.evaluation.suites import ChosenTags
    from studio.services.evaluations import REUSE_DAYS, EvaluationPlan
    from studio.settings import Settings

    if worse not in (None, "proved", "ignore"):
        raise typer.BadParameter("choose proved or ignore", param_hint="--worse")
    micro_usd = None if usd is None else round(usd * 1_000_000)
    amounts = (repeats, at_once, micro_usd, tokens, REUSE_DAYS if reuse else None)
    plan = EvaluationPlan("current", None, *amounts, ChosenTags(only, without), stop_when_clear)
    gate = GateOptions(worse, at_least, unscored)
    if github and as_json:
        raise typer.BadParameter("choose --github or --json", param_hint="--github")
    if stop_when_clear and (against is None or save_baseline is not None):
        raise typer.BadParameter("needs --against, and saves no baseline", param_hint="--stop-when-clear")
    if save_baseline is not None and save_baseline.suffix != ".gz":
        raise typer.BadParameter("name a file that ends in .gz", param_hint="--save-baseline")
    wanted = EvaluatedFiles(suite, team, against, team_name, plan, gate, approve, allow_host or (), keep)
    settings = Settings.from_env(data_dir=data_dir)
    raise typer.Exit(evaluate_files(settings, wanted, Reports(junit, save_baseline, github), as_json=as_json))


@eval_app.command("labels")
def eval_labels(
    evaluation: Annotated[str, typer.Argument(help="ID of an evaluation of the studio.")],
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show how far judges and all scorers together agree with the labels of an evaluation; --json has all labels."""
    from studio.cli.eval_labels import show_labels
    from studio.settings import Settings

    show_labels(Settings.from_env(data_dir=data_dir), evaluation, as_json=as_json)


@eval_app.command("import")
def eval_import(
    files: Annotated[list[Path], typer.Argument(help="File of cases, and the files that it names.")],
    out: Annotated[Path | None, typer.Option(help="File for the suite, YAML or JSON.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a suite of another tool's files, with a report of what came along. Executes nothing.

    Reads CSV, TSV and JSONL, and files of Inspect, OpenAI evals, Google ADK, promptfoo, pydantic-evals and tau2-bench.
    Exit code 1 if they cannot be read.
    """
    from studio.cli.import_suite import import_files

    if not import_files(files, out, as_json=as_json):
        raise typer.Exit(EXIT_WRONG)


@eval_app.command("schema")
def eval_schema() -> None:
    """Print the JSON schema of suite files, for editors."""
    from studio.cli.evaluate import print_schema

    print_schema()
