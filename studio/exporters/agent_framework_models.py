"""Model clients: what they connect to is theirs, what they are asked with is an option of the agent."""

from __future__ import annotations

from collections.abc import Callable

from studio.code.dialect import Writer
from studio.code.layout import Call, Expression, Items, Text
from studio.components import SecretRef
from studio.exporters.agent_framework_fields import OPTIONS, fields_of
from studio.models import (
    ChatCompletionClient,
    OllamaChatCompletionClient,
    OpenAIChatCompletionClient,
    ReplayChatCompletionClient,
)
from studio.models.openai_services import OPENAI, service_of

_CONNECTION = ("api_key", "base_url", "azure_endpoint", "api_version", "default_headers", "host")


def client_call(name: str, client: ChatCompletionClient, where: str, values: Writer, use: Callable[[str], str]) -> Call:
    """The call that makes a client."""
    at = f"{where}/config"
    if isinstance(client, ReplayChatCompletionClient):
        replies = Items(tuple(Text(str(each)) for each in client.chat_completions))
        repeats = (("repeats", values.expression(client.repeats, at)),) if client.repeats else ()
        return Call(use("ScriptedClient"), (replies,), repeats)
    model = getattr(client, "azure_deployment", None) or getattr(client, "model", "")
    named: dict[str, Expression] = {"model": Text(str(model))}
    for field in _CONNECTION:
        value = getattr(client, field, None)
        if field in fields_of(type(client)) and value:
            named[field] = values.expression(value, f"{at}/{field}", field)
    if isinstance(client, OpenAIChatCompletionClient) and client.base_url is None:
        service = service_of(client.model)
        if service is not OPENAI:  # the studio finds it by the model's name
            named["base_url"] = Text(service.base_url)
            named.setdefault("api_key", values.expression(SecretRef(f"env:{service.key_env}"), f"{at}/api_key"))
    if isinstance(client, OpenAIChatCompletionClient) and client.organization:
        named["org_id"] = Text(client.organization)
    return Call(name, named=tuple(named.items()))


def options_of(client: ChatCompletionClient, where: str, values: Writer) -> dict[str, Expression]:
    """What an agent asks its model with."""
    if isinstance(client, OllamaChatCompletionClient | ReplayChatCompletionClient):
        return {}
    known = fields_of(type(client))
    found = {theirs: (ours, getattr(client, ours, None)) for ours, theirs in OPTIONS.items() if ours in known}
    return {
        theirs: values.expression(value, f"{where}/config/{ours}", ours)
        for theirs, (ours, value) in found.items()
        if value is not None
    }
