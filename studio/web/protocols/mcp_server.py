"""What clients of MCP are told: the deployment as one tool, a call of it as a result or as a task.

One server answers all deployments, at both revisions. Between two requests it holds nothing but the sessions that
clients of 2025-11-25 open; all else is read from the log, by whichever server is asked.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Annotated, Any, cast

import anyio
from mcp import MCPError, types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from mcp.types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError
from starlette.types import Receive, Scope, Send

from studio.components import JsonObject
from studio.components.deferred_model import DeferredModel
from studio.deployments import CallNotFound, CallRefused, CallState
from studio.errors import ConfigError, Conflict, NotFound, StudioError
from studio.services.calls import Answering, CallDesk, CallRequest, CallStatus
from studio.store.deployments import OpenedDeployment
from studio.version import VERSION
from studio.web.auth.authorization import AUTH_CONTEXT
from studio.web.protocols.openai_conversation import said_by
from studio.web.protocols.rest import FOR_OPERATOR, CallOut, ThreadName, shown_call

PROTOCOL = "mcp"
NAME = "team-studio"
PROGRESS_S = 8.0
"""Clients give up after a minute without news."""
MAX_BODY = 20 * 1024 * 1024
"""The most that a deployment may take; the guard holds the limit of each."""
LISTED_FOR_MS = 60_000
TASKS = "io.modelcontextprotocol/tasks"
POLL_MS = 1_000
IDEMPOTENCY = "team-studio/idempotency-key"
"""In `_meta` of a request, as the header of the other protocols."""
USAGE = "team-studio/usage"
ANSWER = "answer"
MAX_KEY = 255
TOLD = (CallRefused, Conflict, ConfigError, NotFound)
"""What callers are told in its own words, as by the other protocols."""

logger = logging.getLogger(__name__)
Context = ServerRequestContext[Any, Any]


class ToolArguments(DeferredModel):
    model_config = ConfigDict(extra="forbid")

    task: Annotated[str, Field(description="What to do, or the answer to what was asked last in the thread.")]
    thread: ThreadName | None = None


class TaskRequest(types.RequestParams):
    task_id: str


class TaskUpdate(TaskRequest):
    """Answers by the IDs of questions. Only that to what is asked is read: the others may be of any kind."""

    input_responses: dict[str, JsonValue]


class McpServer:
    """Answers clients of MCP; an ASGI application, while `run` goes on.

    Args:
        desk: The calls.
        closing: Set when the server stops; what waits then is dropped, and its call continues.
        start: Lets work go on after its request.
    """

    def __init__(
        self, desk: CallDesk, closing: asyncio.Event, start: Callable[[Coroutine[Any, Any, None]], None]
    ) -> None:
        self._desk = desk
        self._closing = closing
        self._start = start
        server = Server[Any](
            NAME,
            version=VERSION,
            on_list_tools=self._list_tools,
            cache_hints={"tools/list": CacheHint(LISTED_FOR_MS), "server/discover": CacheHint(LISTED_FOR_MS)},
            get_tool_input_schema=lambda _: None,  # no argument is repeated in a header
        )
        server.extensions[TASKS] = {}
        server.add_request_handler("tools/call", types.CallToolRequestParams, self._call_tool)
        server.add_request_handler("tasks/get", TaskRequest, self._get_task)
        server.add_request_handler("tasks/update", TaskUpdate, self._update_task)
        server.add_request_handler("tasks/cancel", TaskRequest, self._cancel_task)
        server.middleware = [_without_insides]
        # Hosts and origins are the guard's.
        self._manager = StreamableHTTPSessionManager(server, max_request_body_size=MAX_BODY)

    async def run(self, ready: asyncio.Event) -> None:
        """Keep the sessions of clients of 2025-11-25 until this is cancelled."""
        async with self._manager.run():
            ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A session is open to the key that opened it."""
        key = scope[AUTH_CONTEXT].opened.key
        user = AuthenticatedUser(AccessToken(token="", client_id=key.id, scopes=[]))
        await self._manager.asgi_app({**scope, "user": user}, receive, send)

    async def _list_tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        del params
        deployment = _caller(ctx).deployment
        tool = types.Tool(
            name=deployment.name,
            description=deployment.summary or f"Ask {deployment.name}. It may take minutes.",
            input_schema=ToolArguments.model_json_schema(),
            output_schema=CallOut.model_json_schema(mode="serialization"),
        )
        return types.ListToolsResult(tools=[tool])

    async def _call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> HandlerResult:
        by = _caller(ctx)
        if params.name != by.deployment.name:
            raise MCPError(types.INVALID_PARAMS, f"There is no tool {params.name!r}. Use {by.deployment.name!r}.")
        key = _meta(ctx).get(IDEMPOTENCY, "")
        if not isinstance(key, str) or len(key) > MAX_KEY:
            raise MCPError(
                types.INVALID_PARAMS, f"In `_meta`, {IDEMPOTENCY!r} must be text of up to {MAX_KEY} characters."
            )
        return await _as_result(self._called(ctx, by, params, key))

    async def _called(
        self, ctx: Context, by: OpenedDeployment, params: types.CallToolRequestParams, key: str
    ) -> HandlerResult:
        if params.request_state is not None:
            found = await self._continued(by, params.request_state, params.input_responses or {})
            if isinstance(found, types.CallToolResult):
                return found
        else:
            found = await self._begun(ctx, by, params.arguments or {}, key)
        if _takes_tasks(ctx):
            return {"resultType": "task", **task_of(await self._desk.status(by, found.call.id))}
        async with self._stopping_with_its_client(by, found, stays=bool(key)), self._attending(ctx, by, found):
            return await _as_result(self._answered(ctx, by, found))

    async def _begun(self, ctx: Context, by: OpenedDeployment, arguments: JsonObject, key: str) -> Answering:
        try:
            asked = ToolArguments.model_validate(arguments)
        except ValidationError as error:
            raise _wrong_arguments(error) from error
        address = ctx.request.client.host if ctx.request and ctx.request.client else ""
        wanted = CallRequest(asked.task, PROTOCOL, asked.thread or "", idempotency_key=key, address=address)
        return await self._desk.speak(by, wanted)

    async def _continued(
        self, by: OpenedDeployment, call_id: str, answers: types.InputResponses
    ) -> Answering | types.CallToolResult:
        """The call that a client comes back to with what its person filled in, or how it is where they did not.

        What comes back is not believed: it is the ID of a call, of which only its own key learns anything.

        Raises:
            MCPError: It is another text, which no client should send.
        """
        try:
            status = await self._desk.status(by, call_id)
        except CallNotFound as error:
            raise MCPError(types.INVALID_PARAMS, "This `requestState` is not valid.") from error
        question = status.view.question
        given = answers.get(question.id) if question is not None else None
        if not isinstance(given, types.ElicitResult):
            return Answering(status.call)
        if not await self._take_answer(by, status, given):
            return result_of(status)
        return Answering(status.call, status.view.last_seq)

    async def _take_answer(self, by: OpenedDeployment, status: CallStatus, given: types.ElicitResult) -> bool:
        """Answer what a call asks its caller. Who declines ends the call; who closes the form lets it wait: False."""
        question = status.view.question
        if question is None or given.action == "cancel":
            return False
        if given.action == "decline":
            await self._desk.cancel(by, status.call.id)
            return True
        content = given.content or {}
        text = json.dumps(content) if question.answer_schema else str(content.get(ANSWER, ""))
        with suppress(Conflict):  # answered by another protocol meanwhile
            await self._desk.answer(by, status.call.id, question.id, text)
        return True

    async def _answered(self, ctx: Context, by: OpenedDeployment, found: Answering) -> HandlerResult:
        """Wait for the call, and put its questions to a client that has forms."""
        call, after = found
        while True:
            status = await self._desk.wait(by, call.id, None, after=after)
            question = status.view.question
            if question is None or question.to != "caller" or not _has_forms(ctx):
                return result_of(status)
            if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                return types.InputRequiredResult(input_requests={question.id: _form(status)}, request_state=call.id)
            given = await self._asked(ctx, by, status)
            if given is not None and not await self._take_answer(by, status, given):
                return result_of(status)
            after = status.view.last_seq

    async def _asked(self, ctx: Context, by: OpenedDeployment, status: CallStatus) -> types.ElicitResult | None:
        """What the person of a client of 2025-11-25 filled in; None where the call went on without them."""
        form = _form(status).params
        assert isinstance(form, types.ElicitRequestFormParams)

        async def ask() -> types.ElicitResult:
            try:
                return await ctx.session.elicit_form(form.message, form.requested_schema, ctx.request_id)
            except MCPError:  # the client cannot, whatever it has said
                return types.ElicitResult(action="cancel")

        async with asyncio.TaskGroup() as group:
            asking = group.create_task(ask())
            others = group.create_task(self._desk.wait(by, status.call.id, None, after=status.view.last_seq))
            await asyncio.wait((asking, others), return_when=asyncio.FIRST_COMPLETED)
            given = asking.result() if asking.done() else None
            asking.cancel()
            others.cancel()
        return given

    @asynccontextmanager
    async def _attending(self, ctx: Context, by: OpenedDeployment, found: Answering) -> AsyncGenerator[None]:
        """Around the wait for a call: its client is told that it goes on, and is let go when the server stops."""
        scope = anyio.CancelScope()
        async with anyio.create_task_group() as group:
            if "progressToken" in _meta(ctx):
                group.start_soon(self._tell, ctx, by, found)
            with scope:
                group.start_soon(self._end_when_closing, scope)
                yield
            group.cancel_scope.cancel()
        if scope.cancelled_caught:
            raise MCPError(types.INTERNAL_ERROR, f"The studio is stopping. Call {found.call.id} continues.")

    async def _end_when_closing(self, scope: anyio.CancelScope) -> None:
        await self._closing.wait()
        scope.cancel()

    async def _tell(self, ctx: Context, by: OpenedDeployment, found: Answering) -> None:
        count = itertools.count(1)

        async def pulse() -> None:
            while True:
                await ctx.session.report_progress(next(count), message="Working.")
                await asyncio.sleep(PROGRESS_S)

        async with asyncio.TaskGroup() as group:
            group.create_task(pulse())
            async with aclosing(self._desk.follow(by, found.call.id, found.after)) as events:
                async for event, view in events:
                    if event.name == "message":
                        await ctx.session.report_progress(next(count), message=f"{event.source}: {event.text}")
                    elif view.question is not None and view.question.to == "operator":
                        await ctx.session.report_progress(next(count), message=FOR_OPERATOR)

    @asynccontextmanager
    async def _stopping_with_its_client(
        self, by: OpenedDeployment, found: Answering, *, stays: bool
    ) -> AsyncGenerator[None]:
        """A client that leaves cancels its call, unless a key said that it comes back, or the server stops."""
        try:
            yield
        except asyncio.CancelledError:
            if not stays and not self._closing.is_set():
                self._start(self._cancel(by, found.call.id))
            raise

    async def _cancel(self, by: OpenedDeployment, call_id: str) -> None:
        try:
            await self._desk.cancel(by, call_id)
        except StudioError as error:
            logger.warning("Call %s cannot be canceled: %s", call_id, error)

    async def _get_task(self, ctx: Context, params: TaskRequest) -> JsonObject:
        return task_of(await self._task_of(ctx, params))

    async def _update_task(self, ctx: Context, params: TaskUpdate) -> JsonObject:
        """Answers to what is not asked, or no longer, are left aside."""
        status = await self._task_of(ctx, params)
        question = status.view.question
        if question is not None and (given := params.input_responses.get(question.id)) is not None:
            try:
                await self._take_answer(_caller(ctx), status, types.ElicitResult.model_validate(given))
            except ConfigError as error:
                raise MCPError(types.INVALID_PARAMS, error.what) from error
        return {}

    async def _cancel_task(self, ctx: Context, params: TaskRequest) -> JsonObject:
        await self._desk.cancel(_caller(ctx), (await self._task_of(ctx, params)).call.id)
        return {}

    async def _task_of(self, ctx: Context, params: TaskRequest) -> CallStatus:
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            raise MCPError(types.METHOD_NOT_FOUND, "Method not found", ctx.method)
        if not _takes_tasks(ctx):
            needed: JsonObject = {"requiredCapabilities": {"extensions": {TASKS: {}}}}
            raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "This needs the extension for tasks.", needed)
        assert ctx.request is not None
        named = ctx.request.headers.get(MCP_NAME_HEADER)
        if named is not None and decode_header_value(named) != params.task_id:
            raise MCPError(types.HEADER_MISMATCH, "The header Mcp-Name does not match the task.")
        try:
            return await self._desk.status(_caller(ctx), params.task_id)
        except NotFound as error:
            raise MCPError(types.INVALID_PARAMS, "There is no such task.") from error


