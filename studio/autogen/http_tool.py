"""`HttpTool` as AutoGen's scripts use it."""

from __future__ import annotations

from typing import Self

from studio.autogen.tools import FreedTool
from studio.tools import HttpTool as StudioHttpTool


class HttpTool(FreedTool, StudioHttpTool, stands_for=StudioHttpTool):
    """Calls an HTTP endpoint."""

    provider = StudioHttpTool.provider
    aliases = StudioHttpTool.aliases

    @property
    def server_params(self) -> Self:
        """What says where the endpoint is: the tool's own fields have AutoGen's names."""
        return self
