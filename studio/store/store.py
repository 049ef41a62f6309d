"""Opens the store: the one door to everything that the studio keeps."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from studio.errors import SetupError
from studio.runs import task_group
from studio.store.appender import Appender
from studio.store.approvals import Approvals
from studio.store.audit import Audit
from studio.store.call_usage import CallUsage
from studio.store.calls import Calls
from studio.store.connections import Connections
from studio.store.costs import Costs
from studio.store.database import Database, database_url
from studio.store.deployments import Deployments
from studio.store.evaluation_labels import EvaluationLabels
from studio.store.evaluation_preferences import EvaluationPreferences
from studio.store.evaluations import Evaluations
from studio.store.files import Files
from studio.store.fleet import Fleet
from studio.store.form import newest_form
from studio.store.galleries import Galleries
from studio.store.hooks import Hooks
from studio.store.housekeeping import run_housekeeping
from studio.store.inbox import Inbox
from studio.store.knowledge import Knowledge
from studio.store.knowledge_refreshes import KnowledgeRefreshes
from studio.store.knowledge_vectors import KnowledgeVectors
from studio.store.labels import LabelBook
from studio.store.lineage import Lineage
from studio.store.logs import Logs
from studio.store.metrics import BacklogReader
from studio.store.notifications import DatabaseNotifications
from studio.store.oauth import OAuthGrants
from studio.store.open_windows import OpenWindows
from studio.store.run_files import RunFileBook
from studio.store.run_imports import RunImports
from studio.store.runs import Runs
from studio.store.schedules import Schedules
from studio.store.secrets import Secrets
from studio.store.sign_ins import SignIns
from studio.store.suites import Suites
from studio.store.team_settings import TeamSettingsStore
from studio.store.teams import Teams
from studio.store.trash import Trash
from studio.store.trends import Trends
from studio.store.users import Users
from studio.store.webhooks import Webhooks
from studio.store.workers import WorkerRegistry
from studio.store.wrong_guesses import WrongGuesses

SECRET_KEY = "secret.key"
"""The file's name in the data folder."""


@dataclass(frozen=True, slots=True)
class Store:
    """Everything that the studio keeps, by what it is."""

    teams: Teams
    settings: TeamSettingsStore
    galleries: Galleries
    runs: Runs
    logs: Logs
    labels: LabelBook
    windows: OpenWindows
    trash: Trash
    trends: Trends
    run_imports: RunImports
    connections: Connections
    secrets: Secrets
    approvals: Approvals
    inbox: Inbox
    costs: Costs
    users: Users
    sign_ins: SignIns
    wrong_guesses: WrongGuesses
    audit: Audit
    fleet: Fleet
    workers: WorkerRegistry
    backlog: BacklogReader
    notifications: DatabaseNotifications
    is_shared: bool
    """Whether processes on other machines may use the database, too."""
    ping: Callable[[], Awaitable[None]]
    """Returns when the database has answered; raises `StorageUnavailable` when it does not."""
    deployments: Deployments
    oauth: OAuthGrants
    calls: Calls
    call_usage: CallUsage
    webhooks: Webhooks
    schedules: Schedules
    files: Files
    run_files: RunFileBook
    hooks: Hooks
    suites: Suites
    evaluations: Evaluations
    evaluation_labels: EvaluationLabels
    preferences: EvaluationPreferences
    knowledge: Knowledge
    vectors: KnowledgeVectors
    refreshes: KnowledgeRefreshes


@asynccontextmanager
async def open_store(data_dir: Path, url: str = "", *, migrates: bool = True) -> AsyncGenerator[Store]:
    """Open the database, in its newest form, and close it after what is being written is written.

    Args:
        data_dir: Folder of the SQLite database, the secret key and the server's lock; made when missing.
        url: SQLAlchemy URL of another database; empty is SQLite in the folder.
        migrates: Whether to bring the database to its newest form. Where several processes share one, `studio migrate`
            does that and makes the key of the secrets, and each of them only sees that it was done.

    Raises:
        SetupError: The folder or the database cannot be used.
    """
    make_folder(data_dir)
    database = await Database.connect(database_url(data_dir, url), migrates=migrates)
    appender, lineage = Appender(database), Lineage(database)
    try:
        async with task_group() as group:
            group.create_task(appender.run(), name="append to run logs")
            tidying = (
                group.create_task(run_housekeeping(database.file), name="tidy the database") if database.file else None
            )
            try:
                store = _store(database, appender, lineage, data_dir)
                if not migrates:
                    await store.secrets.require_key()
                yield store
            finally:
                if tidying:
                    tidying.cancel()
                appender.close()
    finally:
        await database.close()


async def migrate_store(data_dir: Path, url: str = "") -> tuple[str, str]:
    """Bring the database to its newest form, and make the key of its secrets where there is none.

    Returns the form that the database had, "" of an empty one, and the newest.

    Raises:
        SetupError: As for `open_store`.
    """
    make_folder(data_dir)
    database = await Database.connect(database_url(data_dir, url))
    try:
        await Secrets(database, data_dir / SECRET_KEY).make_key()
    finally:
        await database.close()
    return database.form_found, newest_form()


@asynccontextmanager
async def read_store(data_dir: Path, url: str = "") -> AsyncGenerator[Store]:
    """Open the database of a server that runs, beside it: nothing can be written."""
    database = Database.beside(database_url(data_dir, url))
    appender, lineage = Appender(database), Lineage(database)
    appender.close()
    try:
        yield _store(database, appender, lineage, data_dir)
    finally:
        await database.close()


def _store(database: Database, appender: Appender, lineage: Lineage, data_dir: Path) -> Store:
    workers, notifications = WorkerRegistry(database), DatabaseNotifications(database)
    runs = Runs(database, appender, lineage, data_dir, workers)
    secrets = Secrets(database, data_dir / SECRET_KEY)
    files = Files(database)
    return Store(
        teams=Teams(database),
        settings=TeamSettingsStore(database),
        galleries=Galleries(database),
        runs=runs,
        logs=Logs(database, lineage),
        labels=LabelBook(database),
        windows=OpenWindows(database),
        trash=Trash(database, lineage),
        trends=Trends(database),
        run_imports=RunImports(database),
        connections=Connections(database),
        secrets=secrets,
        approvals=Approvals(database),
        inbox=Inbox(database),
        costs=Costs(database, notifications),
        users=Users(database),
        sign_ins=SignIns(database),
        wrong_guesses=WrongGuesses(database),
        audit=Audit(database),
        fleet=Fleet(database, runs, workers),
        workers=workers,
        backlog=BacklogReader(database),
        notifications=notifications,
        is_shared=database.is_shared,
        ping=database.ping,
        deployments=Deployments(database),
        oauth=OAuthGrants(database),
        calls=Calls(database),
        call_usage=CallUsage(database),
        webhooks=Webhooks(database, secrets),
        schedules=Schedules(database),
        files=files,
        run_files=RunFileBook(database, files),
        hooks=Hooks(database, secrets),
        suites=Suites(database),
        evaluations=Evaluations(database),
        evaluation_labels=EvaluationLabels(database),
        preferences=EvaluationPreferences(database),
        knowledge=Knowledge(database),
        vectors=KnowledgeVectors(database),
        refreshes=KnowledgeRefreshes(database),
    )


def make_folder(data_dir: Path) -> None:
    """Raises: SetupError: The data folder is not there and cannot be made."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(
            f"The data folder {str(data_dir)!r} cannot be made: {error.strerror}.",
            fix="Choose another with `STUDIO_DATA_DIR`.",
        ) from error
