"""What the chat page of a deployment speaks: get a token, read the chat, say something, follow, answer, stop.

A chat is a thread of calls, so all that holds for calls holds here. A token opens one chat, and each request is
checked against the deployment as it is now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated

from fastapi import Header, Request, Response
from pydantic import Field

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import DeploymentSettings
from studio.errors import Forbidden
from studio.services.calls import CallDesk, CallRequest, settings_of
from studio.store import Store
from studio.store.calls import CallSummary
from studio.store.deployment_tables import Deployment
from studio.store.deployments import OpenedDeployment
from studio.web.auth.chat_tokens import MAX_TOKEN_LENGTH
from studio.web.auth.person import Guest
from studio.web.connections import network_of
from studio.web.dependencies import AccountsDep, CallDeskDep, CallerDep, ClosingDep, GuestDep, StoreDep
from studio.web.protocols.rest import Answer, CallOut, event_data, event_stream, shown_call
from studio.web.requests import AsciiJSONResponse, RequestBody
from studio.web.router import StudioRouter

router = StudioRouter(prefix="/d/{deployment}/chat", include_in_schema=False)
PROTOCOL = "chat"
MAX_TEXT = 100_000
MAX_SHOWN = 50
"""Messages of a chat that a page gets when it is opened; the team remembers more."""


class ChatNotOpen(Forbidden):
    """Whoever asks may not chat; they are not told whether there is a chat page."""

    code = "chat_not_open"

    def __init__(self) -> None:
        super().__init__("This chat is not open to you.", fix="Use the link that you were given, or sign in.")


class AskForToken(RequestBody):
    """`token` is the one that the browser had last: the chat goes on."""

    token: str = Field("", max_length=MAX_TOKEN_LENGTH)


class NewMessage(RequestBody):
    text: str = Field(max_length=MAX_TEXT)


class ChatToken(DeferredModel):
    """The token of one chat, and what the page shows above it."""

    token: str
    expires_at: datetime
    title: str
    greeting: str


class ToldEvent(DeferredModel):
    """An event of the stream of a call, as it was sent."""

    id: int
    name: str
    data: JsonObject


class ChatMessage(DeferredModel):
    """What a visitor said, and all that came of it so far."""

    text: str
    call: CallOut
    events: Sequence[ToldEvent]


@router.post("/tokens", summary="Get a token for a chat, with the bearer token of a chat link where one is needed")
async def make_token(
    deployment: str, body: AskForToken, store: StoreDep, accounts: AccountsDep, guest: GuestDep
) -> ChatToken:
    opened = await _opened_for(store, deployment, guest)
    if opened is None:
        raise ChatNotOpen
    chat = settings_of(opened).chat
    person = guest.person.id if guest.person and chat.access == "people" else ""
    token, expires_at = accounts.presence.chat_tokens.make(opened, person, body.token)
    return ChatToken(token=token, expires_at=expires_at, title=title_of(opened.deployment), greeting=chat.greeting)


@router.get("/messages", summary="Read the chat", response_model=list[ChatMessage])
async def read_messages(store: StoreDep, desk: CallDeskDep, visitor: CallerDep) -> Response:
    calls = await store.calls.of_thread(visitor.key.id, visitor.thread, limit=MAX_SHOWN)
    shown = [await _message(desk, visitor, each) for each in calls]
    body = [each.model_dump(mode="json") for each in shown]
    return await asyncio.to_thread(AsciiJSONResponse, body)


@router.post("/messages", status_code=202, summary="Say something; 409 while the team still works on the last message")
async def send_message(
    body: NewMessage,
    request: Request,
    desk: CallDeskDep,
    visitor: CallerDep,
    idempotency_key: Annotated[str, Header(max_length=255)] = "",
) -> CallOut:
    wanted = CallRequest(
        body.text,
        PROTOCOL,
        visitor.thread,
        idempotency_key,
        address=network_of(request.client.host if request.client else ""),
        most_from_address=settings_of(visitor).chat.messages_per_minute,
    )
    call = await desk.begin(visitor, wanted)
    return shown_call((await desk.status(visitor, call.id)).view, call.id, call.thread)


@router.get("/calls/{call_id}/events", summary="Follow the answer as server-sent events, as callers follow a call")
async def follow_message(
    call_id: str,
    desk: CallDeskDep,
    visitor: CallerDep,
    closing: ClosingDep,
    last_event_id: Annotated[str, Header()] = "",
) -> Response:
    return await event_stream(desk, visitor, closing, call_id, last_event_id)


@router.post("/calls/{call_id}/answers", summary="Answer a question of the team")
async def answer_question(call_id: str, body: Answer, desk: CallDeskDep, visitor: CallerDep) -> CallOut:
    status = await desk.answer(visitor, call_id, body.question_id, body.text)
    return shown_call(status.view, call_id, status.call.thread)


@router.post("/calls/{call_id}/cancel", summary="Stop the answer")
async def stop(call_id: str, desk: CallDeskDep, visitor: CallerDep) -> CallOut:
    status = await desk.cancel(visitor, call_id)
    return shown_call(status.view, call_id, status.call.thread)


def title_of(deployment: Deployment) -> str:
    """What the chat page of a deployment is called."""
    return DeploymentSettings.model_validate(deployment.settings).chat.title or deployment.name


def is_open_to(deployment: Deployment, guest: Guest) -> bool:
    """Whether a guest may chat."""
    access = DeploymentSettings.model_validate(deployment.settings).chat.access
    if access == "link":
        return guest.link is not None and guest.link.deployment.id == deployment.id
    return access == "anyone" or (access == "people" and guest.person is not None)


async def _opened_for(store: Store, name: str, guest: Guest) -> OpenedDeployment | None:
    """What a guest opens: with the key of their link, or with the one of the page."""
    found = await store.deployments.find(name)
    if found is None or not is_open_to(found, guest):
        return None
    access = DeploymentSettings.model_validate(found.settings).chat.access
    return guest.link if access == "link" else OpenedDeployment(await store.deployments.chat_key(found), found)


async def _message(desk: CallDesk, visitor: OpenedDeployment, summary: CallSummary) -> ChatMessage:
    call = summary.call
    events = [
        ToldEvent(id=event.seq, name=event.name, data=event_data(event, view, call.id, call.thread))
        async for event, view in desk.read(visitor, call.id)
    ]
    status = await desk.status(visitor, call.id)
    text = summary.run.task_text if summary.run else ""
    return ChatMessage(text=text, call=shown_call(status.view, call.id, call.thread), events=events)
