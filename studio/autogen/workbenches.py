"""Workbenches as AutoGen's scripts make them."""

from __future__ import annotations

from typing import Any

from studio.autogen.foreign import adopt, given
from studio.autogen.freed import Config, Freed, mix_in
from studio.tools import StaticWorkbench
from studio.tools.mcp import McpWorkbench as StudioMcpWorkbench
from studio.tools.mcp.host import ChatCompletionClientSampler, McpSessionHost


class FreedWorkbench(Freed):
    """Knows tools that are shown differently by both names."""

    def __getattr__(self, name: str) -> Any:
        if name == "_override_name_to_original":
            overrides: dict[str, Any] = vars(self)["tool_overrides"]
            return {each.name: own for own, each in overrides.items() if each.name and each.name != own}
        return super().__getattr__(name)


class McpWorkbench(FreedWorkbench, StudioMcpWorkbench, stands_for=StudioMcpWorkbench):
    """Offers the server a model with `model_client`, as AutoGen's does."""

    provider = StudioMcpWorkbench.provider
    aliases = StudioMcpWorkbench.aliases
    positional = ("server_params", "tool_overrides", "model_client")

    def __init__(self, *args: Any, **data: Any) -> None:
        named = self._name_arguments(args, data)
        client = named.pop("model_client", None)
        if isinstance(client, McpSessionHost):  # the third argument of later versions
            named["host"], client = client, None
        if client is not None:
            sampler = ChatCompletionClientSampler(client_config=adopt("model_client", client))
            named.setdefault("host", McpSessionHost(sampler=sampler))
        super().__init__(**{name: value for name, value in named.items() if value is not None})

    @property
    def _model_client(self) -> Any:
        """The model that the server is offered, under AutoGen's name."""
        sampler = self.host and self.host.sampler
        return given(sampler.client_config) if isinstance(sampler, ChatCompletionClientSampler) else None

    def _to_config(self) -> Any:
        config: dict[str, Any] = dict(super()._to_config())
        model = self._model_client and self._model_client.dump_component()
        return Config.model_construct(None, **{**config, "server_params": self.server_params, "model_client": model})


mix_in(StaticWorkbench, FreedWorkbench)
