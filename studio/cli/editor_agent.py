"""`studio acp`: a deployment as the agent of an editor, by the Agent Client Protocol on standard input and output.

A session is a thread, and a prompt a call of it; where the team asks its caller something, the next prompt answers.
The call goes on when its connection is lost, and its events are followed from where they broke off.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, NamedTuple, cast
from urllib.parse import quote
from uuid import uuid4

import acp
import httpx
from acp import schema
from pydantic import JsonValue, ValidationError

from studio.cli.call import FINAL, MAX_REPLY, RETRIES, NotAStudio, ToldCall, check_key, refusal_of
from studio.errors import SetupError, StudioError
from studio.version import VERSION

EVENTS = {"Accept": "text/event-stream"}
READ_S = 60
"""The studio sends a comment every 15 seconds."""
MAX_SESSIONS = 1_000
WAITING = "Waiting for an operator of the studio."
FAILED = -32603
"""JSON-RPC's code of an internal error."""
Block = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)


def serve_editor(at: str, key: str, name: str) -> None:
    """Answer an editor until it closes standard input.

    Args:
        at: Address of the studio.
        key: Of the deployment.
        name: Of the deployment.

    Raises:
        SetupError: There is no key.
    """
    check_key(key)
    asyncio.run(_serve(f"{at.rstrip('/')}/d/{quote(name, safe='')}/calls", key, name))


async def _serve(url: str, key: str, name: str) -> None:
    timeout = httpx.Timeout(10, read=READ_S)
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=timeout) as client:
        agent = EditorAgent(CallClient(client, url), name)
        await acp.run_agent(cast("acp.Agent", agent))  # the package answers for what it lacks


class CallEvent(NamedTuple):
    """An event of a call: how it is now, or what an agent said."""

    id: str
    call: ToldCall | None
    said: str


@dataclass
class Session:
    """A conversation: the call under way, or the one whose question the next prompt answers."""

    call_id: str = ""
    question_id: str = ""
    last_event: str = ""
    is_stopping: bool = False
    """Canceled before its call had an ID."""


class _Request(NamedTuple):
    """What the events of a call are the answer to."""

    method: str
    url: str
    headers: dict[str, str]
    json: JsonValue = None


class CallClient:
    """The calls of a deployment over HTTP.

    Args:
        client: Has the key.
        url: Of the calls.
    """

    def __init__(self, client: httpx.AsyncClient, url: str) -> None:
        self._client, self._url = client, url

    def begin(self, thread: str, task: JsonValue) -> AsyncGenerator[CallEvent]:
        """Begin a call, and tell what happens in it until its end; what is sent once more is the same call."""
        headers = {**EVENTS, "Idempotency-Key": str(uuid4())}
        return self._follow(_Request("POST", self._url, headers, {"task": task, "thread": thread}))

    def follow(self, call_id: str, last_event: str) -> AsyncGenerator[CallEvent]:
        """What happens in a call behind an event."""
        return self._follow(self._behind(call_id, last_event))

    async def answer(self, call_id: str, question_id: str, text: str) -> None:
        """Answer the question of a call."""
        await self._post(f"{quote(call_id, safe='')}/answers", {"question_id": question_id, "text": text})

    async def cancel(self, call_id: str) -> None:
        """Cancel a call; one that has ended stays as it is."""
        await self._post(f"{quote(call_id, safe='')}/cancel", None)

    def _behind(self, call_id: str, last_event: str) -> _Request:
        return _Request("GET", f"{self._url}/{quote(call_id, safe='')}/events", {**EVENTS, "Last-Event-ID": last_event})

    async def _post(self, path: str, body: JsonValue) -> None:
        try:
            answer = await self._client.post(f"{self._url}/{path}", json=body)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise _unreachable(error) from error
        if not answer.is_success:
            raise refusal_of(answer.status_code, answer.content)

    async def _follow(self, request: _Request) -> AsyncGenerator[CallEvent]:
        call_id, failures = "", 0
        while True:
            try:
                async with aclosing(self._events(request)) as events:
                    async for event in events:
                        failures = 0
                        call_id = event.call.id if event.call else call_id
                        request = self._behind(call_id, event.id)
                        yield event
                        if event.call is not None and event.call.state in FINAL:
                            return
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                is_nowhere = not call_id and isinstance(error, httpx.ConnectError | httpx.InvalidURL)
                if is_nowhere or failures == RETRIES:
                    raise _unreachable(error) from error
            failures += 1
            await asyncio.sleep(min(2**failures, 10))  # it may be restarting; the call continues

    async def _events(self, request: _Request) -> AsyncGenerator[CallEvent]:
        """The events of one answer.

        Raises:
            SetupError: The studio refuses, or what answers is none.
        """
        method, url, headers, body = request
        async with self._client.stream(method, url, headers=headers, json=body) as answer:
            held = bytearray()
            async for part in answer.aiter_bytes():
                start = max(0, len(held) - 1)
                held += part
                if len(held) > MAX_REPLY:
                    raise SetupError(f"An event has more than {MAX_REPLY // 2**20} MB.", fix="Check --at.")
                while answer.is_success and (end := held.find(b"\n\n", start)) >= 0:
                    event = _event(held[:end].decode())
                    del held[: end + 2]
                    start = 0
                    if event is not None:
                        yield event
            if not answer.is_success:
                raise refusal_of(answer.status_code, bytes(held))


