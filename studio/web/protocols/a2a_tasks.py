"""A call as a task of A2A 1.0, and what stands in the card of its deployment.

Names and enums are those of ProtoJSON. What is shown comes from the view of the call and nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import JsonValue

from studio.components import JsonObject
from studio.deployments import CallEvent, CallState, CallView
from studio.runs import Usage
from studio.runs.middleware.budget import BUDGET_EXCEEDED
from studio.services.calls import Answering, CallDesk, CallerSaid, CallStatus, settings_of, words_of
from studio.store.deployment_tables import Call, Deployment
from studio.store.deployments import OpenedDeployment
from studio.web.protocols.openai_conversation import said_by
from studio.web.protocols.rest import FOR_OPERATOR

VERSION = "1.0"
ANSWER = "answer"
USAGE = "team-studio/usage"
ERROR = "team-studio/error"
QUESTION = "team-studio/question"
"""In the metadata of a part: how the question may be answered."""
JSON_TYPE = "application/json"
IMAGE_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
SUBMITTED, WORKING = "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"
INPUT_REQUIRED, AUTH_REQUIRED = "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED"
COMPLETED, CANCELED, FAILED = "TASK_STATE_COMPLETED", "TASK_STATE_CANCELED", "TASK_STATE_FAILED"
STATES = {
    CallState.QUEUED: SUBMITTED,
    CallState.RUNNING: WORKING,
    CallState.WAITING: AUTH_REQUIRED,
    CallState.FINISHED: COMPLETED,
    CallState.STOPPED: CANCELED,
    CallState.CANCELLED: CANCELED,
    CallState.FAILED: FAILED,
}


def card_of(deployment: Deployment, url: str) -> JsonObject:
    """The agent card: the owner's words, and nothing of the team.

    Args:
        deployment: What the card is of.
        url: Where requests of A2A go.
    """
    name = deployment.name
    description = deployment.summary or f"Ask {name}. It may take minutes."
    skill: JsonObject = {"id": name, "name": name, "description": description, "tags": ["team"]}
    bearer: JsonObject = {"scheme": "Bearer", "description": "A caller key of this deployment."}
    return {
        "name": name,
        "description": description,
        "version": str(deployment.live),
        "supportedInterfaces": [
            {"url": url, "protocolBinding": binding, "protocolVersion": VERSION} for binding in ("JSONRPC", "HTTP+JSON")
        ],
        "capabilities": {"streaming": True, "pushNotifications": False, "extendedAgentCard": False},
        "securitySchemes": {"callerKey": {"httpAuthSecurityScheme": bearer}},
        "securityRequirements": [{"schemes": {"callerKey": {"list": []}}}],
        "defaultInputModes": ["text/plain", JSON_TYPE, *IMAGE_TYPES],
        "defaultOutputModes": ["text/plain", JSON_TYPE],
        "skills": [skill],
    }


def state_of(view: CallView) -> str:
    """The state of a task; a call that reached a limit has failed."""
    if view.question is not None and view.question.to == "caller":
        return INPUT_REQUIRED
    if view.failure is not None and view.failure.code == BUDGET_EXCEEDED:
        return FAILED
    return STATES[view.state]


def a2a_task(
    status: CallStatus, said: Sequence[CallerSaid] = (), *, history: int | None = None, artifacts: bool = True
) -> JsonObject:
    """A call as a task.

    Args:
        status: The call.
        said: What its caller said in it, for the history.
        history: How many messages of its history to tell, the last ones; all for None.
        artifacts: Whether to tell the answer.
    """
    call = status.call
    messages = [(each.seq, message_of(call, each)) for each in status.events if each.name == "message"]
    messages += [(each.seq, _said(call, each.seq, words)) for each in said if (words := words_of(each.task))]
    whole: list[JsonValue] = [message for _, message in sorted(messages, key=lambda each: each[0])]
    shown = whole if history is None else whole[len(whole) - min(history, len(whole)) :]
    task: JsonObject = {"id": call.id, "contextId": call.thread, "status": status_of(status)}
    if artifacts and (answer := _artifact(status.view)):
        task["artifacts"] = [answer]
    return {**task, **({"history": shown} if shown else {}), "metadata": metadata_of(status)}


def status_of(status: CallStatus) -> JsonObject:
    """The status of a task, with what its client should know of it."""
    view, call = status.view, status.call
    body: JsonObject = {"state": state_of(view), "timestamp": timestamp(view.changed_at or call.at)}
    parts = _status_parts(view)
    return {**body, "message": _message(call, f"{call.id}-{view.last_seq}", parts)} if parts else body


def metadata_of(status: CallStatus) -> JsonObject:
    usage: JsonObject = {
        "promptTokens": status.usage.prompt_tokens,
        "completionTokens": status.usage.completion_tokens,
    }
    failure = status.view.failure
    return {USAGE: usage, **({ERROR: failure.code} if failure else {})}


def message_of(call: Call, event: CallEvent) -> JsonObject:
    """What an agent said on the way."""
    part: JsonObject = {"text": event.text, "metadata": {"source": event.source}}
    return _message(call, f"{call.id}-{event.seq}", [part])


class Opened(NamedTuple):
    """Where a stream begins: the task as it is told first, and the entry of its log behind which the rest follows.

    That of a message ends when its task waits for the caller. A subscription lasts `to_end`.
    """

    first: CallStatus
    after: int
    said: Sequence[CallerSaid] = ()
    to_end: bool = False

    @property
    def opening(self) -> bytes:
        """What a stream is sent at once: a comment, which names its task to who looks at the wire."""
        return f": {self.first.call.id}\n\n".encode()

    def ends_with(self, status: CallStatus) -> bool:
        return status.view.state.is_final or (status.has_answer and not self.to_end)


def begun(by: OpenedDeployment, found: Answering) -> Opened:
    """The stream of a message: whatever came of it meanwhile, its log tells it from its beginning."""
    view = CallView(settings_of(by))
    view.state = CallState.RUNNING if found.after else CallState.QUEUED
    return Opened(CallStatus(found.call, view, Usage()), found.after)


async def updates(desk: CallDesk, by: OpenedDeployment, opened: Opened) -> AsyncGenerator[JsonObject]:
    """The stream of a task: the task, then what changes, up to where it ends."""
    status = opened.first
    call = status.call
    yield {"task": a2a_task(status, opened.said)}
    async with aclosing(desk.follow(by, call.id, opened.after)) as events:
        async for event, view in events:
            status = CallStatus(call, view, status.usage)
            if opened.ends_with(status):
                for update in last_updates(await desk.status(by, call.id, answered_after=event.seq - 1)):
                    yield update
                return
            yield update_of(status, event)


def since(found: Answering, status: CallStatus) -> CallStatus:
    """How a task is; one whose question was just answered works, also where its log does not tell so yet."""
    if found.after and status.view.last_seq <= found.after:
        status.view.state, status.view.question = CallState.RUNNING, None
    return status


def update_of(status: CallStatus, event: CallEvent) -> JsonObject:
    """What a stream tells of an event on the way."""
    body = status_of(status)
    if event.name == "message":
        body["message"] = message_of(status.call, event)
    return {"statusUpdate": {**_place(status.call), "status": body}}


def last_updates(status: CallStatus) -> Sequence[JsonObject]:
    """What a stream ends with: the answer, and the state that ends it or waits for its caller."""
    place, answer = _place(status.call), _artifact(status.view)
    end: JsonObject = {**place, "status": status_of(status), "metadata": metadata_of(status)}
    artifacts: list[JsonObject] = (
        [{"artifactUpdate": {**place, "artifact": answer, "lastChunk": True}}] if answer else []
    )
    return [*artifacts, {"statusUpdate": end}]


def _place(call: Call) -> JsonObject:
    return {"taskId": call.id, "contextId": call.thread}


def _artifact(view: CallView) -> JsonObject | None:
    """The answer, once nothing more comes."""
    if not view.state.is_final or not view.answer:
        return None
    text: JsonObject = {"text": view.answer, "mediaType": "text/plain"}
    parts: list[JsonValue] = [text] if view.answer_data is None else [_data(view.answer_data), text]
    return {"artifactId": ANSWER, "name": ANSWER, "parts": parts}


def _data(value: JsonObject) -> JsonObject:
    return {"data": value, "mediaType": JSON_TYPE}


def _status_parts(view: CallView) -> list[JsonObject]:
    """What the message of a status says: a question, whom it waits for, or why it failed."""
    question = view.question
    if view.failure is not None:
        return [{"text": view.failure.message}]
    if question is None:
        return []
    if question.to == "operator":
        return [{"text": FOR_OPERATOR}]
    form: JsonObject = {"choices": [*question.choices], "answer_schema": question.answer_schema}
    is_form = question.choices or question.answer_schema
    return [{"text": said_by(view), **({"metadata": {QUESTION: form}} if is_form else {})}]


def _said(call: Call, seq: int, words: str) -> JsonObject:
    """What the caller said; pictures are left out, which would come back with each look at the task."""
    return {**_message(call, f"{call.id}-caller-{seq}", [{"text": words}]), "role": "ROLE_USER"}


def _message(call: Call, message_id: str, parts: Sequence[JsonObject]) -> JsonObject:
    place: JsonObject = {"taskId": call.id, "contextId": call.thread}
    return {"messageId": message_id, "role": "ROLE_AGENT", "parts": [*parts], **place}


def timestamp(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
