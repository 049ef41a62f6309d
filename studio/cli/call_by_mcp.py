"""`studio call --protocol mcp`: the same call as a client of MCP makes it."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, cast
from urllib.parse import quote
from uuid import uuid4

from pydantic import JsonValue, ValidationError

from studio.cli.call import FINAL, NotAStudio, ToldCall, answer_of, check_key, print_call, refusal_of
from studio.cli.terminal import terminal
from studio.console import printable
from studio.errors import RunFailed, SetupError, StudioError
from studio.models.extras import needs_extra

if TYPE_CHECKING:
    import httpx2
    from mcp import types
    from mcp.client import ClientRequestContext

READ_S = 60
"""The server tells every few seconds that it works."""


def call_by_mcp(at: str, key: str, name: str, task: str, *, thread: str, as_json: bool) -> None:
    """As `call_deployment`."""
    check_key(key)
    with needs_extra("mcp", "`--protocol mcp`"):
        import httpx2
        from mcp import MCPError
    try:
        result = asyncio.run(_called(f"{at.rstrip('/')}/d/{quote(name, safe='')}/mcp", key, name, task, thread))
    except Exception as error:  # of the SDK, alone or in groups
        cause = _innermost(error)
        if isinstance(cause, StudioError):
            raise cause from None
        if isinstance(cause, httpx2.TransportError | httpx2.InvalidURL):
            raise SetupError(f"The studio cannot be reached: {cause}.", fix="Check --at.") from error
        if isinstance(cause, MCPError):
            raise SetupError(printable(cause.message), fix="Check --at and the name.") from error
        raise
    if result.structured_content is None:
        raise SetupError(printable(_text(result)))
    try:
        call = ToldCall.model_validate(result.structured_content)
    except ValidationError as error:
        raise NotAStudio from error
    if call.state not in FINAL:
        raise RunFailed(f"{printable(_text(result))} Call {call.id} is waiting.")
    print_call(call, cast("JsonValue", result.structured_content), as_json=as_json)


async def _called(url: str, key: str, name: str, task: str, thread: str) -> types.CallToolResult:
    import httpx2
    from mcp import types
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    person = terminal(sys.stderr)

    async def ask(
        context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        del context
        text = await asyncio.to_thread(answer_of, person, params.message, "")
        return types.ElicitResult(action="accept", content={"answer": text})

    async def keep_open(progress: float, total: float | None, message: str | None) -> None:
        """Asked for, since the server then tells that it works."""
        del progress, total, message

    http = httpx2.AsyncClient(
        headers={"Authorization": f"Bearer {key}"},
        timeout=READ_S,
        event_hooks={"response": [_refuse]},
    )
    arguments = {"task": task, **({"thread": thread} if thread else {})}
    meta = cast("types.RequestParamsMeta", {"team-studio/idempotency-key": str(uuid4())})
    async with (
        http,
        Client(
            streamable_http_client(url, http_client=http),
            elicitation_callback=ask if person.is_person() else None,
            cache=None,
        ) as client,
    ):
        return await client.call_tool(name, arguments, progress_callback=keep_open, meta=meta)


async def _refuse(answer: httpx2.Response) -> None:
    """What the studio says itself; errors of MCP are left to its client."""
    if answer.status_code in (401, 403, 404, 413, 421, 429, 503):
        body = await answer.aread()
        if b'"jsonrpc"' not in body:
            raise refusal_of(answer.status_code, body)


def _innermost(error: BaseException) -> BaseException:
    if isinstance(error, BaseExceptionGroup):
        return _innermost(cast("BaseExceptionGroup[BaseException]", error).exceptions[0])
    return error


def _text(result: types.CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if block.type == "text")
