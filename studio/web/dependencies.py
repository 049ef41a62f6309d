"""What routes ask for by type; `app.py` puts it in place.

All are coroutines: FastAPI takes any other function to a thread, and a request would go there and back seven times.
None asks for another one that does nothing but look it up: FastAPI looks through both again for each parameter of each
route, while the server starts.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, cast

from fastapi import Depends, Request, Response

from studio.runs import PartRunner, RunControl, SpendingScope
from studio.services.calls import CallDesk
from studio.services.documents import Documents
from studio.services.team_checks import TeamChecks
from studio.settings import Settings
from studio.store import Store
from studio.store.deployments import OpenedDeployment
from studio.web.auth.authorization import AUTH_CONTEXT
from studio.web.auth.person import Guest, Person
from studio.web.auth.session_cache import AuthContext
from studio.web.auth.sessions import Accounts
from studio.web.probes import Probes
from studio.web.request_queue import RequestQueue
from studio.web.templates import Templates
from studio.web.views import View, Views


@dataclass
class Services:
    """Everything that routes need, of one running server."""

    settings: Settings
    store: Store
    books: SpendingScope
    supervisor: RunControl
    part_runner: PartRunner
    templates: Templates
    checks: TeamChecks
    accounts: Accounts
    views: Views
    calls: CallDesk
    probes: Probes
    documents: Documents
    check_turns: RequestQueue = field(default_factory=lambda: RequestQueue("checks"))
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server stops; event streams end then."""


def _services_of(request: Request) -> Services:
    """What the server that has got this request works with."""
    return cast("Services", request.app.state.services)


async def _services(request: Request) -> Services:
    return _services_of(request)


async def _settings(request: Request) -> Settings:
    return _services_of(request).settings


async def _store(request: Request) -> Store:
    return _services_of(request).store


async def _books(request: Request) -> SpendingScope:
    return _services_of(request).books


async def _supervisor(request: Request) -> RunControl:
    return _services_of(request).supervisor


async def _documents(request: Request) -> Documents:
    return _services_of(request).documents


async def _part_runner(request: Request) -> PartRunner:
    return _services_of(request).part_runner


async def _team_checks(request: Request) -> TeamChecks:
    return _services_of(request).checks


async def _templates(request: Request) -> Templates:
    return _services_of(request).templates


async def _closing(request: Request) -> asyncio.Event:
    return _services_of(request).closing


async def _accounts(request: Request) -> Accounts:
    return _services_of(request).accounts


def admitted(request: Request) -> AuthContext:
    """Whom the guard has let in with this request."""
    return cast("AuthContext", request.scope[AUTH_CONTEXT])


async def _auth_context(request: Request) -> AuthContext:
    return admitted(request)


async def _caller(request: Request) -> OpenedDeployment:
    return admitted(request).opened


async def _guest(request: Request) -> Guest:
    return admitted(request).guest


async def _call_desk(request: Request) -> CallDesk:
    return _services_of(request).calls


async def _person(request: Request) -> Person:
    return admitted(request).person


@dataclass(frozen=True)
class Viewing:
    """The views of this server, as one request asks for them."""

    views: Views
    request: Request

    async def show(self, view: View, runs: Sequence[str], *args: object, is_kept: bool = False) -> Response:
        """See `Views.show`."""
        return await self.views.show(self.request, admitted(self.request), view, runs, *args, is_kept=is_kept)


async def _check_turn(request: Request, person: PersonDep) -> AsyncGenerator[None]:
    async with _services_of(request).check_turns.wait_turn(person.id or person.name):
        yield


async def _viewing(request: Request) -> Viewing:
    return Viewing(_services_of(request).views, request)


ServicesDep = Annotated[Services, Depends(_services)]
SettingsDep = Annotated[Settings, Depends(_settings)]
StoreDep = Annotated[Store, Depends(_store)]
DocumentsDep = Annotated[Documents, Depends(_documents)]
BooksDep = Annotated[SpendingScope, Depends(_books)]
SupervisorDep = Annotated[RunControl, Depends(_supervisor)]
PartRunnerDep = Annotated[PartRunner, Depends(_part_runner)]
TeamChecksDep = Annotated[TeamChecks, Depends(_team_checks)]
TemplatesDep = Annotated[Templates, Depends(_templates)]
ClosingDep = Annotated[asyncio.Event, Depends(_closing)]
AccountsDep = Annotated[Accounts, Depends(_accounts)]
PersonDep = Annotated[Person, Depends(_person)]
"""Who makes the request; their `name` is what logs and versions say."""
QUEUED = Depends(_check_turn)
"""For routes that read a whole document or script: one at a time for each person."""
ViewingDep = Annotated[Viewing, Depends(_viewing)]
CallerDep = Annotated[OpenedDeployment, Depends(_caller)]
"""The key that calls, and what it opens: on the routes of deployments that need a key, or the token of a chat."""
GuestDep = Annotated[Guest, Depends(_guest)]
"""Who asks for a chat page or a token."""
CallDeskDep = Annotated[CallDesk, Depends(_call_desk)]
AdmittedDep = Annotated[AuthContext, Depends(_auth_context)]
