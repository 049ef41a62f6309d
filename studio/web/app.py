"""Puts the server together; nothing else does."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import cache

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from markupsafe import Markup
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute

from studio.components import component_classes, form_schema
from studio.components.deferred_model import DeferredModel, make_validators
from studio.errors import StudioError
from studio.executors.docker_engine import remove_left_containers
from studio.help import prepare_library
from studio.messages import BaseMessage, TaskResult
from studio.models.catalogue import model_catalogue
from studio.runs import PartRunner
from studio.sandbox import current_jail
from studio.services.builtin_galleries import load_builtin_galleries
from studio.services.calls import CallDesk
from studio.services.documents import Documents
from studio.services.team_checks import TeamChecks
from studio.settings import Settings
from studio.store import Store, open_store
from studio.teams import Team
from studio.version import VERSION
from studio.web.api import (
    account,
    approvals,
    audit,
    breakpoints,
    budgets,
    bundles,
    components,
    connections,
    consents,
    costs,
    deployments,
    diffs,
    evaluation_labels,
    evaluations,
    examples,
    files,
    forks,
    galleries,
    health,
    hooks,
    imports,
    inbox,
    knowledge,
    labels,
    open_windows,
    part_runs,
    pictures,
    prompts,
    python,
    ready_teams,
    release_replay,
    run_index,
    run_states,
    runs,
    schedules,
    search,
    secrets,
    sessions,
    suites,
    teams,
    users,
    versions,
    webhooks,
    workers,
)
from studio.web.assets.assets import Assets, load_assets
from studio.web.auth.access_token import Keys
from studio.web.auth.guard import BodyLimit, Guard, Policy, allowed_hosts, content_security_policy, public_hosts
from studio.web.auth.login import LoginPage
from studio.web.auth.routes import Routes
from studio.web.auth.sessions import open_accounts
from studio.web.dependencies import Services
from studio.web.engine import ProcessRole, open_engine
from studio.web.error_handlers import add_error_handlers, documented_schemas, error_page
from studio.web.fragments import deployments as deployment_fragments
from studio.web.fragments import diff, form
from studio.web.fragments import evaluations as evaluation_fragments
from studio.web.fragments import export as export_fragments
from studio.web.fragments import galleries as gallery_fragments
from studio.web.fragments import part_runs as part_run_fragments
from studio.web.fragments import review as review_fragments
from studio.web.fragments import suites as suite_fragments
from studio.web.metrics import CountRequests
from studio.web.observability import learn_variables_of_components, redacting_logs
from studio.web.pages import accounts as account_pages
from studio.web.pages import charts, comparisons, play, sharing
from studio.web.pages import chat as chat_pages
from studio.web.pages import consent as consent_pages
from studio.web.pages import costs as cost_pages
from studio.web.pages import deployments as deployment_pages
from studio.web.pages import evaluations as evaluation_pages
from studio.web.pages import galleries as gallery_pages
from studio.web.pages import help as help_pages
from studio.web.pages import inbox as inbox_pages
from studio.web.pages import knowledge as knowledge_pages
from studio.web.pages import ready_teams as ready_team_pages
from studio.web.pages import review as review_pages
from studio.web.pages import runs as run_pages
from studio.web.pages import settings as settings_pages
from studio.web.pages import suites as suite_pages
from studio.web.pages import teams as team_pages
from studio.web.pages import trash as trash_pages
from studio.web.probes import Probes
from studio.web.protocols import (
    a2a,
    a2a_rest,
    agui,
    chat,
    hook_posts,
    mcp,
    oauth,
    openai_chat,
    openai_responses,
    rest,
    ui_stream,
)
from studio.web.requests import AsciiJSONResponse, StudioRoute
from studio.web.router import StudioRouter
from studio.web.templates import Templates, load_templates
from studio.web.views import Views
from studio.web.warm_up import QUIET_S, Activity, NoteActivity, until_quiet, warm_up

TITLE = "Team Studio"
MB = 1024 * 1024
GZIP_FROM_BYTES = 1024
GZIP_LEVEL = 6
"""The highest one, 9, takes up to twice as long, in the event loop, for a hundredth less."""
DESCRIPTION_PATH = "/api/openapi.json"
WARMING = "make ready what first visitors want"
ROUTERS: Sequence[StudioRouter] = (
    team_pages.router,
    run_pages.router,
    play.router,
    comparisons.router,
    sharing.router,
    gallery_pages.router,
    ready_team_pages.router,
    cost_pages.router,
    deployment_pages.router,
    evaluation_pages.router,
    suite_pages.router,
    charts.router,
    settings_pages.router,
    inbox_pages.router,
    trash_pages.router,
    help_pages.router,
    review_pages.router,
    form.router,
    diff.router,
    deployment_fragments.router,
    evaluation_fragments.router,
    export_fragments.router,
    gallery_fragments.router,
    part_run_fragments.router,
    review_fragments.router,
    suite_fragments.router,
    labels.router,
    search.router,
    teams.router,
    versions.router,
    open_windows.router,
    galleries.router,
    ready_teams.router,
    imports.router,
    bundles.router,
    files.router,
    knowledge.router,
    knowledge_pages.router,
    runs.router,
    diffs.router,
    forks.router,
    costs.router,
    budgets.router,
    sessions.router,
    prompts.router,
    run_index.router,
    run_states.router,
    part_runs.router,
    components.router,
    connections.router,
    python.router,
    approvals.router,
    breakpoints.router,
    examples.router,
    inbox.router,
    pictures.router,
    secrets.router,
    account_pages.router,
    account.router,
    users.router,
    audit.router,
    health.router,
    workers.router,
    deployments.router,
    release_replay.router,
    webhooks.router,
    schedules.router,
    hooks.router,
    hook_posts.router,
    suites.router,
    evaluations.router,
    evaluation_labels.router,
    rest.router,
    chat.router,
    chat_pages.router,
    openai_chat.router,
    openai_responses.router,
    mcp.router,
    oauth.router,
    consents.router,
    consent_pages.router,
    a2a.router,
    a2a_rest.router,
    agui.router,
    ui_stream.router,
)
ROUTES: Sequence[BaseRoute] = tuple(route for router in ROUTERS for route in router.routes)


def _nothing() -> None:
    pass


def create_app(
    settings: Settings, role: ProcessRole = ProcessRole.SERVER, *, on_warm: Callable[[], None] = _nothing
) -> FastAPI:
    """The studio as an ASGI application; its database opens when the server starts.

    Args:
        on_warm: Called when all that is made ahead is made, and stays.

    Raises:
        SetupError: The data folder cannot be used, or the front end's files are missing.
    """
    assets, templates, keys = load_assets(), load_templates(), Keys.from_settings(settings)
    csp = content_security_policy(scripts=[assets.importmap_hash])
    app = FastAPI(
        title=TITLE,
        version=VERSION,
        lifespan=_lifespan(settings, role, templates, keys, on_warm),
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    # Files first, since a page asks for a hundred of them.
    app.router.routes[:] = [*assets.routes(), *app.router.routes, *ROUTES]
    app.add_route(DESCRIPTION_PATH, _description)
    add_error_handlers(app, templates, csp)
    app.add_middleware(GZipMiddleware, minimum_size=GZIP_FROM_BYTES, compresslevel=GZIP_LEVEL)
    app.state.routes = Routes(app.routes)
    policy = Policy(
        keys=keys,
        hosts=allowed_hosts(settings),
        public_hosts=public_hosts(settings),
        only_deployments=settings.only_deployments,
        csp=csp,
        login=_login_page(assets, templates),
        body_limit=_body_limit(settings.max_upload_mb, "request", "STUDIO_MAX_UPLOAD_MB"),
        route_limits={files.UPLOAD: _body_limit(settings.max_file_mb, "file", "STUDIO_MAX_FILE_MB")},
        routes=app.state.routes,
        accounts=lambda: services.accounts if (services := services_of(app)) else None,
        refusal_page=lambda asked, error: error_page(templates, Request(asked.scope), 403, error.as_json()),
    )
    app.add_middleware(Guard, policy=policy)
    app.add_middleware(CountRequests)
    app.state.activity = Activity()
    app.add_middleware(NoteActivity, activity=app.state.activity)
    return app


def _body_limit(megabytes: int, what: str, setting: str) -> BodyLimit:
    message = f"The {what} is larger than {megabytes} MB."
    return BodyLimit(megabytes * MB, message, f"Send a smaller {what}, or raise `{setting}`.")


async def _description(request: Request) -> Response:
    del request
    return Response(await asyncio.to_thread(_description_text), media_type="application/json")


@cache
def _description_text() -> bytes:
    """The description of the API: the same for every studio of this process, and it takes a third of a second."""
    described = get_openapi(title=TITLE, version=VERSION, routes=ROUTES)
    described["components"]["schemas"] |= documented_schemas()
    return bytes(AsciiJSONResponse(described).body)


def services_of(app: FastAPI) -> Services | None:
    """What the running server works with; None before it has started."""
    return getattr(app.state, "services", None)


def _lifespan(
    settings: Settings, role: ProcessRole, templates: Templates, keys: Keys, on_warm: Callable[[], None]
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with (
            open_store(settings.data_dir, settings.database_url, migrates=role is ProcessRole.SERVER) as store,
            redacting_logs(store, keys.token),
            open_accounts(settings, store, keys) as accounts,
            open_engine(settings, store, role) as (runs, books),
            PartRunner(store.approvals, store.secrets) as part_runner,
        ):
            await load_builtin_galleries(store)
            closing = asyncio.Event()
            services = Services(
                settings,
                store,
                books,
                runs,
                part_runner,
                templates,
                TeamChecks(store),
                accounts,
                Views(store, settings, templates),
                CallDesk(store, runs, books),
                Probes(settings, store, closing),
                Documents(store.files, current_jail.get()),
                closing=closing,
            )
            app.state.services = services
            async with mcp.open_mcp(services.calls, services.closing) as app.state.mcp, asyncio.TaskGroup() as ahead:
                others = [
                    ahead.create_task(warm_up(made_ahead(templates, on_warm), app.state.activity), name=WARMING),
                    *([ahead.create_task(remove_left_containers())] if role is ProcessRole.SERVER else []),
                    ahead.create_task(_learn_variables(services)),
                    ahead.create_task(_check_ahead(services, app.state.activity)),
                ]
                yield
                services.closing.set()
                for each in others:
                    each.cancel()

    return lifespan


def made_ahead(templates: Templates, on_warm: Callable[[], None] = _nothing) -> Iterator[None]:
    """What is made once and wanted soon, one part with each step; what is wrong with it is told to who asks."""
    yield from templates.prepare("pages/teams.html", "pages/builder.html")
    with suppress(StudioError):  # pages come before what takes a few milliseconds at its first use
        for cls in component_classes():
            form_schema(cls)
            yield
        components.packed_catalogue()
        yield
    yield from templates.prepare("fragments/form.html", "pages/playground.html")
    yield from _made_for_runs()
    yield from _ready(ROUTES)
    yield from make_validators(DeferredModel)
    yield from templates.prepare()
    with suppress(StudioError):
        yield from prepare_library()
    on_warm()


def _made_for_runs() -> Iterator[None]:
    """What the first run would make while it goes on."""
    for cls in (Team, TaskResult):
        cls.model_rebuild()
    yield
    yield from make_validators(BaseMessage)
    model_catalogue()
    yield
    yield from _ready(runs.router.routes)


def _ready(routes: Sequence[BaseRoute]) -> Iterator[None]:
    yield from (None for route in routes if isinstance(route, StudioRoute) and route.make_ready())


async def _learn_variables(services: Services) -> None:
    """Import all components, for the sake of the log."""
    with suppress(StudioError, ValueError):
        await learn_variables_of_components(services.store)


async def _check_ahead(services: Services, activity: Activity) -> None:
    """Check the stored teams once nobody waits: lists of secrets and models tell which teams use them.

    A team that cannot be read does not keep the server from starting; who asks for it is told.
    """
    await asyncio.sleep(QUIET_S)  # who opens a page at once comes first
    await until_quiet(activity)
    with suppress(StudioError, ValueError):
        await services.checks.get_many(await services.store.teams.list())
    with suppress(StudioError):
        await _look_for_a_run(services.store)


async def _look_for_a_run(store: Store) -> None:
    """One that is not there. SQLAlchemy keeps the statements that it has compiled, so the first real one need not wait.

    Raises:
        NotFound: In any case.
    """
    await store.labels.get_many("run", [""], "")
    await store.evaluations.by_run("")
    await store.runs.get("")


def _login_page(assets: Assets, templates: Templates) -> LoginPage:
    css = (assets.static / "css" / "login.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()

    def html(**context: object) -> str:
        return templates.text("pages/login.html", css=Markup(css), **context)

    return LoginPage(
        html=html,
        csp=content_security_policy(styles=[f"sha256-{digest}"]),
    )
