"""`HttpTool` as AutoGen's scripts use it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Self

from studio.autogen.tools import FreedTool
from studio.components import JsonObject
from studio.errors import StudioError, ToolFailed
from studio.messages import CancellationToken
from studio.tools import HttpTool as StudioHttpTool
from studio.tools.base import ToolReturn

_causes: ContextVar[list[BaseException] | None] = ContextVar("studio_autogen_causes", default=None)


class HttpTool(FreedTool, StudioHttpTool, stands_for=StudioHttpTool):
    """Calls an HTTP endpoint."""

    provider = StudioHttpTool.provider
    aliases = StudioHttpTool.aliases

    @property
    def server_params(self) -> Self:
        """What says where the endpoint is: the tool's own fields have AutoGen's names."""
        return self

    async def run_json(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> Any:
        """Ask the endpoint.

        Raises:
            httpx.HTTPError: It cannot be asked, or does not answer in time.
            ValueError: The arguments are not what they should be, or the answer is no JSON.
            ToolFailed: The studio refused to ask it, or it answered with an error.
        """
        causes: list[BaseException] = []
        before = _causes.set(causes)
        try:
            return await super().run_json(args, cancellation_token, call_id)
        except ToolFailed as error:
            if causes:
                raise causes[0] from error
            raise
        finally:
            _causes.reset(before)

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        try:
            return await super()._run(arguments)
        except ToolFailed as error:
            causes, cause = _causes.get(), error.__cause__
            if causes is not None and cause is not None and not isinstance(cause, StudioError):
                from httpx import ReadTimeout  # slow to load

                causes.append(ReadTimeout(error.what) if isinstance(cause, TimeoutError) else cause)
            raise
