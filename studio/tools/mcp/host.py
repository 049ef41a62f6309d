"""What a studio offers to an MCP server: a model, a person's answers, and the names of folders.

What a server asks for while a tool runs is part of that tool's call; it is not recorded as an effect of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, TypeAdapter, ValidationError

from studio import effects
from studio.components import Component, JsonObject
from studio.effects import HumanQuestion
from studio.errors import ToolFailed
from studio.messages import AssistantMessage, Image, LLMMessage, SystemMessage, UserMessage
from studio.models import ChatCompletionClient

if TYPE_CHECKING:
    from mcp import types
    from mcp.client import ClientRequestContext
    from mcp.client.session import ElicitationFnT, ListRootsFnT, SamplingFnT

CHOICES = {"a": "accept", "d": "decline", "c": "cancel"}
STOP_REASONS = {"stop": "endTurn", "length": "maxTokens"}


class Sampler(Component):
    """Answers a server that asks for a model's reply."""

    component_type: ClassVar[str] = "mcp_sampler"

    async def sample(self, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        """The reply."""
        raise NotImplementedError


class ChatCompletionClientSampler(Sampler):
    """Lets a server call a model."""

    provider = "autogen_ext.tools.mcp.ChatCompletionClientSampler"
    aliases = (
        "autogen_ext.tools.mcp._host.ChatCompletionClientSampler",
        "autogen_ext.tools.mcp._host._sampling.ChatCompletionClientSampler",
        "studio.tools.mcp.ChatCompletionClientSampler",
    )
    positional = ("client_config",)

    client_config: Annotated[ChatCompletionClient, Field(description="The model that answers the server.")]

    @classmethod
    def _name_arguments(cls, args: Sequence[Any], data: dict[str, Any]) -> dict[str, Any]:
        named = super()._name_arguments(args, data)
        if "model_client" in named:  # AutoGen's name of the argument
            named["client_config"] = named.pop("model_client")
        return named

    async def sample(self, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        from mcp import types

        messages: list[LLMMessage] = [SystemMessage(content=params.system_prompt)] if params.system_prompt else []
        messages += [_llm_message(message) for message in params.messages]
        options: dict[str, Any] = {"max_tokens": params.max_tokens}
        if params.temperature is not None:
            options["temperature"] = params.temperature
        if params.stop_sequences is not None:
            options["stop"] = params.stop_sequences
        with effects.use(effects.LiveEffects()):
            reply = await self.client_config.create(messages, extra_create_args=options)
        text = reply.content if isinstance(reply.content, str) else _calls_as_text(reply.content)
        return types.CreateMessageResult(
            role="assistant",
            content=types.TextContent(type="text", text=text),
            model=str(self.client_config.info["family"]),
            stop_reason=STOP_REASONS.get(reply.finish_reason, reply.finish_reason),
        )


def _calls_as_text(calls: Sequence[BaseModel]) -> str:
    return json.dumps([call.model_dump(mode="json") for call in calls])


def _llm_message(message: types.SamplingMessage) -> LLMMessage:
    """A message of the protocol as one for a model.

    Raises:
        ToolFailed: It holds what no model client takes.
    """
    parts = [_part(item) for item in (message.content if isinstance(message.content, list) else [message.content])]
    if message.role == "user":
        return UserMessage(content=parts, source="user")
    if not all(isinstance(part, str) for part in parts):
        raise ToolFailed("An assistant message can contain only text.")
    return AssistantMessage(content="\n".join(str(part) for part in parts), source="assistant")


def _part(content: object) -> str | Image:
    from mcp import types

    if isinstance(content, types.TextContent):
        return content.text
    if isinstance(content, types.ImageContent):
        return Image.from_base64(content.data)
    raise ToolFailed(f"Content of the kind {type(content).__name__} cannot be sent to a model.")


class Elicitor(Component):
    """Answers a server that asks for a person's decision."""

    component_type: ClassVar[str] = "mcp_elicitor"

    async def elicit(self, params: types.ElicitRequestParams) -> types.ElicitResult:
        """The decision, with what the person filled in."""
        raise NotImplementedError


class StdioElicitor(Elicitor):
    """Asks the user: on the page of the run, or on the console in a script."""

    provider = "autogen_ext.tools.mcp.StdioElicitor"
    aliases = (
        "autogen_ext.tools.mcp._host.StdioElicitor",
        "autogen_ext.tools.mcp._host._elicitation.StdioElicitor",
        "studio.tools.mcp.StdioElicitor",
    )
    keep_null = frozenset(("timeout",))

    timeout: Annotated[
        float | None, Field(gt=0, description="How long to wait for your answer, in seconds. Empty: no limit.")
    ] = None

    async def elicit(self, params: types.ElicitRequestParams) -> types.ElicitResult:
        from mcp import types

        prompt = f"{params.message}\n[a]ccept, [d]ecline or [c]ancel? "
        answer = (await self._ask(prompt)).strip().lower()
        action = CHOICES.get(answer, answer)
        if action not in CHOICES.values():
            raise ToolFailed(f"{answer!r} must be accept, decline or cancel.")
        result = types.ElicitResult(action=cast("Literal['accept', 'decline', 'cancel']", action))
        if action == "accept" and isinstance(params, types.ElicitRequestFormParams) and params.requested_schema:
            schema = json.dumps(params.requested_schema, indent=2)
            filled_in = await self._ask(f"Input schema:\n{schema}\nA JSON object that follows it: ")
            try:
                result.content = _FILLED_IN.validate_json(filled_in)
            except ValidationError as error:
                raise ToolFailed(f"The answer must be a flat JSON object: {filled_in!r}") from error
        return result

    async def _ask(self, prompt: str) -> str:
        import asyncio

        question = HumanQuestion(effects.new_id(), "MCP server", prompt)
        async with asyncio.timeout(self.timeout):
            return await effects.current().answer(question)


_FILLED_IN: TypeAdapter[dict[str, str | int | float | bool | list[str] | None]] = TypeAdapter(
    dict[str, str | int | float | bool | list[str] | None]
)


class Root(BaseModel):
    """A folder or file that a server may work on."""

    model_config = ConfigDict(frozen=True, extra="allow")

    uri: Annotated[
        str,
        Field(
            pattern="^file://",
            description="Address of the folder, beginning with `file://`.",
            examples=["file:///home/me/project"],
        ),
    ]
    name: str | None = None


class RootsProvider(Component):
    """Answers a server that asks which folders it may work on."""

    component_type: ClassVar[str] = "mcp_roots_provider"

    async def list_roots(self) -> types.ListRootsResult:
        """The folders."""
        raise NotImplementedError


class StaticRootsProvider(RootsProvider):
    """Returns a fixed list of folders."""

    provider = "autogen_ext.tools.mcp.StaticRootsProvider"
    aliases = (
        "autogen_ext.tools.mcp._host.StaticRootsProvider",
        "autogen_ext.tools.mcp._host._roots.StaticRootsProvider",
        "studio.tools.mcp.StaticRootsProvider",
    )
    positional = ("roots",)

    roots: Annotated[list[Root], Field(description="Folders that the server may work on.", examples=[[]])]

    async def list_roots(self) -> types.ListRootsResult:
        from mcp import types

        return types.ListRootsResult.model_validate({"roots": [root.model_dump(mode="json") for root in self.roots]})


class McpSessionHost(Component):
    """What the studio offers a server: model calls, user input and folder names."""

    provider = "autogen_ext.tools.mcp.McpSessionHost"
    aliases = (
        "autogen_ext.tools.mcp._host.McpSessionHost",
        "autogen_ext.tools.mcp._actor.McpSessionHost",
        "autogen_ext.tools.mcp._workbench.McpSessionHost",
        "autogen_ext.tools.mcp._host._session_host.McpSessionHost",
        "studio.tools.mcp.McpSessionHost",
    )
    component_type: ClassVar[str] = "mcp_session_host"
    positional = ("sampler", "roots", "elicitor")
    keep_null = frozenset(("sampler", "elicitor", "roots"))

    sampler: Annotated[Sampler | None, Field(description="Lets the server call a model. Empty: not offered.")] = None
    elicitor: Annotated[Elicitor | None, Field(description="Lets the server ask you. Empty: not offered.")] = None
    roots: Annotated[
        RootsProvider | None, Field(description="Tells the server which folders it may work on. Empty: not offered.")
    ] = None

    def sampling_callback(self) -> SamplingFnT | None:
        """For the SDK's client; None is how it learns that nothing is offered."""
        sampler = self.sampler
        if sampler is None:
            return None

        async def sample(
            context: ClientRequestContext, params: types.CreateMessageRequestParams
        ) -> types.CreateMessageResult:
            del context
            return await sampler.sample(params)

        return sample

    def elicitation_callback(self) -> ElicitationFnT | None:
        """As `sampling_callback`."""
        elicitor = self.elicitor
        if elicitor is None:
            return None

        async def elicit(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
            del context
            return await elicitor.elicit(params)

        return elicit

    def roots_callback(self) -> ListRootsFnT | None:
        """As `sampling_callback`."""
        roots = self.roots
        if roots is None:
            return None

        async def list_roots(context: ClientRequestContext) -> types.ListRootsResult:
            del context
            return await roots.list_roots()

        return list_roots


def as_json(result: BaseModel) -> Mapping[str, JsonValue]:
    """An object of the protocol as it goes over the wire."""
    return cast("JsonObject", result.model_dump(mode="json", by_alias=True, exclude_none=True))