def _event(frame: str) -> CallEvent | None:
    """One event of a stream; None for a comment.

    Raises:
        NotAStudio: It is none of a call.
    """
    lines = (line.partition(": ") for line in frame.splitlines())
    fields = {name: value for name, _, value in lines if name}
    if "data" not in fields:
        return None
    try:
        if fields.get("event") == "message":
            data = json.loads(fields["data"])
            return CallEvent(fields["id"], None, f"{data['source']}: {data['text']}")
        return CallEvent(fields["id"], ToldCall.model_validate_json(fields["data"]), "")
    except (ValueError, KeyError, TypeError, RecursionError, ValidationError) as error:
        raise NotAStudio from error


def _unreachable(error: Exception) -> SetupError:
    return SetupError(f"The studio cannot be reached: {error}.", fix="Check --at.")


class EditorAgent:
    """A deployment as an editor knows it.

    Args:
        calls: Of the deployment.
        name: Of the deployment.
    """

    def __init__(self, calls: CallClient, name: str) -> None:
        self._calls, self._name = calls, name
        self._sessions: dict[str, Session] = {}
        self._editor: acp.Client | None = None

    def on_connect(self, conn: acp.Client) -> None:
        self._editor = conn

    async def initialize(self, protocol_version: int, *args: Any, **kwargs: Any) -> schema.InitializeResponse:
        del args, kwargs
        return schema.InitializeResponse(
            protocol_version=min(protocol_version, acp.PROTOCOL_VERSION),
            agent_capabilities=schema.AgentCapabilities(
                prompt_capabilities=schema.PromptCapabilities(image=True, embedded_context=True)
            ),
            agent_info=schema.Implementation(name="team-studio", title=self._name, version=VERSION),
        )

    async def new_session(self, cwd: str, *args: Any, **kwargs: Any) -> schema.NewSessionResponse:
        """A conversation. The team works where the studio is, not in the folder of the editor or with its servers."""
        del cwd, args, kwargs
        session_id = str(uuid4())
        self._sessions[session_id] = Session()
        if len(self._sessions) > MAX_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return schema.NewSessionResponse(session_id=session_id)

    async def prompt(self, session_id: str, prompt: list[Block], **kwargs: Any) -> schema.PromptResponse:
        del kwargs
        session = self._sessions.get(session_id)
        if session is None:
            raise acp.RequestError.invalid_params({"sessionId": session_id})
        try:
            return await self._answer(session_id, session, [_part(each) for each in prompt])
        except StudioError as error:
            raise acp.RequestError(FAILED, f"{error.what} {error.fix}".strip()) from error

    async def cancel(self, session_id: str, **kwargs: Any) -> None:
        """Cancel the call under way; its prompt ends with what becomes of it."""
        del kwargs
        session = self._sessions.get(session_id)
        if session is not None and session.call_id:
            await self._calls.cancel(session.call_id)
        elif session is not None:
            session.is_stopping = True

    async def _answer(self, session_id: str, session: Session, parts: list[JsonValue]) -> schema.PromptResponse:
        if session.question_id:
            text = "\n".join(part for part in parts if isinstance(part, str))
            await self._calls.answer(session.call_id, session.question_id, text)
            session.question_id = ""
            events = self._calls.follow(session.call_id, session.last_event)
        else:
            session.call_id, session.is_stopping = "", False
            events = self._calls.begin(session_id, parts[0] if len(parts) == 1 else parts)
        async with aclosing(events):
            async for event in events:
                session.last_event = event.id
                if event.call is None:
                    await self._show(session_id, acp.update_agent_thought_text(event.said))
                    continue
                session.call_id = event.call.id
                if session.is_stopping:
                    session.is_stopping = False
                    await self._calls.cancel(session.call_id)
                if (ending := await self._ending(session_id, session, event.call)) is not None:
                    return ending
        raise NotAStudio

    async def _ending(self, session_id: str, session: Session, call: ToldCall) -> schema.PromptResponse | None:
        """What a prompt comes to; None while its call works.

        Raises:
            RequestError: The call failed.
        """
        question = call.question
        if question is not None and question.to == "operator":
            await self._show(session_id, acp.update_agent_thought_text(WAITING))
            return None
        if question is None and call.state not in FINAL:
            return None
        if call.state == "cancelled":
            return schema.PromptResponse(stop_reason="cancelled")
        if call.error is not None:
            raise acp.RequestError(FAILED, f"{call.error.message} Call {call.id}.")
        session.question_id = question.id if question else ""
        texts = [call.answer or "", question.prompt.strip() if question else ""]
        await self._show(session_id, acp.update_agent_message_text("\n\n".join(filter(None, texts))))
        return schema.PromptResponse(stop_reason="end_turn")

    async def _show(self, session_id: str, update: schema.AgentMessageChunk | schema.AgentThoughtChunk) -> None:
        assert self._editor is not None
        await self._editor.session_update(session_id=session_id, update=update)


def _part(block: Block) -> JsonValue:
    """A piece of a prompt, as a task has it; a file as its text, or its name where the editor does not send it.

    Raises:
        SetupError: It is a sound.
    """
    if isinstance(block, schema.TextContentBlock):
        return block.text
    if isinstance(block, schema.ImageContentBlock):
        return {"image": f"data:{block.mime_type};base64,{block.data}"}
    if isinstance(block, schema.ResourceContentBlock):
        return f"{block.name} ({block.uri})"
    if isinstance(block, schema.EmbeddedResourceContentBlock) and isinstance(
        block.resource, schema.TextResourceContents
    ):
        return f"{block.resource.uri}:\n\n{block.resource.text}"
    raise SetupError("A team takes text, images and files of text.", fix="Leave out what else is attached.")
