"""Agents of AutoGen that the studio opens, shows and saves, but cannot run: each says what it would need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

from pydantic import Field, JsonValue

from studio.agents.base import ChatAgent
from studio.components import JsonObject, Warn
from studio.errors import ConfigError
from studio.messages import BaseChatMessage, CancellationToken, Response
from studio.models import ChatCompletionClient


class Unsupported(ConfigError):
    """An agent that the studio keeps but cannot run."""

    code = "not_run_here"


class UnsupportedAgent(ChatAgent):
    """An agent that needs what the studio does not have."""

    is_offered: ClassVar[bool] = False
    needs: ClassVar[str] = ""
    """What it would need, as a sentence."""
    instead: ClassVar[str] = ""
    """What to use in its place."""

    @classmethod
    def coerce(cls, config: JsonObject, warn: Warn) -> JsonObject:
        warn(f"{cls.__name__} is preserved and shown, but cannot run here. {cls.why()}", "")
        return config

    @classmethod
    def why(cls) -> str:
        """What it would need, and what to use in its place."""
        return f"{cls.needs} {cls.instead}"

    async def on_messages(
        self, messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken | None = None
    ) -> Response:
        del messages, cancellation_token
        raise Unsupported(f"{self.name!r} is a {type(self).__name__}. {self.needs}", fix=self.instead)


class VideoSurfer(UnsupportedAgent):
    """Answers questions about a video file. Preserved and shown, but cannot run here.

    AutoGen itself writes one as an `AssistantAgent` with function tools.
    """

    provider = "autogen_ext.agents.video_surfer.VideoSurfer"
    aliases = (
        "autogen_ext.agents.video_surfer._video_surfer.VideoSurfer",
        "studio.agents.VideoSurfer",
    )
    positional: ClassVar[tuple[str, ...]] = ("name", "model_client")
    needs = "It needs the packages opencv-python, ffmpeg-python and openai-whisper, which no extra installs."
    instead = "Give an AssistantAgent function tools that read the video."

    model_client: ChatCompletionClient
    description: Annotated[str, Field(description="What this agent does.")] = (
        "Answers questions about a local video file."
    )
    system_message: Annotated[str | None, Field(json_schema_extra={"x-multiline": True})] = None


class OpenAIAssistantAgent(UnsupportedAgent):
    """Answers as an assistant of OpenAI's Assistants API. Preserved and shown, but cannot run here."""

    provider = "autogen_ext.agents.openai.OpenAIAssistantAgent"
    aliases = (
        "autogen_ext.agents.openai._openai_assistant_agent.OpenAIAssistantAgent",
        "studio.agents.OpenAIAssistantAgent",
    )
    positional: ClassVar[tuple[str, ...]] = ("name", "description")
    foreign = frozenset(("tools", "tool_resources"))
    needs = "It needs OpenAI's Assistants API, which OpenAI shut down on August 26, 2026."
    instead = "Use an OpenAIAgent, which uses the Responses API."

    model: Annotated[str, Field(examples=["gpt-4o"])]
    instructions: Annotated[str, Field(json_schema_extra={"x-multiline": True})] = ""
    tools: Annotated[list[JsonValue] | None, Field(description="Tools of OpenAI's Assistants API.")] = None
    assistant_id: str | None = None
    thread_id: str | None = None
    metadata: Mapping[str, str] | None = None
    response_format: JsonValue = None
    temperature: float | None = None
    top_p: float | None = None
    tool_resources: Annotated[dict[str, JsonValue] | None, Field(description="Files that the tools can use.")] = None

    def __init__(self, *args: Any, client: object = None, **data: Any) -> None:
        """Make one as in AutoGen; the client of OpenAI's package has no JSON and nothing to talk to."""
        del client
        super().__init__(*args, **data)
