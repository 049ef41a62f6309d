"""Calls one function of foreign source in a process of its own: own folder, own environment, bounded in time and
output, and in the jail of this context, where there is one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from studio.components import JsonObject
from studio.errors import ToolFailed
from studio.sandbox.limits import Limits, working_directory
from studio.sandbox.policy import Policy
from studio.sandbox.worker_main import WorkerProcess, started, started_in_new_folder
from studio.sandbox.worker_pool import current_workers


async def run_function(
    *,
    imports: str,
    source: str,
    function: str,
    arguments: JsonObject,
    wants_token: bool = False,
    variables: JsonObject | None = None,
    variables_as: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    hosts: Sequence[str] = (),
    limits: Limits | None = None,
) -> JsonObject:
    """Execute Python source in a new process and call one of its functions.

    Args:
        imports: Import statements, executed first.
        source: What defines the function.
        function: Its name; it may be async.
        arguments: By name, as JSON.
        wants_token: Whether it takes a `cancellation_token`, as AutoGen's tools may.
        variables: The team's context variables.
        variables_as: The parameters that take them.
        environment: Variables to give it, such as the secrets it names.
        hosts: What it may reach from its jail.
        limits: Of time and output.

    Returns:
        `{"text": ..., "value": ...}` or `{"error": ...}`, and `events` and changes of `variables` if there are any.

    Raises:
        ToolFailed: The process took too long, died, or gave no result.
        JailUnavailable: It cannot be confined here.
    """
    bounds = limits or Limits()
    request: JsonObject = {
        "imports": imports,
        "source": source,
        "function": function,
        "arguments": arguments,
        "wants_token": wants_token,
        "variables": variables or {},
        "variables_as": list(variables_as),
        "environment": dict(environment or {}),
        "text_limit": bounds.text_limit,
    }
    async with _worker(tuple(hosts)) as worker:
        try:
            async with asyncio.timeout(bounds.timeout_s):
                reply = await worker.ask(request)
        except TimeoutError as error:
            raise ToolFailed(
                f"The tool took longer than {bounds.timeout_s:g} s and was stopped.",
                fix="Raise its time limit, or request less.",
            ) from error
    # A value that is its own text is sent once.
    return {"value": reply["text"], **reply} if "text" in reply else reply


def _worker(hosts: tuple[str, ...]) -> AbstractAsyncContextManager[WorkerProcess]:
    folder, workers = working_directory.get(), current_workers.get()
    if folder is not None:
        return started(Policy(folder, hosts=hosts))
    return started_in_new_folder(hosts) if workers is None else workers.one(hosts)