async def _without_insides(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Callers are told nothing of an error that was not meant for them."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):
        raise
    except Exception as error:
        logger.exception("MCP: %s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, "Internal error. The server log has the details.") from error


async def _as_result(work: Awaitable[HandlerResult]) -> HandlerResult:
    """Why a call is refused is a result, so that a model can read it and do better."""
    try:
        return await work
    except TOLD as error:
        said = " ".join(filter(None, (error.what, error.fix, f"({error.code})")))
        return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)


def _meta(ctx: Context) -> JsonObject:
    """What its client said beside a request."""
    meta = (ctx.params or {}).get("_meta")
    return cast("JsonObject", meta) if isinstance(meta, dict) else {}


def _caller(ctx: Context) -> OpenedDeployment:
    """Who sent this request."""
    assert ctx.request is not None
    return ctx.request.scope[AUTH_CONTEXT].opened


def _takes_tasks(ctx: Context) -> bool:
    capabilities = ctx.session.client_capabilities
    modern = ctx.protocol_version in MODERN_PROTOCOL_VERSIONS
    return modern and capabilities is not None and TASKS in (capabilities.extensions or {})


def _has_forms(ctx: Context) -> bool:
    """Whether the client shows forms; one that names no kind of them shows these."""
    capabilities = ctx.session.client_capabilities
    forms = capabilities.elicitation if capabilities else None
    return forms is not None and (forms.form is not None or forms.url is None)


def _form(status: CallStatus) -> types.InputRequest:
    """What a call asks its caller, as a client asks its person."""
    question = status.view.question
    assert question is not None
    field: JsonObject = {"type": "string", "title": "Answer"}
    if question.choices and all(isinstance(choice, str) for choice in question.choices):
        field["enum"] = [*question.choices]
    schema: JsonObject = {"type": "object", "properties": {ANSWER: field}, "required": [ANSWER]}
    form = types.ElicitRequestFormParams(message=_prompt(status), requested_schema=question.answer_schema or schema)
    return types.ElicitRequest(params=form)


def _prompt(status: CallStatus) -> str:
    return said_by(status.view) or "The team asks for your input."


def result_of(status: CallStatus) -> types.CallToolResult:
    """A call as it is now, as the result of its tool."""
    view, call = status.view, status.call
    said = said_by(view)
    if view.failure is not None:
        said = "\n\n".join(filter(None, (f"{view.failure.message} Call {call.id}.", said)))
    elif view.state is CallState.WAITING:
        said = f"{_prompt(status)}\n\nTo answer, use this tool again with the thread {call.thread!r}."
    usage = {"prompt_tokens": status.usage.prompt_tokens, "completion_tokens": status.usage.completion_tokens}
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=said)],
        structured_content=shown_call(view, call.id, call.thread).model_dump(mode="json"),
        is_error=view.failure is not None,
        _meta={USAGE: usage},
    )


def _wrong_arguments(error: ValidationError) -> ConfigError:
    places = (f"{'.'.join(map(str, each['loc'])) or 'arguments'}: {each['msg']}" for each in error.errors())
    return ConfigError(f"Invalid arguments: {'; '.join(places)}.")


def task_of(status: CallStatus) -> JsonObject:
    """A call as a task. One without an answer is completed as well, with a result that says so."""
    view, question = status.view, status.view.question
    task: JsonObject = {
        "taskId": status.call.id,
        "status": "working",
        "createdAt": status.call.at.isoformat(),
        "lastUpdatedAt": (view.changed_at or status.call.at).isoformat(),
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }
    if view.state is CallState.CANCELLED:
        return {**task, "status": "cancelled"}
    if view.state.is_final:
        return {**task, "status": "completed", "result": _as_json(result_of(status))}
    if question is not None and question.to == "caller":
        return {**task, "status": "input_required", "inputRequests": {question.id: _as_json(_form(status))}}
    if question is not None:
        return {**task, "statusMessage": FOR_OPERATOR}
    return task


def _as_json(model: BaseModel) -> JsonObject:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
