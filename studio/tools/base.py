"""The base of tools: one call, one effect, and an error is a result."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import ClassVar, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from studio import effects
from studio.components import Component, JsonObject
from studio.effects import EffectRequest, ToolCall
from studio.errors import StudioError, ToolFailed
from studio.messages import CancellationToken, ToolSchema, linked
from studio.tools.reporter import calling_agent, pass_on, telling
from studio.tools.variables import team_variables

_JSON: TypeAdapter[JsonValue] = TypeAdapter(JsonValue, config=ConfigDict(defer_build=True))


class ToolReturn(NamedTuple):
    """What a tool gave: the value, and the text that the model reads."""

    value: JsonValue
    text: str


class BaseTool(Component):
    """Something that a model may call.

    Subclasses give `name`, `description`, `parameters` and `_run`; whatever `_run` raises is told to the model.
    """

    component_type: ClassVar[str] = "tool"

    @property
    def schema(self) -> ToolSchema:  # pyright: ignore[reportIncompatibleMethodOverride] -- AutoGen's name; Pydantic's is deprecated
        """How the tool is shown to a model."""
        raise NotImplementedError

    @property
    def reads_variables(self) -> bool:
        """Whether what it gives depends on the team's context variables, which are part of the request then."""
        return False

    @property
    def is_safe_to_repeat(self) -> bool:
        """Whether calling it again with the same arguments changes nothing in the world.

        Of other tools a person is asked what came of a call that was under way when the server was killed. They can
        tell that a call is the same again by `studio.effects.idempotency_key`.
        """
        return False

    async def _run(self, arguments: JsonObject) -> ToolReturn:
        """Do the work. The arguments are those that the model wrote; on the way it may `emit` events."""
        raise NotImplementedError

    async def call(
        self,
        arguments: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolReturn:
        """Run the tool once.

        Args:
            arguments: By name, as JSON.
            cancellation_token: Ends the call when it is cancelled.
            call_id: The model's id of this call; part of the request, so that two equal calls stay two.

        Raises:
            ToolFailed: With the text that the model is told.
        """
        given = cast("JsonObject", dict(arguments))
        name = self.schema["name"]
        body: JsonObject = {"name": name, "arguments": given, "call_id": call_id}
        if self.reads_variables:
            body["context_variables"] = copy.deepcopy(dict(team_variables() or {}))

        with linked(cancellation_token):
            tool_call = ToolCall(name, given, calling_agent(), self._attempt, _saying, _said_by, self.taken)
            request = EffectRequest("tool", name, lambda: body, tool=tool_call, is_safe=self.is_safe_to_repeat)
            answer = await effects.call(request, lambda: self._attempt(given))
        answer = cast("JsonObject", answer)
        if "events" in answer or "context_variables" in answer:
            pass_on(name, call_id, answer)
        if "error" in answer:
            raise ToolFailed(str(answer["error"]))
        return ToolReturn(answer["value"], str(answer["text"]))

    def taken(self, arguments: JsonObject) -> JsonObject:
        """Arguments as the tool takes them, for rules that look at them: with its defaults for those left out."""
        return {**defaults_in(self.schema.get("parameters", {})), **arguments}

    async def _attempt(self, arguments: JsonObject) -> JsonObject:
        """One call as an effect's result: what it gave or why it failed, and all that it told."""
        with telling() as reporter:
            try:
                result = await self._run(arguments)
                return reporter.to_effect({"value": result.value, "text": result.text})
            except StudioError as error:
                return reporter.to_effect({"error": error.what})
            except Exception as error:  # noqa: BLE001 -- a tool is foreign code: whatever it raises is its result
                return reporter.to_effect({"error": error_text(error)})

    async def run_json(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> JsonValue:
        """Run the tool and give its value, under AutoGen's name.

        Raises:
            ToolFailed: With the text that the model is told.
        """
        return (await self.call(args, cancellation_token, call_id)).value

    def return_value_as_string(self, value: object) -> str:
        """A value as the model reads it: JSON for Pydantic models, `str` for all else."""
        return text_of(value)

    async def start(self) -> None:
        """Told before the first use in a run; what a tool holds it gets when it is first called."""

    async def stop(self) -> None:
        """Let go of what the calls of a run shared."""

    async def save_state_json(self) -> Mapping[str, JsonValue]:
        return {}

    async def load_state_json(self, state: Mapping[str, JsonValue]) -> None:
        """Take up a saved state; most tools have none."""


class StreamTool(BaseTool):
    """A tool that tells what happens on the way, such as an agent used as a tool.

    What it does inside passes through the effects port itself, so the call as a whole is no effect.
    """

    def run_json_stream(
        self,
        args: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> AsyncGenerator[object, None]:
        """Yield events and messages, and last the value."""
        raise NotImplementedError

    async def call(
        self,
        arguments: Mapping[str, object],
        cancellation_token: CancellationToken | None = None,
        call_id: str | None = None,
    ) -> ToolReturn:
        last: object = None
        async with aclosing(self.run_json_stream(arguments, cancellation_token, call_id)) as items:
            async for item in items:
                last = item
        return ToolReturn(plain(last), self.return_value_as_string(last))


def defaults_in(parameters: Mapping[str, object]) -> JsonObject:
    """What a JSON schema of arguments says that they are when they are left out."""
    properties = parameters.get("properties")
    known = cast("JsonObject", properties) if isinstance(properties, dict) else {}
    return {name: each["default"] for name, each in known.items() if isinstance(each, dict) and "default" in each}


def _saying(text: str, is_error: bool) -> JsonObject:
    return {"error": text} if is_error else {"value": text, "text": text}


def _said_by(answer: JsonValue) -> tuple[str, bool]:
    result = cast("JsonObject", answer)
    return (str(result["error"]), True) if "error" in result else (str(result.get("text", "")), False)


def text_of(value: object) -> str:
    """A result as a model reads it."""
    shown: object = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return json.dumps(shown) if isinstance(value, BaseModel) and isinstance(shown, dict) else str(shown)


def plain(value: object) -> JsonValue:
    """The value as JSON, or its text where it has none."""
    try:
        return _JSON.validate_python(value.model_dump(mode="json") if isinstance(value, BaseModel) else value)
    except ValidationError:
        return str(value)


def error_text(error: BaseException) -> str:
    """What a model is told of an error; of several at once, one line each."""
    if isinstance(error, BaseExceptionGroup):
        parts = cast("BaseExceptionGroup[BaseException]", error).exceptions
        return "\n".join(error_text(part) for part in parts)
    text = error.what if isinstance(error, StudioError) else str(error)
    return text.strip() or type(error).__name__
